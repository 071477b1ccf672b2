//! The hierarchical attention network: tokens of each previous sentence first, then those sentences.
//!
//! Miculicich et al., "Document-Level Neural Machine Translation with Hierarchical Attention Networks", EMNLP 2018,
//! Eq. 2-7. This is the paper; the authors' program has norms in place of `f_w` and `f_s`, a residual feed-forward layer
//! and the gate on the other operand.

use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::model::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use crate::model::context::{ContextGate, ContextGateConfig};
use crate::model::documents::Documents;
use crate::model::feed_forward::{FeedForward, FeedForwardConfig};
use crate::model::linear::Linear;
use crate::model::prepared::WordMemory;
use crate::model::query_spans::QuerySpan;
use canopy_kernels::{DropoutSource, Segment};

/// Sizes of a [`HanContext`].
#[derive(Config, Debug)]
pub struct HanContextConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Width inside the feed-forward layer.
    pub d_ff: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// How many previous sentences are read.
    #[config(default = 3)]
    pub context_size: usize,
    /// Whether the gate has a bias that lets the own state pass at first.
    #[config(default = false)]
    pub warm_gate: bool,
}

impl HanContextConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> HanContext {
        let d = self.d_model;
        assert!(self.context_size > 0, "at least one previous sentence");
        let attention = MultiHeadAttentionConfig::new(d, self.num_heads);
        HanContext {
            word_query: Linear::without_bias(d, d, device),
            sentence_query: Linear::without_bias(d, d, device),
            word_attention: attention.init(device),
            sentence_attention: attention.init(device),
            feed_forward: FeedForwardConfig::new(d, self.d_ff).init(device),
            gate: ContextGateConfig::new(d)
                .with_warm(self.warm_gate)
                .init(device),
            context_size: self.context_size,
        }
    }
}

/// Two levels of attention to the previous sentences, and a gate.
#[derive(Module, Debug)]
pub struct HanContext {
    /// `f_w` and `f_s`, `[d_model, d_model]`.
    pub word_query: Linear,
    /// `f_s`, `[d_model, d_model]`.
    pub sentence_query: Linear,
    /// Attention to the tokens of each sentence.
    pub word_attention: MultiHeadAttention,
    /// Attention to the sentences.
    pub sentence_attention: MultiHeadAttention,
    /// The feed-forward layer after both.
    pub feed_forward: FeedForward,
    /// Joins the result with the own states.
    pub gate: ContextGate,
    /// How many previous sentences are read.
    pub context_size: usize,
}

impl HanContext {
    /// `s^i = MHA_word(h f_w, words of sentence i)` for the previous sentences, the nearest last, Eq. 2-3; zeros where the
    /// document begins.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; memory: `[rows, d_model]`
    /// - output: `[query rows, context_size, d_model]`
    pub fn summaries(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<3> {
        let (memory, none) = (self.prepare(memory), DropoutSource::none());
        self.summaries_of(queries, query_spans, &memory, documents, &none)
    }

    /// Keys and values of the tokens.
    ///
    /// # Shapes
    /// - memory: `[rows, d_model]`
    pub fn prepare(&self, memory: Tensor<2>) -> WordMemory {
        let (keys, values) = self.word_attention.project(memory);
        WordMemory { keys, values }
    }

    fn summaries_of(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &WordMemory,
        documents: &Documents,
        drop: &DropoutSource,
    ) -> Tensor<3> {
        let queries = self.word_query.forward(queries);
        let slots = (1..=self.context_size).rev().map(|distance| {
            self.word_attention.attend(
                queries.clone(),
                (memory.keys.clone(), memory.values.clone()),
                &previous(query_spans, documents, distance),
                drop.attention(),
            )
        });
        Tensor::stack(slots.collect(), 1)
    }

    /// Weights of the tokens of the sentence that is `distance` before a reader's own: heads of every reader that has
    /// such a one.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; memory: `[rows, d_model]`
    /// - output: `[query_spans with such a one, heads, words, its words]`, padded with zeros
    pub fn word_weights(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: Tensor<2>,
        documents: &Documents,
        distance: usize,
    ) -> Tensor<4> {
        let queries = self.word_query.forward(queries);
        self.word_attention
            .weights(queries, memory, &previous(query_spans, documents, distance))
    }

    /// Weights of the previous sentences, the nearest last.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; summaries: of [`Self::summaries`]
    /// - output: `[words of query_spans, heads, 1, context_size]`; near the beginning of a document the sentences are first
    pub fn sentence_weights(
        &self,
        queries: Tensor<2>,
        summaries: Tensor<3>,
        query_spans: &[QuerySpan],
        documents: &Documents,
    ) -> Tensor<4> {
        let [rows, slots, d_model] = summaries.dims();
        let queries = self.sentence_query.forward(queries);
        let memory = summaries.reshape([rows * slots, d_model]);
        self.sentence_attention
            .weights(queries, memory, &self.slots(query_spans, documents))
    }

    /// `d_t = FFN(MHA_sentence(h f_s, {s^i}))`, Eq. 4-5; without a previous sentence the attention gives zeros.
    ///
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`; summaries: `[query rows, context_size, d_model]`
    pub fn context(
        &self,
        queries: Tensor<2>,
        summaries: Tensor<3>,
        query_spans: &[QuerySpan],
        documents: &Documents,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let [rows, slots, d_model] = summaries.dims();
        let queries = self.sentence_query.forward(queries);
        let memory = summaries.reshape([rows * slots, d_model]);
        let (slots, dropout) = (self.slots(query_spans, documents), drop.attention());
        let read = self
            .sentence_attention
            .forward(queries, memory, &slots, dropout);
        self.feed_forward.forward(read, drop)
    }

    /// `γ ⊙ h + (1 - γ) ⊙ d_t` with `γ = σ(h W_h + d_t W_d)`, Eq. 6-7.
    ///
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`; memory: `[rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: Tensor<2>,
        documents: &Documents,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        self.attend(queries, query_spans, &self.prepare(memory), documents, drop)
    }

    /// [`Self::forward`] over tokens that were prepared before.
    pub fn attend(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &WordMemory,
        documents: &Documents,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let summaries = self.summaries_of(queries.clone(), query_spans, memory, documents, drop);
        let context = self.context(queries.clone(), summaries, query_spans, documents, drop);
        self.gate.forward(queries, context)
    }

    /// Every token of a reader attends to its own summaries.
    pub(super) fn slots(&self, query_spans: &[QuerySpan], documents: &Documents) -> Arc<[Segment]> {
        let slots = self.context_size;
        let words = query_spans.iter().flat_map(|span| {
            let previous = documents.position(span.sentence).min(slots);
            span.rows.clone().map(move |row| (previous, row))
        });
        words
            .map(|(previous, row)| Segment {
                queries: row..row + 1,
                keys: (row + 1) * slots - previous..(row + 1) * slots,
            })
            .collect()
    }
}

/// Every reader attends to the sentence that is `distance` before its own in their document.
pub(super) fn previous(
    query_spans: &[QuerySpan],
    documents: &Documents,
    distance: usize,
) -> Arc<[Segment]> {
    let query_spans = query_spans.iter();
    query_spans
        .filter(|span| documents.position(span.sentence) >= distance)
        .map(|span| Segment {
            queries: span.rows.clone(),
            keys: documents.sentences[span.sentence - distance].clone(),
        })
        .collect()
}
