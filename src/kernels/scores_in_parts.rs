//! The scores that a search reads, computed part by part of the vocabulary, so that not all are in memory at once: softmax and the
//! most probable tokens in one pass.

use super::top_k::{NONE, StepScores, TokenSelection, insert_larger};
use super::vectors::largest_and_sum;

/// The scores read for some hypotheses so far.
///
/// A part is `[hypotheses, columns]`, row by row; parts come in the order of their columns.
#[derive(Debug, Clone)]
pub struct ScoresInParts {
    read: TokenSelection,
    sums: Vec<PartialSum>,
    /// Scores of the first columns, `[hypotheses, first]`.
    own: Vec<f32>,
    /// Scores of the others, `[hypotheses, top_k]` with their columns, the largest first.
    top_k: Vec<(u32, f32)>,
    /// Scores of some requested columns, the same number for each hypothesis.
    kept: Vec<f32>,
}

/// `Σ e^x` is `e^largest · sum`.
#[derive(Debug, Clone, Copy)]
struct PartialSum {
    largest: f32,
    sum: f32,
    /// The largest of the last part.
    of_part: f32,
}

impl PartialSum {
    const NOTHING: Self = Self {
        largest: f32::NEG_INFINITY,
        sum: 0.0,
        of_part: f32::NEG_INFINITY,
    };

    fn add(&mut self, (largest, sum): (f32, f32)) {
        self.of_part = largest;
        if largest <= self.largest {
            self.sum += sum * (largest - self.largest).exp();
        } else {
            self.sum = self.sum * (self.largest - largest).exp() + sum;
            self.largest = largest;
        }
    }

    fn logarithm(self) -> f32 {
        self.largest + self.sum.ln()
    }
}

impl ScoresInParts {
    /// Scores of `hypotheses` hypotheses, before the first part; for all of them together the scores of `kept` columns are
    /// [kept](Self::keep).
    pub fn new(read: TokenSelection, hypotheses: usize, kept: usize) -> Self {
        Self {
            read,
            sums: vec![PartialSum::NOTHING; hypotheses],
            own: vec![f32::NEG_INFINITY; hypotheses * read.first],
            top_k: vec![NONE; hypotheses * read.top_k],
            kept: vec![f32::NEG_INFINITY; kept],
        }
    }

    /// Adds a part to the normalisers; what is no number makes them none. What is not to count is minus infinity.
    pub fn sum(&mut self, part: &[f32]) {
        let columns = part.len() / self.sums.len().max(1);
        for (sum, scores) in self.sums.iter_mut().zip(part.chunks_exact(columns.max(1))) {
            let found = largest_and_sum(scores);
            if found.0 > f32::NEG_INFINITY {
                sum.add(found);
            } else if scores.iter().any(|score| score.is_nan()) {
                sum.sum = f32::NAN;
            }
        }
    }

    /// Keeps the requested scores of a part whose first column has the number `first`: `columns` names as many for each
    /// hypothesis, one after the other, or none in the place of one that is impossible.
    pub fn keep(&mut self, first: usize, part: &[f32], columns: &[Option<usize>]) {
        let hypotheses = self.sums.len().max(1);
        let (width, of_row) = (part.len() / hypotheses, columns.len() / hypotheses);
        for (number, (kept, column)) in self.kept.iter_mut().zip(columns).enumerate() {
            let column = column.and_then(|column| column.checked_sub(first));
            if let Some(column) = column.filter(|column| *column < width) {
                *kept = part[number / of_row * width + column];
            }
        }
    }

    /// The kept scores; minus infinity for a column that never came.
    pub fn kept(&self) -> &[f32] {
        &self.kept
    }

    /// Keeps what is read of a part that was added to the normalisers, less what is minus infinity since; `first` is the number of
    /// its first column.
    pub fn rank(&mut self, first: usize, part: &[f32]) {
        let columns = part.len() / self.sums.len().max(1);
        let TokenSelection { first: own, top_k } = self.read;
        let listed = first.min(own)..own.min(first + columns);
        let others = listed.end.max(first) - first;
        for (row, scores) in part.chunks_exact(columns.max(1)).enumerate() {
            self.own[row * own..][listed.clone()].copy_from_slice(&scores[..listed.len()]);
            let found = &mut self.top_k[row * top_k..][..top_k];
            if found
                .last()
                .is_some_and(|least| self.sums[row].of_part > least.1)
            {
                // The normaliser shows what is no number.
                insert_larger(&scores[others..], first + others, found).ok();
            }
        }
    }

    /// With what was read of the parts after.
    #[must_use]
    pub fn and(mut self, behind: Self) -> Self {
        for (sum, other) in self.sums.iter_mut().zip(&behind.sums) {
            if other.largest > f32::NEG_INFINITY || other.sum.is_nan() {
                sum.add((other.largest, other.sum));
            }
        }
        let own = self.own.iter_mut().zip(&behind.own);
        for (own, other) in own.chain(self.kept.iter_mut().zip(&behind.kept)) {
            *own = own.max(*other);
        }
        let top_k = self.read.top_k.max(1);
        let rows = self.top_k.chunks_exact_mut(top_k);
        for (found, others) in rows.zip(behind.top_k.chunks_exact(top_k)) {
            for &(column, score) in others {
                insert_larger(&[score], column as usize, found).ok();
            }
        }
        self
    }

    /// Writes what was read to `scores`; `id` names the token of a column.
    pub fn write_to(&self, scores: &mut StepScores, id: impl Fn(usize) -> u32) {
        scores.values.clear();
        scores.normalisers.clear();
        let mut columns = scores.columns.take().unwrap_or_default();
        columns.others.clear();
        let TokenSelection { first, top_k } = self.read;
        for (row, sum) in self.sums.iter().enumerate() {
            scores.normalisers.push(sum.logarithm());
            scores
                .values
                .extend_from_slice(&self.own[row * first..][..first]);
            for &(column, score) in &self.top_k[row * top_k..][..top_k] {
                scores.values.push(score);
                columns.others.push(id(column as usize));
            }
        }
        scores.columns = Some(columns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::log_sum_exp;

    const READ: TokenSelection = TokenSelection { first: 5, top_k: 3 };

    /// Rows of scores in parts of `columns` columns, on two cores.
    fn read(rows: &[Vec<f32>], columns: usize) -> StepScores {
        let all = rows[0].len();
        let kept_columns: Vec<Option<usize>> =
            rows.iter().flat_map(|_| [Some(all - 1), None]).collect();
        let of_core = |own: std::ops::Range<usize>| {
            let mut found = ScoresInParts::new(READ, rows.len(), kept_columns.len());
            for first in own.clone().step_by(columns) {
                let part = rows
                    .iter()
                    .flat_map(|row| &row[first..own.end.min(first + columns)]);
                let part: Vec<f32> = part.copied().collect();
                found.sum(&part);
                found.keep(first, &part, &kept_columns);
                found.rank(first, &part);
            }
            found
        };
        let found = of_core(0..all / 3).and(of_core(all / 3..all));
        let expected = rows
            .iter()
            .flat_map(|row| [row[all - 1], f32::NEG_INFINITY]);
        assert_eq!(found.kept(), expected.collect::<Vec<_>>());
        let mut scores = StepScores::default();
        found.write_to(&mut scores, |column| {
            u32::try_from(column).expect("small") + 100
        });
        scores
    }

    #[test]
    fn parts_have_the_results_of_whole_rows() {
        let number = |row: usize, column: usize| (row * 37 + column * 59) % 101;
        let score = |row, column| number(row, column) as f32 / 7.0 - 9.0;
        let rows: Vec<Vec<f32>> = (0..4)
            .map(|row| (0..203).map(|column| score(row, column)).collect())
            .collect();
        for columns in [1, 4, 7, 64, 300] {
            let found = read(&rows, columns);
            let others = &found.columns.as_ref().expect("a part of them").others;
            for (row, scores) in rows.iter().enumerate() {
                let normaliser = found.normalisers[row];
                assert!((normaliser - log_sum_exp(scores)).abs() < 1e-5);
                let values = &found.values[row * 8..][..8];
                assert_eq!(values[..5], scores[..5]);
                // The first ones of equal scores.
                let mut places: Vec<usize> = (5..203).collect();
                places.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
                for place in 0..3 {
                    assert_eq!(others[row * 3 + place] as usize, places[place] + 100);
                    assert_eq!(values[5 + place..][..1], scores[places[place]..][..1]);
                }
            }
        }
    }

    #[test]
    fn impossible_scores_and_nan_are_reported() {
        let mut rows = vec![vec![f32::NEG_INFINITY; 20]; 3];
        rows[0][11] = 2.0;
        rows[1][12] = f32::NAN;
        let scores = read(&rows, 4);
        assert_eq!(
            [&scores.normalisers[..1], &scores.values[5..6]],
            [&[2.0], &[2.0]]
        );
        assert_eq!(scores.columns.expect("a part of them").others[0], 111);
        assert!(scores.normalisers[1].is_nan());
        assert_eq!(scores.values[16..], [f32::NEG_INFINITY; 8]);
    }
}
