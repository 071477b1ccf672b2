//! Settings of a model in JSON, each error with file and field.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use serde_json::{Map, Value};

/// Bytes of a file of settings.
const MOST_BYTES: u64 = 1 << 26;

/// The fields of a file, or of an object in it; null is no value.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    fields: Map<String, Value>,
    /// The names of the objects around, each with a point behind it.
    within: String,
    path: PathBuf,
}

impl Settings {
    /// # Errors
    /// [`Error::Read`]; [`Error::LanguageModel`], if it is no object of JSON.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let problem = |problem: String| Error::LanguageModel {
            field: path.file_name().unwrap_or_default().display().to_string(),
            problem,
            path: path.to_owned(),
        };
        let length = std::fs::metadata(path).map_err(Error::read(path))?.len();
        if length > MOST_BYTES {
            return Err(problem(format!("it has {length} bytes")));
        }
        let text = std::fs::read(path).map_err(Error::read(path))?;
        Self::from_text(&text, path).map_err(|error| problem(error.to_string()))
    }

    /// The fields of the text of a file; `path` names it in errors.
    pub(crate) fn from_text(text: &[u8], path: &Path) -> serde_json::Result<Self> {
        Ok(Self {
            fields: serde_json::from_slice(text)?,
            within: String::new(),
            path: path.to_owned(),
        })
    }

    /// Opens a file that need not be there.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn open_if_there(path: &Path) -> Result<Option<Self>> {
        if path.is_file() {
            return Self::open(path).map(Some);
        }
        Ok(None)
    }

    /// These, and numbers for fields that are not there.
    pub(crate) fn with_defaults(mut self, defaults: &[(&str, f64)]) -> Self {
        for (key, number) in defaults {
            #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
            let value = if number.fract() == 0.0 {
                Value::from(*number as i64)
            } else {
                Value::from(*number)
            };
            self.fields.entry(*key).or_insert(value);
        }
        self
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// An error about a field.
    pub(crate) fn problem(&self, key: &str, problem: impl Into<String>) -> Error {
        Error::LanguageModel {
            field: format!("{}{key}", self.within),
            problem: problem.into(),
            path: self.path.clone(),
        }
    }

    fn wrong(&self, key: &str, expected: &str) -> Error {
        self.problem(key, format!("it is not {expected}"))
    }

    /// `found`, or an error that says that `key` is missing.
    pub(crate) fn needed<T>(&self, key: &str, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| self.problem(key, "it is missing"))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&str>> {
        let value = self.get(key).map(Value::as_str);
        value
            .map(|value| value.ok_or_else(|| self.wrong(key, "a text")))
            .transpose()
    }

    pub(crate) fn bool(&self, key: &str) -> Result<Option<bool>> {
        let value = self.get(key).map(Value::as_bool);
        value
            .map(|value| value.ok_or_else(|| self.wrong(key, "true or false")))
            .transpose()
    }

    /// A finite number of 32 bits.
    pub(crate) fn float(&self, key: &str) -> Result<Option<f32>> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "networks compute in 32 bits"
        )]
        let float = |value: &Value| value.as_f64().map(|value| value as f32);
        let value = self.get(key).map(float);
        let value = value.map(|value| value.filter(|value| value.is_finite()));
        value
            .map(|value| value.ok_or_else(|| self.wrong(key, "a number of 32 bits")))
            .transpose()
    }

    /// A number above 0.
    pub(crate) fn positive(&self, key: &str) -> Result<Option<f32>> {
        match self.float(key)? {
            Some(value) if value <= 0.0 => Err(self.problem(key, format!("it is {value}"))),
            value => Ok(value),
        }
    }

    /// A count between 1 and `most`; a number such as `8.0` is one.
    pub(crate) fn count(&self, key: &str, most: usize) -> Result<Option<usize>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number within bounds"
        )]
        let whole = |value: f64| {
            let is_whole = value.fract() == 0.0 && (0.0..1e15).contains(&value);
            is_whole.then_some(value as u64)
        };
        let count = value.as_u64().or_else(|| value.as_f64().and_then(whole));
        let count = count.and_then(|count| usize::try_from(count).ok());
        match count.filter(|count| (1..=most).contains(count)) {
            Some(count) => Ok(Some(count)),
            None => Err(self.problem(key, format!("it is {value}, not 1 to {most}"))),
        }
    }

    /// An id, or a list of them.
    pub(crate) fn ids(&self, key: &str) -> Result<Vec<u32>> {
        let id = |value: &Value| {
            let id = value.as_u64().and_then(|id| u32::try_from(id).ok());
            id.ok_or_else(|| self.problem(key, format!("{value} is no id of a token")))
        };
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => values.iter().map(id).collect(),
            Some(value) => Ok(vec![id(value)?]),
        }
    }

    pub(crate) fn texts(&self, key: &str) -> Result<Option<Vec<&str>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let texts = value
            .as_array()
            .and_then(|list| list.iter().map(Value::as_str).collect());
        texts
            .ok_or_else(|| self.wrong(key, "a list of texts"))
            .map(Some)
    }

    /// An object in this one.
    pub(crate) fn section(&self, key: &str) -> Result<Option<Self>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Self {
                fields: fields.clone(),
                within: format!("{}{key}.", self.within),
                path: self.path.clone(),
            })),
            Some(_) => Err(self.wrong(key, "an object")),
        }
    }

    /// The fields and their values.
    pub(crate) fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
