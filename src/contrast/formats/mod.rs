//! Sets on disk: our own format, and those of others as they were published.

mod bawden;
mod contrapro;
mod fields;
mod own;
mod scat;
mod voita;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use own::{FORMAT, VERSION};

use super::set::ContrastiveSet;
use crate::error::{Error, Result};
use canopy_base::lines::{as_many, read_lines, utf8};

/// Reads a set, whichever of these formats it has:
///
/// - ours, which holds its documents;
/// - ContraPro's JSON (also of its French sister), whose documents are in `documents/*/` next to it, or in the folder
///   `documents`: `1921_12806_3712161.de` and `….en`, one sentence a line, as its `setup_opensubs.sh` leaves them;
/// - the JSON of Bawden et al.: `anaphora.json` and `lexical-choice.json`;
/// - the JSON of Voita et al. (`deixis_test.json`), or one of its plain files (`scoring_data/deixis_test.src`), next to or
///   above the JSON: only that says which translation is right;
/// - the lines of Yin et al. (SCAT, `highlighted.test.en`), with the other three files next to it.
///
/// # Errors
/// If a file cannot be read, is not UTF-8 or no such set, or an item lacks a field or does not fit its document; file and
/// item are named.
pub fn open(path: &Path, documents: Option<&Path>) -> Result<ContrastiveSet> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    if matches!(extension, Some("src" | "dst")) {
        return voita::open_lines(path);
    }
    let set = if scat::has_name(path) {
        scat::open(path)?
    } else {
        open_json(path, documents)?
    };
    if set.items.is_empty() {
        return Err(no_set(path, "it has no items"));
    }
    Ok(set)
}

fn open_json(path: &Path, documents: Option<&Path>) -> Result<ContrastiveSet> {
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    let text = utf8(path, bytes)?;
    let json = serde_json::from_str(&text);
    let json: Value = json.map_err(|cause| no_set(path, cause.to_string()))?;
    match &json {
        Value::Object(fields) if fields.contains_key("format") => own::read(&text, path),
        Value::Object(blocks) => bawden::read(blocks, path),
        Value::Array(items) => match items.first() {
            Some(first) if first.get("dst").is_some() => voita::read(items, path),
            Some(_) => contrapro::read(items, path, documents),
            None => Err(no_set(path, "it has no items")),
        },
        _ => Err(no_set(path, "it is neither a list nor an object")),
    }
}

fn no_set(path: &Path, problem: impl Into<String>) -> Error {
    Error::ContrastiveSet {
        problem: problem.into(),
        path: path.to_owned(),
    }
}

/// The lines of a file that has as many as `like`, of which there are `expected`.
fn read_as_many(path: &Path, expected: usize, like: &Path) -> Result<Vec<String>> {
    Ok(as_many(read_lines(path)?, path, expected, like)?)
}

/// The file's name without its extension.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// For `map_err` and the like: what is wrong with an item.
struct Place<'a> {
    path: &'a Path,
    item: String,
}

impl Place<'_> {
    fn problem(&self, problem: impl Into<String>) -> Error {
        Error::ContrastiveItem {
            problem: problem.into(),
            item: self.item.clone(),
            path: PathBuf::from(self.path),
        }
    }
}
