//! One encoder for the previous sentences and the own one, whose top sees only the own one.
//!
//! Ma, Zhang & Zhou, "A Simple and Effective Unified Encoder for Document-Level Machine Translation" (Flat-Transformer),
//! ACL 2020, §3: words of context and sentence are embedded with a segment beside place and word; the bottom blocks attend
//! to all of them, the top blocks to the words of the sentence alone.

use std::ops::Range;

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor};

use super::attended::{Attended, AttendedKind};
use super::config::ModelConfig;
use super::context_config::Context;
use super::documents::select_rows;
use super::embedding::{Rows, indices};
use super::encoder::{Encoder, EncoderOutput, EncoderSublayer};
use crate::kernels::{DropoutSource, Segment};

/// What a flat encoder has beyond the layers.
#[derive(Module, Debug)]
pub struct FlatSegments {
    /// Of context and sentence, `[2, d_model]`.
    pub segments: Param<Tensor<2>>,
    /// How many self-attentions, the last ones, see the sentence alone.
    pub top: usize,
}

impl FlatSegments {
    /// None if the model has another context.
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        let Some(Context::FlatTransformer { top, .. }) = config.context else {
            return None;
        };
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let deviation = (config.d_model as f64).powf(-0.5);
        let distribution = Distribution::Normal(0.0, deviation);
        let segments = Tensor::random([2, config.d_model], distribution, device);
        Some(Self {
            segments: Param::from_tensor(segments),
            top,
        })
    }

    /// The embedded words with their segments.
    ///
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub fn add(&self, x: Tensor<2>, own: &[Range<usize>]) -> Tensor<2> {
        let [rows, _] = x.dims();
        let mut segments = vec![0; rows];
        for rows in own {
            segments[rows.clone()].fill(1);
        }
        let ids = indices(segments.into_iter(), &x.device());
        x + self.segments.val().select(0, ids)
    }
}

impl Encoder {
    /// # Shapes
    /// - x: `[rows, d_model]`, the embedded words of `joined`, in which the sentences of `source` stand at `own`
    pub(super) fn flat(
        &self,
        mut x: Tensor<2>,
        (joined, own): (&Rows, &[Range<usize>]),
        source: &Rows,
        top: usize,
        drop: &DropoutSource,
        attended: &mut Attended,
    ) -> EncoderOutput {
        let attentions = self.sublayers.iter().enumerate();
        let attentions = attentions.filter(|(_, sublayer)| sublayer.attention.is_some());
        let attentions: Vec<usize> = attentions.map(|(number, _)| number).collect();
        let top = &attentions[attentions.len().saturating_sub(top)..];
        let cut = top.first().copied().unwrap_or(self.sublayers.len());
        let segments = joined.own_segments();
        for sublayer in &self.sublayers[..cut] {
            x = self.sublayer(sublayer, x, &segments, drop);
        }
        let rows: Vec<usize> = own.iter().cloned().flatten().collect();
        x = select_rows(x, &rows);
        let segments = source.own_segments();
        let last = attentions.last().copied();
        for (number, sublayer) in self.sublayers.iter().enumerate().skip(cut) {
            if let (Some(attention), true) = (&sublayer.attention, Some(number) == last) {
                attended.add(AttendedKind::EncoderSelf, attentions.len() - 1, |keep| {
                    attention.readings(x.clone(), x.clone(), &segments, keep)
                });
            }
            x = self.sublayer(sublayer, x, &segments, drop);
        }
        let states = match &self.final_norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        EncoderOutput::of(states, source)
    }

    fn sublayer(
        &self,
        sublayer: &EncoderSublayer,
        x: Tensor<2>,
        segments: &std::sync::Arc<[Segment]>,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let norm = &sublayer.norm;
        norm.residual(self.norm_position, x, drop, |x| {
            sublayer.branch(x, segments, drop)
        })
    }
}
