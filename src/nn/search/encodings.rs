//! Sentence encodings of a document that is too long to be read at once, kept while its windows are read one by one.

use std::ops::Range;

use burn::tensor::Tensor;

use super::batch::SourceText;
use super::windows::{Window, windows};
use crate::model::{DocumentWindow, Model};

/// Encodings of the sentences of the long document that was read last, and its place in the text: good for the next
/// reading of the same text by the same model.
#[derive(Debug, Clone, Default)]
pub struct Encodings(pub(super) Option<(Range<usize>, Tensor<2>)>);

impl Encodings {
    /// The rest of the document around a window of up to `largest` tokens; none if the window is the
    /// whole document, or if the model does not choose sentences by encodings.
    pub fn around(
        &mut self,
        model: &Model,
        text: &SourceText,
        window: &Window,
        largest: usize,
    ) -> Option<DocumentWindow> {
        let ends_before = |document: &Range<usize>| document.end <= window.own.start;
        let document = text.documents.partition_point(ends_before);
        let document = text.documents.get(document)?;
        if window.read == *document {
            return None;
        }
        if self.0.as_ref().is_none_or(|(of, _)| of != document) {
            let windows = windows(&text.sentences, document, largest);
            let encode = |window: &Window| {
                let rows = text.rows([window.own.clone()]);
                model.encode_sentences(&rows)
            };
            let encodings = windows.iter().map(encode).collect::<Option<Vec<_>>>()?;
            self.0 = Some((document.clone(), Tensor::cat(encodings, 0)));
        }
        let (_, encodings) = self.0.as_ref()?;
        let part = |range: Range<usize>| {
            let (start, len) = (range.start - document.start, range.len());
            (len > 0).then(|| encodings.clone().narrow(0, start, len))
        };
        Some(DocumentWindow {
            before: part(document.start..window.read.start),
            after: part(window.read.end..document.end),
        })
    }
}
