//! Undo and redo of what a person changed.

use std::sync::Arc;

use super::target::Target;
use canopy_document::document::Document;

/// How many splits and joins can be taken back: each keeps a document.
const MOST_DOCUMENTS: usize = 64;

/// One sentence's target before and after a change.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    pub sentence: usize,
    pub before: Target,
    pub after: Target,
}

/// The document with other sentences than before in one place.
#[derive(Debug, Clone)]
pub(super) struct Recut {
    /// The first sentence that is another one.
    pub first: usize,
    pub before: Cutting,
    pub after: Cutting,
}

/// A document, and the targets of the sentences that the other one has not.
#[derive(Debug, Clone)]
pub(super) struct Cutting {
    pub document: Arc<Document>,
    pub targets: Vec<Target>,
}

/// Changes that are undone at once.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Targets(Vec<Change>),
    Recut(Box<Recut>),
}

/// The steps that can be undone, and those that can be done again.
#[derive(Debug, Clone, Default)]
pub struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
}

impl History {
    /// Records one step; nothing can be redone after it.
    pub(super) fn record(&mut self, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        self.done.push(Step::Targets(changes));
        self.undone.clear();
    }

    /// Records a split or a join.
    pub(super) fn record_recut(&mut self, recut: Recut) {
        let is_recut = |step: &&Step| matches!(step, Step::Recut(_));
        if self.done.iter().filter(is_recut).count() >= MOST_DOCUMENTS {
            let oldest = self.done.iter().position(|step| is_recut(&step));
            self.done.drain(..=oldest.unwrap_or_default());
        }
        self.done.push(Step::Recut(Box::new(recut)));
        self.undone.clear();
    }

    /// Takes the last step back; its changes are to be applied in reverse.
    pub(super) fn undo(&mut self) -> Option<&Step> {
        self.undone.push(self.done.pop()?);
        self.undone.last()
    }

    /// The step that was taken back last, done again.
    pub(super) fn redo(&mut self) -> Option<&Step> {
        self.done.push(self.undone.pop()?);
        self.done.last()
    }

    /// Returns whether there is a change to undo.
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    /// Returns whether there is a change to redo.
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Whether undoing, and redoing, makes other sentences.
    pub fn recuts(&self) -> (bool, bool) {
        let is_recut = |step: Option<&Step>| matches!(step, Some(Step::Recut(_)));
        (is_recut(self.done.last()), is_recut(self.undone.last()))
    }
}
