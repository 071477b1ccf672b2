//! Events for the explorer.

use std::path::PathBuf;
use std::sync::Arc;

use super::present::Present;
use super::sample::clearest_question;
use super::{Awaited, Explorer, OpenTrace, Origin};
use crate::error::{Error, Result};
use crate::jobs::{Answer, JobId};
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_explain::trace::TraceSource;
use canopy_explain::{Explanation, Margin, SimilarityView, ViewKind};

/// A report to the explorer.
#[derive(Debug)]
pub enum ExploreEvent {
    /// The model has traced a document.
    Traced {
        /// Number of the job.
        job: JobId,
        /// The trace.
        source: Arc<TraceSource>,
    },
    /// The model has computed a view.
    Explained {
        /// Number of the job.
        job: JobId,
        /// The view, or why there is none.
        explanation: Result<Box<Explanation>>,
    },
    /// Number of encoded sentences.
    Comparing {
        /// Number of the job.
        job: JobId,
        /// Sentences that are encoded.
        done: usize,
        /// Sentences to be encoded.
        num: usize,
    },
    /// Sentences are compared.
    Compared {
        /// Number of the job.
        job: JobId,
        /// Their similarities.
        view: Arc<SimilarityView>,
    },
    /// A trace is read from its file.
    TraceOpened {
        /// Number of the job.
        job: JobId,
        /// The file.
        path: PathBuf,
        /// The trace.
        source: Arc<TraceSource>,
    },
    /// A question about a trace is answered.
    Answered {
        /// Number of the job.
        job: JobId,
        /// The answer, or why there is none.
        answer: Result<Arc<Answer>>,
    },
    /// The margin of the document; `None` if the trace has no attention to other sentences.
    MarginFound {
        /// Number of the job.
        job: JobId,
        /// The margin.
        margin: Option<Box<Margin>>,
    },
    /// A figure, its numbers or a trace.
    Saved {
        /// Number of the job.
        job: JobId,
        /// The file.
        path: PathBuf,
    },
    /// A sentence encoder was made of another program's files.
    EncoderImported {
        /// Number of the job.
        job: JobId,
        /// Folder of the encoder.
        folder: PathBuf,
    },
}

impl Explorer {
    pub(crate) fn handle(
        &mut self,
        shared: &mut Shared,
        present: Present<'_>,
        event: ExploreEvent,
    ) {
        use ExploreEvent as E;
        match event {
            E::Traced { job, source } => self.traced(shared, present, job, source),
            E::TraceOpened { job, path, source } => {
                self.trace_opened(shared, present, job, path, source);
            }
            E::Answered { job, answer } => self.answered(job, answer),
            E::Explained { job, explanation } => self.explained(shared, job, explanation),
            E::Comparing { job, done, num } => self.similarity.progressed(job, done, num),
            E::Compared { job, view } => self.compared(job, view),
            E::MarginFound { job, margin } => self.margin_found(job, margin),
            E::Saved { job, path } => self.explanation_saved(shared, job, &path),
            E::EncoderImported { job, folder } => {
                self.encoder_imported(shared, present, job, folder);
            }
        }
    }

    fn traced(
        &mut self,
        shared: &mut Shared,
        present: Present<'_>,
        job: JobId,
        source: Arc<TraceSource>,
    ) {
        let is_awaited = |awaited: &mut Awaited| matches!(awaited, Awaited::Trace { job: here, .. } if *here == job);
        let Some(Awaited::Trace { origin, .. }) = self.awaited.take_if(is_awaited) else {
            return;
        };
        self.show_trace(shared, present, source, origin);
    }

    pub(crate) fn trace_opened(
        &mut self,
        shared: &mut Shared,
        present: Present<'_>,
        job: JobId,
        path: PathBuf,
        source: Arc<TraceSource>,
    ) {
        let is_awaited = |awaited: &mut Awaited| matches!(awaited, Awaited::File { job: here, .. } if *here == job);
        match self.awaited.take_if(is_awaited) {
            Some(Awaited::File { compared: true, .. }) => {
                self.show_compared(shared, present, source);
            }
            Some(_) => self.show_trace(shared, present, source, Origin::File(path)),
            None => {}
        }
    }

    /// A trace of another document is not comparable.
    fn show_compared(
        &mut self,
        shared: &mut Shared,
        present: Present<'_>,
        source: Arc<TraceSource>,
    ) {
        let texts = |source: &TraceSource| -> Vec<String> {
            let sentences = source.overview().source.iter();
            sentences.map(|sentence| sentence.text.clone()).collect()
        };
        let shown = self.inquiry.source().map(texts);
        if shown.as_ref() != Some(&texts(&source)) {
            let detail = format!(
                "It belongs to {}, which has different sentences. Trace the same document with the other model.",
                source.overview().document
            );
            shared.notify(NoticeKind::Error, "This trace cannot be compared", detail);
            return;
        }
        self.compared = Some(source);
        self.request_trace(shared, present);
    }

    fn show_trace(
        &mut self,
        shared: &mut Shared,
        present: Present<'_>,
        source: Arc<TraceSource>,
        origin: Origin,
    ) {
        let is_tale = present.models.is_tale(&origin);
        // The same document once more: the reader stays where she is.
        let is_same = self.inquiry.source().is_some_and(|before| {
            let (before, now) = (before.overview(), source.overview());
            before.source == now.source && before.model.system == now.model.system
        });
        let question = if is_same {
            self.inquiry.question
        } else {
            let selected = match &origin {
                Origin::Document { .. } => present
                    .document
                    .editing
                    .open
                    .as_ref()
                    .and_then(|open| open.selected),
                Origin::File(_) => None,
            };
            self.inquiry.back.clear();
            self.compared = None;
            self.answer = None;
            let first = self
                .inquiry
                .first_question(&source, &origin, selected.unwrap_or(0));
            if is_tale {
                clearest_question(&source, first)
            } else {
                first
            }
        };
        self.inquiry.trace = Some(OpenTrace { source, origin });
        self.inquiry.question = self.inquiry.fitted(question);
        if let Some(word) = self.wanted_word.take() {
            self.inquiry.question = self.inquiry.about_word(&word);
        }
        self.request_trace(shared, present);
    }

    pub(crate) fn answered(&mut self, job: JobId, answer: Result<Arc<Answer>>) {
        if self.pending.take_if(|pending| *pending == job).is_none() {
            return;
        }
        self.taking_in = None;
        self.revision += 1;
        self.answer = Some(answer.map_err(|error| error.to_string()));
    }

    /// The model adapts to what resembles the document before it answers; returns whether the explorer waits for that.
    pub(crate) fn taking_in(&mut self, job: JobId, done: usize, num: usize) -> bool {
        let is_pending = self.pending == Some(job);
        if is_pending {
            self.taking_in = Some((done, num));
        }
        is_pending
    }

    pub(crate) fn explained(
        &mut self,
        shared: &mut Shared,
        job: JobId,
        explanation: Result<Box<Explanation>>,
    ) {
        let explanation = match explanation {
            Err(error) if self.left_out().is_some() => {
                // An edit could not be scored: what is shown stays.
                if self.pending.take_if(|pending| *pending == job).is_some() {
                    self.taking_in = None;
                    shared.show_error("The edited sentence could not be scored", &error);
                }
                return;
            }
            explanation => explanation,
        };
        let answer = explanation.map(|explanation| {
            let mut explanation = with_edits(self.left_out(), explanation);
            let question = self.inquiry.question;
            explanation.select(question.query.word);
            // The margin keeps the answer to the previous question.
            let weights = match &self.answer {
                Some(Ok(answer)) if answer.is_of(question.view) => answer.weights.clone(),
                _ => Vec::new(),
            };
            Arc::new(Answer {
                question,
                explanation: *explanation,
                weights,
            })
        });
        self.answered(job, answer);
    }

    pub(crate) fn explanation_saved(
        &mut self,
        shared: &mut Shared,
        job: JobId,
        path: &std::path::Path,
    ) {
        if self.saving.take_if(|saving| *saving == job).is_some() {
            shared.notify(NoticeKind::Done, "Saved", path.display().to_string());
        }
    }

    /// Returns whether the job was one of the explorer.
    pub(crate) fn failed(&mut self, shared: &mut Shared, job: JobId, error: &Error) -> bool {
        if self.similarity.import_failed(shared, job, error) {
            return true;
        }
        if self.pending.take_if(|pending| *pending == job).is_some() {
            self.taking_in = None;
            self.revision += 1;
            self.answer = Some(Err(error.to_string()));
            return true;
        }
        if self.saving.take_if(|saving| *saving == job).is_some() {
            shared.show_error("It could not be saved", error);
            return true;
        }
        let is_awaited = |awaited: &mut Awaited| match awaited {
            Awaited::Trace { job: here, .. } | Awaited::File { job: here, .. } => *here == job,
        };
        match self.awaited.take_if(is_awaited) {
            Some(Awaited::Trace { .. }) => {
                shared.show_error("The document could not be traced", error);
                true
            }
            Some(Awaited::File { .. }) => {
                shared.show_error("The trace could not be opened", error);
                true
            }
            None => self.comparison_failed(job, error),
        }
    }
}

impl Explorer {
    /// The answer that is shown, if it is a translation without each sentence of its context and the question is about that.
    fn left_out(&self) -> Option<&Answer> {
        let selected = (
            self.inquiry.question.view,
            self.inquiry.question.query.sentence,
        );
        match &self.answer {
            Some(Ok(answer))
                if selected.0 == ViewKind::LeaveOneOut
                    && answer.explanation.sentence_view() == Some(selected) =>
            {
                Some(answer.as_ref())
            }
            _ => None,
        }
    }
}

/// The model's answer; one about an edited sentence is shown next to the others.
fn with_edits(shown: Option<&Answer>, explanation: Box<Explanation>) -> Box<Explanation> {
    let (Some(shown), Explanation::LeaveOneOut(edited)) = (shown, &*explanation) else {
        return explanation;
    };
    if !edited.changes.iter().all(|change| change.edit.is_some()) {
        return explanation;
    }
    let mut both = shown.explanation.clone();
    let is_same = match &mut both {
        Explanation::LeaveOneOut(shown) => shown.add_edits(edited),
        _ => false,
    };
    if is_same { Box::new(both) } else { explanation }
}
