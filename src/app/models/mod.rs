//! The page of models: which are installed, what is being added, and between which languages they translate.

mod commands;
mod events;
mod getting;
mod installing;
mod languages;
mod library;
mod memories;
mod own_memory;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::own_memory::OwnMemory;
pub use getting::{Downloading, Getting, GettingCommand, Lists};
pub use installing::{Adding, Found, Installing};
pub use library::Library;

use crate::jobs::JobId;
use canopy_corpus::memory::TranslationMemory;
use canopy_translate::inference::{Leg, ModelInfo};

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
    /// Those that are known.
    pub library: Library,
    /// Those that are being added or removed.
    pub installing: Installing,
    pub selected: Option<PathBuf>,
    /// Catalogues, and what is downloaded from them.
    pub getting: Getting,
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
    pub(crate) fn is_opening_model(&self, job: JobId) -> bool {
        matches!(&self.current, ModelState::Opening { job: opening, .. } if *opening == job)
    }
}
