//! The state of the workbench without widgets: commands in, requests out, and what an event changes.
//!
//! Strings and numbers only; the window draws [`AppState`] and pushes [`Command`]s.

pub mod command;
mod editing;
mod events;
pub mod history;
pub mod language;
pub mod markup;
pub mod open_document;
pub mod progress;
pub mod settings;
mod state;
#[cfg(test)]
mod tests;
mod working;

pub use command::{ACTIONS, Action, Command, Group, Key, Scope, Shortcut, Theme};
pub use open_document::{Counts, Editor, OpenDocument, Target};
pub use progress::{Progress, Running};
pub use settings::{Folders, Settings, Shipped};
pub use state::{AppState, Ask, ModelState, Notice, NoticeKind};
