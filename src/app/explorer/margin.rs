//! The context of the sentence selected in the document, according to a trace of the document.

use std::sync::Arc;

use super::{MarginState, Origin};
use crate::command::Page;
use crate::jobs::{ExplainRequest, JobId};
use crate::state::AppState;
use canopy_explain::trace::TraceSource;
use canopy_explain::{Margin, Query};

impl AppState {
    /// Returns the margin of the document: none unless there is a trace of this very document.
    pub fn margin(&self) -> Option<&Margin> {
        self.explorer.margin.shown.as_deref()
    }

    /// Whether targets or the model are others than when the document was traced.
    pub fn is_margin_old(&self) -> bool {
        let trace = self.explorer.trace.as_ref();
        trace.map(|trace| &trace.origin) != self.traceable().as_ref()
    }

    /// Requests the margin of the selected sentence if the selection has changed.
    pub(crate) fn follow_margin(&mut self) {
        if self.shared.page != Page::Document {
            return;
        }
        let wanted = self.wanted_margin();
        let margin = &mut self.explorer.margin;
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
        let job = self.shared.next_job();
        self.explorer.margin.pending = Some(job);
        self.explorer
            .requests
            .push(ExplainRequest::Margin { job, source, query });
    }

    fn wanted_margin(&self) -> Option<(Arc<TraceSource>, Query)> {
        let open = self.document.open.as_ref()?;
        let trace = self.explorer.trace.as_ref()?;
        let Origin::Document { document, .. } = &trace.origin else {
            return None;
        };
        if !Arc::ptr_eq(document, &open.document) {
            return None;
        }
        let query = Margin::query(&trace.source, &self.explorer.question, open.selected?);
        Some((trace.source.clone(), query))
    }

    pub(crate) fn margin_found(&mut self, job: JobId, found: Option<Box<Margin>>) {
        let margin = &mut self.explorer.margin;
        if margin.pending.take_if(|pending| *pending == job).is_some() {
            margin.shown = found;
        }
    }
}
