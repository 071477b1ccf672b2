//! The encoder on a GPU: sentences by themselves.

use std::ops::Range;

use wgpu::Buffer;

use super::layers::{GpuAttention, GpuFeedForward, GpuNorm, OnGpu, Residual, Rows};
use super::state::small;
use crate::model::encoder::Encoder;
use crate::model::encoder_sublayer::{EncoderSublayer, SublayerKind};
use canopy_kernels::gpu::{Bound, Gpu, Keys, Run};

/// The sublayers of an [`Encoder`] that reads sentences by themselves.
#[derive(Debug, Clone)]
pub(super) struct GpuEncoder {
    sublayers: Vec<(Sublayer, Residual)>,
    final_norm: Option<GpuNorm>,
}

#[derive(Debug, Clone)]
enum Sublayer {
    Attention(GpuAttention),
    FeedForward(GpuFeedForward),
}

impl GpuEncoder {
    pub(super) fn new(encoder: &Encoder, on_gpu: OnGpu<'_>) -> Self {
        let sublayer = |sublayer: &EncoderSublayer| {
            let kind = match sublayer.kind() {
                SublayerKind::Attention(attention) => {
                    Sublayer::Attention(GpuAttention::new(attention, on_gpu))
                }
                SublayerKind::FeedForward(feed_forward) => {
                    Sublayer::FeedForward(GpuFeedForward::new(feed_forward, on_gpu))
                }
            };
            let residual = Residual::new(&sublayer.norm, encoder.norm_position, on_gpu);
            (kind, residual)
        };
        Self {
            sublayers: encoder.sublayers.iter().map(sublayer).collect(),
            final_norm: encoder.final_norm.as_ref().map(|norm| on_gpu.norm(norm)),
        }
    }

    /// States of the embedded rows `x` `[rows, d_model]`, each sentence by itself.
    pub(super) fn forward(
        &self,
        gpu: &Gpu,
        bound: &mut Bound,
        x: &[f32],
        sentences: &[Range<usize>],
    ) -> Buffer {
        let count = sentences.iter().map(|rows| rows.end).max().unwrap_or(0);
        let spans = sentences.iter().flat_map(|rows| {
            let span = [rows.start, rows.len()].map(small);
            std::iter::repeat_n(span, rows.len())
        });
        let places = gpu.filled(&spans.collect::<Vec<_>>());
        let d_model = x.len() / count.max(1);
        let widest = { self.sublayers.iter() }
            .map(|(kind, _)| match kind {
                Sublayer::Attention(_) => 2 * d_model,
                Sublayer::FeedForward(feed_forward) => feed_forward.inner.outputs(),
            })
            .max()
            .unwrap_or(0);
        let y = gpu.filled(x);
        let room = || gpu.room(x.len());
        let (normed, branch, queries, context) = (room(), room(), room(), room());
        let wide = gpu.room(count * widest);
        let rows = Rows {
            y: &y,
            normed: &normed,
            branch: &branch,
            count,
        };
        for (kind, residual) in &self.sublayers {
            let mut run = Run::new(gpu, bound);
            match kind {
                Sublayer::Attention(attention) => {
                    let read = |run: &mut Run<'_>, x| {
                        run.product(&attention.memory, x, (&wide, 0), count, None);
                        let memory = (&wide, &places, Keys::Rows { first: 0 });
                        attention.read(run, x, memory, (&queries, &context), count)
                    };
                    residual.apply(&mut run, rows, Some(&attention.output), read);
                }
                Sublayer::FeedForward(GpuFeedForward {
                    inner,
                    outer,
                    activation,
                }) => {
                    let feed = |run: &mut Run<'_>, x| {
                        run.product(inner, x, (&wide, 0), count, Some(*activation));
                        &wide
                    };
                    residual.apply(&mut run, rows, Some(outer), feed);
                }
            }
            // One by one, so that no GPU works on them longer than a driver lets it.
            run.start();
        }
        let Some(norm) = &self.final_norm else {
            return y;
        };
        let mut run = Run::new(gpu, bound);
        norm.apply(&mut run, &y, (&normed, false), count);
        run.start();
        normed
    }
}
