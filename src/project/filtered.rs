//! Filters of sentences, and what one lets through.

use super::open_document::OpenDocument;
use crate::State;

/// Which sentences are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Sentences in one state.
    State(State),
    /// Sentences with a warning of the checks or the model.
    Warnings,
    /// Taken over from a translation memory, or from an identical sentence.
    Matches,
    /// Sentences whose source occurs in the document more than once.
    Repetitions,
}

impl Filter {
    /// All filters in the order of the menu.
    pub const ALL: [Self; 7] = [
        Self::State(State::Untranslated),
        Self::State(State::Draft),
        Self::State(State::Edited),
        Self::State(State::Confirmed),
        Self::Warnings,
        Self::Matches,
        Self::Repetitions,
    ];

    /// Returns the name that the menu shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::State(State::Untranslated) => "Not translated",
            Self::State(State::Draft) => "Drafts",
            Self::State(State::Edited) => "Edited",
            Self::State(State::Confirmed) => "Confirmed",
            Self::Warnings => "Warnings",
            Self::Matches => "From the memory",
            Self::Repetitions => "Repetitions",
        }
    }
}

/// The sentences that a filter let through when it was chosen: one that is confirmed since stays where it is.
#[derive(Debug, Clone)]
pub struct Filtered {
    /// The filter that was chosen.
    pub filter: Filter,
    /// By sentence.
    shown: Vec<bool>,
}

impl Filtered {
    /// Stores whether each sentence is shown, `[sentences]`.
    pub fn new(filter: Filter, shown: Vec<bool>) -> Self {
        Self { filter, shown }
    }

    /// Returns the number of shown sentences.
    pub fn count(&self) -> usize {
        self.shown.iter().filter(|shown| **shown).count()
    }

    /// Returns whether a sentence is shown; sentences beyond the list are.
    pub fn shows(&self, sentence: usize) -> bool {
        self.shown.get(sentence).is_none_or(|shown| *shown)
    }
}

impl OpenDocument {
    /// Whether the filter shows a sentence.
    pub fn shows(&self, sentence: usize) -> bool {
        let filtered = self.filtered.as_ref();
        filtered.is_none_or(|filtered| filtered.shows(sentence))
    }

    /// The sentence a number of shown ones further, or as far as there are any.
    pub fn shown_from(&self, sentence: usize, by: isize) -> usize {
        let is_shown = |&it: &usize| self.shows(it);
        let steps = by.unsigned_abs();
        let found = if by < 0 {
            let before = (0..sentence).rev().filter(is_shown);
            before.take(steps).last()
        } else {
            let behind = (sentence + 1..self.num_sentences()).filter(is_shown);
            behind.take(steps).last()
        };
        found.unwrap_or(sentence)
    }
}
