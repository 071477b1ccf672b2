//! The page of models: which are installed, what is being added, and between which languages they translate.

mod commands;
mod events;
mod getting;
mod in_use;
mod installing;
mod languages;
mod library;
mod memories;
mod own_memory;

use std::path::PathBuf;

use self::own_memory::OwnMemory;
pub use events::ModelsEvent;
pub use getting::{Downloading, Getting, GettingCommand, Lists};
pub use in_use::{InUse, ModelState};
pub use installing::{Adding, Found, Installing};
pub use library::Library;

use canopy_translate::inference::DeviceChoice;

/// A command of the page, or of the menus of models, languages and memories.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelsCommand {
    /// Selects an installed model.
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
        /// Where it is.
        path: PathBuf,
        /// Codes of the source and the target language.
        languages: Option<[String; 2]>,
    },
    /// States the languages of an installed model.
    State {
        /// Folder of the model.
        folder: PathBuf,
        /// Codes of the source and the target language.
        languages: [String; 2],
    },
    /// Ends the copying of a model.
    CancelAdding,
    /// Leaves what was found where it is.
    DismissFound,
    /// Asks whether to remove a model.
    AskRemove(PathBuf),
    /// Leaves the model whose removal was asked about.
    Keep,
    /// Removes a model.
    Remove(PathBuf),
    /// Opens the model and shows the document.
    Use(PathBuf),
    /// Chooses the model that translates between two languages.
    MakeDefault {
        /// Folder of the model.
        folder: PathBuf,
        /// Code of the source language.
        source: String,
        /// Code of the target language.
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
    /// Asks for a model folder.
    Choose,
    /// Opens the model of this folder.
    Open(PathBuf),
    /// Asks for a file of translations.
    ChooseMemory,
    /// Asks for a corpus or a folder of PO files.
    ChooseMemoryFolder,
    /// Takes over the existing work, or nothing.
    UseMemory(Option<PathBuf>),
    /// Looks up a memory after the first one, with a penalty in per cent; `None` removes it from the list.
    UseFurtherMemory(PathBuf, Option<u8>),
    /// Whether the model learns from the memory before each document.
    LearnFromMemory(bool),
    /// Chooses the device to compute on.
    SetDevice(DeviceChoice),
}

/// A language that can be translated to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Code of the language.
    pub code: String,
    /// Its English name.
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
    Other {
        /// Code of that language.
        code: String,
        /// Its English name.
        name: String,
    },
    /// The language is detected, and no installed model translates it.
    NoModel {
        /// Code of the language.
        code: String,
        /// Its English name.
        name: String,
        /// Code and name of the language that is translated to.
        target: Option<(String, String)>,
    },
    /// No installed model translates between the languages of the document.
    NoPair {
        /// Code of the source language.
        source: String,
        /// Code of the target language.
        target: String,
    },
    /// The model is not sure of what it has translated so far: the mean percentage.
    Unlike {
        /// The percentage.
        percent: u8,
    },
}

/// Everything the page shows, and the model that translates.
#[derive(Debug, Default)]
pub struct Models {
    /// Those that are open or being opened.
    pub in_use: InUse,
    /// Pairs of the translation memory that is in use.
    pub memory_pairs: Option<usize>,
    /// Those that are known.
    pub library: Library,
    /// Those that are being added or removed.
    pub installing: Installing,
    /// Folder of the selected model.
    pub selected: Option<PathBuf>,
    /// Catalogues, and what is downloaded from them.
    pub getting: Getting,
    /// The languages that the program was started with, for documents without their own.
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
