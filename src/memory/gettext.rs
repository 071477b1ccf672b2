//! The translated strings of programs, as their PO files have them: what a manual calls the program's menus and dialogs.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rspolib::POEntry;

use super::has_ending;
use crate::corpus::is_same_language;
use crate::error::{Error, Result, caught};
use crate::text::folder::files_below;
use crate::text::lines::utf8;

/// Characters of placeholders, markup and paths: what has them stands in no document as it is.
const CODE: &[char] = &['%', '$', '<', '>', '{', '}', '\\'];

/// Arabic has six plural forms.
const MOST_FORMS: usize = 20;

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
    let text = utf8(path, std::fs::read(path).map_err(Error::read(path))?)?;
    let text = tidied(&text);
    let damaged = |problem: String| Error::Gettext {
        problem,
        path: path.to_owned(),
    };
    if let Some(line) = text.lines().position(has_odd_form) {
        let problem = format!("line {}: no language has so many plural forms", line + 1);
        return Err(damaged(problem));
    }
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

/// Whether a line has a translation for a plural form with a number for which a parser would make room without end.
fn has_odd_form(line: &str) -> bool {
    let number = line.trim_start_matches("#~").trim_start();
    let number = number
        .strip_prefix("msgstr[")
        .and_then(|rest| rest.split(']').next());
    number.is_some_and(|number| {
        number
            .trim()
            .parse::<usize>()
            .is_ok_and(|it| it >= MOST_FORMS)
            || number.len() > 4
    })
}

/// Without comments, and with a space where the parser insists on one; no line changes its number.
fn tidied(text: &str) -> String {
    let tidy = |line: &str| {
        let line = line.trim();
        let mut signs = ["#,", "#~"].into_iter();
        match signs.find_map(|sign| Some((sign, line.strip_prefix(sign)?))) {
            Some((sign, rest)) if !rest.is_empty() && !rest.starts_with('|') => {
                format!("{sign} {}\n", rest.trim_start())
            }
            _ if line.starts_with('#') => "\n".to_owned(),
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(tidy).collect()
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

/// The mark before the letter of a key and where it stands, if there is one and no other.
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
