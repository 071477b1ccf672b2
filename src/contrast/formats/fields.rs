//! Fields of JSON objects, and what is said where one is missing.

use serde_json::Value;

use super::Place;
use crate::error::Result;

impl Place<'_> {
    /// A field that must be there.
    pub(super) fn field<'v>(&self, object: &'v Value, name: &str) -> Result<&'v Value> {
        let field = object.get(name).filter(|value| !value.is_null());
        field.ok_or_else(|| self.problem(format!("the field {name:?} is missing")))
    }

    /// A text that must be there and must not be empty.
    pub(super) fn text(&self, object: &Value, name: &str) -> Result<String> {
        self.as_text(self.field(object, name)?, name)
    }

    /// `value` as a text, which is called `name`.
    pub(super) fn as_text(&self, value: &Value, name: &str) -> Result<String> {
        let text = value.as_str().map(str::trim);
        let text = text.ok_or_else(|| self.problem(format!("{name:?} is not a text")))?;
        if text.is_empty() {
            return Err(self.problem(format!("{name:?} is empty")));
        }
        Ok(text.to_owned())
    }

    /// A text that may be missing.
    pub(super) fn optional_text(&self, object: &Value, name: &str) -> Result<Option<String>> {
        match object.get(name).filter(|value| !value.is_null()) {
            Some(value) => self.as_text(value, name).map(Some),
            None => Ok(None),
        }
    }

    /// A whole number, not negative; ContraPro writes some as text.
    pub(super) fn count(&self, object: &Value, name: &str) -> Result<usize> {
        let value = self.field(object, name)?;
        let number = value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok());
        let number = number.or_else(|| value.as_str()?.trim().parse().ok());
        number.ok_or_else(|| self.problem(format!("{name:?} is {value}, not a number from 0 on")))
    }

    /// A list that must be there and must not be empty.
    pub(super) fn list<'v>(&self, object: &'v Value, name: &str) -> Result<&'v [Value]> {
        let list = self.field(object, name)?.as_array();
        let list = list.ok_or_else(|| self.problem(format!("{name:?} is not a list")))?;
        if list.is_empty() {
            return Err(self.problem(format!("{name:?} is empty")));
        }
        Ok(list)
    }

    /// A list of texts.
    pub(super) fn texts(&self, object: &Value, name: &str) -> Result<Vec<String>> {
        let list = self.list(object, name)?.iter();
        list.map(|value| self.as_text(value, name)).collect()
    }
}
