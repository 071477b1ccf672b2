//! What is remembered of documents besides the work on them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use super::state::AppState;

/// So many documents are remembered.
const MOST: usize = 100;

/// A document as it was left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentNote {
    /// Without links.
    pub document: PathBuf,
    /// The sentence that was selected.
    pub sentence: usize,
    /// The file that its translation was written to last.
    pub written: Option<Written>,
}

/// A translated file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    pub path: PathBuf,
    /// Names its bytes: a file that somebody else has changed since is not replaced unasked.
    pub digest: String,
    /// Of the translation, where it is known.
    pub language: Option<String>,
}

impl DocumentNote {
    pub(super) fn is_unicode(&self) -> bool {
        let written = self.written.as_ref();
        let is_written = written.is_none_or(|it| it.path.to_str().is_some());
        self.document.to_str().is_some() && is_written
    }
}

impl Settings {
    /// What is remembered of a document.
    pub fn note(&self, document: &Path) -> Option<&DocumentNote> {
        let mut notes = self.documents.iter();
        notes.find(|note| note.document == document)
    }

    fn remember(&mut self, note: DocumentNote) {
        self.documents.retain(|it| it.document != note.document);
        self.documents.insert(0, note);
        self.documents.truncate(MOST);
    }
}

impl AppState {
    /// Remembers the open document as it is now.
    pub(super) fn note_document(&mut self) {
        let Some(open) = &self.document else { return };
        let note = DocumentNote {
            document: open.path.clone(),
            sentence: open.selected.unwrap_or_default(),
            written: open.written.clone(),
        };
        self.set(|settings| settings.remember(note));
    }
}
