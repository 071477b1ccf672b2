//! The open document is remembered as it is left, and its translation that is in no file yet.

use crate::document::DocumentPage;
use crate::models::Models;
use crate::project::Projects;
use crate::shared::Shared;
use canopy_project::DocumentNote;

impl DocumentPage {
    /// Remembers the open document as it is now.
    pub(crate) fn note_document(&mut self, shared: &mut Shared, models: &Models) {
        let Some(open) = &self.editing.open else {
            return;
        };
        let before = shared.settings.note(&open.path);
        let counts = open.progress.counts();
        let note = DocumentNote {
            document: open.path.clone(),
            sentence: open.selected.unwrap_or_default(),
            languages: self.languages(models),
            translated: counts.total() - counts.untranslated,
            sentences: counts.total(),
            written: open.written.clone(),
            is_reminded: before.is_some_and(|before| before.is_reminded),
        };
        shared.set(|settings| settings.remember(note));
    }

    /// Whether a user who quits is reminded that the translation is not saved to a file yet: once for each document.
    pub fn reminds_of_saving(&self, shared: &Shared, projects: &Projects) -> bool {
        let Some(open) = &self.editing.open else {
            return false;
        };
        let note = shared.settings.note(&open.path);
        let is_reminded = note.is_some_and(|note| note.is_reminded);
        // A project writes the files of all its documents.
        let is_alone = projects.open.is_none();
        is_alone && !is_reminded && open.written.is_none() && open.project().has_work()
    }

    /// Records that the user has been reminded.
    pub(super) fn reminded_of_saving(&mut self, shared: &mut Shared, models: &Models) {
        self.note_document(shared, models);
        let path = self.editing.open.as_ref().map(|open| open.path.clone());
        shared.set(|settings| {
            let mut notes = settings.documents.iter_mut();
            if let Some(note) = notes.find(|note| Some(&note.document) == path.as_ref()) {
                note.is_reminded = true;
            }
        });
    }
}
