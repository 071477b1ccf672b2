//! Translations of the document: confirmed, cleared, copied, and merged with those of another person.

use std::path::Path;

use super::Editing;
use crate::jobs::{MergedWork, Origin, State};
use crate::notices::NoticeKind;
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use canopy_project::Target;
use canopy_translate::inference::Flag;

impl Editing {
    pub(crate) fn confirm_selected(&mut self, shared: &mut Shared) {
        if !self.keep_edit(shared) {
            return;
        }
        let Some(sentence) = self.selected() else {
            return;
        };
        if self.confirm(shared, sentence) {
            self.step(shared, 1);
        }
    }

    /// `false` if there is nothing to confirm.
    pub(crate) fn confirm(&mut self, shared: &mut Shared, sentence: usize) -> bool {
        let Some(document) = &self.open else {
            return false;
        };
        let target = document.target(sentence).clone();
        if target.state == State::Untranslated {
            shared.notify(
                NoticeKind::Hint,
                "Nothing to confirm",
                "Translate this sentence first, or write its translation.",
            );
            return false;
        }
        let confirmed = Target {
            state: State::Confirmed,
            ..target
        };
        let same = document.identical_open(sentence);
        // A sentence filled in this way is marked as from the memory and as to be reviewed.
        let filled = Target {
            text: confirmed.text.clone(),
            state: State::Draft,
            flags: vec![Flag::Memory],
            ..Target::default()
        };
        let mut changes: Vec<(usize, Target)> =
            same.into_iter().map(|it| (it, filled.clone())).collect();
        changes.insert(0, (sentence, confirmed));
        let Some(document) = &mut self.open else {
            return false;
        };
        let editor = document.editor.as_ref();
        if editor.is_some_and(|editor| editor.sentence == sentence) {
            document.editor = None;
        }
        let count = document.change_all(changes);
        if count > 0 {
            self.touch(shared);
        }
        if count > 1 {
            let title = match count - 1 {
                1 => "1 identical sentence is filled".to_owned(),
                count => format!("{count} identical sentences are filled"),
            };
            let detail = "They are drafts, marked with =. Undo removes them with the confirmation.";
            shared.notify_of_change(title, detail);
        }
        true
    }

    pub(crate) fn toggle_confirmed(&mut self, shared: &mut Shared, sentence: usize) {
        if !self.keep_edit(shared) {
            return;
        }
        let Some(document) = &self.open else {
            return;
        };
        let target = document.target(sentence).clone();
        if target.state == State::Confirmed {
            // It is confirmed, so the model may still not replace it.
            self.change(
                shared,
                sentence,
                Target {
                    state: State::Edited,
                    ..target
                },
            );
        } else {
            self.confirm(shared, sentence);
        }
    }

    pub(crate) fn clear(&mut self, shared: &Shared, sentence: usize) {
        self.commit_edit(shared);
        self.change(shared, sentence, Target::default());
    }

    pub(crate) fn copy_source(&mut self, shared: &Shared, sentence: usize) {
        self.commit_edit(shared);
        let Some(document) = &self.open else {
            return;
        };
        let text = document.document.sentences[sentence].text.clone();
        self.change(
            shared,
            sentence,
            Target {
                text,
                state: State::Edited,
                ..Target::default()
            },
        );
    }

    /// Puts a text that a sentence has had in place of its translation, in a step that can be undone.
    pub(crate) fn use_version(&mut self, shared: &Shared, sentence: usize, version: usize) {
        self.commit_edit(shared);
        let document = self.open.as_ref();
        let version = document.and_then(|open| open.targets.history(sentence).get(version));
        let Some(version) = version.filter(|version| version.origin != Origin::Cleared) else {
            return;
        };
        let target = Target {
            text: version.text.clone(),
            state: State::Edited,
            model: version.model.clone(),
            ..Target::default()
        };
        self.change(shared, sentence, target);
    }

    pub(crate) fn change(&mut self, shared: &Shared, sentence: usize, target: Target) {
        let Some(document) = &mut self.open else {
            return;
        };
        if document
            .editor
            .as_ref()
            .is_some_and(|editor| editor.sentence == sentence)
        {
            document.editor = None;
        }
        if document.change(sentence, target) {
            self.touch(shared);
        }
    }

    /// Takes over what was done on the document when it had another name.
    pub(crate) fn take_over(&mut self, shared: &Shared) {
        self.commit_edit(shared);
        self.with_document(OpenDocument::take_over);
        self.touch(shared);
    }

    /// Takes over another person's changes, which a save has merged into the work file.
    pub(crate) fn work_merged(&mut self, shared: &mut Shared, path: &Path, merged: &MergedWork) {
        let document = self.open.as_mut();
        let Some(open) = document.filter(|open| open.path == path) else {
            return;
        };
        let (taken, conflicts) = open.take_merged(merged);
        let taken = format!("{taken} of their translations were merged.");
        let detail = match conflicts {
            0 => taken,
            count => format!(
                "{taken} {count} sentences were changed on both sides: yours stay, theirs are in the history (Ctrl+H)."
            ),
        };
        shared.notify(
            NoticeKind::Hint,
            "Another person has worked on this document",
            detail,
        );
        self.touch(shared);
    }

    /// Leaves it where it is; the work file records that the question has been answered.
    pub(crate) fn leave_moved_work(&mut self, shared: &Shared) {
        self.with_document(|document| document.moved_work = None);
        self.touch(shared);
    }
}
