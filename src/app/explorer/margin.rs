//! The context of the sentence selected in the document, according to a trace of the document.

use std::sync::Arc;

use super::present::Present;
use super::{Explorer, MarginState, Origin};
use crate::command::Page;
use crate::document::DocumentPage;
use crate::jobs::{ExplainRequest, JobId};
use crate::shared::Shared;
use canopy_explain::trace::TraceSource;
use canopy_explain::{Margin, Query};

impl Explorer {
    /// Returns the margin of the document: none unless there is a trace of this very document.
    pub fn margin(&self) -> Option<&Margin> {
        self.margin.shown.as_deref()
    }

    /// Whether targets or the model are others than when the document was traced.
    pub fn is_margin_old(&self, shared: &Shared, present: Present<'_>) -> bool {
        let trace = self.trace.as_ref();
        trace.map(|trace| &trace.origin) != present.origin(shared).as_ref()
    }

    /// Requests the margin of the selected sentence if the selection has changed.
    pub(crate) fn follow_margin(&mut self, shared: &mut Shared, document: &DocumentPage) {
        if shared.page != Page::Document {
            return;
        }
        let wanted = self.wanted_margin(document);
        let margin = &mut self.margin;
        let is_same = match (&wanted, &margin.wanted) {
            (Some((source, query)), Some((before, wanted))) => {
                Arc::ptr_eq(source, before) && query == wanted
            }
            (None, None) => true,
            _ => false,
        };
        if is_same {
            return;
        }
        margin.wanted.clone_from(&wanted);
        let Some((source, query)) = wanted else {
            *margin = MarginState::default();
            return;
        };
        let job = shared.next_job();
        self.margin.pending = Some(job);
        self.requests
            .push(ExplainRequest::Margin { job, source, query });
    }

    fn wanted_margin(&self, document: &DocumentPage) -> Option<(Arc<TraceSource>, Query)> {
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

    pub(crate) fn margin_found(&mut self, job: JobId, found: Option<Box<Margin>>) {
        let margin = &mut self.margin;
        if margin.pending.take_if(|pending| *pending == job).is_some() {
            margin.shown = found;
        }
    }
}
