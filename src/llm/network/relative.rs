//! Biases of relative positions: Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
//! Transformer", JMLR 2020, Section 2.1.

use std::ops::Range;

/// Biases by the distance of key and query, in buckets that become wider with it.
#[derive(Debug, Clone)]
pub(super) struct Relative {
    /// `[buckets, heads]` of each layer, or of the first, which all share.
    pub tables: Vec<Vec<f32>>,
    pub heads: usize,
    pub buckets: Buckets,
}

/// How distances are cut into buckets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buckets {
    /// Their number: at least 4, and even.
    pub count: usize,
    /// The distance from which on all are one: more than `count`.
    pub farthest: usize,
    /// Whether keys behind the query have buckets of their own, half of all.
    pub reads_on: bool,
}

impl Buckets {
    /// The bucket of a key `distance` tokens behind the query, or before it where it is negative.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "distances and buckets are small whole numbers"
    )]
    pub(crate) fn bucket(self, distance: isize) -> usize {
        let (count, base, far) = if self.reads_on {
            let half = self.count / 2;
            let base = if distance > 0 { half } else { 0 };
            (half, base, distance.unsigned_abs())
        } else {
            (self.count, 0, distance.min(0).unsigned_abs())
        };
        // Half of them have one distance each, the others grow with its logarithm.
        let exact = count / 2;
        if far < exact {
            return base + far;
        }
        let log = (far as f32 / exact as f32).ln();
        let whole = (self.farthest as f64 / exact as f64).ln() as f32;
        let bucket = exact + (log / whole * (count - exact) as f32) as usize;
        base + bucket.min(count - 1)
    }
}

/// The biases of some queries: for each head those of all distances, from the first key to the last.
pub(super) struct Biases {
    rows: Vec<f32>,
    width: usize,
    /// Position of the last query, for which the first key is the first number of a row.
    last: usize,
}

impl Biases {
    /// All of them: `[heads, distances]`.
    pub(crate) fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// Those of a query for the keys it sees.
    pub(crate) fn row(&self, head: usize, position: usize, visible: Range<usize>) -> &[f32] {
        let start = head * self.width + self.last - position + visible.start;
        &self.rows[start..][..visible.len()]
    }
}

impl Relative {
    /// The biases, by layer, of `tokens` queries from position `first` on, for keys up to the last of them.
    #[expect(clippy::cast_possible_wrap, reason = "positions are small")]
    pub(crate) fn biases(&self, first: usize, tokens: usize) -> Vec<Biases> {
        let last = first + tokens - 1;
        let width = last + tokens;
        let buckets = (0..width).map(|place| self.buckets.bucket(place as isize - last as isize));
        let buckets: Vec<usize> = buckets.collect();
        let biases = |table: &Vec<f32>| {
            let row = |head| {
                buckets
                    .iter()
                    .map(move |bucket| table[bucket * self.heads + head])
            };
            Biases {
                rows: (0..self.heads).flat_map(row).collect(),
                width,
                last,
            }
        };
        self.tables.iter().map(biases).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By T5's `_relative_position_bucket` in transformers 5.24.
    #[test]
    fn buckets_are_those_of_t5() {
        let both = Buckets {
            count: 32,
            farthest: 128,
            reads_on: true,
        };
        let found = [-200, -90, -16, -8, -7, -1, 0, 1, 7, 8, 11, 12, 64, 127, 500];
        let expected = [15, 14, 10, 8, 7, 1, 0, 17, 23, 24, 24, 25, 30, 31, 31];
        assert_eq!(found.map(|distance| both.bucket(distance)), expected);
        let causal = Buckets {
            reads_on: false,
            ..both
        };
        let found = [
            3, 0, -1, -15, -16, -18, -19, -21, -63, -64, -112, -113, -300,
        ];
        let expected = [0, 0, 1, 15, 16, 16, 17, 18, 26, 26, 30, 31, 31];
        assert_eq!(found.map(|distance| causal.bucket(distance)), expected);
    }

    #[test]
    fn a_query_that_is_read_alone_has_the_biases_that_it_has_among_others() {
        let relative = Relative {
            tables: vec![(0_u8..8).map(f32::from).collect()],
            heads: 2,
            buckets: Buckets {
                count: 4,
                farthest: 8,
                reads_on: false,
            },
        };
        let together = &relative.biases(0, 6)[0];
        for position in 0..6 {
            let alone = &relative.biases(position, 1)[0];
            for head in 0..2 {
                let seen = 0..position + 1;
                let biases = alone.row(head, position, seen.clone());
                assert_eq!(biases, together.row(head, position, seen));
                assert_eq!(
                    biases.last(),
                    Some(&f32::from(u8::try_from(head).expect("few")))
                );
            }
        }
    }
}
