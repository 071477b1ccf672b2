//! The way from a unit of an evaluation to its trace: its document is written, opened, translated and explored.

use std::path::PathBuf;

use crate::EditCommand;
use crate::command::{Command, Scope};
use crate::jobs::{FileRequest, JobId};
use crate::state::AppState;

/// A part of an evaluation whose trace is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TracedUnit {
    /// Where its document is written.
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    /// Where it is in that document.
    pub(super) paragraph: usize,
    pub(super) model: PathBuf,
    pub(super) wanted: Option<Wanted>,
}

/// The trace of a unit that is to be made.
#[derive(Debug, Default)]
pub(crate) struct UnitTrace {
    /// Set while its document is opened, and then while that is translated.
    tracing: Option<Tracing>,
    /// The part of it that is shown, if it is made for an item of a contrastive set.
    wanted: Option<Wanted>,
}

/// On the way from a unit to its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tracing {
    /// The paragraph of the document that is being opened.
    Opening {
        paragraph: usize,
        /// Writes the document.
        job: JobId,
    },
    Translating,
}

/// The translation and the token that *Explore* shows of an item, once its trace is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(super) correct: String,
    pub(super) word: Option<String>,
}

impl AppState {
    /// Writes the document of a unit and opens it with the model that is looked at.
    pub(crate) fn trace_unit(&mut self, unit: TracedUnit) {
        let job = self.shared.next_job();
        self.shared.file_requests.push(FileRequest::Write {
            job,
            path: unit.path.clone(),
            bytes: unit.bytes,
        });
        self.with_models(|models, work| models.open_model(work, unit.model));
        self.open(unit.path);
        let paragraph = unit.paragraph;
        self.document.trace.tracing = Some(Tracing::Opening { paragraph, job });
        self.document.trace.wanted = unit.wanted;
    }

    /// A document has been opened: continues if it was for a trace.
    pub(crate) fn opened_for_trace(&mut self) {
        let Some(Tracing::Opening { paragraph, .. }) = self.document.trace.tracing.take() else {
            return;
        };
        let Some(open) = &self.document.editing.open else {
            return;
        };
        let paragraph = open.document.paragraphs.get(paragraph);
        let Some(sentence) = paragraph.map(|paragraph| paragraph.sentences.start) else {
            return;
        };
        self.document.editing.select(&self.shared, sentence);
        self.document.trace.tracing = Some(Tracing::Translating);
        self.translate(Scope::Document);
        if !self.document.translations.is_busy() {
            self.document.trace.forget();
        }
    }

    /// A translation has ended: shows the trace if it was for one. Before the trace of an item its sentence gets the right
    /// translation, and the explorer looks for its word.
    pub(crate) fn translated_for_trace(&mut self) {
        if self.document.trace.tracing.take() != Some(Tracing::Translating) {
            return;
        }
        let wanted = self.document.trace.wanted.take();
        let wanted = wanted.zip(self.document.editing.selected());
        if let Some((Wanted { correct, word }, sentence)) = wanted {
            for command in [
                Command::from(EditCommand::Start(sentence)),
                Command::from(EditCommand::Write(correct)),
                Command::from(EditCommand::Keep),
            ] {
                self.apply(command);
            }
            self.explorer.wanted_word = word;
        }
        self.with_explorer(|explorer, models, work| explorer.show_page(work, models));
    }
}

impl UnitTrace {
    /// Gives up a trace whose document is not there or no longer wanted.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The document of a unit could not be written.
    pub(crate) fn not_written(&mut self, job: JobId) {
        if matches!(self.tracing, Some(Tracing::Opening { job: write, .. }) if write == job) {
            self.forget();
        }
    }
}
