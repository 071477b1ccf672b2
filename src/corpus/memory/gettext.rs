//! The translated strings of programs, as their PO files, or the MO files compiled of them, have them: what a manual calls
//! the program's menus and dialogs.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::gettext::{self, Entry, catalogues};
use crate::is_same_language;

/// Characters of placeholders, markup and paths: a text with them occurs in no document as it is.
const CODE: &[char] = &['%', '$', '<', '>', '{', '}', '\\'];

/// Marks of the key that chooses a menu entry: GTK, LibreOffice and Qt.
const KEY_MARKS: [char; 3] = ['_', '~', '&'];

/// The catalogues below a folder, in order.
///
/// # Errors
/// If a folder cannot be read.
pub(super) fn catalogues_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = catalogues(folder)?.into_iter();
    Ok(files.map(|file| folder.join(file)).collect())
}

/// The finished translations of some catalogues, without marks of keys; those with code are left out. Of several for the same
/// string the most frequent one comes first.
///
/// # Errors
/// If a file cannot be read, is damaged, or is of another language.
pub(super) fn catalogue_pairs(
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
    let catalogue = gettext::read(path)?;
    let (from, to) = languages;
    let language = &catalogue.language;
    if !language.is_empty() && !is_same_language(language, to) {
        return Err(Error::MemoryLanguages {
            has: format!("a program's language to {language}"),
            expected: format!("{from} to {to}"),
            path: path.to_owned(),
        });
    }
    let finished = catalogue.entries.iter().filter(|entry| !entry.fuzzy);
    Ok(finished.flat_map(pairs).collect())
}

fn pairs(entry: &Entry) -> Vec<(String, String)> {
    let singular = entry.targets.first().map(|target| (&entry.source, target));
    let plural = entry.plural.as_ref().zip(entry.targets.last());
    let clean = [singular, plural].into_iter().flatten();
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
    (is_text(&source) && is_text(&target))
        .then(|| (without_key(&source, &target), without_key(&target, &source)))
}

/// A text without its key mark; within a word one counts only if the `other` language has such a mark, too.
fn without_key(text: &str, other: &str) -> String {
    let Some((at, mark)) = key_mark(text) else {
        return text.to_owned();
    };
    let is_within = mark != '~' && text[..at].ends_with(char::is_alphanumeric);
    if is_within && key_mark(other).is_none_or(|(_, its)| its != mark) {
        return text.to_owned();
    }
    text[..at].to_owned() + &text[at + 1..]
}

/// The mark before the letter of a key and its place, if there is one and no other.
fn key_mark(text: &str) -> Option<(usize, char)> {
    let mut marks = text.char_indices().filter(|&(at, mark)| {
        KEY_MARKS.contains(&mark) && is_before_key(&text[..at], mark, &text[at + 1..])
    });
    marks.next().filter(|_| marks.next().is_none())
}

/// Neither in an entity such as `&amp;` nor, but for `~`, between capitals, as in `Q&A` and `HOME_PATH`.
fn is_before_key(before: &str, mark: char, after: &str) -> bool {
    let behind_name = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    let is_entity = mark == '&' && behind_name.starts_with(';');
    let in_capitals = before.ends_with(char::is_uppercase) && after.starts_with(char::is_uppercase);
    after.starts_with(char::is_alphanumeric) && !is_entity && (mark == '~' || !in_capitals)
}
