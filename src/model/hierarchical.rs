//! The hierarchical encoding layer: words see the words of their sentence and the sentences of their document.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, §2, Fig. 1. The
//! extra attention stands between self-attention and feed-forward, with residual and norm like its neighbours, and a word
//! sees the encoding of its own sentence too.

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::documents::{Documents, select_rows};
use super::feed_forward::{FeedForward, FeedForwardConfig};
use super::norm::Norm;
use super::source2token::{Source2Token, Source2TokenConfig};
use crate::kernels::DropoutSource;

/// Sizes of a [`HierarchicalEncodingLayer`].
#[derive(Config, Debug)]
pub struct HierarchicalEncodingLayerConfig {
    pub d_model: usize,
    pub d_ff: usize,
    pub num_heads: usize,
}

impl HierarchicalEncodingLayerConfig {
    pub fn init(&self, device: &Device) -> HierarchicalEncodingLayer {
        let d = self.d_model;
        let attention = MultiHeadAttentionConfig::new(d, self.num_heads);
        HierarchicalEncodingLayer {
            source2token: Source2TokenConfig::new(d, d, d).init(device),
            self_attention: attention.init(device),
            norm_self: Norm::new(d, device),
            context_attention: attention.init(device),
            norm_context: Norm::new(d, device),
            feed_forward: FeedForwardConfig::new(d, self.d_ff).init(device),
            norm_ff: Norm::new(d, device),
        }
    }
}

/// Self-attention inside the sentence, attention over sentence encodings, feed-forward layer.
#[derive(Module, Debug)]
pub struct HierarchicalEncodingLayer {
    pub source2token: Source2Token,
    pub self_attention: MultiHeadAttention,
    pub norm_self: Norm,
    pub context_attention: MultiHeadAttention,
    pub norm_context: Norm,
    pub feed_forward: FeedForward,
    pub norm_ff: Norm,
}

/// What a layer computes on its way.
#[derive(Debug, Clone)]
pub struct HierarchicalStates {
    /// Encodings of the sentences of the layer's input, `[sentences, d_model]`.
    pub sentence_encodings: Tensor<2>,
    /// Each `[rows, d_model]`.
    pub after_self_attention: Tensor<2>,
    pub after_context_attention: Tensor<2>,
    pub output: Tensor<2>,
}

impl HierarchicalEncodingLayer {
    /// `a = norm(x + MHA(x, x, x))`, `c = norm(a + MHA(a, S, S))`, `norm(c + FFN(c))`, where `S` are the encodings of the
    /// sentences of `x`.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`
    pub fn forward(
        &self,
        x: Tensor<2>,
        documents: &Documents,
        drop: &DropoutSource,
    ) -> HierarchicalStates {
        let sentence_encodings = self.source2token.forward(x.clone(), &documents.sentences);
        let (spoken, segments) = documents.segments_over_sentences();
        let attended = self
            .self_attention
            .forward(x.clone(), x.clone(), &documents.own_segments());
        let after_self_attention = self.norm_self.add(x, attended, drop.next());
        let memory = select_rows(sentence_encodings.clone(), &spoken);
        let attended =
            self.context_attention
                .forward(after_self_attention.clone(), memory, &segments);
        let after_context_attention =
            self.norm_context
                .add(after_self_attention.clone(), attended, drop.next());
        let transformed = self
            .feed_forward
            .forward(after_context_attention.clone(), drop);
        let output = self
            .norm_ff
            .add(after_context_attention.clone(), transformed, drop.next());
        HierarchicalStates {
            sentence_encodings,
            after_self_attention,
            after_context_attention,
            output,
        }
    }

    /// Weights of the sentences of a document in the context of each word: heads over the spoken sentences.
    ///
    /// # Shapes
    /// - states: what [`Self::forward`] gave
    /// - output: `[sentences, heads, words, spoken sentences]`, padded with zeros
    pub fn context_weights(&self, states: &HierarchicalStates, documents: &Documents) -> Tensor<4> {
        let (spoken, segments) = documents.segments_over_sentences();
        let memory = select_rows(states.sentence_encodings.clone(), &spoken);
        self.context_attention
            .weights(states.after_self_attention.clone(), memory, &segments)
    }
}
