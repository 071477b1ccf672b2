//! Undo and redo of what a person changed.

use super::target::Target;

/// One sentence's target before and after a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub sentence: usize,
    pub before: Target,
    pub after: Target,
}

/// The steps that can be undone, and those that can be done again.
#[derive(Debug, Clone, Default)]
pub struct History {
    done: Vec<Vec<Change>>,
    undone: Vec<Vec<Change>>,
}

impl History {
    /// Records one step; nothing can be redone after it.
    pub fn record(&mut self, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        self.done.push(changes);
        self.undone.clear();
    }

    /// Takes the last step back; its changes are to be applied in reverse.
    pub fn undo(&mut self) -> Option<&[Change]> {
        self.undone.push(self.done.pop()?);
        self.undone.last().map(Vec::as_slice)
    }

    /// The step that was taken back last, done again.
    pub fn redo(&mut self) -> Option<&[Change]> {
        self.done.push(self.undone.pop()?);
        self.done.last().map(Vec::as_slice)
    }

    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }
}
