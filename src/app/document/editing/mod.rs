//! The open document and what a person does on it: selecting, editing and confirming sentences, searching.

mod commands;
mod editor;
pub(crate) mod finding;
mod selecting;
mod targets;

use std::path::{Path, PathBuf};

pub use self::commands::{EditCommand, GoCommand};
use crate::document::language_pair::LanguagePair;
use crate::jobs::FileRequest;
use crate::models::Models;
use crate::open_document::OpenDocument;
use crate::shared::{AUTOSAVE_AT_LEAST_SECS, AUTOSAVE_SECS, Shared};

/// The open document, and how old its work on disk is.
#[derive(Debug, Default)]
pub struct Editing {
    /// The document, with its translations and what is selected.
    pub open: Option<OpenDocument>,
    /// Whether the field for the number of a sentence is shown.
    pub asks_for_sentence: bool,
    dirty_since_secs: Option<f64>,
    changed_secs: f64,
}

impl Editing {
    /// Notes that the project file is out of date.
    pub(crate) fn touch(&mut self, shared: &Shared) {
        self.changed_secs = shared.now_secs;
        self.dirty_since_secs.get_or_insert(shared.now_secs);
    }

    /// Index of the selected sentence.
    pub fn selected(&self) -> Option<usize> {
        self.open.as_ref()?.selected
    }

    pub(crate) fn with_document(&mut self, change: impl FnOnce(&mut OpenDocument)) {
        if let Some(document) = &mut self.open {
            change(document);
        }
    }

    pub(crate) fn document_folder(&self, shared: &Shared) -> Option<PathBuf> {
        let current = self.open.as_ref().map(|document| &document.path);
        current
            .or(shared.settings.recent_documents.first())
            .and_then(|path| path.parent())
            .map(Path::to_owned)
    }

    /// The languages of the document, with the models that may translate between them.
    pub(crate) fn pair<'a>(&'a self, models: &'a Models) -> LanguagePair<'a> {
        LanguagePair::new(self.open.as_ref(), models)
    }

    /// Whether changes are not on disk yet.
    pub(crate) fn is_dirty(&self) -> bool {
        self.dirty_since_secs.is_some()
    }

    /// When the changes are to be written: soon after the last one, but not too long after the first.
    pub(crate) fn due_secs(&self) -> Option<f64> {
        let since = self.dirty_since_secs?;
        Some((self.changed_secs + AUTOSAVE_SECS).min(since + AUTOSAVE_AT_LEAST_SECS))
    }

    /// Queues what is not on disk yet.
    pub(crate) fn save_project(&mut self, shared: &mut Shared) {
        let again = std::mem::take(&mut shared.save_failed);
        let dirty = self.dirty_since_secs.take().is_some() || again;
        let (Some(document), Some(data), true) = (&self.open, &shared.folders.data, dirty) else {
            return;
        };
        let (data_folder, project) = (data.clone(), document.project());
        let job = shared.new_save_job();
        shared.file_requests.push(FileRequest::SaveProject {
            job,
            data_folder,
            project,
        });
    }
}
