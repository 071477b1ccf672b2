//! The page of the document: the open document, its translation under way, and the panels around it.

use std::path::{Path, PathBuf};

use crate::checking::Checking;
use crate::command::Scope;
use crate::evaluating::{Tracing, Wanted};
use crate::jobs::{FileRequest, JobId};
use crate::language_model::Suggestions;
use crate::merging::Merges;
use crate::open_document::OpenDocument;
use crate::progress::{Progress, Running};
use crate::project::Translating;
use crate::segments::Recutting;
use crate::shared::Shared;
use crate::terms::Terms;

/// Everything the page shows.
#[derive(Debug, Default)]
pub struct DocumentPage {
    pub open: Option<OpenDocument>,
    /// The file that is being opened.
    pub opening: Option<(JobId, PathBuf)>,
    pub running: Option<Running>,
    /// The speed of the last translation, for the status bar.
    pub last_progress: Option<Progress>,
    /// Whether the field for the number of a sentence is shown.
    pub asks_for_sentence: bool,
    pub merges: Merges,
    pub checking: Checking,
    pub suggestions: Suggestions,
    pub terms: Terms,
    /// The scope to translate once the model is there.
    pub(crate) waiting_scope: Option<Scope>,
    pub(crate) saving: Option<JobId>,
    pub(crate) recutting: Option<Recutting>,
    /// The trace to be made once its document is open, and then once it is translated.
    pub(crate) tracing: Option<Tracing>,
    /// The part of it that is shown, if it is made for an item of a contrastive set.
    pub(crate) wanted: Option<Wanted>,
    /// Documents of the project that are translated one after the other.
    pub(crate) batch: Option<Translating>,
    pub(crate) dirty_since_secs: Option<f64>,
    pub(crate) changed_secs: f64,
}

impl DocumentPage {
    /// Whether there is something to cancel.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.waiting_scope.is_some()
    }

    pub fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    pub fn is_waiting_for_model(&self) -> bool {
        self.waiting_scope.is_some()
    }

    /// Notes that the project file is out of date.
    pub(crate) fn touch(&mut self, shared: &Shared) {
        self.changed_secs = shared.now_secs;
        self.dirty_since_secs.get_or_insert(shared.now_secs);
    }

    pub fn selected(&self) -> Option<usize> {
        self.open.as_ref()?.selected
    }

    pub(crate) fn save_project(&mut self, shared: &mut Shared) {
        let again = std::mem::take(&mut shared.is_unkept);
        let dirty = self.dirty_since_secs.take().is_some() || again;
        let (Some(document), Some(data), true) = (&self.open, &shared.folders.data, dirty) else {
            return;
        };
        let (data_folder, project) = (data.clone(), document.project());
        let job = shared.keeping_job();
        shared.file_requests.push(FileRequest::SaveProject {
            job,
            data_folder,
            project,
        });
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
}
