//! Attention on the CPU: a segment at a time, head by head.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Attention, Segment};
use crate::cpu::{CpuOperation, Matrix};
use crate::matmul::{multiply, transpose};
use crate::vectors::{dot, softmax};

/// The forward pass as the backward pass needs it.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
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
        let key_rows = k.len() / d_model;
        let mut weights = vec![0.0_f32; self.num_heads * tgt * src];
        if weights.is_empty() {
            return weights;
        }
        if tgt == 1 && self.dropout.is_none() {
            self.forward_query(segment, output, &mut weights, [q, k, v], [d_model, d_value]);
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
            match self.dropped(segment, head, key_rows, weights) {
                Some(dropped) => multiply(&dropped, &scratch.v, &mut context, [tgt, src, d_out]),
                None => multiply(weights, &scratch.v, &mut context, [tgt, src, d_out]),
            }
            for (row, context) in output
                .chunks_exact_mut(d_value)
                .zip(context.chunks_exact(d_out))
            {
                row[value_columns.clone()].copy_from_slice(context);
            }
        }
        weights
    }

    /// The weights of a head in one segment, `[tgt, src]`, without those that are dropped; none where none are.
    #[inline(always)]
    fn dropped(
        &self,
        segment: &Segment,
        head: usize,
        key_rows: usize,
        weights: &[f32],
    ) -> Option<Vec<f32>> {
        let dropout = self.dropout?;
        let mut dropped = weights.to_vec();
        let rows = dropped.chunks_exact_mut(segment.keys.len());
        for (query, row) in rows.enumerate() {
            dropout.apply(row, self.first_weight(segment, query, head, key_rows));
        }
        Some(dropped)
    }

    /// A segment of one query, as in a search: reads keys and values where they are.
    #[inline(always)]
    fn forward_query(
        &self,
        segment: &Segment,
        output: &mut [f32],
        weights: &mut [f32],
        [q, k, v]: [&[f32]; 3],
        [d_model, d_value]: [usize; 2],
    ) {
        let (d_head, d_out) = (d_model / self.num_heads, d_value / self.num_heads);
        let q = &q[segment.queries.start * d_model..][..d_model];
        let keys = &k[segment.keys.start * d_model..segment.keys.end * d_model];
        let values = &v[segment.keys.start * d_value..segment.keys.end * d_value];
        let visible = self.visible(segment, 0);
        let heads = weights.chunks_exact_mut(segment.keys.len());
        let heads = heads.zip(q.chunks_exact(d_head));
        for ((head, (weights, q)), output) in heads.enumerate().zip(output.chunks_exact_mut(d_out))
        {
            for (weight, key) in weights.iter_mut().zip(keys.chunks_exact(d_model)) {
                *weight = dot(q, &key[head * d_head..][..d_head]);
            }
            softmax_row(weights, visible, d_head);
            output.fill(0.0);
            for (&weight, value) in weights.iter().zip(values.chunks_exact(d_value)) {
                for (sum, value) in output.iter_mut().zip(&value[head * d_out..]) {
                    *sum += weight * value;
                }
            }
        }
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
        let scale = 1.0 / (d_head as f32).sqrt();
        let mut k_gradient = vec![0.0_f32; src * d_model];
        let mut v_gradient = vec![0.0_f32; src * d_value];
        let key_rows = k.len() / d_model;
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

            let dropped = self.dropped(segment, head, key_rows, weights);
            transpose(
                dropped.as_deref().unwrap_or(weights),
                &mut scores_transposed,
                [tgt, src],
            );
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
            if let Some(dropout) = self.dropout {
                for (query, row) in scores.chunks_exact_mut(src).enumerate() {
                    dropout.apply(row, self.first_weight(segment, query, head, key_rows));
                }
            }
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
    let scale = 1.0 / (d_head as f32).sqrt();
    let (seen, hidden) = row.split_at_mut(visible);
    hidden.fill(0.0);
    softmax(seen, scale);
}

fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}
