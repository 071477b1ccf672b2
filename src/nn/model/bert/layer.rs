//! One layer of BERT.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::BertConfig;
use crate::model::linear::Linear;
use crate::model::{MultiHeadAttention, Norm};
use canopy_kernels::{Segment, gelu};

/// Attention and a feed-forward layer, each after a residual connection and a norm.
#[derive(Module, Debug)]
pub struct BertLayer {
    /// Its projections have biases.
    pub attention: MultiHeadAttention,
    /// Norm after the attention and its residual.
    pub norm_attention: Norm,
    /// `[d_model, d_ff]` and `[d_ff]`
    pub inner: Linear,
    /// `[d_ff, d_model]` and `[d_model]`
    pub outer: Linear,
    /// Norm after the feed-forward layer and its residual.
    pub norm_ff: Norm,
}

impl BertLayer {
    pub(super) fn new(config: &BertConfig, device: &Device) -> Self {
        let linear = |from, to| Linear::new(from, to, device);
        let (d_model, d_ff) = (config.d_model, config.d_ff);
        let norm = || Norm::new(d_model, device).with_epsilon(config.norm_epsilon);
        Self {
            attention: MultiHeadAttention {
                query: linear(d_model, d_model),
                key: linear(d_model, d_model),
                value: linear(d_model, d_model),
                output: linear(d_model, d_model),
                num_heads: config.num_heads,
                causal: false,
            },
            norm_attention: norm(),
            inner: linear(d_model, d_ff),
            outer: linear(d_ff, d_model),
            norm_ff: norm(),
        }
    }

    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub(super) fn forward(&self, x: Tensor<2>, segments: &Arc<[Segment]>) -> Tensor<2> {
        let attended = self.attention.forward(x.clone(), x.clone(), segments, None);
        let x = self.norm_attention.add(x, attended, None);
        let branch = self.outer.forward(gelu(self.inner.forward(x.clone())));
        self.norm_ff.add(x, branch, None)
    }
}
