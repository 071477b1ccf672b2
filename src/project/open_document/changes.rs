//! Changes of targets, which can be undone.

use super::OpenDocument;
use crate::Origin;
use crate::history::{Change, Step};
use crate::target::Target;

impl OpenDocument {
    /// A change by a person, which can be undone.
    pub fn change(&mut self, sentence: usize, after: Target) -> bool {
        self.change_all(vec![(sentence, after)]) > 0
    }

    /// Applies changes that are undone in one step; returns the number of changed sentences.
    pub fn change_all(&mut self, targets: Vec<(usize, Target)>) -> usize {
        self.change_all_from(targets, None)
    }

    /// Changes targets, with the origin of the texts where their states do not name it.
    pub fn change_all_from(
        &mut self,
        targets: Vec<(usize, Target)>,
        origin: Option<Origin>,
    ) -> usize {
        let changes = targets.into_iter().map(|(sentence, after)| Change {
            sentence,
            before: self.targets[sentence].clone(),
            after,
        });
        let changes: Vec<Change> = changes
            .filter(|change| change.before != change.after)
            .collect();
        for change in &changes {
            self.replace(change.sentence, change.after.clone(), origin);
        }
        let count = changes.len();
        self.history.record(changes);
        count
    }

    /// Takes the last change back and goes there; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let changes = match self.history.undo().cloned() {
            None => return false,
            Some(Step::Targets(changes)) => changes,
            Some(Step::Recut(recut)) => {
                self.exchange(recut.first, recut.after.targets.len(), &recut.before);
                self.scroll_to.set(self.selected);
                return true;
            }
        };
        for Change {
            sentence, before, ..
        } in changes.into_iter().rev()
        {
            self.replace(sentence, before, None);
            self.select(sentence);
        }
        true
    }

    /// Does the change taken back last again; `false` if there is none.
    pub fn redo(&mut self) -> bool {
        let changes = match self.history.redo().cloned() {
            None => return false,
            Some(Step::Targets(changes)) => changes,
            Some(Step::Recut(recut)) => {
                self.exchange(recut.first, recut.before.targets.len(), &recut.after);
                self.scroll_to.set(self.selected);
                return true;
            }
        };
        for Change {
            sentence, after, ..
        } in changes
        {
            self.replace(sentence, after, None);
            self.select(sentence);
        }
        true
    }

    /// Sets a target, with the origin of its text where its state does not name it.
    pub(super) fn replace(&mut self, sentence: usize, target: Target, origin: Option<Origin>) {
        let before = self.targets.replace(sentence, target, origin);
        let after = &self.targets[sentence];
        self.progress.exchange(sentence, &before, after);
    }
}
