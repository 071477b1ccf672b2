//! The present work, which can be traced: the open document with the model and the memory that translate it.

use super::Origin;
use crate::document::DocumentPage;
use crate::jobs::UserMemory;
use crate::models::{ModelState, Models};
use crate::project::Projects;
use crate::shared::Shared;
use canopy_translate::inference::{InstalledModel, Reads};

/// The open document, the model and the project as they are now.
#[derive(Debug, Clone, Copy)]
pub struct Present<'a> {
    pub(super) document: &'a DocumentPage,
    pub(super) models: &'a Models,
    projects: &'a Projects,
}

impl<'a> Present<'a> {
    pub(crate) fn new(
        document: &'a DocumentPage,
        models: &'a Models,
        projects: &'a Projects,
    ) -> Self {
        Self {
            document,
            models,
            projects,
        }
    }

    /// An installed model that reads documents in the languages of the open one, if that reads each sentence by itself.
    pub fn model_of_documents(self) -> Option<&'a InstalledModel> {
        let ModelState::Open { info, .. } = &self.models.in_use.current else {
            return None;
        };
        if !matches!(info.reads, Reads::Nothing | Reads::Confirmed) {
            return None;
        }
        let is_one = |codes: &[String], code: &str| matches!(codes, [only] if only == code);
        self.models.library.all.iter().find(|model| {
            model.reads_documents
                && is_one(&model.sources, &info.source_language)
                && is_one(&model.targets, &info.target_language)
                && self.models.library.problem(model).is_none()
        })
    }
}

impl Present<'_> {
    /// The memory that the open model has, or would have.
    pub(super) fn memory(self, shared: &Shared) -> Option<UserMemory> {
        self.models
            .user_memory(shared, self.document, self.projects)
    }
}

impl Present<'_> {
    /// The open document with its targets and the open model.
    pub(crate) fn origin(self, shared: &Shared) -> Option<Origin> {
        let ModelState::Open { info, .. } = &self.models.in_use.current else {
            return None;
        };
        let document = self.document.editing.open.as_ref()?;
        Some(Origin::Document {
            path: document.path.clone(),
            document: document.document.clone(),
            revision: document.targets.total_revision(),
            model: info.folder.clone(),
            memory: self.memory(shared),
        })
    }

    /// Why the open document cannot be traced now.
    pub fn why_no_trace(self) -> Option<&'static str> {
        let Some(document) = &self.document.editing.open else {
            return Some("No document is open.");
        };
        match &self.models.in_use.current {
            ModelState::None => Some("No model is open."),
            ModelState::Opening { .. } => Some("The model is being opened."),
            ModelState::Open { .. } if self.document.translations.running.is_some() => {
                Some("The document is being translated.")
            }
            ModelState::Open { .. } => {
                let counts = document.progress.counts();
                (counts.untranslated == counts.total())
                    .then_some("Nothing of the document is translated yet.")
            }
        }
    }
}
