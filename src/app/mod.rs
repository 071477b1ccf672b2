//! The state of the workbench without widgets: commands in, requests out, and what an event changes.
//!
//! Strings and numbers only; the window draws [`AppState`] and pushes [`Command`]s.

mod ask;
mod closing;
pub mod command;
mod editing;
pub mod evaluating;
mod events;
pub mod explorer;
pub mod find;
mod finding;
pub mod history;
pub mod language;
pub mod markup;
pub mod open_document;
mod opening;
mod pending_writes;
pub mod progress;
pub mod settings;
mod state;
mod target;
#[cfg(test)]
mod tests;
pub mod training;
mod working;

pub use ask::{Ask, Pick};
pub use command::{ACTIONS, Action, Command, Group, Key, Page, Scope, Shortcut};
pub use evaluating::{Evaluate, EvaluateCommand, EvaluateView};
pub use explorer::{ExploreCommand, Explorer};
pub use find::FindCommand;
pub use open_document::{Counts, Editor, OpenDocument, WorkElsewhere};
pub use progress::{Progress, Running};
pub use settings::{Folders, Settings, Shipped, Theme};
pub use state::{AppState, ModelState, Notice, NoticeKind};
pub use target::Target;
