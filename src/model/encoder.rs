//! The encoder: sublayers in the order of a [`Layout`](super::Layout).

use std::ops::Range;
use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::config::{ModelConfig, NormPosition};
use super::embedding::Rows;
use super::feed_forward::{FeedForward, FeedForwardConfig};
use super::layout::Sublayer;
use super::norm::Norm;
use crate::kernels::{DropoutSource, Segment, dropout};

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
    pub sublayers: Vec<EncoderSublayer>,
    final_norm: Option<Norm>,
}

/// Attention inside the sentence or a feed-forward layer, with its norm.
#[derive(Module, Debug)]
pub struct EncoderSublayer {
    pub attention: Option<MultiHeadAttention>,
    pub feed_forward: Option<FeedForward>,
    pub norm: Norm,
}

impl EncoderSublayer {
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

    /// `x + dropout(sublayer(norm(x)))`, Xiong et al. 2020.
    fn forward_pre(
        &self,
        x: Tensor<2>,
        segments: &Arc<[Segment]>,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let branch = self.branch(self.norm.forward(x.clone()), segments, drop);
        x + dropout(branch, drop.next())
    }

    fn branch(&self, x: Tensor<2>, segments: &Arc<[Segment]>, drop: &DropoutSource) -> Tensor<2> {
        match (&self.attention, &self.feed_forward) {
            (Some(attention), _) => attention.forward(x.clone(), x, segments),
            (None, Some(feed_forward)) => feed_forward.forward(x, drop),
            (None, None) => unreachable!("a sublayer is attention or feed-forward"),
        }
    }
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
            x = match &self.final_norm {
                Some(_) => sublayer.forward_pre(x, &segments, drop),
                None => sublayer.forward(x, &segments, drop),
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
