//! Encodings that the searches of one document share.

use std::ops::Range;

use burn::tensor::Tensor;

use super::batch::SourceText;
use super::windows::{Window, windows};
use crate::model::{DocumentWindow, EncoderOutput, Executor, PackedBatch, SentenceStates};

/// Cache of the searches of a text by one model: encodings of the sentences of the long document that was read last, the
/// windows that were encoded last, and states of single sentences.
#[derive(Debug, Clone, Default)]
pub struct EncodingCache {
    /// A document's place in the text and the encodings of its sentences.
    pub(super) document: Option<(Range<usize>, Tensor<2>)>,
    encoded: Option<(Vec<Window>, PackedBatch, EncoderOutput)>,
    states: SentenceStates,
}

impl EncodingCache {
    /// The encoding of a group of windows, of at least the `wanted` sentences by their numbers in its rows, and these rows; `largest`
    /// as in [`Self::window_context`].
    pub(super) fn encode_group(
        &mut self,
        executor: &dyn Executor,
        (text, largest): (&SourceText, usize),
        group: &[Window],
        wanted: &[usize],
    ) -> (PackedBatch, EncoderOutput) {
        let rows = text.rows(group.iter().map(|window| window.read.clone()));
        if let Some((windows, known, encoded)) = &self.encoded
            && windows == group
            && *known == rows
            && wanted
                .iter()
                .all(|number| encoded.numbers.binary_search(number).is_ok())
        {
            return (rows, encoded.clone());
        }
        let document_window = match group {
            [window] => self.window_context(executor, text, window, largest),
            _ => None,
        };
        let encoded =
            executor.encode_again(&rows, document_window.as_ref(), wanted, &mut self.states);
        self.encoded = Some((group.to_vec(), rows.clone(), encoded.clone()));
        (rows, encoded)
    }

    /// The rest of the document around a window of up to `largest` tokens; none if the window is the
    /// whole document, or if the model does not choose sentences by encodings.
    pub fn window_context(
        &mut self,
        executor: &dyn Executor,
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
        if self.document.as_ref().is_none_or(|(of, _)| of != document) {
            let windows = windows(&text.sentences, document, largest);
            let mut encode = |window: &Window| {
                let rows = text.rows([window.own.clone()]);
                executor.encode_sentences(&rows, &mut self.states)
            };
            let encodings = windows
                .iter()
                .map(&mut encode)
                .collect::<Option<Vec<_>>>()?;
            self.document = Some((document.clone(), Tensor::cat(encodings, 0)));
        }
        let (_, encodings) = self.document.as_ref()?;
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
