//! Termbases as tables: CSV and TSV with or without names of their columns, glossaries of OmegaT.

use std::path::Path;

use super::termbase::Term;
use crate::error::{Error, Result};
use canopy_corpus::is_same_language;
use canopy_document::csv;

/// Between several translations in one cell.
pub(super) const BETWEEN: char = '|';

/// Meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Source,
    Target,
    Forbidden,
    Case,
    Domain,
    Note,
    Unknown,
}

impl Column {
    fn from_name(name: &str, (source, target): (&str, &str)) -> Self {
        let name = name.trim().to_lowercase();
        let plain: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        match plain.as_str() {
            "source" | "sourceterm" | "src" | "term" | "original" => Self::Source,
            "target" | "targetterm" | "tgt" | "translation" | "translations" | "targets" => {
                Self::Target
            }
            "forbidden" | "forbiddentargets" | "deprecated" | "donotuse" => Self::Forbidden,
            "case" | "casesensitive" | "matchcase" => Self::Case,
            "domain" | "subject" | "subjectfield" | "field" => Self::Domain,
            "note" | "notes" | "comment" | "comments" | "definition" | "description" => Self::Note,
            _ if looks_like_code(&name) && is_same_language(&name, source) => Self::Source,
            _ if looks_like_code(&name) && is_same_language(&name, target) => Self::Target,
            _ => Self::Unknown,
        }
    }
}

fn looks_like_code(name: &str) -> bool {
    let primary = name.split(['-', '_']).next().unwrap_or_default();
    matches!(primary.len(), 2 | 3) && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Reads a table whose values one of `separators` separates.
pub(super) fn read_table(
    path: &Path,
    text: &str,
    separators: &[char],
    languages: (&str, &str),
) -> Result<Vec<Term>> {
    let rows = csv::rows(path, text, separators)?;
    let mut rows = rows.into_iter().enumerate().peekable();
    let names = rows.peek().map_or(Vec::new(), |(_, row)| {
        let names = row.iter().map(|name| Column::from_name(name, languages));
        names.collect()
    });
    let has_names = names.contains(&Column::Source) && names.contains(&Column::Target);
    let columns = if has_names {
        rows.next();
        names
    } else {
        vec![Column::Source, Column::Target, Column::Note]
    };
    let mut terms = Vec::new();
    for (number, row) in rows {
        if row.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let mut term = Term::default();
        for (column, cell) in columns.iter().zip(&row) {
            let cell = cell.trim();
            if cell.is_empty() {
                continue;
            }
            match column {
                Column::Source => cell.clone_into(&mut term.source),
                Column::Target => term.targets.extend(several(cell)),
                Column::Forbidden => term.forbidden.extend(several(cell)),
                Column::Case => term.case_sensitive = is_yes(cell),
                Column::Domain => term.domain = Some(cell.to_owned()),
                Column::Note => term.note = Some(cell.to_owned()),
                Column::Unknown => {}
            }
        }
        if term.source.is_empty() || term.targets.is_empty() && term.forbidden.is_empty() {
            return Err(Error::Termbase {
                problem: "no term and translation in the first two columns, or in those called source and target"
                    .to_owned(),
                line: number + 1,
                path: path.to_owned(),
            });
        }
        terms.push(term);
    }
    Ok(terms)
}

/// A table with one more line, which has the columns and the separator of the others; these stay as they are.
pub(super) fn appended(
    path: &Path,
    text: &str,
    separators: &[char],
    languages: (&str, &str),
    term: &Term,
) -> Result<String> {
    let first = text.lines().next().unwrap_or_default();
    let is_there = |separator: &&char| first.contains(**separator);
    let found = separators.iter().find(is_there).or(separators.first());
    let separator = *found.unwrap_or(&'\t');
    let row = csv::rows(path, text, separators)?.into_iter().next();
    let row = row.unwrap_or_default();
    let names: Vec<Column> = row
        .iter()
        .map(|name| Column::from_name(name, languages))
        .collect();
    let has_names = names.contains(&Column::Source) && names.contains(&Column::Target);
    let columns = if has_names {
        names
    } else {
        vec![Column::Source, Column::Target]
    };
    let cells = columns.iter().map(|column| {
        let cell = match column {
            Column::Source => term.source.clone(),
            Column::Target => term.targets.join(&BETWEEN.to_string()),
            Column::Forbidden => term.forbidden.join(&BETWEEN.to_string()),
            Column::Domain => term.domain.clone().unwrap_or_default(),
            Column::Note => term.note.clone().unwrap_or_default(),
            Column::Case | Column::Unknown => String::new(),
        };
        match separator {
            '\t' => cell.replace(['\t', '\r', '\n'], " "),
            _ if cell.contains(separator) => csv::quoted(&cell),
            _ => csv::field(&cell),
        }
    });
    let cells: Vec<String> = cells.collect();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut appended = text.to_owned();
    if !appended.is_empty() && !appended.ends_with('\n') {
        appended += end;
    }
    appended += &cells.join(&separator.to_string());
    appended += end;
    Ok(appended)
}

fn several(cell: &str) -> impl Iterator<Item = String> {
    let parts = cell.split(BETWEEN).map(str::trim);
    parts.filter(|part| !part.is_empty()).map(str::to_owned)
}

fn is_yes(cell: &str) -> bool {
    let cell = cell.to_lowercase();
    matches!(cell.as_str(), "yes" | "true" | "1" | "x" | "y")
}

/// Reads a glossary of OmegaT: source, tab, target, tab, comment; lines with `#` in front are comments.
pub(super) fn read_glossary(path: &Path, text: &str) -> Result<Vec<Term>> {
    let mut terms = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim_start_matches('\u{FEFF}');
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut cells = line.split('\t').map(str::trim);
        let (source, target, note) = (cells.next(), cells.next(), cells.next());
        let (Some(source), Some(target)) = (
            source.filter(|source| !source.is_empty()),
            target.filter(|target| !target.is_empty()),
        ) else {
            return Err(Error::Termbase {
                problem: "expected a term and a translation separated by a tab".to_owned(),
                line: number,
                path: path.to_owned(),
            });
        };
        terms.push(Term {
            note: note.filter(|note| !note.is_empty()).map(str::to_owned),
            ..Term::new(source, target)
        });
    }
    Ok(terms)
}
