//! Which columns of a table are translated: the requested ones, or those that their names and values indicate.

use super::super::is_prose;
use super::records::Record;
use crate::builder::Failure;
use crate::formats::columns::{Column, ColumnName};
use crate::formats::language;
use crate::words::Words;
use canopy_base::table::{row, rows};

/// Which columns are translated.
pub(super) struct Chosen {
    /// Where a text is, and where its translation goes.
    pub pairs: Vec<(usize, usize)>,
    pub has_header: bool,
    /// The column that names a line, and the one that describes it.
    pub key: Option<usize>,
    pub note: Option<usize>,
}

/// In each row what a column is, and the names of such columns.
const COLUMNS: &str = include_str!("columns.tsv");

/// Whether a column of this name, in small letters, is of a kind.
fn is_kind(name: &str, kind: &str) -> bool {
    row(COLUMNS, kind).is_some_and(|names| names.split('\t').any(|known| known == name))
}

impl Chosen {
    fn names(records: &[Record]) -> Vec<String> {
        let fields = records.first().map_or(&[][..], |record| &record.fields);
        fields
            .iter()
            .map(|field| field.value.trim().to_lowercase())
            .collect()
    }

    fn from_names(names: &[String], pairs: Vec<(usize, usize)>, has_header: bool) -> Self {
        let is_free = |column: &usize| {
            pairs
                .iter()
                .all(|(source, target)| column != source && column != target)
        };
        let find = |kind: &str| {
            let place = names.iter().position(|name| is_kind(name, kind));
            place.filter(is_free)
        };
        Self {
            key: find("key").filter(|_| has_header),
            note: find("note").filter(|_| has_header),
            pairs,
            has_header,
        }
    }

    pub(super) fn guessed(records: &[Record]) -> Self {
        let names = Self::names(records);
        let find = |kind: &str| names.iter().position(|name| is_kind(name, kind));
        let languages: Vec<usize> = (0..names.len())
            .filter(|&column| is_language(&names[column]))
            .collect();
        let texts: Vec<(usize, usize)> = (0..names.len())
            .filter(|&column| is_kind(&names[column], "text"))
            .map(|column| (column, column))
            .collect();
        let has_known = find("key").is_some() || find("note").is_some();
        let (pairs, has_header) = match (find("source"), find("target")) {
            (Some(source), Some(target)) => (vec![(source, target)], true),
            (Some(source), None) => (vec![(source, source)], true),
            _ if languages.len() > 1 => (vec![(languages[0], languages[1])], true),
            _ if languages.len() == 1 && names.len() > 1 => {
                (vec![(languages[0], languages[0])], true)
            }
            _ if !texts.is_empty() && names.len() > 1 => (texts, true),
            _ => {
                let has_header = has_known && names.len() > 1;
                let rows = records.get(usize::from(has_header)..).unwrap_or_default();
                let known = [find("key"), find("note")];
                let is_free = |column: &usize| !has_header || !known.contains(&Some(*column));
                let columns = 0..rows
                    .iter()
                    .map(|it| it.fields.len())
                    .max()
                    .unwrap_or_default();
                let texts = |columns: &mut dyn Iterator<Item = usize>| -> Vec<(usize, usize)> {
                    let texts = columns.filter(|&column| is_text(rows, column));
                    texts.map(|column| (column, column)).collect()
                };
                let mut found = texts(&mut columns.clone().filter(is_free));
                if found.is_empty() {
                    // Where nothing else is text, a column called "note" is no remark about it.
                    found = texts(&mut columns.clone());
                }
                (found, has_header)
            }
        };
        Self::from_names(&names, pairs, has_header)
    }

    pub(super) fn named(columns: &[Column], records: &[Record]) -> Result<Self, Failure> {
        let names = Self::names(records);
        let mut has_header = false;
        let mut place = |name: &ColumnName| match name {
            ColumnName::Number(number) => Ok(number - 1),
            ColumnName::Name(name) => {
                has_header = true;
                let found = names
                    .iter()
                    .position(|known| *known == name.trim().to_lowercase());
                found.ok_or_else(|| Failure::NoColumn {
                    name: name.clone(),
                    known: names.join(", "),
                })
            }
        };
        let mut pairs = Vec::new();
        for column in columns {
            let source = place(&column.source)?;
            let target = column.target.as_ref().map_or(Ok(source), &mut place)?;
            pairs.push((source, target));
        }
        let known =
            |name: &String| rows(COLUMNS).any(|(kind, _)| is_kind(name, kind)) || is_language(name);
        let has_header = has_header
            || pairs
                .iter()
                .any(|&(source, _)| names.get(source).is_some_and(known));
        Ok(Self::from_names(&names, pairs, has_header))
    }
}

/// Whether a column is called by a language: `en`, `de-DE`, `English`.
fn is_language(name: &str) -> bool {
    const NAMES: Words = Words(
        "english german french spanish italian portuguese dutch russian polish chinese japanese korean",
    );
    let (main, country) = language::parts(name);
    let length = main.len() + country.map_or(0, |country| country.len() + 1);
    let is_code =
        main.len() == 2 && length == name.len() && language::usual_country(&main).is_some();
    // The first column of many tables.
    is_code && name != "id" || NAMES.contains(name)
}

/// Whether most values of a column are text for readers.
fn is_text(rows: &[Record], column: usize) -> bool {
    let values: Vec<&str> = rows
        .iter()
        .filter_map(|record| Some(record.fields.get(column)?.value.trim()))
        .filter(|value| !value.is_empty())
        .collect();
    let prose = values.iter().filter(|value| is_prose(value)).count();
    let sentences = values
        .iter()
        .filter(|value| is_prose(value) && value.contains(' '))
        .count();
    2 * prose > values.len() && 4 * sentences >= values.len() && prose > 0
}
