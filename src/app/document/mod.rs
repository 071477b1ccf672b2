//! The page of the document: the open document, its translation under way, and the panels around it.

pub mod checking;
mod editing;
mod filter;
mod find_commands;
pub(crate) mod language_model;
pub(crate) mod languages;
pub mod merging;
mod notes;
mod opening;
pub mod progress;
mod recutting;
pub(crate) mod saving;
pub(crate) mod segments;
mod suggesting;
mod termbase;
pub mod terms;
mod translating;

use std::path::{Path, PathBuf};

use crate::command::Scope;
use crate::document::checking::Checking;
use crate::document::language_model::Suggestions;
use crate::document::merging::Merges;
use crate::document::progress::{Progress, Running};
use crate::document::segments::Recutting;
use crate::document::terms::Terms;
use crate::evaluating::{Tracing, Wanted};
use crate::jobs::JobId;
use crate::open_document::OpenDocument;
use crate::project::Translating;
use crate::shared::Shared;

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
    /// Notes that the project file is out of date.
    pub(crate) fn touch(&mut self, shared: &Shared) {
        self.changed_secs = shared.now_secs;
        self.dirty_since_secs.get_or_insert(shared.now_secs);
    }

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
}
