//! Multi-head scaled dot-product attention over runs of rows.
//!
//! Vaswani et al., "Attention Is All You Need", NeurIPS 2017, Eq. 1. The heads are the columns
//! `[h · d_head, (h + 1) · d_head)` of the projected queries, keys and values.

mod fused;
mod padded;
mod plain;

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::cpu::{self, Operand};
use super::dropout::Dropout;
use super::gpu_training;
pub(super) use padded::are_all;
pub use padded::{PaddedRuns, padded_attention};
use plain::plain;

/// Rows of queries and the rows of keys that all of them may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Rows of queries.
    pub queries: Range<usize>,
    /// Rows of keys and values.
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

    /// Row `i` alone attends to run `i` of the keys.
    pub fn one_query_each(keys: impl Iterator<Item = Range<usize>>) -> Arc<[Self]> {
        keys.enumerate()
            .map(|(row, keys)| Self {
                queries: row..row + 1,
                keys,
            })
            .collect()
    }
}

/// Which tokens attend to which.
#[derive(Debug, Clone)]
pub struct Attention {
    /// Heads, side by side in the columns.
    pub num_heads: usize,
    /// Query `i` of a segment sees its keys up to `i + num_keys - num_queries`.
    pub causal: bool,
    /// Ascending and disjoint in their queries; rows that no segment names give zeros.
    pub segments: Arc<[Segment]>,
    /// Drops weights after the softmax, as elements of the matrix `[rows · heads, key rows]`; in training alone.
    pub dropout: Option<Dropout>,
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

    /// Number of a query's weight of the first key of its segment in one head, among the elements of a dropout mask.
    pub(super) fn first_weight(
        &self,
        segment: &Segment,
        query: usize,
        head: usize,
        key_rows: usize,
    ) -> usize {
        let list = (segment.queries.start + query) * self.num_heads + head;
        list.wrapping_mul(key_rows).wrapping_add(segment.keys.start)
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
    let on_gpu = || gpu_training::attention(&q, &k, &v, spec);
    cpu::run(spec.clone(), operands)
        .or_else(|| spec.dropout.is_none().then(on_gpu).flatten())
        .unwrap_or_else(|| plain(&q, &k, &v, spec).0)
}

/// The weights that [`attention`] uses, for display.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::assert_same;

    fn spec(causal: bool, segments: &[(Range<usize>, Range<usize>)]) -> Attention {
        let segments = segments.iter().map(|(queries, keys)| Segment {
            queries: queries.clone(),
            keys: keys.clone(),
        });
        Attention {
            num_heads: 2,
            causal,
            segments: segments.collect(),
            dropout: None,
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
    fn even_segments_need_no_gathering() {
        let segments = [(0..1, 0..3), (1..2, 3..6), (2..3, 6..9)];
        for spec in [spec(false, &segments), spec(true, &segments)] {
            assert_same(
                [[3, 6], [9, 6], [9, 10]],
                |[q, k, v]| attention(q, k, v, &spec),
                |[q, k, v]| plain(&q, &k, &v, &spec).0,
            );
        }
        // A row of the keys that is not read, and masks within.
        for (causal, segments) in [
            (false, [(0..2, 0..4), (2..4, 4..8)]),
            (true, [(0..2, 0..4), (2..4, 4..8)]),
        ] {
            let spec = spec(causal, &segments);
            for keys in [8, 9] {
                assert_same(
                    [[4, 6], [keys, 6], [keys, 10]],
                    |[q, k, v]| attention(q, k, v, &spec),
                    |[q, k, v]| plain(&q, &k, &v, &spec).0,
                );
            }
        }
    }

    #[test]
    fn dropped_weights_and_their_gradients_equal_the_plain_ones() {
        let segments = [(0..2, 0..4), (3..4, 0..4), (5..9, 4..9)];
        for causal in [false, true] {
            let spec = Attention {
                dropout: Some(Dropout {
                    prob: 0.4,
                    stream: 11,
                }),
                ..spec(causal, &segments)
            };
            assert_same(
                [[9, 6], [9, 6], [9, 10]],
                |[q, k, v]| attention(q, k, v, &spec),
                |[q, k, v]| plain(&q, &k, &v, &spec).0,
            );
        }
    }

    #[test]
    fn dropout_leaves_the_mean_of_what_is_read() {
        let device = burn::tensor::Device::flex();
        let keys = 40;
        let (q, k) = (
            Tensor::<2>::zeros([500, 4], &device),
            Tensor::zeros([keys, 4], &device),
        );
        let spec = Attention {
            dropout: Some(Dropout {
                prob: 0.25,
                stream: 3,
            }),
            ..spec(false, &[(0..500, 0..keys)])
        };
        // All weights are the same, and so are all values.
        let read = attention(q, k, Tensor::ones([keys, 2], &device), &spec);
        let mean = read.clone().mean().into_scalar::<f32>();
        let [first, second] = [0, 1].map(|head| read.clone().narrow(1, head, 1));
        let heads_differ = (first - second).abs().mean().into_scalar::<f32>();
        let deviates = (read - 1.0).abs().mean().into_scalar::<f32>();
        assert!((mean - 1.0).abs() < 0.01, "mean {mean}");
        assert!(
            heads_differ > 0.05 && deviates > 0.05,
            "{heads_differ} {deviates}"
        );
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
