//! Splitting a sentence and joining it with the next one; the rules for where sentences end.

use std::path::PathBuf;
use std::sync::Arc;

use super::ask::Ask;
use super::notices::NoticeKind;
use super::open_document::OpenDocument;
use super::segments::{Recutting, SegmentsCommand};
use super::state::AppState;
use super::terms::SourceSelection;
use crate::error::Result;
use crate::jobs::{FileRequest, JobId};
use canopy_base::error::find;
use canopy_document::document::{Document, ReadingOptions, SegmentEdit};
use canopy_document::error::Error as DocumentError;
use canopy_document::placeholder::{Placeholder, stripped};

const NOT_CHANGED: &str = "The sentences stay as they are";

impl AppState {
    pub(super) fn apply_segments(&mut self, command: SegmentsCommand) {
        match command {
            SegmentsCommand::Split => self.split(),
            SegmentsCommand::Join => self.join(),
            SegmentsCommand::NextWord => self.move_caret(true),
            SegmentsCommand::PreviousWord => self.move_caret(false),
            SegmentsCommand::ChooseRules => self.shared.asks.push(Ask::SegmentationRules),
            SegmentsCommand::UseRules(srx) => self.use_rules(srx),
        }
    }

    /// Where the caret stands in the source of the selected sentence, in characters as a reader sees them.
    fn caret(&self) -> Option<usize> {
        let selection = self.document.terms.selected.as_ref()?;
        let is_here = Some(selection.sentence) == self.document.selected();
        is_here.then_some(selection.chars.start)
    }

    fn split(&mut self) {
        let (Some(caret), Some(sentence)) = (self.caret(), self.document.selected()) else {
            let detail = "Click in the source where the second sentence should begin, or go there with the arrow keys.";
            return self.shared.notify(
                NoticeKind::Hint,
                "Where should the sentence be split?",
                detail,
            );
        };
        let Some(open) = &self.document.open else {
            return;
        };
        let chars = stored(&open.document.sentences[sentence].text, caret);
        self.recut(SegmentEdit::Split { sentence, chars });
    }

    fn join(&mut self) {
        if let Some(sentence) = self.document.selected() {
            self.recut(SegmentEdit::Join { sentence });
        }
    }

    fn recut(&mut self, edit: SegmentEdit) {
        if self.document.running.is_some() {
            let detail = "The document is being translated. Cancel, or wait until it is done.";
            return self.shared.notify(NoticeKind::Hint, NOT_CHANGED, detail);
        }
        self.keep_edit_for_good();
        let Some(open) = &self.document.open else {
            return;
        };
        let (path, document) = (open.path.clone(), Arc::clone(&open.document));
        let job = self.shared.next_job();
        self.shared.file_requests.push(FileRequest::Recut {
            job,
            path,
            document: Arc::clone(&document),
            edit,
        });
        self.document.recutting = Some(Recutting { job, document });
    }

    pub(super) fn recut_done(&mut self, job: JobId, document: Result<Arc<Document>>) {
        let Some(recutting) = self.document.recutting.take_if(|it| it.job == job) else {
            return;
        };
        let document = match document {
            Ok(document) => document,
            Err(error) if matches!(find(&error), Some(DocumentError::OneSegment)) => {
                let detail = error.to_string();
                return self.shared.notify(NoticeKind::Hint, NOT_CHANGED, detail);
            }
            Err(error) => return self.shared.show_error(NOT_CHANGED, &error),
        };
        self.keep_edit_for_good();
        let is_same = |it: &&mut OpenDocument| Arc::ptr_eq(&it.document, &recutting.document);
        let is_idle = self.document.running.is_none();
        let open = self.document.open.as_mut().filter(is_same);
        match open.map(|open| is_idle && open.recut(document)) {
            None => {}
            Some(true) => self.sentences_changed(),
            Some(false) => {
                let detail = "The file has changed, or is being translated. Open it again, or wait until it is done.";
                self.shared.notify(NoticeKind::Hint, NOT_CHANGED, detail);
            }
        }
    }

    /// Forgets what was known of sentences by their numbers.
    pub(super) fn sentences_changed(&mut self) {
        self.document.suggestions.forget();
        self.document.terms.selected = None;
        self.document.last_progress = None;
        self.document.touch(&self.shared);
    }

    /// Whether undoing, or redoing, has to wait for the end of a translation, and says so.
    pub(super) fn must_wait(&mut self, recuts: bool) -> bool {
        let waits = recuts && self.document.running.is_some();
        if waits {
            let detail = "The document is being translated. Cancel, or wait until it is done.";
            self.shared.notify(NoticeKind::Hint, NOT_CHANGED, detail);
        }
        waits
    }

    fn move_caret(&mut self, forwards: bool) {
        let (Some(open), Some(sentence)) = (&self.document.open, self.document.selected()) else {
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
            self.document.terms.selected = Some(SourceSelection { sentence, chars });
        }
    }

    fn use_rules(&mut self, srx: Option<PathBuf>) {
        let language = self.languages().map(|(source, _)| source);
        if let Some(open) = &self.document.open {
            self.read_as(ReadingOptions {
                language: language.filter(|_| srx.is_some()),
                srx,
                ..open.document.reading.clone()
            });
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
