//! Attention from tensor operations, as on any device without our kernel.
//!
//! Rows of runs of one length that follow each other, such as those of hypotheses that grow together, are not gathered, and
//! what hides nothing is no mask: either would be sent to the device anew for every token of a search.

use std::ops::Range;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};

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
    let ids = |of: fn(&Segment) -> &Range<usize>, longest: usize, rows: usize| {
        if are_even(spec.segments.iter().map(of), longest, rows) {
            return None;
        }
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
        // A segment without keys starts where the matrix may end: point it at row 0, the mask hides it.
        let last = i64::try_from(rows).expect("rows fit 63 bits") - 1;
        let ids = Tensor::<1, Int>::from_data(TensorData::new(ids, [segments * longest]), &device);
        Some(ids.clamp(0, last))
    };
    let split = |x: &Tensor<2>, ids: Option<&Tensor<1, Int>>, longest: usize| {
        let [_, columns] = x.dims();
        let x = x.clone();
        let x = ids.map_or(x.clone(), |ids| x.select(0, ids.clone()));
        x.reshape([segments, longest, heads, columns / heads])
            .swap_dims(1, 2)
    };
    let query_ids = ids(|s| &s.queries, tgt, rows);
    let key_ids = ids(|s| &s.keys, src, k.dims()[0]);
    let queries = split(q, query_ids.as_ref(), tgt);
    let keys = split(k, key_ids.as_ref(), src);
    let values = split(v, key_ids.as_ref(), src);
    #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
    let scale = 1.0 / (d_head as f32).sqrt();
    let scores = product(queries, keys.transpose()) * scale;
    let weights = match mask(spec, tgt, src, &device) {
        Some(mask) => softmax(scores + (mask.clone() - 1.0) * 1e9, 3) * mask,
        None => softmax(scores, 3),
    };
    let context = product(weights.clone(), values)
        .swap_dims(1, 2)
        .reshape([segments * tgt, d_value]);
    if query_ids.is_none() {
        return (context, weights);
    }
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

/// Whether `runs` are of `len` rows each, one behind the other, and leave out none of `rows`.
fn are_even<'a>(runs: impl Iterator<Item = &'a Range<usize>>, len: usize, rows: usize) -> bool {
    let mut end = 0;
    for run in runs {
        if *run != (end..end + len) {
            return false;
        }
        end = run.end;
    }
    end == rows
}

/// What each query sees, `[segments, 1, tgt, src]`; none if each sees `src` keys.
fn mask(spec: &Attention, tgt: usize, src: usize, device: &Device) -> Option<Tensor<4>> {
    let mut all = true;
    let segments = spec.segments.len();
    let mut mask = vec![0.0_f32; segments * tgt * src];
    for (segment, mask) in spec.segments.iter().zip(mask.chunks_exact_mut(tgt * src)) {
        all &= segment.queries.len() == tgt;
        for query in 0..segment.queries.len() {
            let visible = spec.visible(segment, query);
            mask[query * src..][..visible].fill(1.0);
            all &= visible == src;
        }
    }
    let mask = TensorData::new(mask, [segments, 1, tgt, src]);
    (!all).then(|| Tensor::from_data(mask, device))
}
