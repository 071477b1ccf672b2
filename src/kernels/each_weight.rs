//! The weights of an attention, one head of one query at a time: nothing is padded, and the caller keeps what it needs.

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::attention::{Attention, Segment};
use super::vectors::{dot, softmax};

/// Maps the weights that [`attention`](super::attention) uses by `keep`: head `h` of row `r` is at
/// `r · num_heads + h`. Rows without keys give the default.
///
/// `keep` gets the row of the first key and the weights of it and the keys after it, which sum to 1.
///
/// # Shapes
/// - q: `[rows, d_model]`; k: `[key rows, d_model]`
pub fn each_attention<K: Default + Send>(
    q: &Tensor<2>,
    k: &Tensor<2>,
    spec: &Attention,
    keep: impl Fn(usize, &[f32]) -> K + Send + Sync,
) -> Vec<K> {
    let ([rows, d_model], heads) = (q.dims(), spec.num_heads);
    let d_head = d_model / heads;
    let columns = |row: usize, head: usize| {
        let first = row * d_model + head * d_head;
        first..first + d_head
    };
    let (queries, keys) = (on_host(q), on_host(k));
    let segments = by_row(rows, &spec.segments);
    let read = |index: usize| {
        let (row, head) = (index / heads, index % heads);
        let Some(segment) = segments[row] else {
            return K::default();
        };
        let visible = spec.visible(segment, row - segment.queries.start);
        if visible == 0 {
            return K::default();
        }
        let query = &queries[columns(row, head)];
        let scores = segment.keys.clone().take(visible);
        let score = |key| dot(query, &keys[columns(key, head)]) * scale(d_head);
        let mut weights: Vec<f32> = scores.map(score).collect();
        softmax(&mut weights, 1.0);
        keep(segment.keys.start, &weights)
    };
    (0..rows * heads).into_par_iter().map(read).collect()
}

/// [`each_attention`] for additive attention: `softmax(v · tanh(q + k_j))`, one head, row `r` reading `segments`' keys.
///
/// # Shapes
/// - q: `[rows, d_attention]`; k: `[key rows, d_attention]`; v: `[d_attention]`
pub fn each_alignment<K: Default + Send>(
    q: &Tensor<2>,
    k: &Tensor<2>,
    v: &Tensor<1>,
    segments: &[Segment],
    keep: impl Fn(usize, &[f32]) -> K + Send + Sync,
) -> Vec<K> {
    let [rows, width] = q.dims();
    let (queries, keys) = (on_host(q), on_host(k));
    let v: Vec<f32> = v.to_data().iter().collect();
    let segments = by_row(rows, segments);
    let read = |row: usize| {
        let keys_of = |segment: &Segment| segment.keys.clone();
        let range = segments[row].map_or(0..0, keys_of);
        if range.is_empty() {
            return K::default();
        }
        let query = &queries[row * width..][..width];
        let score = |key: usize| {
            let key = &keys[key * width..][..width];
            let terms = query.iter().zip(key).zip(&v);
            terms.map(|((q, k), v)| (q + k).tanh() * v).sum::<f32>()
        };
        let mut weights: Vec<f32> = range.clone().map(score).collect();
        softmax(&mut weights, 1.0);
        keep(range.start, &weights)
    };
    (0..rows).into_par_iter().map(read).collect()
}

fn on_host(tensor: &Tensor<2>) -> Vec<f32> {
    tensor.to_data().iter().collect()
}

/// The segment that each row is a query of.
fn by_row(rows: usize, segments: &[Segment]) -> Vec<Option<&Segment>> {
    let mut of_row = vec![None; rows];
    for segment in segments {
        of_row[segment.queries.clone()].fill(Some(segment));
    }
    of_row
}

fn scale(d_head: usize) -> f32 {
    1.0 / (d_head as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Distribution, Tensor};

    use super::*;
    use crate::attention_weights;

    #[test]
    fn weights_one_by_one_are_those_of_the_padded_attention() {
        let device = Device::flex();
        device.seed(41);
        let random = |shape| Tensor::<2>::random(shape, Distribution::Normal(0.0, 1.0), &device);
        let (q, k) = (random([9, 6]), random([7, 6]));
        let segments = [(0..3, 0..4), (3..4, 2..2), (5..9, 2..7)];
        for causal in [false, true] {
            let spec = Attention {
                num_heads: 2,
                causal,
                segments: segments
                    .clone()
                    .map(|(queries, keys)| Segment { queries, keys })
                    .into(),
                dropout: None,
            };
            let padded: Vec<f32> = attention_weights(&q, &k, &spec).to_data().iter().collect();
            let each = each_attention(&q, &k, &spec, |first, weights| (first, weights.to_vec()));
            let (tgt, src) = (4, 5);
            for (number, (queries, keys)) in segments.iter().enumerate() {
                for (place, row) in queries.clone().enumerate() {
                    for head in 0..2 {
                        let start = ((number * 2 + head) * tgt + place) * src;
                        let want = &padded[start..start + src];
                        let (first, weights) = &each[row * 2 + head];
                        let read = weights.iter().chain(std::iter::repeat(&0.0));
                        let far = want.iter().zip(read).any(|(a, b)| (a - b).abs() > 1e-5);
                        assert!(!far, "row {row}: {weights:?}, not {want:?}");
                        assert!(weights.is_empty() || *first == keys.start);
                    }
                }
            }
            assert_eq!(each[8], (0, Vec::new()), "nobody's row reads nothing");
        }
    }
}
