//! A trace and the question about it.

use std::sync::Arc;

use super::present::Present;
use super::{OpenTrace, Origin};
use crate::document::DocumentPage;
use crate::models::{ModelState, Models};
use crate::shared::Shared;
use canopy_explain::trace::{Side, TraceSource};
use canopy_explain::{Choices, Margin, Order, Query, Question, TextPosition, ViewKind};

/// The trace that is looked at, the question about it, and the questions before.
#[derive(Debug)]
pub struct Inquiry {
    /// The trace.
    pub trace: Option<OpenTrace>,
    /// The question.
    pub question: Question,
    /// Questions before this one, the last one last.
    pub(super) back: Vec<Question>,
}

impl Default for Inquiry {
    fn default() -> Self {
        Self {
            trace: None,
            question: Question {
                view: ViewKind::Tree,
                query: Query::sentence(Side::Source, 0),
                each_head: false,
                order: Order::Document,
                limit: 6,
            },
            back: Vec::new(),
        }
    }
}

impl Inquiry {
    /// The trace itself, without its origin.
    pub fn source(&self) -> Option<&TraceSource> {
        self.trace.as_ref().map(|trace| &*trace.source)
    }

    /// Returns the choices that a view offers.
    pub fn choices(&self, view: ViewKind) -> Choices {
        let query = &self.question.query;
        self.source()
            .map(|source| Choices::new(source, view, query.side, query.layer))
            .unwrap_or_default()
    }

    /// Returns the selected spot.
    pub fn selected(&self) -> TextPosition {
        let query = &self.question.query;
        TextPosition {
            side: self.question.view.side(query.side),
            sentence: query.sentence,
            word: query.word,
        }
    }

    /// Whether there is a question before this one.
    pub fn can_go_back(&self) -> bool {
        !self.back.is_empty()
    }

    /// Whether the trace that is shown is of the document as it is now.
    pub(super) fn is_present(&self, shared: &Shared, present: Present<'_>) -> bool {
        let shown = self.trace.as_ref().map(|trace| &trace.origin);
        let now = present.origin(shared);
        now.is_some() && now.as_ref() == shown
    }

    /// Whether a sentence of the trace is at the same place of the open document.
    pub(super) fn is_in_document(&self, document: &DocumentPage, sentence: usize) -> bool {
        let (Some(open), Some(trace)) = (&document.editing.open, &self.trace) else {
            return false;
        };
        let overview = trace.source.overview();
        let may_be_same = match &trace.origin {
            Origin::Document { document, .. } if Arc::ptr_eq(document, &open.document) => {
                return sentence < open.num_sentences();
            }
            Origin::Document { path, .. } => *path == open.path,
            Origin::File(_) => overview.document == open.document.name,
        };
        let traced = overview.source.get(sentence);
        let here = open.document.sentences.get(sentence);
        may_be_same
            && traced
                .zip(here)
                .is_some_and(|(traced, here)| traced.text == here.text)
    }

    /// Why the trace that is shown is not of the open document as it is now; nothing of one from a file.
    pub fn why_old(&self, shared: &Shared, present: Present<'_>) -> Option<&'static str> {
        let open = present.document.editing.open.as_ref()?;
        let Origin::Document {
            path,
            document,
            revision,
            model,
            memory,
        } = &self.trace.as_ref()?.origin
        else {
            return None;
        };
        if *path != open.path {
            return Some("This trace is of another document than the one that is open.");
        }
        if !Arc::ptr_eq(document, &open.document) || *revision != open.targets.total_revision() {
            return Some("The document has changed since it was traced.");
        }
        match &present.models.in_use.current {
            ModelState::Open { info, .. } if info.folder != *model => {
                Some("These figures are of another model.")
            }
            ModelState::Open { .. } if present.memory(shared) != *memory => {
                Some("The document was traced with another translation memory.")
            }
            _ => None,
        }
    }

    /// Whether targets or the model are others than when the document was traced.
    pub fn is_old(&self, shared: &Shared, present: Present<'_>) -> bool {
        let trace = self.trace.as_ref();
        trace.map(|trace| &trace.origin) != present.origin(shared).as_ref()
    }

    pub(super) fn margin(&self, document: &DocumentPage) -> Option<(Arc<TraceSource>, Query)> {
        let open = document.editing.open.as_ref()?;
        let trace = self.trace.as_ref()?;
        let Origin::Document { document, .. } = &trace.origin else {
            return None;
        };
        if !Arc::ptr_eq(document, &open.document) {
            return None;
        }
        let query = Margin::query(&trace.source, &self.question, open.selected?);
        Some((trace.source.clone(), query))
    }

    /// Whether the trace that is shown is a tale of the sample run.
    pub fn is_sample(&self, models: &Models) -> bool {
        let trace = self.trace.as_ref();
        trace.is_some_and(|trace| models.is_tale(&trace.origin))
    }
}
