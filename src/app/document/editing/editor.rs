//! The editor of a sentence: what is written in it, and when that becomes the translation.

use super::Editing;
use crate::markup;
use crate::open_document::{Editor, Insertion, OpenDocument};
use crate::shared::Shared;
use canopy_document::placeholder::stripped;

impl Editing {
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
        self.commit_edit(shared);
        self.edit_selected(shared);
        self.set_text(shared, markup::to_editable(&stripped(text)));
    }

    pub(crate) fn set_text(&mut self, shared: &Shared, text: String) {
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

    /// Opens the editor on the selected sentence, if it is not open, and writes a text where the caret is.
    pub(crate) fn insert_term(&mut self, shared: &Shared, text: String) {
        let Some(selected) = self.selected() else {
            return;
        };
        let editor = self
            .open
            .as_ref()
            .and_then(|document| document.editor.as_ref());
        if editor.is_none_or(|editor| editor.sentence != selected) {
            self.edit_selected(shared);
        }
        self.with_document(|document| {
            if let Some(editor) = &mut document.editor {
                editor.insert = Some(Insertion::Term(text));
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
    pub(crate) fn commit_edit(&mut self, shared: &Shared) {
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
}
