//! Whether the trace that is shown is of the open document.

use std::sync::Arc;

use super::present::Present;
use super::{Explorer, Origin};
use crate::command::Page;
use crate::document::DocumentPage;
use crate::models::ModelState;
use crate::notices::NoticeKind;
use crate::shared::Shared;

impl Explorer {
    pub(super) fn show_in_document(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        sentence: usize,
    ) {
        let Some(source) = self.source() else {
            return;
        };
        if self.is_in_document(document, sentence) {
            shared.page = Page::Document;
            document.editing.select(shared, sentence);
            document
                .editing
                .with_document(|document| document.scroll_to.set(sentence));
            return;
        }
        let name = &source.overview().document;
        let detail = format!("The trace is of {name}, as it was then. Open that document first.");
        let title = "The open document has no such sentence there";
        shared.notify(NoticeKind::Hint, title, detail);
    }

    /// Whether a sentence of the trace is at the same place of the open document.
    fn is_in_document(&self, document: &DocumentPage, sentence: usize) -> bool {
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
    pub fn why_trace_is_old(&self, shared: &Shared, present: Present<'_>) -> Option<&'static str> {
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
        if !Arc::ptr_eq(document, &open.document) || *revision != open.total_revision() {
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
}
