//! PackedTransformer layers, and the rows of numbers that pass through them.

use std::ops::Range;

use burn::module::Param;
use burn::tensor::Tensor;

use crate::kernels::packed::{
    Activation, Columns, PackedMatrix, Quantization, RowNorm, Scratch, Table, Weights, attend,
};
use crate::model::attention::MultiHeadAttention;
use crate::model::config::NormPosition;
use crate::model::feed_forward::FeedForward;
use crate::model::linear::Linear;
use crate::model::norm::Norm;
use crate::model::variant;

/// A thread's scratch space between the layers, kept from one to the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers {
    /// The output of a sublayer.
    pub branch: Vec<f32>,
    normed: Vec<f32>,
    pub wide: Vec<f32>,
    pub context: Vec<f32>,
    pub weights: Vec<f32>,
    pub scratch: Scratch,
}

impl Buffers {
    pub fn new(scratch: Scratch) -> Self {
        Self {
            scratch,
            ..Self::default()
        }
    }
}

/// Packs linear maps of the same input, side by side.
pub(super) fn packed(linears: &[&Linear], quantization: Quantization) -> PackedMatrix {
    let tables = linears.iter().map(|linear| {
        let bias = linear.bias.as_ref();
        let bias = bias.map(|bias| Table::new(bias.val()));
        (Table::new(linear.weight.val()), bias)
    });
    let tables: Vec<(Table, Option<Table>)> = tables.collect();
    let parts = tables.iter().map(|(weights, bias)| {
        let columns = weights.columns();
        let bias = bias.as_ref().map(Table::values);
        (Weights::by_rows(weights.values(), columns), columns, bias)
    });
    let parts: Vec<_> = parts.collect();
    let inputs = tables.first().map_or(0, |(weights, _)| weights.rows());
    PackedMatrix::new(inputs, &parts, quantization)
}

/// The parameters of a norm.
pub(super) fn norm(norm: &Norm) -> RowNorm {
    let values = |param: &Param<Tensor<1>>| Table::new(param.val()).values().to_vec();
    RowNorm {
        gamma: values(&norm.gamma),
        beta: values(&norm.beta),
        epsilon: norm.epsilon,
    }
}

/// Self-attention: the projections to queries, keys and values side by side, and the one behind.
#[derive(Debug, Clone)]
pub(super) struct PackedAttention {
    /// `[d_model, 3 · d_model]`
    pub projections: PackedMatrix,
    /// `[d_model, d_model]`
    pub output: PackedMatrix,
    pub num_heads: usize,
}

impl PackedAttention {
    pub fn new(attention: &MultiHeadAttention, quantization: Quantization) -> Self {
        let projections = [&attention.query, &attention.key, &attention.value];
        Self {
            projections: packed(&projections, quantization),
            output: packed(&[&attention.output], quantization),
            num_heads: attention.num_heads,
        }
    }

    /// Attention of every run of rows to itself; what it makes of `x` stands in `buffers.branch`.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`
    pub fn forward(
        &self,
        x: &[f32],
        segments: impl Iterator<Item = Range<usize>>,
        causal: bool,
        buffers: &mut Buffers,
    ) {
        let d_model = self.output.inputs();
        let Buffers {
            branch,
            wide,
            context,
            scratch,
            ..
        } = buffers;
        self.projections.multiply(x, wide, scratch);
        context.clear();
        context.resize(x.len(), 0.0);
        let columns = |number: usize| Columns {
            values: wide,
            width: 3 * d_model,
            first: number * d_model,
        };
        attend(
            [0, 1, 2].map(columns),
            segments.map(|rows| (rows.clone(), rows)),
            (self.num_heads, causal),
            (context, d_model),
        );
        self.output.multiply(context, branch, scratch);
    }
}

/// Attention to something else: keys and values are projected once.
#[derive(Debug, Clone)]
pub(super) struct PackedReading {
    /// Each `[d_model, d_model]`.
    pub query: PackedMatrix,
    pub output: PackedMatrix,
    /// `[d_model, 2 · d_model]`
    pub memory: PackedMatrix,
    pub num_heads: usize,
}

impl PackedReading {
    pub fn new(attention: &MultiHeadAttention, quantization: Quantization) -> Self {
        Self {
            query: packed(&[&attention.query], quantization),
            memory: packed(&[&attention.key, &attention.value], quantization),
            output: packed(&[&attention.output], quantization),
            num_heads: attention.num_heads,
        }
    }
}

/// Two linear maps with an activation between them.
#[derive(Debug, Clone)]
pub(super) struct PackedFeedForward {
    inner: PackedMatrix,
    outer: PackedMatrix,
    activation: Activation,
}

impl PackedFeedForward {
    pub fn new(layer: &FeedForward, quantization: Quantization) -> Self {
        Self {
            inner: packed(&[&layer.inner], quantization),
            outer: packed(&[&layer.outer], quantization),
            activation: match layer.activation {
                variant::Activation::Relu => Activation::Relu,
                variant::Activation::Swish => Activation::Swish,
                variant::Activation::Gelu => Activation::Gelu,
                variant::Activation::GeluTanh => Activation::GeluTanh,
                variant::Activation::GeluSigmoid => Activation::GeluSigmoid,
                variant::Activation::Tanh => Activation::Tanh,
                variant::Activation::Sigmoid => Activation::Sigmoid,
            },
        }
    }

    /// Its output of `x` stands in `buffers.branch`.
    pub fn forward(&self, x: &[f32], buffers: &mut Buffers) {
        let Buffers {
            branch,
            wide,
            scratch,
            ..
        } = buffers;
        self.inner.multiply(x, wide, scratch);
        self.activation.apply(wide);
        self.outer.multiply(wide, branch, scratch);
    }
}

/// A norm and where it stands.
#[derive(Debug, Clone)]
pub(super) struct PackedNorm {
    norm: RowNorm,
    position: NormPosition,
}

impl PackedNorm {
    pub fn new(of: &Norm, position: NormPosition) -> Self {
        Self {
            norm: norm(of),
            position,
        }
    }

    /// `norm(x + branch(x))` or `x + branch(norm(x))`; `branch` leaves in `buffers.branch` what it makes of its rows.
    pub fn residual(
        &self,
        x: &mut [f32],
        buffers: &mut Buffers,
        branch: impl FnOnce(&[f32], &mut Buffers),
    ) {
        match self.position {
            NormPosition::Post => {
                branch(x, buffers);
                self.norm.add(x, &buffers.branch);
            }
            NormPosition::Pre => {
                let mut normed = std::mem::take(&mut buffers.normed);
                normed.clear();
                normed.extend_from_slice(x);
                self.norm.apply(&mut normed);
                branch(&normed, buffers);
                for (x, branch) in x.iter_mut().zip(&buffers.branch) {
                    *x += branch;
                }
                buffers.normed = normed;
            }
        }
    }
}
