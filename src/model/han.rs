//! The hierarchical attention network: words of each previous sentence first, then those sentences.
//!
//! Miculicich et al., "Document-Level Neural Machine Translation with Hierarchical Attention Networks", EMNLP 2018,
//! Eq. 2-7. This is the paper; the authors' program has norms in place of `f_w` and `f_s`, a residual feed-forward layer
//! and the gate on the other operand.

use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig, projection};
use super::context::{ContextGate, ContextGateConfig};
use super::documents::Documents;
use super::feed_forward::{FeedForward, FeedForwardConfig};
use crate::kernels::{DropoutSource, Segment};

/// Sizes of a [`HanContext`].
#[derive(Config, Debug)]
pub struct HanContextConfig {
    pub d_model: usize,
    pub d_ff: usize,
    pub num_heads: usize,
    /// How many previous sentences are read.
    #[config(default = 3)]
    pub context_size: usize,
}

impl HanContextConfig {
    pub fn init(&self, device: &Device) -> HanContext {
        let d = self.d_model;
        assert!(self.context_size > 0, "at least one previous sentence");
        let attention = MultiHeadAttentionConfig::new(d, self.num_heads);
        HanContext {
            word_query: projection(d, d, device),
            sentence_query: projection(d, d, device),
            word_attention: attention.init(device),
            sentence_attention: attention.init(device),
            feed_forward: FeedForwardConfig::new(d, self.d_ff).init(device),
            gate: ContextGateConfig::new(d).init(device),
            context_size: self.context_size,
        }
    }
}

/// Two levels of attention to the previous sentences, and a gate.
#[derive(Module, Debug)]
pub struct HanContext {
    /// `f_w` and `f_s`, `[d_model, d_model]`.
    pub word_query: Linear,
    pub sentence_query: Linear,
    pub word_attention: MultiHeadAttention,
    pub sentence_attention: MultiHeadAttention,
    pub feed_forward: FeedForward,
    pub gate: ContextGate,
    pub context_size: usize,
}

impl HanContext {
    /// `s^i = MHA_word(h f_w, words of sentence i)` for the previous sentences, the nearest last, Eq. 2-3; zeros where the
    /// document begins.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`
    /// - output: `[rows, context_size, d_model]`
    pub fn summaries(&self, states: Tensor<2>, documents: &Documents) -> Tensor<3> {
        let queries = self.word_query.forward(states.clone());
        let memory = self.word_attention.project(states);
        let slots = (1..=self.context_size).rev().map(|distance| {
            self.word_attention.attend(
                queries.clone(),
                memory.clone(),
                &previous(documents, distance),
            )
        });
        Tensor::stack(slots.collect(), 1)
    }

    /// Weights of the words of the sentence that stands `distance` before each one: heads of every sentence that has one.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`
    /// - output: `[sentences with such a one, heads, words, its words]`, padded with zeros
    pub fn word_weights(
        &self,
        states: Tensor<2>,
        documents: &Documents,
        distance: usize,
    ) -> Tensor<4> {
        let queries = self.word_query.forward(states.clone());
        self.word_attention
            .weights(queries, states, &previous(documents, distance))
    }

    /// Weights of the previous sentences, the nearest last.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`; summaries: of [`Self::summaries`]
    /// - output: `[words, heads, 1, context_size]`; near the beginning of a document the sentences stand first
    pub fn sentence_weights(
        &self,
        states: Tensor<2>,
        summaries: Tensor<3>,
        documents: &Documents,
    ) -> Tensor<4> {
        let [rows, slots, d_model] = summaries.dims();
        let queries = self.sentence_query.forward(states);
        let memory = summaries.reshape([rows * slots, d_model]);
        self.sentence_attention
            .weights(queries, memory, &self.slots(documents))
    }

    /// `d_t = FFN(MHA_sentence(h f_s, {s^i}))`, Eq. 4-5; without a previous sentence the attention gives zeros.
    ///
    /// # Shapes
    /// - states, output: `[rows, d_model]`; summaries: `[rows, context_size, d_model]`
    pub fn context(
        &self,
        states: Tensor<2>,
        summaries: Tensor<3>,
        documents: &Documents,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let [rows, slots, d_model] = summaries.dims();
        let queries = self.sentence_query.forward(states);
        let memory = summaries.reshape([rows * slots, d_model]);
        let attended = self
            .sentence_attention
            .forward(queries, memory, &self.slots(documents));
        self.feed_forward.forward(attended, drop)
    }

    /// `γ ⊙ h + (1 - γ) ⊙ d_t` with `γ = σ(h W_h + d_t W_d)`, Eq. 6-7.
    ///
    /// # Shapes
    /// - states, output: `[rows, d_model]`
    pub fn forward(
        &self,
        states: Tensor<2>,
        documents: &Documents,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let summaries = self.summaries(states.clone(), documents);
        let context = self.context(states.clone(), summaries, documents, drop);
        self.gate.forward(states, context)
    }

    /// Every word attends to its own summaries.
    fn slots(&self, documents: &Documents) -> Arc<[Segment]> {
        let slots = self.context_size;
        let sentences = documents.documents.iter().flat_map(|document| {
            document
                .clone()
                .enumerate()
                .map(|(place, sentence)| (place.min(slots), &documents.sentences[sentence]))
        });
        let words =
            sentences.flat_map(|(previous, rows)| rows.clone().map(move |row| (previous, row)));
        words
            .map(|(previous, row)| Segment {
                queries: row..row + 1,
                keys: (row + 1) * slots - previous..(row + 1) * slots,
            })
            .collect()
    }
}

/// Every sentence attends to the one that stands `distance` before it in its document.
fn previous(documents: &Documents, distance: usize) -> Arc<[Segment]> {
    let pairs = documents.documents.iter().flat_map(|document| {
        document
            .clone()
            .skip(distance)
            .map(move |sentence| (sentence, sentence - distance))
    });
    pairs
        .map(|(own, other)| Segment {
            queries: documents.sentences[own].clone(),
            keys: documents.sentences[other].clone(),
        })
        .collect()
}
