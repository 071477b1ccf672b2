//! Attention from tensor operations, as on any device without our kernel.
//!
//! Rows of runs of one length that follow each other, such as those of hypotheses that grow together, are not gathered, and
//! what hides nothing is no mask.

use std::ops::Range;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::padded::{HIDDEN, are_even, column, fewer_than, within};
use super::{Attention, Segment};
use crate::dropout::Dropout;
use crate::{RowNumbers, is_cpu, product, select_rows};

/// The output and the weights; segments are padded to the longest one.
pub(super) fn plain(
    q: &Tensor<2>,
    k: &Tensor<2>,
    v: &Tensor<2>,
    spec: &Attention,
) -> (Tensor<2>, Tensor<4>) {
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
    let ids = |of: fn(&Segment) -> &Range<usize>, longest: usize, rows: usize| {
        let runs = spec.segments.iter().map(of);
        if are_even(runs.clone(), longest, rows) {
            return None;
        }
        let mut ids = RowNumbers::default();
        for run in runs {
            run.clone().for_each(|row| ids.push(row));
            // A run without rows may start where the matrix ends.
            let any = run.start.min(rows - 1);
            (run.len()..longest).for_each(|_| ids.push_unread(any));
        }
        Some(ids)
    };
    let split = |x: &Tensor<2>, ids: Option<&RowNumbers>, longest: usize| {
        let [_, columns] = x.dims();
        let x = x.clone();
        let x = ids.map_or(x.clone(), |ids| select_rows(x, ids));
        x.reshape([segments, longest, heads, columns / heads])
            .swap_dims(1, 2)
    };
    let query_ids = ids(|s| &s.queries, tgt, rows);
    let key_ids = ids(|s| &s.keys, src, k.dims()[0]);
    let queries = split(q, query_ids.as_ref(), tgt);
    let keys = split(k, key_ids.as_ref(), src);
    let values = split(v, key_ids.as_ref(), src);
    let scale = 1.0 / (d_head as f32).sqrt();
    let scores = product(queries, keys.transpose()) * scale;
    let weights = match mask(spec, tgt, src, &device) {
        Some(mask) => softmax(scores + (mask.clone() - 1.0) * -HIDDEN, 3) * mask,
        None => softmax(scores, 3),
    };
    let read = match spec.dropout {
        Some(dropout) => weights.clone() * kept(&weights, spec, dropout, k.dims()[0]),
        None => weights.clone(),
    };
    let context = product(read, values)
        .swap_dims(1, 2)
        .reshape([segments * tgt, d_value]);
    if query_ids.is_none() {
        return (context, weights);
    }
    // Back from the padded rows to the rows of the queries; row `segments * tgt` is zero.
    let mut back = RowNumbers::default();
    let mut end = 0;
    for (index, segment) in spec.segments.iter().enumerate() {
        (end..segment.queries.start).for_each(|_| back.push_unread(segments * tgt));
        (0..segment.queries.len()).for_each(|offset| back.push(index * tgt + offset));
        end = segment.queries.end;
    }
    (end..rows).for_each(|_| back.push_unread(segments * tgt));
    let context = Tensor::cat(vec![context, Tensor::zeros([1, d_value], &device)], 0);
    (select_rows(context, &back), weights)
}

/// The factors of the weights that are kept, 0 for those that are dropped, `[segments, heads, tgt, src]`; devices without our
/// kernels draw them.
fn kept(weights: &Tensor<4>, spec: &Attention, dropout: Dropout, key_rows: usize) -> Tensor<4> {
    let ([segments, heads, tgt, src], device) = (weights.dims(), weights.device());
    if !is_cpu(&device) {
        return dropout.drawn(weights);
    }
    let mut factors = vec![1.0_f32; segments * heads * tgt * src];
    for (number, row) in factors.chunks_exact_mut(src).enumerate() {
        let (segment, head, query) = (number / tgt / heads, number / tgt % heads, number % tgt);
        let first = spec.first_weight(&spec.segments[segment], query, head, key_rows);
        dropout.apply(row, first);
    }
    Tensor::from_data(
        TensorData::new(factors, [segments, heads, tgt, src]),
        &device,
    )
}

/// Mask of the keys that a query sees, `[segments, 1, tgt, src]`; none if each sees `src` keys.
fn mask(spec: &Attention, tgt: usize, src: usize, device: &Device) -> Option<Tensor<4>> {
    let segments = spec.segments.iter();
    let sees_all = |segment: &Segment| {
        segment.queries.len() == tgt && segment.keys.len() == src && spec.visible(segment, 0) == src
    };
    if segments.clone().all(sees_all) {
        return None;
    }
    let count = segments.len();
    let [queries, keys] = [
        |it: &Segment| it.queries.len(),
        |it: &Segment| it.keys.len(),
    ];
    let is_query = fewer_than(segments.clone().map(queries), tgt, device);
    let is_key = fewer_than(segments.clone().map(keys), src, device);
    let mask = is_query.reshape([count, 1, tgt, 1]) * is_key.reshape([count, 1, 1, src]);
    if !spec.causal {
        return Some(mask);
    }
    // Query `i` sees its keys up to `i + keys - queries`.
    let within = |len: usize| within(len, device).float();
    let [queries, keys] = [
        column(segments.clone().map(queries), device),
        column(segments.map(keys), device),
    ];
    let last = (keys - queries).reshape([count, 1, 1, 1]) + within(tgt).reshape([1, 1, tgt, 1]);
    let is_before = (last - within(src).reshape([1, 1, 1, src])).greater_equal_elem(0.0);
    Some(mask * is_before.float())
}
