//! The models that are open or being opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
use crate::jobs::JobId;
use crate::shared::Shared;
use canopy_corpus::memory::TranslationMemory;
use canopy_translate::inference::{Leg, ModelInfo};

/// The model, as far as the window needs to know.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelState {
    /// No model.
    #[default]
    None,
    /// A model is being opened.
    Opening {
        /// Number of the job.
        job: JobId,
        /// Folder of the model.
        folder: PathBuf,
    },
    /// A model is open.
    Open {
        /// Description of the model.
        info: ModelInfo,
        /// Name of the device that it computes on.
        device_name: String,
        /// The memory that it translates with.
        memory: Option<Arc<TranslationMemory>>,
    },
}

/// The model that translates, or two in a row.
#[derive(Debug, Default)]
pub struct InUse {
    /// The model that translates.
    pub current: ModelState,
    /// Comes back when another one cannot be opened.
    pub(crate) previous: Option<ModelState>,
    /// A model of a run that is opened from the library for the first time.
    pub(super) promoted: Option<PathBuf>,
    /// The chained models that were requested last.
    pub(super) requested: Vec<Leg>,
    /// Open models.
    pub(super) opened: Vec<Leg>,
}

impl InUse {
    /// Languages of the open model.
    pub(crate) fn languages(&self) -> Option<(String, String)> {
        match &self.current {
            ModelState::Open { info, .. } => {
                Some((info.source_language.clone(), info.target_language.clone()))
            }
            ModelState::None | ModelState::Opening { .. } => None,
        }
    }

    /// Notes a model that is in the library because a run was added to it.
    pub(super) fn promote(&mut self, folder: &Path) {
        self.promoted = Some(folder.to_owned());
    }

    /// The chained models that were requested last.
    pub(crate) fn requested(&self) -> &[Leg] {
        &self.requested
    }

    /// The models in a row that are open or being opened.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.requested.iter().map(|leg| leg.folder.as_path())
    }

    pub(crate) fn is_opening(&self, job: JobId) -> bool {
        matches!(&self.current, ModelState::Opening { job: opening, .. } if *opening == job)
    }

    /// The language between two models in a row that are open.
    pub fn pivot(&self) -> Option<&str> {
        match self.opened.as_slice() {
            [first, _] => first.target.as_deref(),
            _ => None,
        }
    }

    pub(crate) fn cpu_took_over(&mut self, shared: &mut Shared, now: String, error: &Error) {
        let models = [Some(&mut self.current), self.previous.as_mut()];
        for model in models.into_iter().flatten() {
            if let ModelState::Open { device_name, .. } = model {
                device_name.clone_from(&now);
            }
        }
        shared.show_error("The translation continues on the CPU", error);
    }
}
