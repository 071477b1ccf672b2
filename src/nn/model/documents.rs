//! The sentences of a batch and the documents they form.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;

use canopy_kernels::{Attention, Segment, attention};

/// Sentences as runs of rows, documents as runs of sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Documents {
    /// Rows of every sentence, ascending and disjoint; rows between them belong to none. A sentence may be empty: it
    /// has no encoding, and is not read.
    pub sentences: Vec<Range<usize>>,
    /// Sentence numbers of every document, in order and without gaps.
    pub documents: Vec<Range<usize>>,
}

impl Documents {
    /// All sentences form one document.
    pub fn one(sentences: Vec<Range<usize>>) -> Self {
        let documents = std::iter::once(0..sentences.len()).collect();
        Self {
            sentences,
            documents,
        }
    }

    /// Every sentence attends to itself.
    pub fn own_segments(&self) -> Arc<[Segment]> {
        Segment::own(&self.sentences)
    }

    /// These documents, in which the token `end` of the `ids` of all rows is no part of the sentence that it ends.
    pub(super) fn without_ends(mut self, ids: &[u32], end: Option<u32>) -> Self {
        let Some(end) = end else { return self };
        for sentence in &mut self.sentences {
            if ids.get(sentence.clone()).and_then(<[u32]>::last) == Some(&end) {
                sentence.end -= 1;
            }
        }
        self
    }

    /// Sentences with tokens.
    pub fn non_empty(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.sentences.len()).filter(|&sentence| !self.sentences[sentence].is_empty())
    }

    /// Number of the document that holds a sentence.
    pub(super) fn document_of(&self, sentence: usize) -> usize {
        self.documents
            .partition_point(|document| document.end <= sentence)
    }

    /// Number of sentences of its document before a sentence.
    pub(super) fn position(&self, sentence: usize) -> usize {
        sentence - self.documents[self.document_of(sentence)].start
    }

    /// Mean of the rows of every sentence; zeros for an empty one.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`
    /// - output: `[sentences, d_model]`
    pub fn means(&self, x: &Tensor<2>) -> Tensor<2> {
        let ([rows, _], sentences, device) = (x.dims(), self.sentences.len(), x.device());
        // A mean is attention whose scores are all equal.
        let spec = Attention {
            num_heads: 1,
            causal: false,
            segments: Segment::one_query_each(self.sentences.iter().cloned()),
            dropout: None,
        };
        let (queries, keys) = (
            Tensor::zeros([sentences, 1], &device),
            Tensor::zeros([rows, 1], &device),
        );
        attention(queries, keys, x.clone(), &spec)
    }
}
