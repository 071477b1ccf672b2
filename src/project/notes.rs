//! Remembered settings of documents other than the work on them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::language::name;
use super::settings::Settings;

/// Maximum number of documents that are remembered.
const MOST: usize = 100;

/// A document as it was left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentNote {
    /// Without links.
    pub document: PathBuf,
    /// The sentence that was selected.
    pub sentence: usize,
    /// The languages that it was translated between, where they were known.
    pub languages: Option<(String, String)>,
    /// How many sentences have a translation, and how many there are.
    pub translated: usize,
    /// Number of sentences.
    pub sentences: usize,
    /// The file that its translation was written to last.
    pub written: Option<Written>,
    /// Whether the user has been reminded when quitting without one.
    pub is_reminded: bool,
}

/// A translated file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Path of the file.
    pub path: PathBuf,
    /// Names its bytes: a file that has changed since is not overwritten unasked.
    pub digest: String,
    /// Language of the translation, where it is known.
    pub language: Option<String>,
}

impl DocumentNote {
    /// Languages and progress, as far as they are known.
    pub fn about(&self) -> Vec<String> {
        let pair = self.languages.as_ref();
        let pair = pair.map(|(from, to)| format!("{} → {}", name(from), name(to)));
        let progress = (self.sentences > 0)
            .then(|| format!("{} of {} translated", self.translated, self.sentences));
        pair.into_iter().chain(progress).collect()
    }

    pub(super) fn is_unicode(&self) -> bool {
        let written = self.written.as_ref();
        let is_written = written.is_none_or(|it| it.path.to_str().is_some());
        self.document.to_str().is_some() && is_written
    }
}

impl Settings {
    /// Remembered settings of a document.
    pub fn note(&self, document: &Path) -> Option<&DocumentNote> {
        let mut notes = self.documents.iter();
        notes.find(|note| note.document == document)
    }

    /// Remembers a document as the one left last.
    pub fn remember(&mut self, note: DocumentNote) {
        self.documents.retain(|it| it.document != note.document);
        self.documents.insert(0, note);
        self.documents.truncate(MOST);
    }
}
