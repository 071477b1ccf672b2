//! One sublayer of an encoder, and an encoder of one layer.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::config::ModelConfig;
use super::feed_forward::{FeedForward, FeedForwardConfig};
use super::layout::Sublayer;
use super::norm::Norm;
use canopy_kernels::{DropoutSource, Segment};

/// Attention inside the sentence or a feed-forward layer, with its norm; it has exactly one of the two.
#[derive(Module, Debug)]
pub struct EncoderSublayer {
    /// Attention inside the sentence.
    pub attention: Option<MultiHeadAttention>,
    /// The feed-forward layer.
    pub feed_forward: Option<FeedForward>,
    /// Norm of the branch.
    pub norm: Norm,
}

/// The one of the two.
#[derive(Debug, Clone, Copy)]
pub(super) enum SublayerKind<'l> {
    Attention(&'l MultiHeadAttention),
    FeedForward(&'l FeedForward),
}

impl EncoderSublayer {
    /// The layer that it has. Both are fields, and no enum is, because parameters are named after them in a model's folder.
    ///
    /// # Panics
    /// If it has neither.
    pub(super) fn kind(&self) -> SublayerKind<'_> {
        let attention = self.attention.as_ref().map(SublayerKind::Attention);
        let feed_forward = || self.feed_forward.as_ref().map(SublayerKind::FeedForward);
        let kind = attention.or_else(feed_forward);
        kind.expect("attention or a feed-forward layer")
    }

    pub(super) fn new(kind: Sublayer, config: &ModelConfig, device: &Device) -> Self {
        let attention = MultiHeadAttentionConfig::new(config.d_model, config.num_heads)
            .with_bias(config.variant.attention_bias);
        Self {
            attention: (kind == Sublayer::SelfAttention).then(|| attention.init(device)),
            feed_forward: (kind == Sublayer::FeedForward)
                .then(|| FeedForwardConfig::from_model(config).init(device)),
            norm: Norm::from_config(config, device),
        }
    }

    /// `norm(x + dropout(sublayer(x)))`, Vaswani et al. 2017, §3.1.
    ///
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub fn forward(
        &self,
        x: Tensor<2>,
        segments: &Arc<[Segment]>,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let branch = self.branch(x.clone(), segments, drop);
        self.norm.add(x, branch, drop.next())
    }

    pub(super) fn branch(
        &self,
        x: Tensor<2>,
        segments: &Arc<[Segment]>,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        match self.kind() {
            SublayerKind::Attention(attention) => {
                attention.forward(x.clone(), x, segments, drop.attention())
            }
            SublayerKind::FeedForward(feed_forward) => feed_forward.forward(x, drop),
        }
    }
}

/// A self-attention and a feed-forward layer, for encoders of one layer.
pub(super) fn one_layer(config: &ModelConfig, device: &Device) -> Vec<EncoderSublayer> {
    [Sublayer::SelfAttention, Sublayer::FeedForward]
        .map(|kind| EncoderSublayer::new(kind, config, device))
        .into()
}
