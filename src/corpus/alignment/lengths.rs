//! Alignment by length.
//!
//! Gale & Church, "A Program for Aligning Sentences in Bilingual Corpora", Computational Linguistics 19(1), 1993: the
//! difference of two lengths in characters, δ = (l2 − l1·c) / √(l1·s²), is normally distributed between translations;
//! dynamic programming finds the sequence of beads that costs least, where a bead costs
//! −ln(P(bead) · 2(1 − Φ(|δ|))). Their constants: s² = 6.8, and P(bead) from their Table 5.
//!
//! As in the program of their appendix, l1 under the root is the mean of both lengths. Unlike there, c is estimated
//! from the texts ([`length_ratio`]) and lengths of the target are divided by it, so that s² stays in characters of the
//! source for languages that need far fewer; and a bead without a partner has a bounded cost, since of a text that
//! without a translation the length says little.

use std::ops::Range;

/// Variance of the target's length per character of the source.
const VARIANCE: f64 = 6.8;
/// How far from the diagonal a partner may be: bounds time and memory for documents with thousands of paragraphs.
const BAND: usize = 400;
/// No bead may cost less than minus this.
const MOST_SAVED: f64 = super::anchors::MOST_GAINED;

/// Texts of both sides that belong together; one side may have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bead {
    pub source: Range<usize>,
    pub target: Range<usize>,
}

impl Bead {
    /// Whether one side has nothing.
    pub(super) fn is_unpaired(&self) -> bool {
        self.source.is_empty() || self.target.is_empty()
    }
}

/// How many texts of each side a bead may have, and −ln of their probability.
const BEADS: [(usize, usize, f64); 6] = [
    (1, 1, 0.1165),
    (1, 0, 4.6152),
    (0, 1, 4.6152),
    (2, 1, 2.4191),
    (1, 2, 2.4191),
    (2, 2, 4.5099),
];

/// Characters of the target for one of the source: the median over pairs of whole documents; 1 if there are none.
///
/// Each document counts as if it had a few more characters on both sides, for a short one says little.
pub(crate) fn length_ratio(documents: impl IntoIterator<Item = (usize, usize)>) -> f64 {
    const MORE: usize = 200;
    let usable = documents
        .into_iter()
        .filter(|&(source, target)| source > 0 && target > 0);
    let ratio = |(source, target)| (target + MORE) as f64 / (source + MORE) as f64;
    let mut ratios: Vec<f64> = usable.map(ratio).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
}

/// |δ| of two lengths, that of the target divided by the ratio.
pub(super) fn deviation(source: f64, target: f64) -> f64 {
    let mean = f64::midpoint(source, target);
    if mean == 0.0 {
        0.0
    } else {
        (target - source).abs() / (VARIANCE * mean).sqrt()
    }
}

/// −ln(2(1 − Φ(|δ|))), by formula 26.2.17 of Abramowitz & Stegun, which the authors' program uses as well.
pub(super) fn mismatch(deviation: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * deviation);
    let series = [
        1.330_274_429,
        -1.821_255_978,
        1.781_477_937,
        -0.356_563_782,
        0.319_381_53,
    ];
    let tail = series.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    deviation * deviation / 2.0 - (2.0 * 0.398_942_28 * tail).ln()
}

/// The cheapest sequence of beads over `source` and `target` texts.
///
/// `cost` returns the cost of a bead without that of its kind; every text is in exactly one bead.
pub(super) fn beads(source: usize, target: usize, cost: impl Fn(&Bead) -> f64) -> (Vec<Bead>, f64) {
    // Wide enough for the bands of two rows to meet, however steep the diagonal.
    let half = BAND + target / source.max(1);
    let width = 2 * half + 1;
    let first = |row: usize| (row * target / source.max(1)).saturating_sub(half);
    // The last step of the cheapest path to each cell, and for the last rows its cost.
    let mut steps = vec![u8::MAX; (source + 1) * width];
    let mut costs: Vec<Vec<f64>> = Vec::with_capacity(source + 1);
    for row in 0..=source {
        costs.push(vec![f64::INFINITY; width]);
        for column in first(row)..=target.min(first(row) + width - 1) {
            if row == 0 && column == 0 {
                costs[0][0] = 0.0;
                continue;
            }
            for (step, &(ours, theirs, prior)) in BEADS.iter().enumerate() {
                let (Some(from), Some(column_before)) =
                    (row.checked_sub(ours), column.checked_sub(theirs))
                else {
                    continue;
                };
                let before = column_before
                    .checked_sub(first(from))
                    .and_then(|offset| costs[from].get(offset).copied())
                    .unwrap_or(f64::INFINITY);
                let cell = column - first(row);
                if before + prior >= costs[row][cell] + MOST_SAVED || before.is_infinite() {
                    continue;
                }
                let bead = Bead {
                    source: from..row,
                    target: column_before..column,
                };
                let total = before + prior + cost(&bead);
                if total < costs[row][cell] {
                    costs[row][cell] = total;
                    steps[row * width + cell] = u8::try_from(step).expect("six kinds of beads");
                }
            }
        }
        if row >= 2 {
            costs[row - 2] = Vec::new();
        }
    }
    let total = costs[source][target - first(source)];
    let (mut row, mut column, mut found) = (source, target, Vec::new());
    while (row, column) != (0, 0) {
        let (ours, theirs, _) = BEADS[usize::from(steps[row * width + column - first(row)])];
        found.push(Bead {
            source: row - ours..row,
            target: column - theirs..column,
        });
        (row, column) = (row - ours, column - theirs);
    }
    found.reverse();
    (found, total)
}

/// Text by text, and what that costs.
pub(super) fn one_to_one(count: usize, cost: impl Fn(&Bead) -> f64) -> (Vec<Bead>, f64) {
    let beads = (0..count).map(|index| Bead {
        source: index..index + 1,
        target: index..index + 1,
    });
    let beads: Vec<Bead> = beads.collect();
    let total = beads.iter().map(|bead| BEADS[0].2 + cost(bead)).sum();
    (beads, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_length(source: &[f64], target: &[f64]) -> Vec<(usize, usize)> {
        let cost = |bead: &Bead| {
            let ours = source[bead.source.clone()].iter().sum();
            mismatch(deviation(ours, target[bead.target.clone()].iter().sum()))
        };
        let (found, _) = beads(source.len(), target.len(), cost);
        found
            .iter()
            .map(|bead| (bead.source.len(), bead.target.len()))
            .collect()
    }

    #[test]
    fn the_cost_of_a_length_is_that_of_the_normal_distribution() {
        // 2(1 − Φ(1)) = 0.317311, 2(1 − Φ(3)) = 0.002700
        assert!((mismatch(1.0) - 1.147_87).abs() < 1e-4);
        assert!((mismatch(3.0) - 5.914_5).abs() < 1e-3);
        assert!(mismatch(0.0).abs() < 1e-6);
        assert!(mismatch(60.0).is_finite());
    }

    #[test]
    fn a_merged_sentence_is_found() {
        assert_eq!(
            by_length(&[40.0, 50.0, 30.0], &[42.0, 82.0]),
            [(1, 1), (2, 1)]
        );
        assert_eq!(
            by_length(&[42.0, 82.0], &[40.0, 50.0, 30.0]),
            [(1, 1), (1, 2)]
        );
    }

    #[test]
    fn sides_without_texts_give_beads_without_partners() {
        assert_eq!(by_length(&[40.0, 50.0], &[]), [(1, 0), (1, 0)]);
        assert_eq!(by_length(&[], &[40.0]), [(0, 1)]);
        assert_eq!(by_length(&[], &[]), []);
    }

    #[test]
    fn thousands_of_texts_stay_within_the_band() {
        let source: Vec<f64> = (0..2_000).map(|n| f64::from(20 + n * 37 % 90)).collect();
        let mut target = source.clone();
        target.drain(300..303);
        let found = by_length(&source, &target);
        let paired = found.iter().filter(|&&bead| bead == (1, 1)).count();
        assert!(paired > 1_980, "{paired}");
    }

    #[test]
    fn very_unequal_sides_are_aligned_all_the_same() {
        for (source, target) in [(0, 2_000), (1, 2_000), (3, 5_000), (2_000, 1)] {
            let found = by_length(&vec![40.0; source], &vec![30.0; target]);
            let texts = found
                .iter()
                .fold((0, 0), |sum, bead| (sum.0 + bead.0, sum.1 + bead.1));
            assert_eq!(texts, (source, target));
        }
    }

    #[test]
    fn the_ratio_is_the_median_of_the_documents() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9);
        close(
            length_ratio([(9_800, 11_800), (0, 3), (100, 900), (100, 110)]),
            1.2,
        );
        close(length_ratio([(10, 30)]), 230.0 / 210.0);
        close(length_ratio([]), 1.0);
    }
}
