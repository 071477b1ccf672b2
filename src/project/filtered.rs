//! Filters of sentences, and what one lets through.

use super::open_document::OpenDocument;
use crate::State;

/// Which sentences are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    State(State),
    /// Sentences with a warning of the checks or the model.
    Warnings,
    /// Taken over from a translation memory, or from an identical sentence.
    Matches,
    /// Sentences whose source occurs in the document more than once.
    Repetitions,
}

impl Filter {
    pub const ALL: [Self; 7] = [
        Self::State(State::Untranslated),
        Self::State(State::Draft),
        Self::State(State::Edited),
        Self::State(State::Confirmed),
        Self::Warnings,
        Self::Matches,
        Self::Repetitions,
    ];

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
    pub filter: Filter,
    /// By sentence.
    shown: Vec<bool>,
}

impl Filtered {
    pub fn new(filter: Filter, shown: Vec<bool>) -> Self {
        Self { filter, shown }
    }

    pub fn count(&self) -> usize {
        self.shown.iter().filter(|shown| **shown).count()
    }

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

    /// The sentence so many shown ones further, or as far as there are any.
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
