//! The lines of a table and their values, with where each is.

use std::ops::Range;

use super::super::damaged;
use crate::builder::Failure;
use crate::reading::text_start;

/// A line of the table.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub fields: Vec<Field>,
    pub end: usize,
}

#[derive(Debug)]
pub(super) struct Field {
    pub value: String,
    /// With its quotation marks.
    pub range: Range<usize>,
    pub is_quoted: bool,
}

/// The separator that most lines have.
pub(super) fn separator(text: &str, candidates: &[char]) -> char {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    // What is in quotation marks separates nothing.
    let bare: String = first.split('"').step_by(2).collect();
    let usual = candidates.first().copied().unwrap_or(',');
    let count = |separator: char| bare.matches(separator).count();
    candidates.iter().copied().fold(usual, |best, separator| {
        if count(separator) > count(best) {
            separator
        } else {
            best
        }
    })
}

pub(super) fn records(name: &str, text: &str, separator: char) -> Result<Vec<Record>, Failure> {
    let (mut records, mut record) = (Vec::new(), Record::default());
    let mut place = text_start(text);
    let ends = |c: char| c == separator || c == '\n' || c == '\r';
    while place < text.len() {
        let rest = &text[place..];
        let field = match quoted(rest, ends) {
            Quoted::Field(field) => field,
            Quoted::Unclosed if separator != '\t' => {
                return Err(damaged(name, text, place, "a quotation mark is not closed"));
            }
            _ => {
                let length = rest.find(ends).unwrap_or(rest.len());
                Field {
                    value: rest[..length].to_owned(),
                    range: 0..length,
                    is_quoted: false,
                }
            }
        };
        let range = place..place + field.range.end;
        place = range.end;
        record.fields.push(Field { range, ..field });
        let rest = &text[place..];
        if rest.starts_with(separator) {
            place += separator.len_utf8();
            // An empty field may be the last one.
            if place == text.len() {
                record.fields.push(empty(place));
            } else if text[place..].starts_with(['\n', '\r']) {
                record.fields.push(empty(place));
                end(text, &mut place, &mut record, &mut records);
            }
            continue;
        }
        end(text, &mut place, &mut record, &mut records);
    }
    if !record.fields.is_empty() {
        record.end = text.len();
        records.push(record);
    }
    Ok(records)
}

fn empty(place: usize) -> Field {
    Field {
        value: String::new(),
        range: place..place,
        is_quoted: false,
    }
}

/// Ends a record and passes over the end of its line.
fn end(text: &str, place: &mut usize, record: &mut Record, records: &mut Vec<Record>) {
    record.end = *place;
    records.push(std::mem::take(record));
    let rest = &text[*place..];
    *place += if rest.starts_with("\r\n") {
        2
    } else {
        usize::from(!rest.is_empty())
    };
}

/// The beginning of a text.
enum Quoted {
    /// A field in quotation marks.
    Field(Field),
    /// A quotation mark that is not closed.
    Unclosed,
    No,
}

fn quoted(rest: &str, ends: impl Fn(char) -> bool) -> Quoted {
    let Some(inner) = rest.strip_prefix('"') else {
        return Quoted::No;
    };
    let (mut value, mut place) = (String::new(), 0);
    loop {
        let Some(at) = inner[place..].find('"').map(|at| at + place) else {
            return Quoted::Unclosed;
        };
        value.push_str(&inner[place..at]);
        place = at + 1;
        match inner[place..].chars().next() {
            Some('"') => {
                value.push('"');
                place += 1;
            }
            next if next.is_none_or(&ends) => break,
            // As in `"a" b`.
            _ => return Quoted::No,
        }
    }
    Quoted::Field(Field {
        value,
        range: 0..place + 1,
        is_quoted: true,
    })
}
