//! The position-wise feed-forward layer.
//!
//! Vaswani et al., "Attention Is All You Need", NeurIPS 2017, Eq. 2: `relu(x W₁ + b₁) W₂ + b₂`.

use burn::config::Config;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor};

use crate::kernels::{DropoutSource, relu_dropout};

/// Sizes of a [`FeedForward`] layer.
#[derive(Config, Debug)]
pub struct FeedForwardConfig {
    pub d_model: usize,
    pub d_ff: usize,
}

impl FeedForwardConfig {
    pub fn init(&self, device: &Device) -> FeedForward {
        FeedForward {
            inner: LinearConfig::new(self.d_model, self.d_ff).init(device),
            outer: LinearConfig::new(self.d_ff, self.d_model).init(device),
        }
    }
}

/// Two linear maps with a rectifier between them.
#[derive(Module, Debug)]
pub struct FeedForward {
    /// `[d_model, d_ff]` and `[d_ff]`
    pub inner: Linear,
    /// `[d_ff, d_model]` and `[d_model]`
    pub outer: Linear,
}

impl FeedForward {
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub fn forward(&self, x: Tensor<2>, dropout: &DropoutSource) -> Tensor<2> {
        self.outer
            .forward(relu_dropout(self.inner.forward(x), dropout.next()))
    }
}
