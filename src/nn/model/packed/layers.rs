//! PackedTransformer layers, and the rows of numbers that pass through them.

use std::ops::Range;

use burn::module::Param;
use burn::tensor::Tensor;

use crate::model::attention::MultiHeadAttention;
use crate::model::config::NormPosition;
use crate::model::feed_forward::FeedForward;
use crate::model::linear::Linear;
use crate::model::norm::Norm;
use crate::model::recorder::{AttentionWeights, Recording, run};
use crate::model::unread::UnreadWeights;
use crate::model::variant;
use canopy_kernels::multiply;
use canopy_kernels::packed::{
    Activation, Columns, PackedMatrix, Quantization, RowNorm, Scratch, Table, Weights, attend,
    each_attention,
};

/// A thread's scratch space between the layers, kept from one to the next.
#[derive(Debug, Clone, Default)]
pub(in crate::model) struct Buffers {
    /// The output of a sublayer.
    pub branch: Vec<f32>,
    normed: Vec<f32>,
    pub wide: Vec<f32>,
    pub context: Vec<f32>,
    pub weights: Vec<f32>,
    pub scratch: Scratch,
}

impl Buffers {
    pub(crate) fn new(scratch: Scratch) -> Self {
        Self {
            scratch,
            ..Self::default()
        }
    }
}

/// A row of keys and values side by side, `[rows, 2 · d_model]`.
#[inline(always)]
pub(super) fn key_and_value(rows: &[f32], row: usize, d_model: usize) -> [&[f32]; 2] {
    let row = &rows[row * 2 * d_model..][..2 * d_model];
    [&row[..d_model], &row[d_model..]]
}

/// How weights are packed, and where those are that burn's layers have not read.
#[derive(Debug, Clone, Copy)]
pub(in crate::model) struct Packing<'a> {
    pub quantization: Quantization,
    pub unread: Option<&'a dyn UnreadWeights>,
}

impl Packing<'_> {
    /// The numbers of a parameter. What burn's layers have not read they need not read for it.
    pub(crate) fn table<const D: usize>(&self, param: &Param<Tensor<D>>) -> Table {
        let unread = self.unread.filter(|_| !param.is_initialized());
        let table = unread.and_then(|unread| unread.table(param.id));
        table.unwrap_or_else(|| Table::new(param.val()))
    }

    /// The numbers of a table of words, in no more than 16 bits next to matrices of 8.
    pub(crate) fn words(&self, param: &Param<Tensor<2>>) -> Table {
        let table = self.table(param);
        match self.quantization {
            Quantization::Int8 => table.in_halves(),
            Quantization::None | Quantization::Float16 => table,
        }
    }

    /// The numbers of a vector.
    pub(crate) fn vector(&self, param: &Param<Tensor<1>>) -> Vec<f32> {
        self.table(param).values().into_owned()
    }

    /// Weights and biases of linear maps.
    pub(crate) fn tables(&self, linears: &[&Linear]) -> Vec<(Table, Option<Vec<f32>>)> {
        let parts = linears.iter().map(|linear| {
            let bias = linear.bias.as_ref();
            let bias = bias.map(|bias| self.vector(bias));
            (self.table(&linear.weight), bias)
        });
        parts.collect()
    }

    /// Packs linear maps of the same input, side by side.
    pub(crate) fn linears(&self, linears: &[&Linear]) -> PackedMatrix {
        let tables = self.tables(linears);
        if self.quantization == Quantization::Int8 {
            let parts = tables
                .iter()
                .map(|(weights, bias)| (weights, bias.as_deref()));
            let packed = PackedMatrix::from_integers(&parts.collect::<Vec<_>>());
            if let Some(packed) = packed {
                return packed;
            }
        }
        let values: Vec<_> = tables.iter().map(|(weights, _)| weights.values()).collect();
        let parts = tables.iter().zip(&values);
        let parts = parts.map(|((weights, bias), values)| {
            let columns = weights.columns();
            let weights = Weights::by_rows(values, columns);
            (weights, columns, bias.as_deref())
        });
        let parts: Vec<_> = parts.collect();
        let inputs = tables.first().map_or(0, |(weights, _)| weights.rows());
        PackedMatrix::new(inputs, &parts, self.quantization)
    }

    /// The parameters of a norm.
    pub(crate) fn norm(&self, norm: &Norm) -> RowNorm {
        RowNorm {
            gamma: self.vector(&norm.gamma),
            beta: self.vector(&norm.beta),
            epsilon: norm.epsilon,
        }
    }
}

/// A linear map as plain numbers: weights `[inputs, outputs]` and bias `[outputs]`.
pub(in crate::model) struct Map {
    pub weights: Vec<f32>,
    pub bias: Option<Vec<f32>>,
    pub outputs: usize,
}

impl Map {
    pub(crate) fn from_linear(linear: &Linear, packing: Packing<'_>) -> Self {
        let weights = packing.table(&linear.weight);
        Self {
            weights: weights.values().into_owned(),
            bias: linear.bias.as_ref().map(|bias| packing.vector(bias)),
            outputs: weights.columns(),
        }
    }

    /// This one, and `next` after it.
    pub(crate) fn then(&self, next: &Self) -> Self {
        let (through, outputs) = (self.outputs, next.outputs);
        let product = |rows: &[f32]| {
            let count = rows.len() / through;
            let mut found = vec![0.0; count * outputs];
            multiply(rows, &next.weights, &mut found, [count, through, outputs]);
            found
        };
        let bias = match (self.bias.as_deref().map(product), &next.bias) {
            (Some(own), Some(more)) => Some(own.iter().zip(more).map(|(a, b)| a + b).collect()),
            (own, more) => own.or_else(|| more.clone()),
        };
        Self {
            weights: product(&self.weights),
            bias,
            outputs,
        }
    }
}

/// Packs maps of the same input, side by side.
pub(in crate::model) fn packed(maps: &[Map], packing: Packing<'_>) -> PackedMatrix {
    let parts = maps.iter().map(|map| {
        let weights = Weights::by_rows(&map.weights, map.outputs);
        (weights, map.outputs, map.bias.as_deref())
    });
    let inputs = maps[0].weights.len() / maps[0].outputs;
    PackedMatrix::new(inputs, &parts.collect::<Vec<_>>(), packing.quantization)
}

/// Self-attention: the projections to queries, keys and values side by side, and the one after.
#[derive(Debug, Clone)]
pub(super) struct PackedAttention {
    /// `[d_model, 3 · d_model]`
    pub projections: PackedMatrix,
    /// `[d_model, d_model]`
    pub output: PackedMatrix,
    /// Number of attention heads.
    pub num_heads: usize,
}

impl PackedAttention {
    pub(super) fn new(attention: &MultiHeadAttention, packing: Packing<'_>) -> Self {
        let projections = [&attention.query, &attention.key, &attention.value];
        Self {
            projections: packing.linears(&projections),
            output: packing.linears(&[&attention.output]),
            num_heads: attention.num_heads,
        }
    }

    /// Attention of every run of rows to itself; what it makes of `x` is in `buffers.branch`.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`
    pub(super) fn forward(
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

    /// The weights of [`Self::forward`], not causal, whose `buffers` these are.
    pub(super) fn weights(
        &self,
        sentences: &[Range<usize>],
        buffers: &Buffers,
        keep: &Recording,
    ) -> AttentionWeights {
        let d_model = self.output.inputs();
        let columns = [0, d_model].map(|first| Columns {
            values: &buffers.wide,
            width: 3 * d_model,
            first,
        });
        let segments = sentences.iter().map(|rows| (rows.clone(), rows.clone()));
        AttentionWeights {
            num_heads: self.num_heads,
            rows: each_attention(columns, segments, self.num_heads, d_model, run(*keep)),
        }
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
    /// Number of attention heads.
    pub num_heads: usize,
}

impl PackedReading {
    pub(super) fn new(attention: &MultiHeadAttention, packing: Packing<'_>) -> Self {
        Self {
            query: packing.linears(&[&attention.query]),
            memory: packing.linears(&[&attention.key, &attention.value]),
            output: packing.linears(&[&attention.output]),
            num_heads: attention.num_heads,
        }
    }
}

impl From<variant::Activation> for Activation {
    fn from(activation: variant::Activation) -> Self {
        match activation {
            variant::Activation::Relu => Self::Relu,
            variant::Activation::Swish => Self::Swish,
            variant::Activation::Gelu => Self::Gelu,
            variant::Activation::GeluTanh => Self::GeluTanh,
            variant::Activation::GeluSigmoid => Self::GeluSigmoid,
            variant::Activation::Tanh => Self::Tanh,
            variant::Activation::Sigmoid => Self::Sigmoid,
        }
    }
}

/// Two linear maps with an activation between them.
#[derive(Debug, Clone)]
pub(in crate::model) struct PackedFeedForward {
    pub inner: PackedMatrix,
    pub outer: PackedMatrix,
    pub activation: Activation,
}

impl PackedFeedForward {
    pub(crate) fn new(layer: &FeedForward, packing: Packing<'_>) -> Self {
        Self {
            inner: packing.linears(&[&layer.inner]),
            outer: packing.linears(&[&layer.outer]),
            activation: layer.activation.into(),
        }
    }

    pub(crate) fn num_bytes(&self) -> usize {
        self.inner.num_bytes() + self.outer.num_bytes()
    }

    /// Its output of `x` is in `buffers.branch`.
    pub(crate) fn forward(&self, x: &[f32], buffers: &mut Buffers) {
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

/// A norm and its place.
#[derive(Debug, Clone)]
pub(super) struct PackedNorm {
    norm: RowNorm,
    position: NormPosition,
}

impl PackedNorm {
    pub(super) fn new(of: &Norm, position: NormPosition, packing: Packing<'_>) -> Self {
        Self {
            norm: packing.norm(of),
            position,
        }
    }

    /// `norm(x + branch(x))` or `x + branch(norm(x))`; `branch` leaves in `buffers.branch` what it makes of its rows.
    pub(super) fn residual(
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
