//! Whether the trace that is shown is of the open document.

use super::Explorer;
use crate::command::Page;
use crate::document::DocumentPage;
use crate::notices::NoticeKind;
use crate::shared::Shared;

impl Explorer {
    pub(super) fn show_in_document(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        sentence: usize,
    ) {
        let Some(source) = self.inquiry.source() else {
            return;
        };
        if self.inquiry.is_in_document(document, sentence) {
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
}
