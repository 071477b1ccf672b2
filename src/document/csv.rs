//! Fields of comma-separated values (RFC 4180).

use std::fs;
use std::path::Path;

use super::document::Format;
use super::formats::{table_pairs, table_rows};
use super::reading::located;
use crate::error::{Error, Result};

/// The values of a table's lines, whichever of `separators` its first line has most of; empty lines have one empty value.
///
/// # Errors
/// If a quotation mark is not closed; `path` is named then.
pub fn rows(path: &Path, text: &str, separators: &[char]) -> Result<Vec<Vec<String>>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    table_rows(&name, text, separators).map_err(|failure| located(failure, path))
}

/// The source and the target of each line of a table that has both: in columns that its first line names so, or in the only
/// two columns; none where there are no such.
///
/// # Errors
/// If the file cannot be read as a table.
pub fn pairs(path: &Path) -> Result<Vec<[String; 2]>> {
    let bytes = fs::read(path).map_err(Error::read(path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let separators: &[char] = match Format::from_path(path) {
        Some(Format::Tsv) => &['\t'],
        _ => &[',', ';', '\t', '|'],
    };
    table_pairs(&name, bytes, separators).map_err(|failure| located(failure, path))
}

/// In quotation marks.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// In quotation marks if it needs them.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        quoted(text)
    } else {
        text.to_owned()
    }
}
