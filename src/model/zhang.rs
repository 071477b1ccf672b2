//! An encoder layer that also attends to the previous sentences.
//!
//! Zhang et al., "Improving the Transformer Translation Model with Document-Level Context", EMNLP 2018, §3.2-3.3. The gate
//! stands in place of the residual; the norm after it is that of the authors' program, the equation shows the gate only.

use std::ops::Range;
use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::context::{ContextGate, ContextGateConfig};
use super::feed_forward::{FeedForward, FeedForwardConfig};
use super::norm::Norm;
use crate::kernels::{DropoutSource, Segment};

/// Sizes of a [`ZhangEncoderLayer`].
#[derive(Config, Debug)]
pub struct ZhangEncoderLayerConfig {
    pub d_model: usize,
    pub d_ff: usize,
    pub num_heads: usize,
}

impl ZhangEncoderLayerConfig {
    pub fn init(&self, device: &Device) -> ZhangEncoderLayer {
        let d = self.d_model;
        let attention = MultiHeadAttentionConfig::new(d, self.num_heads);
        ZhangEncoderLayer {
            self_attention: attention.init(device),
            norm_self: Norm::new(d, device),
            context_attention: attention.init(device),
            gate: ContextGateConfig::new(d).init(device),
            norm_context: Norm::new(d, device),
            feed_forward: FeedForwardConfig::new(d, self.d_ff).init(device),
            norm_ff: Norm::new(d, device),
        }
    }
}

/// Self-attention, gated attention to the encoded context, feed-forward layer.
#[derive(Module, Debug)]
pub struct ZhangEncoderLayer {
    pub self_attention: MultiHeadAttention,
    pub norm_self: Norm,
    pub context_attention: MultiHeadAttention,
    pub gate: ContextGate,
    pub norm_context: Norm,
    pub feed_forward: FeedForward,
    pub norm_ff: Norm,
}

/// What a layer computes on its way, each `[rows, d_model]`.
#[derive(Debug, Clone)]
pub struct ZhangStates {
    pub after_self_attention: Tensor<2>,
    pub context_attention: Tensor<2>,
    pub output: Tensor<2>,
}

impl ZhangEncoderLayer {
    /// `b = norm(x + MHA(x, x, x))`, `d' = MHA(b, C, C)`, `d = norm(γ ⊙ b + (1 - γ) ⊙ d')`, `norm(d + FFN(d))`; without a
    /// context `d'` is 0.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`; context: `[context rows, d_model]`, encoded
    /// - sentences, contexts: rows of each sentence and of its context
    pub fn forward(
        &self,
        x: Tensor<2>,
        sentences: &[Range<usize>],
        context: Tensor<2>,
        contexts: &[Range<usize>],
        drop: &DropoutSource,
    ) -> ZhangStates {
        assert_eq!(
            sentences.len(),
            contexts.len(),
            "{} sentences, {} contexts",
            sentences.len(),
            contexts.len()
        );
        let attended =
            self.self_attention
                .forward(x.clone(), x.clone(), &segments(sentences, sentences));
        let after_self_attention = self.norm_self.add(x, attended, drop.next());
        let context_attention = self.context_attention.forward(
            after_self_attention.clone(),
            context,
            &segments(sentences, contexts),
        );
        let gated = self
            .gate
            .forward(after_self_attention.clone(), context_attention.clone());
        let d = self.norm_context.forward(gated);
        let transformed = self.feed_forward.forward(d.clone(), drop);
        let output = self.norm_ff.add(d, transformed, drop.next());
        ZhangStates {
            after_self_attention,
            context_attention,
            output,
        }
    }

    /// Weights of the words of the context.
    ///
    /// # Shapes
    /// - states: what [`Self::forward`] gave; context: `[context rows, d_model]`, encoded
    /// - output: `[sentences, heads, words, context words]`, padded with zeros
    pub fn context_weights(
        &self,
        states: &ZhangStates,
        sentences: &[Range<usize>],
        context: Tensor<2>,
        contexts: &[Range<usize>],
    ) -> Tensor<4> {
        let queries = states.after_self_attention.clone();
        self.context_attention
            .weights(queries, context, &segments(sentences, contexts))
    }
}

fn segments(queries: &[Range<usize>], keys: &[Range<usize>]) -> Arc<[Segment]> {
    let pairs = queries.iter().zip(keys);
    pairs
        .map(|(queries, keys)| Segment {
            queries: queries.clone(),
            keys: keys.clone(),
        })
        .collect()
}
