//! The translated strings of programs, as their PO files have them: what a manual calls the program's menus and dialogs.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rspolib::POEntry;

use super::has_ending;
use crate::corpus::is_same_language;
use crate::error::{Error, Result, caught};
use crate::text::folder::files_below;

/// Characters of placeholders, markup and paths: what has them stands in no document as it is.
const CODE: &[char] = &['%', '$', '<', '>', '{', '}', '\\'];

/// Marks of the key that chooses a menu entry: GTK, LibreOffice and Qt.
const KEY_MARKS: [char; 3] = ['_', '~', '&'];

/// The PO files below a folder, in order.
///
/// # Errors
/// If a folder cannot be read.
pub(super) fn po_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = files_below(folder, |_| false, is_po)?.into_iter();
    Ok(files.map(|file| folder.join(file)).collect())
}

/// Whether the name is that of a PO file.
pub(super) fn is_po(path: &Path) -> bool {
    has_ending(path, "po")
}

/// The finished translations of some PO files, without marks of keys; those with code are left out. Of several for the same
/// string the most frequent one comes first.
///
/// # Errors
/// If a file cannot be read, is damaged, or is of another language.
pub(super) fn po_pairs(
    files: &[PathBuf],
    languages: (&str, &str),
) -> Result<Vec<(String, String)>> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut counts: HashMap<(String, String), usize> = HashMap::new();
    for file in files {
        for pair in pairs_of(file, languages)? {
            let count = counts.entry(pair.clone()).or_default();
            *count += 1;
            if *count == 1 {
                pairs.push(pair);
            }
        }
    }
    pairs.sort_by_key(|pair| Reverse(counts[pair]));
    Ok(pairs)
}

fn pairs_of(path: &Path, languages: (&str, &str)) -> Result<Vec<(String, String)>> {
    let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
    let damaged = |problem: String| Error::Gettext {
        problem,
        path: path.to_owned(),
    };
    let parsed = caught(|| rspolib::pofile(text.as_str()).map_err(|it| damaged(it.to_string())));
    let catalogue = match parsed {
        Err(Error::Panicked { message }) => return Err(damaged(message)),
        parsed => parsed?,
    };
    let (from, to) = languages;
    if let Some(language) = catalogue.metadata.get("Language")
        && !language.is_empty()
        && !is_same_language(language, to)
    {
        return Err(Error::MemoryLanguages {
            has: format!("a program's language to {language}"),
            asked: format!("{from} to {to}"),
            path: path.to_owned(),
        });
    }
    let finished = |entry: &&POEntry| !entry.obsolete && !entry.fuzzy();
    let entries = catalogue.entries.iter().filter(finished);
    Ok(entries.flat_map(pairs).collect())
}

fn pairs(entry: &POEntry) -> Vec<(String, String)> {
    let singular = entry.msgstr.as_ref().or(entry.msgstr_plural.first());
    let plural = entry.msgid_plural.as_ref().zip(entry.msgstr_plural.last());
    let both = [singular.map(|target| (&entry.msgid, target)), plural];
    let clean = both.into_iter().flatten();
    clean
        .filter_map(|(source, target)| shown(source, target))
        .collect()
}

/// Both as a reader sees them; `None` if they are not for a reader.
fn shown(source: &str, target: &str) -> Option<(String, String)> {
    let [source, target] = [source, target].map(|text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    });
    let is_text = |text: &str| {
        let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
        letters > 1 && !text.contains(CODE)
    };
    (is_text(&source) && is_text(&target)).then(|| (without_key(source), without_key(target)))
}

/// Without the mark before the letter of a key, if there is one and no other.
fn without_key(text: String) -> String {
    let mut marks = text.char_indices().filter(|(at, letter)| {
        let next = text[at + letter.len_utf8()..].chars().next();
        KEY_MARKS.contains(letter) && next.is_some_and(char::is_alphanumeric)
    });
    match (marks.next(), marks.next()) {
        (Some((at, _)), None) => text[..at].to_owned() + &text[at + 1..],
        _ => text,
    }
}
