//! The state of the workbench without widgets: commands in, requests out, and what an event changes.
//!
//! Strings and numbers only; the window draws [`AppState`] and pushes [`Command`]s.

pub mod actions;
pub mod aligning;
mod ask;
pub mod checking;
mod closing;
pub mod command;
mod editing;
pub mod evaluating;
mod events;
pub mod explorer;
mod filter;
mod filtered;
pub mod find;
mod find_commands;
pub mod history;
mod incoming;
pub mod jobs;
pub mod language;
mod language_model;
mod machines;
pub mod merging;
pub mod models;
mod naming_machines;
pub mod open_document;
mod opening;
mod other_language;
mod pending_writes;
pub mod progress;
pub mod project;
mod recutting;
mod requests;
mod segments;
pub mod settings;
mod state;
mod suggesting;
mod target;
mod termbase;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod training;

pub use actions::{ACTIONS, Action};
pub use aligning::{AlignCommand, Aligning};
pub use ask::{Ask, Pick};
pub use canopy_document::editable as markup;
pub use checking::{CheckCommand, Checking};
pub use command::{Command, Group, HelpPage, Key, Page, Scope, Shortcut};
pub use evaluating::{Evaluate, EvaluateCommand, EvaluateView};
pub use explorer::{ExploreCommand, Explorer};
pub use filtered::{Filter, Filtered};
pub use find::FindCommand;
pub use incoming::{ChangeKind, Incoming, IncomingChange};
pub use language_model::{LanguageModel, LanguageModelCommand, Suggestions};
pub use machines::{MachineCommand, NamedMachine};
pub use merging::{MergeCommand, Merges, Merging};
pub use models::{Models, ModelsCommand};
pub use open_document::{Counts, Editor, OpenDocument, WorkElsewhere};
pub use progress::{Progress, Running};
pub use project::{ProjectCommand, Projects};
pub use segments::SegmentsCommand;
pub use settings::{Folders, Settings, Shipped, Theme};
pub use state::{AppState, ModelState, Notice, NoticeKind};
pub use target::Target;
pub use terms::{NewTerm, SourceSelection, TermsCommand};
