//! The project of several documents that is open: which one it is, its memory and model, how far it is.

mod commands;
mod configuring;
mod events;
mod translating;

use std::path::{Path, PathBuf};

use crate::jobs::{JobId, ProjectRequest, ProjectStatus};
use canopy_project::ProjectSettings;
pub use configuring::SettingsCommand;
pub use events::ProjectEvent;
pub(crate) use translating::Translating;

/// Commands on a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectCommand {
    /// Asks for a folder.
    Choose,
    /// Opens the project in this folder.
    Open(PathBuf),
    /// Asks where a new one shall be.
    New,
    /// Begins one there, with the open document, the memory and the termbase in use.
    Create(PathBuf),
    /// Asks for a document to add.
    ChooseDocument,
    /// Adds documents to the project.
    Add(Vec<PathBuf>),
    /// Copies a memory into the project, in place of the one it has.
    UseMemory(PathBuf),
    /// Shows the settings, to be changed.
    Settings(SettingsCommand),
    /// Takes a document out of the list; its files stay.
    Remove(String),
    /// Moves a document down by a number of rows.
    Move(String, isize),
    /// Translates what has no translation in all documents, one after the other.
    TranslateAll,
    /// Writes all translations.
    Export,
    /// Asks where the word count shall go.
    CountWords,
    /// Writes it there.
    CountWordsTo(PathBuf),
    /// Closes the project.
    Close,
}

/// A change that is written into a project's folder; the model and the memory are opened anew after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taking {
    Memory,
    /// Languages, model, memories and termbase.
    Settings,
}

/// The projects of the window.
#[derive(Debug, Default)]
pub struct Projects {
    /// The open project.
    pub open: Option<ProjectStatus>,
    /// The settings of the open one while a person changes them.
    pub settings: Option<ProjectSettings>,
    /// For the lane of projects; the window sends and empties it.
    pub requests: Vec<ProjectRequest>,
    /// A project that is being opened or begun, and whether its page is to be shown.
    opening: Option<(JobId, bool)>,
    /// The open one is being looked at.
    looking: Option<JobId>,
    /// The translations of its documents are being written.
    exporting: Option<JobId>,
    /// Sentences were confirmed that the memory in use does not have.
    is_memory_old: bool,
    /// The change that is being written into the open one.
    taking: Option<Taking>,
    /// The installed models are not known yet.
    waits_for_models: bool,
}

impl Projects {
    /// The folder of the open one.
    pub fn folder(&self) -> Option<&Path> {
        let open = self.open.as_ref();
        open.map(|status| status.project.folder.as_path())
    }

    /// Whether the translations of its documents are being written.
    pub fn is_exporting(&self) -> bool {
        self.exporting.is_some() && self.exporting == self.looking
    }

    /// Whether a project folder is being looked at.
    pub fn is_looking(&self) -> bool {
        self.looking.is_some() || self.opening.is_some()
    }
}
