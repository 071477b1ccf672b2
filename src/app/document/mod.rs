//! The page of the document: the open document, its translation under way, and the panels around it.
//!
//! Each part has state and commands of its own and is handed the others that it uses. What several parts do together is a method
//! of [`DocumentPage`].

pub mod alternatives;
pub mod checking;
mod commands;
pub mod editing;
mod events;
pub(crate) mod language_model;
pub mod language_pair;
pub(crate) mod languages;
pub mod merging;
mod notes;
mod opening;
pub mod progress;
mod recutting;
pub(crate) mod saving;
pub(crate) mod segments;
mod suggesting;
mod termbase;
pub mod terms;
mod translating;
pub mod translations;

use std::path::PathBuf;

pub use self::commands::DocumentCommand;
pub use self::events::DocumentEvent;
use crate::document::alternatives::Alternatives;
use crate::document::checking::Checking;
use crate::document::editing::{Editing, finding};
use crate::document::language_model::Suggestions;
use crate::document::merging::Merges;
use crate::document::saving::Saving;
use crate::document::segments::Recutting;
use crate::document::terms::Terms;
use crate::document::translations::Translations;
use crate::evaluating::UnitTrace;
use crate::jobs::JobId;
use crate::models::Models;
use crate::shared::Shared;

/// Everything the page shows.
#[derive(Debug, Default)]
pub struct DocumentPage {
    /// The document and its edits.
    pub editing: Editing,
    /// Translations by the model.
    pub translations: Translations,
    /// The file that is being opened.
    pub opening: Option<(JobId, PathBuf)>,
    /// Translations that are written to files.
    pub saving: Saving,
    /// Changes of other persons.
    pub merges: Merges,
    /// Checks of the translations.
    pub checking: Checking,
    /// Suggestions of a large language model.
    pub suggestions: Suggestions,
    /// Other translations of the selected sentence.
    pub alternatives: Alternatives,
    /// The termbases and the terms of the document.
    pub terms: Terms,
    pub(crate) recutting: Option<Recutting>,
    /// The trace that is made of a unit of an evaluation.
    pub(crate) trace: UnitTrace,
}

impl DocumentPage {
    /// Looks at the document again where it, or what is looked for in it, has changed.
    pub(crate) fn follow(&mut self, shared: &mut Shared, models: &Models) {
        self.checking
            .follow(shared, &self.editing, &self.terms, models);
        self.alternatives.follow(&self.editing, models);
        finding::follow(&mut self.editing);
    }

    /// Reads the termbases of the document again.
    pub(crate) fn read_terms(&mut self, shared: &mut Shared, models: &Models) {
        self.terms.read(shared, &self.editing, models);
    }
}
