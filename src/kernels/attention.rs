//! Multi-head scaled dot-product attention over runs of rows.
//!
//! Vaswani et al., "Attention Is All You Need", NeurIPS 2017, Eq. 1. The heads are the columns
//! `[h · d_head, (h + 1) · d_head)` of the projected queries, keys and values.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::activation::softmax;
use burn::tensor::{Int, Tensor, TensorData};
use rayon::prelude::*;

use super::cpu::{self, CpuOperation, Matrix, Operand};
use super::matmul::{dot, exp, max, multiply, sum, transpose};

/// Rows of queries and the rows of keys that all of them may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub queries: Range<usize>,
    pub keys: Range<usize>,
}

impl Segment {
    /// Every run of rows attends to itself.
    pub fn own(runs: &[Range<usize>]) -> Arc<[Self]> {
        runs.iter()
            .map(|rows| Self {
                queries: rows.clone(),
                keys: rows.clone(),
            })
            .collect()
    }
}

/// Who attends to what.
#[derive(Debug, Clone)]
pub struct Attention {
    pub num_heads: usize,
    /// Query `i` of a segment sees its keys up to `i + num_keys - num_queries`.
    pub causal: bool,
    /// Ascending and disjoint in their queries; rows that no segment names give zeros.
    pub segments: Arc<[Segment]>,
}

impl Attention {
    /// How many keys query number `query` of `segment` sees.
    pub(super) fn visible(&self, segment: &Segment, query: usize) -> usize {
        let (queries, keys) = (segment.queries.len(), segment.keys.len());
        if self.causal {
            (query + 1 + keys).saturating_sub(queries).min(keys)
        } else {
            keys
        }
    }
}

/// `softmax(q kᵀ / √d_head) v` for every head, heads side by side.
///
/// A query that sees no key gives zeros.
///
/// # Shapes
/// - q: `[rows, d_model]`; k: `[key rows, d_model]`; v: `[key rows, d_value]`
/// - output: `[rows, d_value]`
pub fn attention(q: Tensor<2>, k: Tensor<2>, v: Tensor<2>, spec: &Attention) -> Tensor<2> {
    check(&q, &k, spec);
    let ([key_rows, _], [value_rows, d_value]) = (k.dims(), v.dims());
    assert_eq!(
        key_rows, value_rows,
        "{key_rows} keys for {value_rows} values"
    );
    assert_eq!(
        d_value % spec.num_heads,
        0,
        "{} heads do not divide d_value {d_value}",
        spec.num_heads
    );
    let operands = [Operand::from(&q), Operand::from(&k), Operand::from(&v)];
    cpu::run(spec.clone(), operands).unwrap_or_else(|| plain(&q, &k, &v, spec).0)
}

/// The weights that [`attention`] uses, for whoever wants to see them.
///
/// # Shapes
/// - q: `[rows, d_model]`; k: `[key rows, d_model]`
/// - output: `[segments, heads, tgt, src]`, padded with zeros to the longest segment
pub fn attention_weights(q: &Tensor<2>, k: &Tensor<2>, spec: &Attention) -> Tensor<4> {
    check(q, k, spec);
    plain(q, k, k, spec).1
}

fn check(q: &Tensor<2>, k: &Tensor<2>, spec: &Attention) {
    let ([rows, d_model], [key_rows, d_key]) = (q.dims(), k.dims());
    assert_eq!(
        d_model, d_key,
        "queries have {d_model} columns, keys {d_key}"
    );
    assert_eq!(
        d_model % spec.num_heads,
        0,
        "{} heads do not divide d_model {d_model}",
        spec.num_heads
    );
    let mut end = 0;
    for segment in spec.segments.iter() {
        assert!(
            segment.queries.start >= end,
            "segments overlap or are not in order at row {end}"
        );
        end = segment.queries.end;
        assert!(
            segment.keys.end <= key_rows,
            "keys {:?} of {key_rows}",
            segment.keys
        );
    }
    assert!(end <= rows, "segments name {end} of {rows} rows");
}

/// Attention from tensor operations: segments are padded to the longest one, as on any device without our kernel.
fn plain(q: &Tensor<2>, k: &Tensor<2>, v: &Tensor<2>, spec: &Attention) -> (Tensor<2>, Tensor<4>) {
    let ([rows, d_model], device) = (q.dims(), q.device());
    let (heads, d_head, d_value) = (spec.num_heads, d_model / spec.num_heads, v.dims()[1]);
    let segments = spec.segments.len();
    let tgt = spec
        .segments
        .iter()
        .map(|s| s.queries.len())
        .max()
        .unwrap_or(0);
    let src = spec
        .segments
        .iter()
        .map(|s| s.keys.len())
        .max()
        .unwrap_or(0);
    if segments * tgt * src == 0 {
        return (
            Tensor::zeros([rows, d_value], &device),
            Tensor::zeros([segments, heads, tgt, src], &device),
        );
    }
    let ids = |of: fn(&Segment) -> &Range<usize>, longest: usize| {
        let ids: Vec<i32> = spec
            .segments
            .iter()
            .flat_map(|segment| {
                let range = of(segment).clone();
                let first = range.start;
                range.chain(std::iter::repeat(first)).take(longest)
            })
            .map(|row| i32::try_from(row).expect("rows fit 31 bits"))
            .collect();
        Tensor::<1, Int>::from_data(TensorData::new(ids, [segments * longest]), &device)
    };
    let split = |x: &Tensor<2>, of: fn(&Segment) -> &Range<usize>, longest: usize| {
        let [rows, columns] = x.dims();
        // A segment without keys starts where the matrix may end: point it at row 0, the mask hides it.
        let last = i64::try_from(rows).expect("rows fit 63 bits") - 1;
        x.clone()
            .select(0, ids(of, longest).clamp(0, last))
            .reshape([segments, longest, heads, columns / heads])
            .swap_dims(1, 2)
    };
    let queries = split(q, |s| &s.queries, tgt);
    let keys = split(k, |s| &s.keys, src);
    let values = split(v, |s| &s.keys, src);
    let mut mask = vec![0.0_f32; segments * tgt * src];
    for (segment, mask) in spec.segments.iter().zip(mask.chunks_exact_mut(tgt * src)) {
        for query in 0..segment.queries.len() {
            mask[query * src..][..spec.visible(segment, query)].fill(1.0);
        }
    }
    let mask = Tensor::<4>::from_data(TensorData::new(mask, [segments, 1, tgt, src]), &device);
    #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
    let scale = 1.0 / (d_head as f32).sqrt();
    let scores = queries.matmul(keys.transpose()) * scale + (mask.clone() - 1.0) * 1e9;
    let weights = softmax(scores, 3) * mask;
    let context = weights
        .clone()
        .matmul(values)
        .swap_dims(1, 2)
        .reshape([segments * tgt, d_value]);
    // Back from the padded rows to the rows of the queries; row `segments * tgt` is zero.
    let mut back = vec![i32::try_from(segments * tgt).expect("rows fit 31 bits"); rows];
    for (index, segment) in spec.segments.iter().enumerate() {
        for (offset, row) in segment.queries.clone().enumerate() {
            back[row] = i32::try_from(index * tgt + offset).expect("rows fit 31 bits");
        }
    }
    let context = Tensor::cat(vec![context, Tensor::zeros([1, d_value], &device)], 0);
    (
        context.select(0, Tensor::from_data(TensorData::new(back, [rows]), &device)),
        weights,
    )
}

/// The forward pass as the backward pass needs it.
#[derive(Clone, Debug)]
pub(super) struct Saved {
    q: Matrix,
    k: Matrix,
    v: Matrix,
    /// For each segment the weights `[heads, tgt, src]`.
    weights: Arc<Vec<Vec<f32>>>,
}

/// One segment's part of queries, keys and values and their gradients, head by head.
struct Scratch {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    transposed: Vec<f32>,
}

impl CpuOperation<3> for Attention {
    type Saved = Saved;

    fn forward(&self, [q, k, v]: [Matrix; 3]) -> (Matrix, Saved) {
        let (rows, widths) = (q.rows(), [q.columns(), v.columns()]);
        let mut output = vec![0.0_f32; rows * widths[1]];
        let weights: Vec<Vec<f32>> = by_queries(&mut output, &self.segments, widths[1])
            .into_par_iter()
            .map(|(segment, output)| {
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        self.forward_segment(
                            segment,
                            output,
                            [q.values(), k.values(), v.values()],
                            widths,
                        )
                    },
                )
            })
            .collect();
        (
            Matrix::from_rows(output, rows),
            Saved {
                q,
                k,
                v,
                weights: Arc::new(weights),
            },
        )
    }

    fn backward(&self, saved: Saved, gradient: Matrix) -> [Matrix; 3] {
        let widths = [saved.q.columns(), saved.v.columns()];
        let [d_model, d_value] = widths;
        let inputs = [saved.q.values(), saved.k.values(), saved.v.values()];
        let mut q_gradient = vec![0.0_f32; saved.q.rows() * d_model];
        let keys: Vec<(Vec<f32>, Vec<f32>)> = by_queries(&mut q_gradient, &self.segments, d_model)
            .into_par_iter()
            .zip(saved.weights.par_iter())
            .map(|((segment, q_gradient), weights)| {
                let gradient = &gradient.values()
                    [segment.queries.start * d_value..segment.queries.end * d_value];
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        self.backward_segment(
                            segment, q_gradient, gradient, weights, inputs, widths,
                        )
                    },
                )
            })
            .collect();
        // Several segments may read the same keys: their gradients add up, in order.
        let mut k_gradient = vec![0.0_f32; saved.k.rows() * d_model];
        let mut v_gradient = vec![0.0_f32; saved.k.rows() * d_value];
        for (segment, (k, v)) in self.segments.iter().zip(keys) {
            let rows = |width: usize| segment.keys.start * width..segment.keys.end * width;
            add(&mut k_gradient[rows(d_model)], &k);
            add(&mut v_gradient[rows(d_value)], &v);
        }
        let key_rows = saved.k.rows();
        [
            Matrix::from_rows(q_gradient, saved.q.rows()),
            Matrix::from_rows(k_gradient, key_rows),
            Matrix::from_rows(v_gradient, key_rows),
        ]
    }
}

impl Attention {
    #[inline(always)]
    fn forward_segment(
        &self,
        segment: &Segment,
        output: &mut [f32],
        [q, k, v]: [&[f32]; 3],
        [d_model, d_value]: [usize; 2],
    ) -> Vec<f32> {
        let (tgt, src) = (segment.queries.len(), segment.keys.len());
        let (d_head, d_out) = (d_model / self.num_heads, d_value / self.num_heads);
        let mut weights = vec![0.0_f32; self.num_heads * tgt * src];
        if weights.is_empty() {
            return weights;
        }
        let mut scratch = Scratch::new([tgt, src], [d_head, d_out]);
        let mut context = vec![0.0_f32; tgt * d_out];
        for head in 0..self.num_heads {
            let columns = head * d_head..(head + 1) * d_head;
            let value_columns = head * d_out..(head + 1) * d_out;
            copy_head(q, &mut scratch.q, &segment.queries, d_model, &columns);
            copy_head(k, &mut scratch.k, &segment.keys, d_model, &columns);
            copy_head(v, &mut scratch.v, &segment.keys, d_value, &value_columns);
            transpose(&scratch.k, &mut scratch.transposed, [src, d_head]);
            let weights = &mut weights[head * tgt * src..][..tgt * src];
            multiply(&scratch.q, &scratch.transposed, weights, [tgt, d_head, src]);
            for query in 0..tgt {
                let visible = self.visible(segment, query);
                softmax_row(&mut weights[query * src..][..src], visible, d_head);
            }
            multiply(weights, &scratch.v, &mut context, [tgt, src, d_out]);
            for (row, context) in output
                .chunks_exact_mut(d_value)
                .zip(context.chunks_exact(d_out))
            {
                row[value_columns.clone()].copy_from_slice(context);
            }
        }
        weights
    }

    /// Fills `q_gradient`; gives the gradients of the segment's keys and values.
    #[inline(always)]
    fn backward_segment(
        &self,
        segment: &Segment,
        q_gradient: &mut [f32],
        gradient: &[f32],
        weights: &[f32],
        [q, k, v]: [&[f32]; 3],
        [d_model, d_value]: [usize; 2],
    ) -> (Vec<f32>, Vec<f32>) {
        let (tgt, src) = (segment.queries.len(), segment.keys.len());
        let (d_head, d_out) = (d_model / self.num_heads, d_value / self.num_heads);
        #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
        let scale = 1.0 / (d_head as f32).sqrt();
        let mut k_gradient = vec![0.0_f32; src * d_model];
        let mut v_gradient = vec![0.0_f32; src * d_value];
        if weights.is_empty() {
            return (k_gradient, v_gradient);
        }
        let mut scratch = Scratch::new([tgt, src], [d_head, d_out]);
        let mut head_gradient = vec![0.0_f32; tgt * d_out];
        let mut scores = vec![0.0_f32; tgt * src];
        let mut scores_transposed = vec![0.0_f32; tgt * src];
        let mut product = vec![0.0_f32; tgt.max(src) * d_head.max(d_out)];
        for head in 0..self.num_heads {
            let columns = head * d_head..(head + 1) * d_head;
            let value_columns = head * d_out..(head + 1) * d_out;
            copy_head(q, &mut scratch.q, &segment.queries, d_model, &columns);
            copy_head(k, &mut scratch.k, &segment.keys, d_model, &columns);
            copy_head(v, &mut scratch.v, &segment.keys, d_value, &value_columns);
            copy_head(
                gradient,
                &mut head_gradient,
                &(0..tgt),
                d_value,
                &value_columns,
            );
            let weights = &weights[head * tgt * src..][..tgt * src];

            transpose(weights, &mut scores_transposed, [tgt, src]);
            multiply(
                &scores_transposed,
                &head_gradient,
                &mut product,
                [src, tgt, d_out],
            );
            paste_head(&product, &mut v_gradient, d_value, &value_columns);

            transpose(&scratch.v, &mut scratch.transposed, [src, d_out]);
            multiply(
                &head_gradient,
                &scratch.transposed,
                &mut scores,
                [tgt, d_out, src],
            );
            for (scores, weights) in scores.chunks_exact_mut(src).zip(weights.chunks_exact(src)) {
                let mean = dot(scores, weights);
                for (score, weight) in scores.iter_mut().zip(weights) {
                    *score = weight * (*score - mean) * scale;
                }
            }
            multiply(&scores, &scratch.k, &mut product, [tgt, src, d_head]);
            paste_head(&product, q_gradient, d_model, &columns);

            transpose(&scores, &mut scores_transposed, [tgt, src]);
            multiply(
                &scores_transposed,
                &scratch.q,
                &mut product,
                [src, tgt, d_head],
            );
            paste_head(&product, &mut k_gradient, d_model, &columns);
        }
        (k_gradient, v_gradient)
    }
}

impl Scratch {
    fn new([tgt, src]: [usize; 2], [d_head, d_out]: [usize; 2]) -> Self {
        let zeros = |rows: usize, width: usize| vec![0.0; rows * width];
        Self {
            q: zeros(tgt, d_head),
            k: zeros(src, d_head),
            v: zeros(src, d_out),
            transposed: zeros(src, d_head.max(d_out)),
        }
    }
}

/// Cuts the rows of every segment's queries out of `rows`.
fn by_queries<'a>(
    rows: &'a mut [f32],
    segments: &'a [Segment],
    width: usize,
) -> Vec<(&'a Segment, &'a mut [f32])> {
    let mut rest = rows;
    let mut next_row = 0;
    segments
        .iter()
        .map(|segment| {
            let (_, from_start) =
                std::mem::take(&mut rest).split_at_mut((segment.queries.start - next_row) * width);
            let (own, after) = from_start.split_at_mut(segment.queries.len() * width);
            rest = after;
            next_row = segment.queries.end;
            (segment, own)
        })
        .collect()
}

#[inline(always)]
fn copy_head(
    from: &[f32],
    to: &mut [f32],
    rows: &Range<usize>,
    d_model: usize,
    columns: &Range<usize>,
) {
    let from = &from[rows.start * d_model..rows.end * d_model];
    for (from, to) in from
        .chunks_exact(d_model)
        .zip(to.chunks_exact_mut(columns.len()))
    {
        to.copy_from_slice(&from[columns.clone()]);
    }
}

#[inline(always)]
fn paste_head(from: &[f32], to: &mut [f32], d_model: usize, columns: &Range<usize>) {
    for (from, to) in from
        .chunks_exact(columns.len())
        .zip(to.chunks_exact_mut(d_model))
    {
        to[columns.clone()].copy_from_slice(from);
    }
}

/// Softmax over the first `visible` scores divided by √d_head; the others become 0.
#[inline(always)]
fn softmax_row(row: &mut [f32], visible: usize, d_head: usize) {
    #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
    let scale = 1.0 / (d_head as f32).sqrt();
    let (seen, hidden) = row.split_at_mut(visible);
    hidden.fill(0.0);
    let largest = max(seen);
    for x in seen.iter_mut() {
        *x = exp((*x - largest) * scale);
    }
    let total = sum(seen);
    for x in seen.iter_mut() {
        *x /= total;
    }
}

fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::comparison::assert_same;

    fn spec(causal: bool, segments: &[(Range<usize>, Range<usize>)]) -> Attention {
        let segments = segments.iter().map(|(queries, keys)| Segment {
            queries: queries.clone(),
            keys: keys.clone(),
        });
        Attention {
            num_heads: 2,
            causal,
            segments: segments.collect(),
        }
    }

    #[test]
    fn fused_attention_equals_the_plain_one() {
        let cases = [
            spec(false, &[(0..5, 0..5), (5..6, 5..6), (6..9, 6..9)]),
            spec(true, &[(0..5, 0..5), (5..6, 5..6), (6..9, 6..9)]),
            // A row without a segment, shared keys, no keys at all.
            spec(false, &[(0..2, 0..4), (3..5, 0..4), (5..9, 9..9)]),
            // Fewer queries than keys: the last words of a sentence.
            spec(true, &[(0..1, 0..4), (1..3, 4..9)]),
        ];
        for spec in cases {
            assert_same(
                [[9, 6], [9, 6], [9, 10]],
                |[q, k, v]| attention(q, k, v, &spec),
                |[q, k, v]| plain(&q, &k, &v, &spec).0,
            );
        }
    }

    #[test]
    fn long_segments_use_the_blocked_product_alike() {
        let spec = spec(true, &[(0..37, 0..37)]);
        assert_same(
            [[37, 64], [37, 64], [37, 64]],
            |[q, k, v]| attention(q, k, v, &spec),
            |[q, k, v]| plain(&q, &k, &v, &spec).0,
        );
    }
}
