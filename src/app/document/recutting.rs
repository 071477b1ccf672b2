//! Splitting a sentence and joining it with the next one; the rules for where sentences end.

use std::path::PathBuf;
use std::sync::Arc;

use crate::ask::DialogRequest;
use crate::document::DocumentPage;
use crate::document::segments::{Recutting, SegmentsCommand};
use crate::document::terms::SourceSelection;
use crate::error::Result;
use crate::jobs::{FileRequest, JobId};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use canopy_base::error::find;
use canopy_document::document::{Document, ReadingOptions, SegmentEdit};
use canopy_document::error::Error as DocumentError;
use canopy_document::placeholder::{Placeholder, stripped};

const NOT_CHANGED: &str = "The sentences stay as they are";

impl DocumentPage {
    pub(crate) fn execute_segments(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        command: SegmentsCommand,
    ) {
        match command {
            SegmentsCommand::Split => self.split(shared),
            SegmentsCommand::Join => self.join(shared),
            SegmentsCommand::NextWord => self.move_caret(true),
            SegmentsCommand::PreviousWord => self.move_caret(false),
            SegmentsCommand::ChooseRules => shared.asks.push(DialogRequest::SegmentationRules),
            SegmentsCommand::UseRules(srx) => self.use_rules(shared, models, srx),
        }
    }

    /// The place of the caret in the source of the selected sentence, in characters as a reader sees them.
    fn caret(&self) -> Option<usize> {
        let selection = self.terms.selected.as_ref()?;
        let is_here = Some(selection.sentence) == self.editing.selected();
        is_here.then_some(selection.chars.start)
    }

    fn split(&mut self, shared: &mut Shared) {
        let (Some(caret), Some(sentence)) = (self.caret(), self.editing.selected()) else {
            let detail = "Click in the source where the second sentence should begin, or go there with the arrow keys.";
            return shared.notify(
                NoticeKind::Hint,
                "Where should the sentence be split?",
                detail,
            );
        };
        let Some(open) = &self.editing.open else {
            return;
        };
        let chars = stored(&open.document.sentences[sentence].text, caret);
        self.recut(shared, SegmentEdit::Split { sentence, chars });
    }

    fn join(&mut self, shared: &mut Shared) {
        if let Some(sentence) = self.editing.selected() {
            self.recut(shared, SegmentEdit::Join { sentence });
        }
    }

    fn recut(&mut self, shared: &mut Shared, edit: SegmentEdit) {
        if self.translations.running.is_some() {
            let detail = "The document is being translated. Cancel, or wait until it is done.";
            return shared.notify(NoticeKind::Hint, NOT_CHANGED, detail);
        }
        self.editing.commit_edit(shared);
        let Some(open) = &self.editing.open else {
            return;
        };
        let (path, document) = (open.path.clone(), Arc::clone(&open.document));
        let job = shared.next_job();
        shared.file_requests.push(FileRequest::Recut {
            job,
            path,
            document: Arc::clone(&document),
            edit,
        });
        self.recutting = Some(Recutting { job, document });
    }

    pub(crate) fn recut_done(
        &mut self,
        shared: &mut Shared,
        job: JobId,
        document: Result<Arc<Document>>,
    ) {
        let Some(recutting) = self.recutting.take_if(|it| it.job == job) else {
            return;
        };
        let document = match document {
            Ok(document) => document,
            Err(error) if matches!(find(&error), Some(DocumentError::OneSegment)) => {
                let detail = error.to_string();
                return shared.notify(NoticeKind::Hint, NOT_CHANGED, detail);
            }
            Err(error) => return shared.show_error(NOT_CHANGED, &error),
        };
        self.editing.commit_edit(shared);
        let is_same = |it: &&mut OpenDocument| Arc::ptr_eq(&it.document, &recutting.document);
        let is_idle = self.translations.running.is_none();
        let open = self.editing.open.as_mut().filter(is_same);
        match open.map(|open| is_idle && open.recut(document)) {
            None => {}
            Some(true) => self.sentences_changed(shared),
            Some(false) => {
                let detail = "The file has changed, or is being translated. Open it again, or wait until it is done.";
                shared.notify(NoticeKind::Hint, NOT_CHANGED, detail);
            }
        }
    }

    /// Forgets what was known of sentences by their numbers.
    pub(crate) fn sentences_changed(&mut self, shared: &Shared) {
        self.suggestions.forget();
        self.terms.selected = None;
        self.translations.last_progress = None;
        self.editing.touch(shared);
    }

    /// Takes the last change back, which is the text of the editor if something was written there. Broken markup is
    /// repaired for that, so that it can be done again.
    pub(crate) fn undo(&mut self, shared: &mut Shared) {
        self.editing.commit_edit(shared);
        let (recuts, _) = self
            .editing
            .open
            .as_ref()
            .map_or((false, false), |open| open.history.recuts());
        if self.must_wait(shared, recuts) {
            return;
        }
        if self.editing.open.as_mut().is_some_and(OpenDocument::undo) {
            shared.notices.retain(|notice| !notice.ends_with_undo);
            self.undone(shared, recuts);
        }
    }

    pub(crate) fn redo(&mut self, shared: &mut Shared) {
        if !self.editing.keep_edit(shared) {
            return;
        }
        let (_, recuts) = self
            .editing
            .open
            .as_ref()
            .map_or((false, false), |open| open.history.recuts());
        if !self.must_wait(shared, recuts)
            && self.editing.open.as_mut().is_some_and(OpenDocument::redo)
        {
            self.undone(shared, recuts);
        }
    }

    fn undone(&mut self, shared: &Shared, recuts: bool) {
        if recuts {
            self.sentences_changed(shared);
        }
        self.editing.touch(shared);
    }

    /// Whether undoing, or redoing, has to wait for the end of a translation, and says so.
    pub(crate) fn must_wait(&mut self, shared: &mut Shared, recuts: bool) -> bool {
        let waits = recuts && self.translations.running.is_some();
        if waits {
            let detail = "The document is being translated. Cancel, or wait until it is done.";
            shared.notify(NoticeKind::Hint, NOT_CHANGED, detail);
        }
        waits
    }

    fn move_caret(&mut self, forwards: bool) {
        let (Some(open), Some(sentence)) = (&self.editing.open, self.editing.selected()) else {
            return;
        };
        let text = stripped(&open.document.sentences[sentence].text);
        let letters: Vec<char> = text.chars().collect();
        let begins = |place: &usize| {
            !letters[*place].is_whitespace() && (*place == 0 || letters[*place - 1].is_whitespace())
        };
        let mut words = (0..letters.len()).filter(begins);
        let caret = self.caret();
        let found = match (caret, forwards) {
            (None, _) => words.nth(1),
            (Some(caret), true) => words.find(|place| *place > caret),
            (Some(caret), false) => words.rfind(|place| *place < caret),
        };
        if let Some(place) = found.or(caret) {
            let chars = place..place;
            self.terms.selected = Some(SourceSelection { sentence, chars });
        }
    }

    fn use_rules(&mut self, shared: &mut Shared, models: &Models, srx: Option<PathBuf>) {
        let language = self.languages(models).map(|(source, _)| source);
        if let Some(open) = &self.editing.open {
            self.read_as(
                shared,
                ReadingOptions {
                    language: language.filter(|_| srx.is_some()),
                    srx,
                    ..open.document.reading.clone()
                },
            );
        }
    }
}

/// The place in a text with placeholders of a character as a reader sees it.
fn stored(text: &str, shown: usize) -> usize {
    let mut left = shown;
    for (place, character) in text.chars().enumerate() {
        if left == 0 {
            return place;
        }
        left -= usize::from(Placeholder::from_char(character).is_none());
    }
    text.chars().count()
}
