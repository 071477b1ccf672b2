//! Attention of tokens to the encodings of the sentences of their document.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, §2, Fig. 1. The
//! extra attention is between self-attention and feed-forward, with residual and norm like its neighbours, and a token
//! sees the encoding of its own sentence too.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::model::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use crate::model::documents::Documents;
use crate::model::prepared::VisibleMemory;
use crate::model::query_spans::QuerySpan;
use crate::model::rows::select_rows;
use crate::model::source2token::{Source2Token, Source2TokenConfig};
use canopy_kernels::Segment;

/// Sentence encodings, and attention to them.
#[derive(Module, Debug)]
pub struct SentenceAttention {
    /// Encodes the sentences.
    pub source2token: Source2Token,
    /// Attention of tokens to the encodings.
    pub attention: MultiHeadAttention,
}

impl SentenceAttention {
    /// Initialises both layers with random weights on `device`.
    pub fn new(d_model: usize, num_heads: usize, device: &Device) -> Self {
        Self {
            source2token: Source2TokenConfig::new(d_model, d_model, d_model).init(device),
            attention: MultiHeadAttentionConfig::new(d_model, num_heads).init(device),
        }
    }

    /// `MHA(q, S, S)` where `S` are the encodings of the sentences of `tokens`.
    ///
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`; tokens: `[rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        tokens: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<2> {
        let encodings = self.source2token.forward(tokens, &documents.sentences);
        let memory = self.prepare(encodings, documents);
        memory.read_by(&self.attention, queries, query_spans, None)
    }

    /// Keys and values of the encodings.
    ///
    /// # Shapes
    /// - encodings: `[sentences, d_model]`
    pub fn prepare(&self, encodings: Tensor<2>, documents: &Documents) -> VisibleMemory {
        let visible = documents.visible_sentences();
        let (keys, values) = self
            .attention
            .project(select_rows(encodings, &visible.keys));
        VisibleMemory {
            keys,
            values,
            visible,
        }
    }

    /// Encodings of the sentences with tokens, the numbers of these sentences, and which of them each reader reads.
    ///
    /// # Shapes
    /// - tokens: `[rows, d_model]`
    /// - output: `[sentences with tokens, d_model]`
    pub fn encodings(
        &self,
        tokens: Tensor<2>,
        query_spans: &[QuerySpan],
        documents: &Documents,
    ) -> (Tensor<2>, Vec<usize>, Arc<[Segment]>) {
        let encodings = self.source2token.forward(tokens, &documents.sentences);
        let (non_empty, segments) = documents.segments_over_sentences(query_spans);
        (select_rows(encodings, &non_empty), non_empty, segments)
    }
}
