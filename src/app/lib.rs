//! The state of the workbench without widgets: commands in, requests out, and what an event changes.
//!
//! Strings and numbers only; the window draws [`AppState`] and pushes [`Command`]s.

pub mod actions;
pub mod aligning;
mod ask;
pub mod checking;
mod closing;
pub mod command;
pub mod document;
mod editing;
pub mod error;
pub mod evaluating;
mod events;
pub mod explorer;
mod filter;
mod find_commands;
pub mod jobs;
mod language_model;
mod machines;
pub mod merging;
mod missing;
pub mod models;
mod naming_machines;
mod notes;
mod notices;
mod opening;
mod pending_writes;
pub mod progress;
pub mod project;
mod recutting;
mod requests;
mod segments;
mod shared;
mod state;
mod suggesting;
mod termbase;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod training;

pub use actions::{ACTIONS, Action};
pub use aligning::{AlignCommand, Aligning};
pub use ask::{Ask, Pick};
pub use canopy_base::panics::log_file;
pub use canopy_document::editable as markup;
pub use canopy_project::find::FindCommand;
pub use canopy_project::settings::LanguageModel;
pub use canopy_project::{
    ChangeKind, Counts, DocumentNote, Editor, Filter, Filtered, Folders, Incoming, IncomingChange,
    Insertion, MovedWork, OpenDocument, Settings, Shipped, Target, Theme, Written,
};
pub use canopy_project::{find, language, open_document, settings};
pub use checking::{CheckCommand, Checking, FindingGroup};
pub use command::{Command, Group, HelpPage, Key, Page, Scope, Shortcut};
pub use document::DocumentPage;
pub use evaluating::{
    Contrast, ContrastCommand, Evaluate, EvaluateCommand, EvaluateView, Listed, deciding_word,
};
pub use explorer::{ExploreCommand, Explorer, Present};
pub use language_model::{LanguageModelCommand, Suggestions, Tested};
pub use machines::{MachineCommand, NamedMachine};
pub use merging::{MergeCommand, Merges, Merging};
pub use models::{ModelState, Models, ModelsCommand};
pub use notices::{Notice, NoticeKind};
pub use progress::{Progress, Running};
pub use project::{ProjectCommand, Projects, SettingsCommand};
pub use segments::SegmentsCommand;
pub use shared::Shared;
pub use state::AppState;
pub use terms::{NewTerm, SourceSelection, TermsCommand};
