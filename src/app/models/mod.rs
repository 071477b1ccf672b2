//! The page of models: which are installed, what is being added, and between which languages they translate.

mod commands;
mod events;
mod getting;
mod languages;
mod memories;
mod own_memory;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::own_memory::OwnMemory;
pub use getting::{Downloading, Getting, GettingCommand, Lists};

use crate::jobs::{JobControl, JobId, ModelRequest};
use crate::shared::Shared;
use canopy_corpus::memory::TranslationMemory;
use canopy_translate::inference::{InstalledModel, Leg, ModelInfo};

/// A command of the page, or of the menus of languages.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelsCommand {
    Select(PathBuf),
    /// Asks for a folder to add.
    AskFolder,
    /// Opens the dialog for a zip or GGUF file to add.
    AskFile,
    /// Looks whether this is a model, and offers to add it.
    Inspect(PathBuf),
    /// Adds it at once if its files name its languages, else asks for them.
    Bring(PathBuf),
    /// Copies it, with these languages if its files do not say them.
    Add {
        path: PathBuf,
        languages: Option<[String; 2]>,
    },
    /// States the languages of an installed model.
    State {
        folder: PathBuf,
        languages: [String; 2],
    },
    CancelAdding,
    /// Leaves what was found where it is.
    DismissFound,
    AskRemove(PathBuf),
    Keep,
    Remove(PathBuf),
    /// Opens the model and shows the document.
    Use(PathBuf),
    /// Chooses the model that translates between two languages.
    MakeDefault {
        folder: PathBuf,
        source: String,
        target: String,
    },
    /// Takes that back; the pair is written as in [`pair_key`](canopy_translate::inference::pair_key).
    ForgetDefault(String),
    /// Looks for models in catalogues, and downloads them.
    Get(GettingCommand),
    /// Chooses the language of the document.
    TranslateFrom(String),
    /// Chooses the language of the translation.
    TranslateTo(String),
}

/// A model that was dropped, and is not added yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub path: PathBuf,
    job: JobId,
    /// Whether it is added without a question, if its files say its languages.
    is_wanted: bool,
    /// None while it is read.
    pub model: Option<InstalledModel>,
}

/// A model that is being copied.
#[derive(Debug, Clone)]
pub struct Adding {
    pub path: PathBuf,
    job: JobId,
    pub control: JobControl,
    /// Bytes.
    pub done: u64,
    pub total: u64,
}

impl Adding {
    #[expect(clippy::cast_precision_loss, reason = "a share of a bar")]
    pub fn share(&self) -> f32 {
        self.done as f32 / self.total.max(1) as f32
    }
}

/// A language that can be translated to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    pub code: String,
    pub name: String,
    /// The name of the language between, if there is no model that knows both.
    pub through: Option<String>,
}

/// A line about the languages of the open document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LanguageNote {
    /// The language of its text, which is the one that is translated from.
    Detected,
    /// Its text is in another language than the one that is translated from.
    Other { code: String, name: String },
    /// The language is detected, and no installed model translates it.
    NoModel {
        code: String,
        name: String,
        /// Code and name of the language that is translated to.
        target: Option<(String, String)>,
    },
    /// No installed model translates between the languages of the document.
    NoPair { source: String, target: String },
    /// The model is not sure of what it has translated so far: the mean percentage.
    Unlike { percent: u8 },
}

/// The model, as far as the window needs to know.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelState {
    #[default]
    None,
    Opening {
        job: JobId,
        folder: PathBuf,
    },
    Open {
        info: ModelInfo,
        device_name: String,
        memory: Option<Arc<TranslationMemory>>,
    },
}

/// Everything the page shows, and the model that translates.
#[expect(
    clippy::struct_excessive_bools,
    reason = "what is known of the choice so far, each by itself"
)]
#[derive(Debug, Default)]
pub struct Models {
    /// The model that translates.
    pub current: ModelState,
    /// Comes back when another one cannot be opened.
    pub(crate) previous: Option<ModelState>,
    /// Pairs of the translation memory that is in use.
    pub memory_pairs: Option<usize>,
    /// Models that came with the program, were added, or were opened from another folder in this session.
    pub all: Arc<Vec<InstalledModel>>,
    /// Whether it is known which are installed.
    is_listed: bool,
    pub selected: Option<PathBuf>,
    pub found: Option<Found>,
    pub adding: Option<Adding>,
    /// The model whose removal awaits confirmation.
    pub removing: Option<PathBuf>,
    /// Catalogues, and what is downloaded from them.
    pub getting: Getting,
    /// For the thread; the window sends and empties it.
    pub requests: Vec<ModelRequest>,
    /// Why a model could not be opened, by its folder.
    failed: BTreeMap<PathBuf, String>,
    /// Models of `all` that are not installed.
    external: Vec<InstalledModel>,
    /// A model outside the library that is being read, to know all its languages.
    describing: Option<JobId>,
    /// A model of a run that is opened from the library for the first time.
    promoted: Option<PathBuf>,
    /// The chained models that were requested last.
    requested: Vec<Leg>,
    /// Open models.
    opened: Vec<Leg>,
    /// The languages that the program was started with, for documents that have none of their own.
    pub said: [Option<String>; 2],
    /// Whether a person chose the model, not its languages.
    pub(crate) is_by_hand: bool,
    /// Whether the model was named when the program was started: then no text chooses another.
    pub(crate) is_named: bool,
    /// Whether the open document is to choose its model yet.
    pub(crate) is_undecided: bool,
    /// The memory for a document that no model translates.
    own_memory: OwnMemory,
}

pub use self::own_memory::pair_name;

impl Models {
    /// Languages of the open model.
    pub(crate) fn model_languages(&self) -> Option<(String, String)> {
        match &self.current {
            ModelState::Open { info, .. } => {
                Some((info.source_language.clone(), info.target_language.clone()))
            }
            ModelState::None | ModelState::Opening { .. } => None,
        }
    }

    /// The only target of the installed model of this name.
    pub(crate) fn only_target(&self, name: &str) -> Option<&str> {
        let mut models = self.all.iter();
        let model: &InstalledModel = models.find(|model| model.name == name)?;
        match model.targets.as_slice() {
            [target] => Some(target),
            _ => None,
        }
    }

    /// Whether it is known which are installed.
    pub fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// The model in this folder.
    pub fn get(&self, folder: &Path) -> Option<&InstalledModel> {
        self.all.iter().find(|model| model.folder == folder)
    }

    /// Why a model cannot be opened.
    pub fn problem<'a>(&'a self, model: &'a InstalledModel) -> Option<&'a str> {
        let failed = self.failed.get(&model.folder).map(String::as_str);
        model.problem.as_deref().or(failed)
    }

    /// Whether it is outside the library.
    pub fn is_external(&self, model: &InstalledModel) -> bool {
        let mut external = self.external.iter();
        external.any(|other| other.folder == model.folder)
    }

    /// Notes a model that lies in the library since a run was added to it.
    pub(super) fn promote(&mut self, folder: &Path) {
        self.promoted = Some(folder.to_owned());
    }

    /// The chained models that were requested last.
    pub(super) fn requested(&self) -> &[Leg] {
        &self.requested
    }

    /// The models in a row that are open or being opened.
    pub fn in_use(&self) -> impl Iterator<Item = &Path> {
        self.requested.iter().map(|leg| leg.folder.as_path())
    }
}

impl Models {
    /// Models that a run can begin with.
    pub fn known_models(&self, shared: &Shared) -> Vec<PathBuf> {
        let mut models = shared.shipped.models.clone();
        let installed = self.all.iter();
        let installed = installed.filter(|model| self.problem(model).is_none());
        let installed = installed.map(|model| &model.folder);
        for model in shared.settings.recent_models.iter().chain(installed) {
            if !models.contains(model) {
                models.push(model.clone());
            }
        }
        models
    }
}

impl Models {
    pub(crate) fn is_opening_model(&self, job: JobId) -> bool {
        matches!(&self.current, ModelState::Opening { job: opening, .. } if *opening == job)
    }
}
