//! The encoder: sublayers in the order of a [`Layout`](super::Layout).

use std::ops::Range;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::config::{ModelConfig, NormPosition};
use super::embedding::Rows;
use super::feed_forward::{FeedForward, FeedForwardConfig};
use super::layout::Sublayer;
use super::norm::Norm;
use crate::kernels::{DropoutSource, dropout};

/// Encoded sentences.
#[derive(Debug, Clone)]
pub struct EncoderOutput {
    /// `[rows, d_model]`
    pub states: Tensor<2>,
    /// Rows of every sentence.
    pub sentences: Vec<Range<usize>>,
    /// Where each sentence stands, as in [`Rows::places`].
    pub places: Vec<(usize, usize)>,
}

/// All sublayers; exactly one of a sublayer's parts is there.
#[derive(Module, Debug)]
pub struct Encoder {
    sublayers: Vec<EncoderSublayer>,
    final_norm: Option<Norm>,
}

#[derive(Module, Debug)]
struct EncoderSublayer {
    attention: Option<MultiHeadAttention>,
    feed_forward: Option<FeedForward>,
    norm: Norm,
}

impl Encoder {
    pub fn new(config: &ModelConfig, device: &Device) -> Self {
        let sublayer = |kind| EncoderSublayer {
            attention: (kind == Sublayer::SelfAttention).then(|| {
                MultiHeadAttentionConfig::new(config.d_model, config.num_heads).init(device)
            }),
            feed_forward: (kind == Sublayer::FeedForward)
                .then(|| FeedForwardConfig::new(config.d_model, config.d_ff).init(device)),
            norm: Norm::new(config.d_model, device),
        };
        Self {
            sublayers: config.encoder.sublayers().map(sublayer).collect(),
            final_norm: (config.norm == NormPosition::Pre)
                .then(|| Norm::new(config.d_model, device)),
        }
    }

    /// # Shapes
    /// - x: `[rows, d_model]`, the embedded `rows`
    pub fn forward(&self, mut x: Tensor<2>, rows: &Rows, drop: &DropoutSource) -> EncoderOutput {
        let segments = rows.own_segments();
        for sublayer in &self.sublayers {
            let input = if self.final_norm.is_some() {
                sublayer.norm.forward(x.clone())
            } else {
                x.clone()
            };
            let branch = match (&sublayer.attention, &sublayer.feed_forward) {
                (Some(attention), _) => attention.forward(input.clone(), input, &segments),
                (None, Some(feed_forward)) => feed_forward.forward(input, drop),
                (None, None) => unreachable!("a sublayer is attention or feed-forward"),
            };
            x = match &self.final_norm {
                Some(_) => x + dropout(branch, drop.next()),
                None => sublayer.norm.add(x, branch, drop.next()),
            };
        }
        let states = match &self.final_norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        EncoderOutput {
            states,
            sentences: rows.sentences.clone(),
            places: rows.places.clone(),
        }
    }
}
