//! Which columns of a table are translated.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A column whose texts are translated, and the one that their translations go to if that is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Column {
    pub(super) source: ColumnName,
    pub(super) target: Option<ColumnName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ColumnName {
    /// Counted from 1.
    Number(usize),
    /// As the first line calls it.
    Name(String),
}

impl FromStr for ColumnName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().parse() {
            Ok(0) => Err("columns are counted from 1".to_owned()),
            Ok(number) => Ok(Self::Number(number)),
            Err(_) if text.trim().is_empty() => Err("a column has a number or a name".to_owned()),
            Err(_) => Ok(Self::Name(text.trim().to_owned())),
        }
    }
}

impl FromStr for Column {
    type Err = String;

    /// Reads `text`, `2`, `en:de` or `2:3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (source, target) = match text.split_once(':') {
            Some((source, target)) => (source, Some(target.parse()?)),
            None => (text, None),
        };
        Ok(Self {
            source: source.parse()?,
            target,
        })
    }
}

impl Display for ColumnName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

impl Display for Column {
    /// As it is read.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            Some(target) => write!(formatter, "{}:{target}", self.source),
            None => self.source.fmt(formatter),
        }
    }
}

impl From<Column> for String {
    fn from(column: Column) -> Self {
        column.to_string()
    }
}

impl TryFrom<String> for Column {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_numbers_or_names() {
        let column = "en: 3".parse::<Column>().expect("a column");
        assert_eq!(column.source, ColumnName::Name("en".to_owned()));
        assert_eq!(column.target, Some(ColumnName::Number(3)));
        assert_eq!(column.to_string(), "en:3");
        for bad in ["", "0", "en:", ":de"] {
            assert!(bad.parse::<Column>().is_err(), "{bad}");
        }
    }
}
