//! The decoder on a GPU: words of hypotheses, or whole translations.

use wgpu::Buffer;

use super::layers::{GpuAttention, GpuFeedForward, GpuNorm, OnGpu, Residual, Rows};
use super::state::{GpuSource, OwnKeys, Work};
use crate::model::decoder::{Decoder, DecoderLayer, SelfSublayer};
use crate::model::norm::Norm;
use canopy_kernels::gpu::{Bound, Gpu, GpuMatrix, Keys, Run};

/// The layers of a [`Decoder`] that reads its own sentence alone.
#[derive(Debug, Clone)]
pub(super) struct GpuDecoder {
    layers: Vec<Layer>,
    final_norm: Option<GpuNorm>,
}

#[derive(Debug, Clone)]
struct Layer {
    own: (GpuSelfSublayer, Residual),
    cross: (GpuAttention, Residual),
    feed_forward: (GpuFeedForward, Residual),
}

/// The sublayer that reads the previous tokens.
#[derive(Debug, Clone)]
enum GpuSelfSublayer {
    Attention(GpuAttention),
    /// A recurrent unit: to what is kept of the cell, and to what is added, `[d_model, 2 · d_model]`.
    Ssru(GpuMatrix),
}

impl GpuDecoder {
    pub(super) fn new(decoder: &Decoder, on_gpu: OnGpu<'_>) -> Self {
        let residual = |norm: &Norm| Residual::new(norm, decoder.norm_position, on_gpu);
        let layer = |layer: &DecoderLayer| {
            let own = match layer.self_sublayer() {
                SelfSublayer::Attention(attention) => {
                    GpuSelfSublayer::Attention(GpuAttention::new(attention, on_gpu))
                }
                SelfSublayer::Ssru(ssru) => {
                    GpuSelfSublayer::Ssru(on_gpu.linears(&[&ssru.forget, &ssru.input]))
                }
            };
            Layer {
                own: (own, residual(&layer.norm_self)),
                cross: (
                    GpuAttention::new(&layer.cross_attention, on_gpu),
                    residual(&layer.norm_cross),
                ),
                feed_forward: (
                    GpuFeedForward::new(&layer.feed_forward, on_gpu),
                    residual(&layer.norm_ff),
                ),
            }
        };
        Self {
            layers: decoder.layers.iter().map(layer).collect(),
            final_norm: decoder.final_norm.as_ref().map(|norm| on_gpu.norm(norm)),
        }
    }

    pub(super) fn num_layers(&self) -> usize {
        self.layers.len()
    }

    /// The most numbers that a row has between two products.
    pub(super) fn widest(&self) -> usize {
        let width = |layer: &Layer| {
            let inner = layer.feed_forward.0.inner.outputs();
            match &layer.own.0 {
                GpuSelfSublayer::Attention(_) => inner,
                GpuSelfSublayer::Ssru(gates) => inner.max(gates.outputs()),
            }
        };
        self.layers.iter().map(width).max().unwrap_or(0)
    }

    /// Projects `rows` encoded rows to what each layer reads of them, `[rows, 2 · d_model]`.
    pub(super) fn memory(
        &self,
        gpu: &Gpu,
        bound: &mut Bound,
        states: &Buffer,
        rows: usize,
    ) -> Vec<Buffer> {
        let memory = |layer: &Layer| {
            let projection = &layer.cross.0.memory;
            let memory = gpu.room(rows * projection.outputs());
            let mut run = Run::new(gpu, bound);
            run.product(projection, states, (&memory, 0), rows, None);
            run.start();
            memory
        };
        self.layers.iter().map(memory).collect()
    }

    /// Whether whole translations can be decoded: a recurrent unit goes word by word.
    pub(super) fn decodes_whole(&self) -> bool {
        let is_attention = |layer: &Layer| matches!(layer.own.0, GpuSelfSublayer::Attention(_));
        self.layers.iter().all(is_attention)
    }

    /// States of the embedded rows in `work.y`, and what else is wanted.
    pub(super) fn forward<'w>(
        &self,
        run: &mut Run<'_>,
        work: &'w Work,
        (source, own): (&GpuSource, &OwnKeys),
        reads: Reads,
        wanted: Wanted,
    ) -> &'w Buffer {
        let Work {
            y,
            normed,
            branch,
            queries,
            context,
            wide,
            places,
            fed,
            ..
        } = work;
        let Reads {
            own: own_rows,
            source: source_rows,
            first,
            before,
            count,
        } = reads;
        let rows = Rows {
            y,
            normed,
            branch,
            count,
        };
        let scratch = (queries, context);
        let layers = self.layers.iter().zip(&own.layers).zip(&source.layers);
        for (number, ((layer, own), memory)) in layers.enumerate() {
            let is_last = number + 1 == self.layers.len();
            match &layer.own {
                (GpuSelfSublayer::Attention(attention), residual) => {
                    residual.apply(run, rows, Some(&attention.output), |run, x| {
                        run.product(&attention.memory, x, (own, first), count, None);
                        attention.read(run, x, (own, places, own_rows), scratch, count)
                    });
                }
                (GpuSelfSublayer::Ssru(gates), residual) => {
                    residual.apply(run, rows, None, |run, x| {
                        run.product(gates, x, (wide, 0), count, None);
                        let shape = [count, gates.inputs()];
                        run.ssru(wide, (own, first, places), context, before, shape);
                        context
                    });
                }
            }
            let (attention, residual) = &layer.cross;
            residual.apply(run, rows, Some(&attention.output), |run, x| {
                attention.read(run, x, (memory, places, source_rows), scratch, count)
            });
            let (feed_forward, residual) = &layer.feed_forward;
            let GpuFeedForward {
                inner,
                outer,
                activation,
            } = feed_forward;
            residual.apply(run, rows, Some(outer), |run, x| {
                if wanted.fed && is_last {
                    run.copy(x, fed, count * inner.inputs());
                }
                run.product(inner, x, (wide, 0), count, Some(*activation));
                wide
            });
            if wanted.by_layer {
                run.start();
            }
        }
        match &self.final_norm {
            Some(norm) => {
                norm.apply(run, y, (normed, false), count);
                normed
            }
            None => y,
        }
    }
}

/// Keys and values that some rows of a decoder read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reads {
    /// Which of the own keys, and which of the source's.
    pub own: Keys,
    pub source: Keys,
    /// Rows of own keys before those of these rows.
    pub first: usize,
    /// Words before them.
    pub before: usize,
    pub count: usize,
}

/// Outputs of the rows of a decoder other than their states.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The input of the last feed-forward sublayer, in [`Work::fed`].
    pub fed: bool,
    /// Started layer by layer, so that no GPU works on many rows longer than a driver lets it.
    pub by_layer: bool,
}
