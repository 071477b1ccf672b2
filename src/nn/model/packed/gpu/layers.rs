//! The parts of layers on a GPU.

use std::sync::Arc;

use burn::module::Param;
use burn::tensor::Tensor;
use wgpu::Buffer;

use crate::model::attention::MultiHeadAttention;
use crate::model::config::NormPosition;
use crate::model::feed_forward::FeedForward;
use crate::model::linear::Linear;
use crate::model::norm::Norm;
use crate::model::packed::layers::Packing;
use canopy_kernels::gpu::{Attended, Gpu, GpuMatrix, Keys, Run};
use canopy_kernels::packed::{Activation, Quantization, Weights};

/// How weights are brought to a GPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnGpu<'a> {
    pub gpu: &'a Arc<Gpu>,
    pub packing: Packing<'a>,
}

impl OnGpu<'_> {
    pub(super) fn in_halves(&self) -> bool {
        self.packing.quantization == Quantization::Float16
    }

    /// Linear maps of the same input, side by side.
    pub(super) fn linears(&self, linears: &[&Linear]) -> GpuMatrix {
        let tables = self.packing.tables(linears);
        let inputs = tables.first().map_or(0, |(weights, _)| weights.rows());
        let outputs: usize = tables.iter().map(|(weights, _)| weights.columns()).sum();
        let (mut values, mut row) = (Vec::with_capacity(inputs * outputs), Vec::new());
        for number in 0..inputs {
            for (weights, _) in &tables {
                values.extend_from_slice(weights.row(number, &mut row));
            }
        }
        let has_bias = tables.iter().any(|(_, bias)| bias.is_some());
        let bias = tables
            .into_iter()
            .flat_map(|(weights, bias)| bias.unwrap_or_else(|| vec![0.0; weights.columns()]));
        let bias: Vec<f32> = bias.collect();
        GpuMatrix::new(
            self.gpu,
            [inputs, outputs],
            Weights::by_rows(&values, outputs),
            has_bias.then_some(&*bias),
            self.in_halves(),
        )
    }

    pub(super) fn norm(&self, norm: &Norm) -> GpuNorm {
        let vector = |param: &Param<Tensor<1>>| self.packing.vector(param);
        let parameters = [vector(&norm.gamma), vector(&norm.beta)].concat();
        GpuNorm {
            columns: parameters.len() / 2,
            parameters: self.gpu.filled(&parameters),
            epsilon: norm.epsilon,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct GpuNorm {
    /// `[2, d_model]`
    parameters: Buffer,
    columns: usize,
    epsilon: f32,
}

impl GpuNorm {
    /// `norm(branch)` to `y`, or, if it `adds`, `norm(y + branch)`.
    pub(super) fn apply(
        &self,
        run: &mut Run<'_>,
        branch: &Buffer,
        y: (&Buffer, bool),
        rows: usize,
    ) {
        let parameters = (&self.parameters, self.epsilon);
        run.norm(parameters, branch, y, [rows, self.columns]);
    }
}

/// A sublayer between its norm and the sum: what goes in, and the map that comes last.
#[derive(Debug, Clone)]
pub(super) struct Residual {
    norm: GpuNorm,
    position: NormPosition,
}

/// Rows that go through layers, and their scratch space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'w> {
    pub y: &'w Buffer,
    pub normed: &'w Buffer,
    pub branch: &'w Buffer,
    pub count: usize,
}

impl Residual {
    pub(super) fn new(norm: &Norm, position: NormPosition, on_gpu: OnGpu<'_>) -> Self {
        Self {
            norm: on_gpu.norm(norm),
            position,
        }
    }

    /// `norm(y + last(branch(y)))` or `y + last(branch(norm(y)))`; `branch` gives the rows that it leaves. Without a map that
    /// comes last the norm comes after.
    pub(super) fn apply<'w>(
        &self,
        run: &mut Run<'_>,
        rows: Rows<'w>,
        last: Option<&GpuMatrix>,
        branch: impl FnOnce(&mut Run<'_>, &'w Buffer) -> &'w Buffer,
    ) {
        let Rows {
            y,
            normed,
            branch: output,
            count,
        } = rows;
        match self.position {
            NormPosition::Post => {
                let before = branch(run, y);
                let Some(last) = last else {
                    self.norm.apply(run, before, (y, true), count);
                    return;
                };
                run.product(last, before, (output, 0), count, None);
                self.norm.apply(run, output, (y, true), count);
            }
            NormPosition::Pre => {
                self.norm.apply(run, y, (normed, false), count);
                let before = branch(run, normed);
                let last = last.expect("units without one are normed behind");
                run.add_product(last, before, y, count);
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct GpuAttention {
    /// Each `[d_model, d_model]`.
    query: GpuMatrix,
    pub output: GpuMatrix,
    /// To keys and values, `[d_model, 2 · d_model]`.
    pub memory: GpuMatrix,
    num_heads: usize,
}

impl GpuAttention {
    pub(super) fn new(attention: &MultiHeadAttention, on_gpu: OnGpu<'_>) -> Self {
        Self {
            query: on_gpu.linears(&[&attention.query]),
            memory: on_gpu.linears(&[&attention.key, &attention.value]),
            output: on_gpu.linears(&[&attention.output]),
            num_heads: attention.num_heads,
        }
    }

    /// Attention of `count` rows to a projected memory.
    pub(super) fn read<'w>(
        &self,
        run: &mut Run<'_>,
        x: &Buffer,
        (memory, places, keys): (&Buffer, &Buffer, Keys),
        (queries, context): (&Buffer, &'w Buffer),
        count: usize,
    ) -> &'w Buffer {
        run.product(&self.query, x, (queries, 0), count, None);
        let attended = Attended {
            queries,
            memory,
            places,
            keys,
            num_heads: self.num_heads,
            columns: self.query.outputs(),
        };
        run.attend(attended, context, count);
        context
    }
}

#[derive(Debug, Clone)]
pub(super) struct GpuFeedForward {
    pub inner: GpuMatrix,
    pub outer: GpuMatrix,
    pub activation: Activation,
}

impl GpuFeedForward {
    pub(super) fn new(layer: &FeedForward, on_gpu: OnGpu<'_>) -> Self {
        Self {
            inner: on_gpu.linears(&[&layer.inner]),
            outer: on_gpu.linears(&[&layer.outer]),
            activation: layer.activation.into(),
        }
    }
}
