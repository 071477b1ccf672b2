//! The state of the workbench without widgets: commands in, requests out, and what an event changes.
//!
//! Strings and numbers only; the window draws [`AppState`] and pushes [`Command`]s. A page is a struct with its own state and
//! requests, and with enums of its commands and events, which it executes and handles; it gets [`Shared`] (settings,
//! messages, numbers of jobs) and the pages that it reads or changes. [`AppState`] forwards commands and events to pages, and has
//! a method where several of them take part.
//!
//! ```
//! use canopy_app::{AppState, Folders, Page, Settings, Shipped, WindowCommand};
//!
//! let mut state = AppState::new(Folders::default(), Settings::default(), Shipped::default());
//! state.apply(WindowCommand::ShowPage(Page::Training));
//! assert_eq!(state.shared.page, Page::Training);
//! state.apply(WindowCommand::OpenPath("page.html".into()));
//! assert!(!state.shared.file_requests.is_empty(), "the lane of files opens the document");
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod actions;
pub mod aligning;
mod ask;
mod closing;
pub mod command;
pub mod document;
mod ended;
pub mod error;
pub mod evaluating;
mod events;
pub mod explorer;
mod hint;
pub mod jobs;
mod machines;
mod missing;
pub mod models;
mod notices;
mod open_work;
mod opening;
pub mod project;
mod shared;
mod state;
#[cfg(test)]
mod tests;
pub mod training;
mod translating;
mod window;

pub use actions::{ACTIONS, Action};
pub use aligning::{AlignCommand, AlignEvent, Aligning};
pub use ask::{DialogKind, DialogRequest};
pub use canopy_base::panics::log_file;
pub use canopy_document::editable as markup;
pub use canopy_project::find::FindCommand;
pub use canopy_project::settings::LanguageModel;
pub use canopy_project::{
    ChangeKind, Counts, DocumentNote, Editor, Filter, Filtered, Folders, Incoming, IncomingChange,
    Insertion, MovedWork, OpenDocument, Settings, Shipped, Target, Theme, Written,
};
pub use canopy_project::{find, language, open_document, settings};
pub use command::{Command, Group, HelpPage, Key, Page, Scope, Shortcut};
pub use document::alternatives::{Alternatives, AlternativesCommand, AlternativesState};
pub use document::checking::{CheckCommand, Checking, FindingGroup};
pub use document::editing::{EditCommand, Editing, GoCommand};
pub use document::language_model::{LanguageModelCommand, Suggestions, Tested};
pub use document::language_pair::LanguagePair;
pub use document::merging::{MergeCommand, Merges, Merging};
pub use document::progress::{Progress, Running};
pub use document::saving::{SaveCommand, Saving};
pub use document::segments::SegmentsCommand;
pub use document::terms::{NewTerm, SourceSelection, TermsCommand};
pub use document::translations::Translations;
pub use document::{DocumentCommand, DocumentEvent, DocumentPage, progress, terms};
pub use evaluating::{
    Contrast, ContrastCommand, Evaluate, EvaluateCommand, EvaluateEvent, EvaluateView, Listed,
    deciding_word,
};
pub use events::Event;
pub use explorer::{ExploreCommand, ExploreEvent, Explorer, Present};
pub use machines::{MachineCommand, NamedMachine};
pub use models::{ModelState, Models, ModelsCommand, ModelsEvent};
pub use notices::{Notice, NoticeKind};
pub use project::{ProjectCommand, ProjectEvent, Projects, SettingsCommand};
pub use shared::Shared;
pub use state::AppState;
pub use training::RunEvent;
pub use window::WindowCommand;
