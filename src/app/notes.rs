//! The open document is remembered as it is left, and its translation that is in no file yet.

use super::state::AppState;
use canopy_project::DocumentNote;

impl AppState {
    /// Remembers the open document as it is now.
    pub(super) fn note_document(&mut self) {
        let Some(open) = &self.document.open else {
            return;
        };
        let before = self.shared.settings.note(&open.path);
        let counts = open.counts();
        let note = DocumentNote {
            document: open.path.clone(),
            sentence: open.selected.unwrap_or_default(),
            languages: self.languages(),
            translated: counts.total() - counts.untranslated,
            sentences: counts.total(),
            written: open.written.clone(),
            is_reminded: before.is_some_and(|before| before.is_reminded),
        };
        self.shared.set(|settings| settings.remember(note));
    }

    /// Whether a user who quits is reminded that the translation is not saved to a file yet: once for each document.
    pub fn reminds_of_saving(&self) -> bool {
        let Some(open) = &self.document.open else {
            return false;
        };
        let note = self.shared.settings.note(&open.path);
        let is_reminded = note.is_some_and(|note| note.is_reminded);
        // A project writes the files of all its documents.
        let is_alone = self.projects.open.is_none();
        is_alone && !is_reminded && open.written.is_none() && open.project().has_work()
    }

    /// Records that the user has been reminded.
    pub fn reminded_of_saving(&mut self) {
        self.note_document();
        let path = self.document.open.as_ref().map(|open| open.path.clone());
        self.shared.set(|settings| {
            let mut notes = settings.documents.iter_mut();
            if let Some(note) = notes.find(|note| Some(&note.document) == path.as_ref()) {
                note.is_reminded = true;
            }
        });
    }
}
