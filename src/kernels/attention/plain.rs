//! Attention from tensor operations, as on any device without our kernel.

use std::ops::Range;

use burn::tensor::activation::softmax;
use burn::tensor::{Int, Tensor, TensorData};

use super::{Attention, Segment};
use crate::kernels::product;

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
    let scores = product(queries, keys.transpose()) * scale + (mask.clone() - 1.0) * 1e9;
    let weights = softmax(scores, 3) * mask;
    let context = product(weights.clone(), values)
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
