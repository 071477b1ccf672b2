//! Terms and what a base of them is.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{tables, tbx};
use crate::error::{Error, Result};

/// A word or phrase of the source, and how it is to be translated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Term {
    /// The term in the source language.
    pub source: String,
    /// Approved translations, the preferred one first.
    pub targets: Vec<String>,
    /// Forbidden translations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<String>,
    /// Whether the source matches case-sensitively.
    pub case_sensitive: bool,
    /// The subject field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// A note for translators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Term {
    /// A term with one translation.
    pub fn new(source: impl Into<String>, target: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            targets: vec![target.into()],
            ..Self::default()
        }
    }

    /// The preferred translation.
    pub fn target(&self) -> Option<&str> {
        self.targets.first().map(String::as_str)
    }
}

/// Terms between two languages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Termbase {
    /// Code of the source language.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// All terms, in the order of the file.
    pub terms: Vec<Term>,
}

/// The kind of a file by its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tbx,
    Csv,
    Tsv,
    Glossary,
}

impl Kind {
    pub(super) fn from_path(path: &Path) -> Result<Self> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("tbx" | "xml") => Ok(Self::Tbx),
            Some("csv") => Ok(Self::Csv),
            Some("tsv") => Ok(Self::Tsv),
            Some("txt" | "utf8" | "tab") => Ok(Self::Glossary),
            _ => Err(Error::TermbaseEnding {
                path: path.to_owned(),
            }),
        }
    }
}

impl Termbase {
    /// No terms yet.
    pub fn empty(source_language: &str, target_language: &str) -> Self {
        Self {
            source_language: source_language.to_owned(),
            target_language: target_language.to_owned(),
            terms: Vec::new(),
        }
    }

    /// Whether a file's extension belongs to termbases only, not to documents.
    pub fn is_one(path: &Path) -> bool {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        matches!(ending.to_str(), Some("tbx" | "utf8"))
    }

    /// Reads TBX (`.tbx`, `.xml`), a table (`.csv`, `.tsv`) or a glossary of OmegaT (`.txt`, `.utf8`, `.tab`).
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or has nothing between these languages.
    pub fn read(path: &Path, source_language: &str, target_language: &str) -> Result<Self> {
        let kind = Kind::from_path(path)?;
        let languages = (source_language, target_language);
        let text = text_of(path, std::fs::read(path).map_err(Error::read(path))?)?;
        let terms = match kind {
            Kind::Tbx => tbx::read(path, &text, languages)?,
            Kind::Csv => tables::read_table(path, &text, &[',', ';', '\t', '|'], languages)?,
            Kind::Tsv => tables::read_table(path, &text, &['\t'], languages)?,
            Kind::Glossary => tables::read_glossary(path, &text)?,
        };
        let mut base = Self::empty(source_language, target_language);
        for term in terms {
            base.add(term);
        }
        Ok(base)
    }

    /// Reads several of them as one: where two name a term, the translations of both are right, and those of the earlier
    /// one come first.
    ///
    /// # Errors
    /// If one of the files cannot be read, is damaged, or has nothing between these languages.
    pub fn read_all(
        paths: &[PathBuf],
        source_language: &str,
        target_language: &str,
    ) -> Result<Self> {
        let mut all = Self::empty(source_language, target_language);
        for path in paths {
            let base = Self::read(path, source_language, target_language)?;
            all.terms.extend(base.terms);
        }
        Ok(all)
    }

    /// The languages of a file that says its own; none of one that does not.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn languages(path: &Path) -> Result<Vec<String>> {
        if Kind::from_path(path)? != Kind::Tbx {
            return Ok(Vec::new());
        }
        let text = text_of(path, std::fs::read(path).map_err(Error::read(path))?)?;
        tbx::languages(path, &text)
    }

    /// Adds a term; what is known of the same source in the same domain gets its translations.
    pub fn add(&mut self, term: Term) {
        let is_same = |other: &&mut Term| {
            other.source == term.source
                && other.case_sensitive == term.case_sensitive
                && other.domain == term.domain
        };
        // Bases may be large: only the end is looked at where a file has a line for each translation.
        let Some(known) = self.terms.iter_mut().rev().take(RECENT).find(is_same) else {
            self.terms.push(term);
            return;
        };
        for target in term.targets {
            if !known.targets.contains(&target) {
                known.targets.push(target);
            }
        }
        for target in term.forbidden {
            if !known.forbidden.contains(&target) {
                known.forbidden.push(target);
            }
        }
        if known.note.is_none() {
            known.note = term.note;
        }
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// Terms before a new one that may have the same source.
const RECENT: usize = 2_000;

/// The text of a file in UTF-8, in UTF-16 with a byte order mark, or in what Windows writes in the West.
fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String> {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(&bytes) {
        let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]);
        return text.map(std::borrow::Cow::into_owned).ok_or_else(|| {
            let problem = format!("it is no {}", encoding.name());
            Error::Termbase {
                problem,
                line: 1,
                path: path.to_owned(),
            }
        });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(error.as_bytes());
            Ok(text.into_owned())
        }
    }
}
