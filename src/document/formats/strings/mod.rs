//! Files of strings that programs show: what their formats have in common.
//!
//! A value is a [`Text`]: its placeholders and tags are codes, a message of ICU has a unit for each branch. Formats decode
//! values before and escape them after; everything around a value stays as it is.

pub(super) mod android;
pub(super) mod apple;
mod element;
pub(super) mod fluent;
mod icu;
pub(super) mod json;
mod json_text;
mod lists;
mod message;
pub(super) mod plist;
mod plural_expression;
mod plurals;
pub(super) mod po;
pub(super) mod properties;
pub(super) mod qt;
pub(super) mod resx;
pub(super) mod table;
pub(super) mod xcstrings;
pub(super) mod yaml;

pub(super) use message::{Message, Piece, Text};
pub(crate) use table::{table_pairs, table_rows};

use crate::builder::Failure;
pub(super) use crate::variables::{Dialect, Percent};

/// A failure at a byte of a text file.
fn damaged(name: &str, text: &str, offset: usize, reason: &str) -> Failure {
    let offset = offset.min(text.len());
    let before = &text.as_bytes()[..offset];
    let line = before.split(|&byte| byte == b'\n').count();
    Failure::Damaged {
        part: name.to_owned(),
        reason: format!("line {line}: {reason}"),
    }
}

/// How lines end in a text, by its first one.
fn line_end(text: &str) -> &'static str {
    let first = text.find('\n').map(|at| text[..at].ends_with('\r'));
    if first == Some(true) { "\r\n" } else { "\n" }
}

/// Whether a value is text for readers: not an identifier, a path or a number.
fn is_prose(value: &str) -> bool {
    if !value.contains(char::is_alphabetic) {
        return false;
    }
    let value = value.trim();
    if value.contains(char::is_whitespace) || !value.is_ascii() {
        return true;
    }
    // One word: a name of a program's has marks or capitals within.
    let inner = value.trim_end_matches(['.', ':', '!', '?', ',', ';', ')', '"', '\'']);
    let has_mark = inner.contains(['_', '/', '\\', '.', ':', '#', '@', '=', '~', '|'])
        && !inner.contains(['<', '{', '%', '$']);
    !has_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_prose() {
        for value in [
            "Cancel",
            "Open…",
            "Open...",
            "Größe",
            "{0} files",
            "<b>Hi</b>",
            "Note:",
            "C&lose",
            "Don't",
        ] {
            assert!(is_prose(value), "{value}");
        }
        for value in [
            "",
            "12",
            "app_name",
            "images/a.png",
            "org.example.Main",
            "http://x.org",
            "#fff",
            "{0}: %s 1",
        ] {
            let expected = value == "{0}: %s 1";
            assert_eq!(is_prose(value), expected, "{value}");
        }
    }
}
