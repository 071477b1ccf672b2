//! The context of the sentence selected in the document, according to a trace of the document.

use std::sync::Arc;

use super::Explorer;
use crate::command::Page;
use crate::document::DocumentPage;
use crate::jobs::{ExplainRequest, JobId};
use crate::shared::Shared;
use canopy_explain::trace::TraceSource;
use canopy_explain::{Margin, Query};

/// The shading next to the document, and the request for it.
#[derive(Debug, Default)]
pub(super) struct MarginState {
    /// Margin of the last answer; stays until the next one arrives.
    shown: Option<Box<Margin>>,
    wanted: Option<(Arc<TraceSource>, Query)>,
    pending: Option<JobId>,
}

impl MarginState {
    /// The request for a margin that is wanted now, if it is another one.
    fn request(
        &mut self,
        shared: &mut Shared,
        wanted: Option<(Arc<TraceSource>, Query)>,
    ) -> Option<ExplainRequest> {
        let is_same = match (&wanted, &self.wanted) {
            (Some((source, query)), Some((before, wanted))) => {
                Arc::ptr_eq(source, before) && query == wanted
            }
            (None, None) => true,
            _ => false,
        };
        if is_same {
            return None;
        }
        self.wanted.clone_from(&wanted);
        let Some((source, query)) = wanted else {
            *self = Self::default();
            return None;
        };
        let job = shared.next_job();
        self.pending = Some(job);
        Some(ExplainRequest::Margin { job, source, query })
    }
}

impl Explorer {
    /// Returns the margin of the document: none unless there is a trace of this very document.
    pub fn margin(&self) -> Option<&Margin> {
        self.margin.shown.as_deref()
    }

    /// Requests the margin of the selected sentence if the selection has changed.
    pub(crate) fn follow_margin(&mut self, shared: &mut Shared, document: &DocumentPage) {
        if shared.page == Page::Document {
            let wanted = self.inquiry.margin(document);
            let request = self.margin.request(shared, wanted);
            self.requests.extend(request);
        }
    }

    pub(crate) fn margin_found(&mut self, job: JobId, found: Option<Box<Margin>>) {
        let margin = &mut self.margin;
        if margin.pending.take_if(|pending| *pending == job).is_some() {
            margin.shown = found;
        }
    }
}
