//! Multi-head scaled dot-product attention over slices, as [`attention`](crate::attention) over tensors.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::matmul::{multiply, transpose};
use crate::vectors::{dot_in, softmax, softmax_in};

/// Some columns of a matrix, as many as its reader knows.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// The whole matrix, row by row.
    pub values: &'a [f32],
    /// Columns of the whole matrix.
    pub width: usize,
    /// The first of the columns.
    pub first: usize,
}

impl<'a> Columns<'a> {
    /// The first `len` of the columns in a row.
    #[inline(always)]
    pub fn row(&self, row: usize, len: usize) -> &'a [f32] {
        &self.values[row * self.width + self.first..][..len]
    }
}

/// Attention of runs of queries, each to a run of keys, in `num_heads` heads of `q.len / num_heads` columns.
///
/// Causal, query `i` of a run sees its keys up to `i + num_keys - num_queries`.
///
/// # Shapes
/// - output: `[query rows, d_model]`; rows of no run stay as they are
pub fn attend(
    [q, k, v]: [Columns<'_>; 3],
    segments: impl Iterator<Item = (Range<usize>, Range<usize>)>,
    (num_heads, causal): (usize, bool),
    (output, d_model): (&mut [f32], usize),
) {
    let mut scratch = Scratch::default();
    for (queries, keys) in segments {
        let output = &mut output[queries.start * d_model..queries.end * d_model];
        if keys.is_empty() {
            output.fill(0.0);
            continue;
        }
        let segment = Segment {
            matrices: [q, k, v],
            queries,
            keys,
            causal,
            d_head: d_model / num_heads,
            d_model,
        };
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for head in 0..num_heads {
                    segment.attend(head, &mut scratch, output);
                }
            },
        );
    }
}

/// Maps the weights with which runs of queries attend to runs of keys by `keep`, as [`each_attention`](crate::each_attention)
/// over tensors: head `h` of row `r` of all runs is at `r · num_heads + h`.
pub fn each_attention<K: Default>(
    [q, k]: [Columns<'_>; 2],
    segments: impl Iterator<Item = (Range<usize>, Range<usize>)>,
    num_heads: usize,
    d_model: usize,
    keep: impl Fn(usize, &[f32]) -> K,
) -> Vec<K> {
    let (mut scratch, mut kept) = (Scratch::default(), Vec::new());
    for (queries, keys) in segments {
        let (first, src) = (kept.len(), keys.len());
        kept.resize_with(first + queries.len() * num_heads, K::default);
        if keys.is_empty() {
            continue;
        }
        let first_key = keys.start;
        let segment = Segment {
            matrices: [q, k, k],
            queries,
            keys,
            causal: false,
            d_head: d_model / num_heads,
            d_model,
        };
        for head in 0..num_heads {
            Arch::new().dispatch(
                #[inline(always)]
                || segment.weigh(head, &mut scratch),
            );
            let kept = kept[first + head..].iter_mut().step_by(num_heads);
            for (kept, weights) in kept.zip(scratch.weights.chunks_exact(src)) {
                *kept = keep(first_key, weights);
            }
        }
    }
    kept
}

struct Segment<'a> {
    matrices: [Columns<'a>; 3],
    queries: Range<usize>,
    keys: Range<usize>,
    causal: bool,
    d_head: usize,
    d_model: usize,
}

/// One head's part of a segment.
#[derive(Default)]
struct Scratch {
    q: Vec<f32>,
    k: Vec<f32>,
    transposed: Vec<f32>,
    v: Vec<f32>,
    weights: Vec<f32>,
    context: Vec<f32>,
}

impl Segment<'_> {
    #[inline(always)]
    fn attend(&self, head: usize, scratch: &mut Scratch, output: &mut [f32]) {
        self.weigh(head, scratch);
        let (tgt, src, d_head) = (self.queries.len(), self.keys.len(), self.d_head);
        self.copy(2, &self.keys, head, &mut scratch.v);
        scratch.context.resize(tgt * d_head, 0.0);
        let sizes = [tgt, src, d_head];
        multiply(&scratch.weights, &scratch.v, &mut scratch.context, sizes);
        let rows = output.chunks_exact_mut(self.d_model);
        for (row, context) in rows.zip(scratch.context.chunks_exact(d_head)) {
            row[head * d_head..][..d_head].copy_from_slice(context);
        }
    }

    /// A head's columns of some rows of a matrix.
    #[inline(always)]
    fn copy(&self, matrix: usize, rows: &Range<usize>, head: usize, to: &mut Vec<f32>) {
        to.clear();
        for row in rows.clone() {
            let row = self.matrices[matrix].row(row, self.d_model);
            to.extend_from_slice(&row[head * self.d_head..][..self.d_head]);
        }
    }

    /// The weights of a head, `[queries, keys]`.
    #[inline(always)]
    fn weigh(&self, head: usize, scratch: &mut Scratch) {
        let (tgt, src, d_head) = (self.queries.len(), self.keys.len(), self.d_head);
        let Scratch {
            q,
            k,
            transposed,
            weights,
            ..
        } = scratch;
        self.copy(0, &self.queries, head, q);
        self.copy(1, &self.keys, head, k);
        transposed.resize(src * d_head, 0.0);
        transpose(k, transposed, [src, d_head]);
        weights.resize(tgt * src, 0.0);
        multiply(q, transposed, weights, [tgt, d_head, src]);
        for (query, weights) in weights.chunks_exact_mut(src).enumerate() {
            let visible = if self.causal {
                (query + 1 + src).saturating_sub(tgt).min(src)
            } else {
                src
            };
            softmax(&mut weights[..visible], scale(d_head));
            weights[visible..].fill(0.0);
        }
    }
}

/// Attention of one query to `len` rows of keys and values anywhere: `row` gives both.
///
/// # Shapes
/// - q, each key and value, output: `[d_model]`
pub fn attend_once<'m>(
    q: &[f32],
    len: usize,
    row: impl Fn(usize) -> [&'m [f32]; 2],
    num_heads: usize,
    weights: &mut Vec<f32>,
    output: &mut [f32],
) {
    weights.resize(num_heads * len, 0.0);
    Arch::new().dispatch(Query {
        q,
        len,
        row,
        num_heads,
        weights,
        output,
    });
}

struct Query<'a, F> {
    q: &'a [f32],
    len: usize,
    row: F,
    num_heads: usize,
    /// `[num_heads, len]`
    weights: &'a mut [f32],
    output: &'a mut [f32],
}

impl<'m, F: Fn(usize) -> [&'m [f32]; 2]> WithSimd for Query<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        /// Registers of sums at a time.
        const SUMS: usize = 4;
        let (len, d_head) = (self.len, self.q.len() / self.num_heads);
        for place in 0..len {
            let [keys, _] = (self.row)(place);
            for head in 0..self.num_heads {
                let (q, keys) = (&self.q[head * d_head..], &keys[head * d_head..]);
                self.weights[head * len + place] = dot_in(simd, &q[..d_head], &keys[..d_head]);
            }
        }
        for head in 0..self.num_heads {
            let weights = &mut self.weights[head * len..][..len];
            softmax_in(simd, weights, scale(d_head));
            let (mut column, end) = (head * d_head, (head + 1) * d_head);
            while column + SUMS * S::F32_LANES <= end {
                let output = &mut self.output[column..];
                sum_of_values::<S, SUMS>(simd, weights, &self.row, column, output);
                column += SUMS * S::F32_LANES;
            }
            while column + S::F32_LANES <= end {
                let output = &mut self.output[column..];
                sum_of_values::<S, 1>(simd, weights, &self.row, column, output);
                column += S::F32_LANES;
            }
            if column < end {
                // Fewer columns than a register holds.
                let mut sum = simd.splat_f32s(0.0);
                for place in 0..len {
                    let [_, values] = (self.row)(place);
                    let values = simd.partial_load_f32s(&values[column..end]);
                    sum = simd.mul_add_f32s(simd.splat_f32s(weights[place]), values, sum);
                }
                simd.partial_store_f32s(&mut self.output[column..end], sum);
            }
        }
    }
}

/// `V` registers of columns of values from `column` on, each row times its weight.
#[inline(always)]
fn sum_of_values<'m, S: Simd, const V: usize>(
    simd: S,
    weights: &[f32],
    row: &impl Fn(usize) -> [&'m [f32]; 2],
    column: usize,
    output: &mut [f32],
) {
    let mut sums = [simd.splat_f32s(0.0); V];
    for place in 0..weights.len() {
        let [_, values] = row(place);
        let (values, _) = S::as_simd_f32s(&values[column..]);
        let weight = simd.splat_f32s(weights[place]);
        for number in 0..V {
            sums[number] = simd.mul_add_f32s(weight, values[number], sums[number]);
        }
    }
    let (output, _) = S::as_mut_simd_f32s(output);
    for number in 0..V {
        output[number] = sums[number];
    }
}

/// The scale of scores: `1 / √d_head`.
#[inline(always)]
pub(super) fn scale(d_head: usize) -> f32 {
    1.0 / (d_head as f32).sqrt()
}
