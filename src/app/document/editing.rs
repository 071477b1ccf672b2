//! Selecting, editing and confirming sentences.

use std::path::Path;

use crate::document::DocumentPage;
use crate::jobs::{MergedWork, Origin, State};
use crate::markup;
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::open_document::{Editor, Insertion, OpenDocument};
use crate::shared::Shared;
use canopy_document::placeholder::stripped;
use canopy_project::Target;
use canopy_translate::inference::Flag;

impl DocumentPage {
    pub(crate) fn select(&mut self, shared: &Shared, sentence: usize) {
        let Some(document) = &self.open else {
            return;
        };
        let edits_other = document
            .editor
            .as_ref()
            .is_some_and(|editor| editor.sentence != sentence);
        // An edit with broken markup stays open and says why.
        if edits_other && !self.keep_edit(shared) {
            return;
        }
        self.with_document(|document| document.selected = Some(sentence));
    }

    pub(crate) fn step(&mut self, shared: &Shared, by: isize) {
        if !self.keep_edit(shared) {
            return;
        }
        let Some(document) = &mut self.open else {
            return;
        };
        if document.num_sentences() == 0 {
            return;
        }
        let next = document
            .selected
            .map_or(0, |selected| document.shown_from(selected, by));
        document.select(next);
    }

    pub(crate) fn select_next_unconfirmed(&mut self, shared: &Shared) {
        if !self.keep_edit(shared) {
            return;
        }
        let Some(document) = &mut self.open else {
            return;
        };
        let from = document.selected.map_or(0, |selected| selected + 1);
        let unconfirmed = |&sentence: &usize| document.target(sentence).state != State::Confirmed;
        let next = (from..document.num_sentences())
            .chain(0..from.min(document.num_sentences()))
            .find(unconfirmed);
        if let Some(next) = next {
            document.select(next);
        }
    }

    pub(crate) fn select_least_sure(&mut self, shared: &Shared) {
        if !self.keep_edit(shared) {
            return;
        }
        self.with_document(|document| {
            if let Some(next) = document.next_least_sure() {
                document.select(next);
            }
        });
    }

    pub(crate) fn edit_selected(&mut self, shared: &Shared) {
        if let Some(sentence) = self.selected() {
            self.edit(shared, sentence);
        }
    }

    pub(crate) fn edit(&mut self, shared: &Shared, sentence: usize) {
        if !self.keep_edit(shared) {
            return;
        }
        self.with_document(|document| {
            let text = markup::to_editable(&document.target(sentence).text);
            document.select(sentence);
            document.editor = Some(Editor {
                sentence,
                begun_with: text.clone(),
                text,
                problems: vec![],
                insert: None,
            });
        });
    }

    /// Puts another translation into the editor; what stood there is a step of its own, which can be undone.
    pub(crate) fn edit_with(&mut self, shared: &Shared, text: &str) {
        self.keep_edit_for_good(shared);
        self.edit_selected(shared);
        self.editing(shared, markup::to_editable(&stripped(text)));
    }

    pub(crate) fn editing(&mut self, shared: &Shared, text: String) {
        let Some(editor) = self
            .open
            .as_mut()
            .and_then(|document| document.editor.as_mut())
        else {
            return;
        };
        editor.text = text;
        editor.insert = None;
        editor.problems.clear();
        self.touch(shared);
    }

    pub(crate) fn discard_edit(&mut self, shared: &Shared) {
        let document = self.open.as_mut();
        if document.is_some_and(OpenDocument::discard_edit) {
            // The project file may hold it.
            self.touch(shared);
        }
    }

    pub(crate) fn insert_tag(&mut self) {
        self.with_document(|document| {
            if let Some(editor) = &mut document.editor {
                editor.insert = Some(Insertion::NextTag);
            }
        });
    }

    /// Takes the edit over; `false` if its markup is broken, which the editor then shows.
    pub(crate) fn keep_edit(&mut self, shared: &Shared) -> bool {
        let Some(document) = &mut self.open else {
            return true;
        };
        let Some(sentence) = document.editor.as_ref().map(|editor| editor.sentence) else {
            return true;
        };
        match document.edited() {
            None => document.editor = None,
            Some(Ok(target)) => {
                document.editor = None;
                self.change(shared, sentence, target);
            }
            Some(Err(problems)) => {
                if let Some(editor) = &mut document.editor {
                    editor.problems = problems;
                }
                document.scroll_to.set(sentence);
                return false;
            }
        }
        true
    }

    /// Before something else happens: a valid edit is kept, a broken one stays in the editor.
    pub(crate) fn keep_edit_if_valid(&mut self, shared: &Shared) {
        self.keep_edit(shared);
    }

    /// Before the editor goes for good: a broken edit is repaired and kept, nothing that was written is lost.
    pub(crate) fn keep_edit_for_good(&mut self, shared: &Shared) {
        if !self.keep_edit(shared) {
            self.repair_edit();
            self.keep_edit(shared);
        }
    }

    pub(crate) fn keep_edit_and_confirm(&mut self, shared: &mut Shared) {
        let Some(sentence) = self
            .open
            .as_ref()
            .and_then(|document| document.editor.as_ref())
            .map(|e| e.sentence)
        else {
            return;
        };
        if !self.keep_edit(shared) {
            return;
        }
        self.confirm(shared, sentence);
        self.step(shared, 1);
        if self.selected() != Some(sentence) {
            self.edit_selected(shared);
        }
    }

    pub(crate) fn repair_edit(&mut self) {
        self.with_document(|document| {
            let Some(editor) = &mut document.editor else {
                return;
            };
            editor.text = markup::repaired(
                &editor.text,
                &document.document.sentences[editor.sentence].text,
            );
            editor.problems.clear();
        });
    }

    /// Takes over what was done on the document when it had another name.
    pub(crate) fn take_over(&mut self, shared: &Shared) {
        self.keep_edit_for_good(shared);
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

    /// Takes the last change back, which is what stands in the editor if something was written there. Broken markup is
    /// repaired for that, so that it can be done again.
    pub(crate) fn undo(&mut self, shared: &mut Shared) {
        self.keep_edit_for_good(shared);
        let (recuts, _) = self
            .open
            .as_ref()
            .map_or((false, false), OpenDocument::recuts);
        if self.must_wait(shared, recuts) {
            return;
        }
        if self.open.as_mut().is_some_and(OpenDocument::undo) {
            shared.notices.retain(|notice| !notice.ends_with_undo);
            self.undone(shared, recuts);
        }
    }

    pub(crate) fn redo(&mut self, shared: &mut Shared) {
        if !self.keep_edit(shared) {
            return;
        }
        let (_, recuts) = self
            .open
            .as_ref()
            .map_or((false, false), OpenDocument::recuts);
        if !self.must_wait(shared, recuts) && self.open.as_mut().is_some_and(OpenDocument::redo) {
            self.undone(shared, recuts);
        }
    }

    fn undone(&mut self, shared: &Shared, recuts: bool) {
        if recuts {
            self.sentences_changed(shared);
        }
        self.touch(shared);
    }

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
        self.keep_edit_for_good(shared);
        self.change(shared, sentence, Target::default());
    }

    pub(crate) fn copy_source(&mut self, shared: &Shared, sentence: usize) {
        self.keep_edit_for_good(shared);
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

    /// Puts the translation of a similar sentence into the editor, the most similar being 0.
    pub(crate) fn use_match(&mut self, shared: &mut Shared, models: &Models, place: usize) {
        let sentence = self.open.as_ref().zip(self.selected());
        let source = sentence.map(|(open, at)| open.document.sentences[at].plain_text());
        let Some((memory, source)) = self.memory(models).zip(source) else {
            return;
        };
        let mut found = memory.to_show(source.trim()).into_iter();
        match found.nth(place).map(|found| found.target.to_owned()) {
            Some(target) => self.edit_with(shared, &target),
            None => shared.notify(NoticeKind::Hint, "There is no such match", ""),
        }
    }

    /// Puts a text that a sentence has had in place of its translation, in a step that can be undone.
    pub(crate) fn use_version(&mut self, shared: &Shared, sentence: usize, version: usize) {
        self.keep_edit_for_good(shared);
        let document = self.open.as_ref();
        let version = document.and_then(|open| open.history(sentence).get(version));
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
}
