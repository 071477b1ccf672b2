//! Multi-head attention.
//!
//! Vaswani et al., "Attention Is All You Need", NeurIPS 2017, §3.2.2. The projections have no bias
//! unless configured to.

use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::linear::Linear;
use canopy_kernels::{
    Attention, Dropout, PaddedRuns, Segment, attention, attention_weights, padded_attention,
};

/// Sizes of a [`MultiHeadAttention`] layer.
#[derive(Config, Debug)]
pub struct MultiHeadAttentionConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// Whether a query sees only keys up to its own place.
    #[config(default = false)]
    pub causal: bool,
    /// Whether the projections have biases, as those of other programs' models.
    #[config(default = false)]
    pub bias: bool,
}

impl MultiHeadAttentionConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> MultiHeadAttention {
        assert_eq!(
            self.d_model % self.num_heads,
            0,
            "{} heads for d_model {}",
            self.num_heads,
            self.d_model
        );
        let projection = || {
            if self.bias {
                Linear::new(self.d_model, self.d_model, device)
            } else {
                Linear::without_bias(self.d_model, self.d_model, device)
            }
        };
        MultiHeadAttention {
            query: projection(),
            key: projection(),
            value: projection(),
            output: projection(),
            num_heads: self.num_heads,
            causal: self.causal,
        }
    }
}

/// Four projections around scaled dot-product attention.
#[derive(Module, Debug)]
pub struct MultiHeadAttention {
    /// Each `[d_model, d_model]`.
    pub query: Linear,
    /// Projects the attended states, `[d_model, d_model]`.
    pub key: Linear,
    /// Projects the attended states, `[d_model, d_model]`.
    pub value: Linear,
    /// Projects the joined heads, `[d_model, d_model]`.
    pub output: Linear,
    /// Number of attention heads.
    pub num_heads: usize,
    /// Whether a query sees only keys up to its own place.
    pub causal: bool,
}

impl MultiHeadAttention {
    /// Columns of the queries of a head.
    pub fn head_width(&self) -> usize {
        self.query.weight.lazy_shape()[1] / self.num_heads
    }

    /// Attention, of which `dropout` drops weights.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`; memory: `[key rows, d_model]`
    /// - output: `[rows, d_model]`
    pub fn forward(
        &self,
        x: Tensor<2>,
        memory: Tensor<2>,
        segments: &Arc<[Segment]>,
        dropout: Option<Dropout>,
    ) -> Tensor<2> {
        self.attend(x, self.project(memory), segments, dropout)
    }

    /// Keys and values of `memory`, to be cached.
    ///
    /// # Shapes
    /// - memory: `[key rows, d_model]`
    /// - output: keys and values, each `[key rows, d_model]`
    pub fn project(&self, memory: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        (self.key.forward(memory.clone()), self.value.forward(memory))
    }

    /// Attention over keys and values that were projected before.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`; keys, values: `[key rows, d_model]`
    /// - output: `[rows, d_model]`
    pub fn attend(
        &self,
        x: Tensor<2>,
        (keys, values): (Tensor<2>, Tensor<2>),
        segments: &Arc<[Segment]>,
        dropout: Option<Dropout>,
    ) -> Tensor<2> {
        let spec = Attention {
            dropout,
            ..self.spec(segments)
        };
        let context = attention(self.query.forward(x), keys, values, &spec);
        self.output.forward(context)
    }

    /// [`Self::attend`] of one row of `x` for each of some runs of keys, which are padded once for all rows to come.
    ///
    /// # Shapes
    /// - x: `[runs, d_model]`; keys, values: `[runs, heads, longest, d_model / heads]`
    /// - output: `[runs, d_model]`
    pub(super) fn attend_padded(
        &self,
        x: Tensor<2>,
        (keys, values): (Tensor<4>, Tensor<4>),
        runs: &PaddedRuns,
    ) -> Tensor<2> {
        let context = padded_attention(self.query.forward(x), keys, values, runs);
        self.output.forward(context)
    }

    /// The weights of [`Self::forward`].
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`; memory: `[key rows, d_model]`
    /// - output: `[segments, heads, tgt, src]`
    pub fn weights(&self, x: Tensor<2>, memory: Tensor<2>, segments: &Arc<[Segment]>) -> Tensor<4> {
        attention_weights(
            &self.query.forward(x),
            &self.key.forward(memory),
            &self.spec(segments),
        )
    }

    pub(super) fn spec(&self, segments: &Arc<[Segment]>) -> Attention {
        Attention {
            num_heads: self.num_heads,
            causal: self.causal,
            segments: Arc::clone(segments),
            dropout: None,
        }
    }
}
