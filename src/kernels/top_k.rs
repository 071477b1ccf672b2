//! The tokens that a search continues with, chosen on the device that computes their scores.

use burn::tensor::Tensor;

use super::cpu;
use super::log_softmax::log_softmax;

/// The scores that a search reads for each hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenSelection {
    /// Number of ids that are read whatever their scores: `0..first`.
    pub first: usize,
    /// Number of the top-scoring others; the lowest ids among equal ones.
    pub top_k: usize,
}

/// Scores of what may follow each of some hypotheses.
#[derive(Debug, Clone, Default)]
pub struct StepScores {
    /// `[hypotheses, columns]`, row by row.
    pub values: Vec<f32>,
    /// The excess of each hypothesis's scores over log-probabilities (natural logarithm).
    pub normalisers: Vec<f32>,
    /// Whose scores the columns are; none if they are those of the whole vocabulary.
    pub columns: Option<SelectedScores>,
}

/// Tokens whose scores are given, one for each column. The first columns are those of the lowest ids.
#[derive(Debug, Clone, Default)]
pub struct SelectedScores {
    /// The ids of the other columns of each hypothesis, row by row, the top-scoring first.
    pub others: Vec<u32>,
}

impl SelectedScores {
    /// The ids of the other columns of hypothesis `row` among `rows`.
    pub fn others_of(&self, row: usize, rows: usize) -> &[u32] {
        let count = self.others.len().checked_div(rows).unwrap_or(0);
        &self.others[row * count..][..count]
    }
}

/// The scores of what may follow one hypothesis.
#[derive(Debug)]
pub struct ScoreRow<'a> {
    /// One for each column.
    pub scores: &'a mut [f32],
    /// The logarithm of the sum of the exponentials of all scores.
    pub normaliser: f32,
    /// The ids of the last columns, where they are not those of the whole vocabulary.
    others: Option<&'a [u32]>,
}

impl ScoreRow<'_> {
    /// The token whose score is in a column.
    pub fn id(&self, column: u32) -> u32 {
        self.others.map_or(column, |others| {
            let first = self.scores.len() - others.len();
            let other = (column as usize).checked_sub(first);
            other.map_or(column, |other| others[other])
        })
    }

    fn suppress(&mut self, ids: &[u32]) {
        let others = self.others.unwrap_or_default();
        let first = self.scores.len() - others.len();
        let (first, last) = self.scores.split_at_mut(first);
        for &id in ids {
            if let Some(score) = first.get_mut(id as usize) {
                *score = f32::NEG_INFINITY;
            }
        }
        for (id, score) in others.iter().zip(last) {
            if ids.contains(id) {
                *score = f32::NEG_INFINITY;
            }
        }
    }
}

impl StepScores {
    /// Reads the scores of the tokens that a search requests, of all if it names none; on the CPU, where they already are, and
    /// where nearly all are requested, of all.
    ///
    /// # Shapes
    /// - scores: `[hypotheses, vocab]` before softmax, without a gradient graph
    pub fn read(&mut self, scores: Tensor<2>, read: Option<TokenSelection>) {
        let [hypotheses, vocab] = scores.dims();
        match read.filter(|read| read.is_less_than(vocab)) {
            Some(read) if !cpu::is_cpu(&scores.device()) => read.select(scores, self),
            _ => self.put(log_softmax(scores), hypotheses),
        }
    }

    /// Log-probabilities of the whole vocabulary.
    pub fn put(&mut self, log_probs: Vec<f32>, hypotheses: usize) {
        self.values = log_probs;
        self.normalisers.clear();
        self.normalisers.resize(hypotheses, 0.0);
        self.columns = None;
    }

    /// Scores of each hypothesis.
    pub fn rows(&mut self) -> impl Iterator<Item = ScoreRow<'_>> {
        let hypotheses = self.normalisers.len();
        let width = self.values.len().checked_div(hypotheses).unwrap_or(0);
        let rows = self.values.chunks_exact_mut(width.max(1));
        let columns = self.columns.as_ref();
        let rows = rows.zip(&self.normalisers).enumerate();
        rows.map(move |(row, (scores, &normaliser))| ScoreRow {
            scores,
            normaliser,
            others: columns.map(|selected| selected.others_of(row, hypotheses)),
        })
    }

    /// Makes these tokens impossible.
    pub fn suppress(&mut self, ids: &[u32]) {
        self.rows().for_each(|mut row| row.suppress(ids));
    }
}

impl TokenSelection {
    /// Whether less is read than there is in a vocabulary of `vocab` tokens, whose ids 32-bit floats can hold.
    pub fn is_less_than(&self, vocab: usize) -> bool {
        const LARGEST: usize = 1 << f32::MANTISSA_DIGITS;
        self.num_values() < vocab && vocab <= LARGEST
    }

    /// The scores of the tokens that are read. One tensor of a few numbers comes from the device: for each row the normaliser,
    /// the scores of the first ids, the top scores, their ids.
    fn select(self, scores: Tensor<2>, step_scores: &mut StepScores) {
        let [_, vocab] = scores.dims();
        let Self { first, top_k } = self;
        let largest = scores.clone().max_dim(1);
        let sums = (scores.clone() - largest.clone()).exp().sum_dim(1);
        let others = scores.clone().narrow(1, first, vocab - first);
        let (values, places) = others.topk_with_indices(top_k, 1);
        let mut parts = vec![sums.log() + largest, values, places.float()];
        if first > 0 {
            parts.insert(1, scores.narrow(1, 0, first));
        }
        let read = Tensor::cat(parts, 1).into_data().try_into_vec::<f32>();
        let read = read.expect("scores are 32-bit floats");
        let first = u32::try_from(first).expect("few ids");
        self.unpack(
            &read,
            step_scores,
            |score| score,
            |place| {
                // Where fewer are possible than requested, the rest names no place.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a whole number, or -1"
                )]
                (place >= 0.0).then_some(place.max(0.0) as u32 + first)
            },
        );
    }

    /// Numbers that are read for each hypothesis: the normaliser, the scores, and the ids of the top-scoring ones.
    pub fn num_values(&self) -> usize {
        1 + self.first + 2 * self.top_k
    }

    /// Puts what was read of a device in its place. `score` and `id` make of a number what it stands for.
    pub fn unpack<T: Copy>(
        &self,
        read: &[T],
        step_scores: &mut StepScores,
        score: impl Fn(T) -> f32,
        id: impl Fn(T) -> Option<u32>,
    ) {
        let Self { first, top_k } = *self;
        let StepScores {
            values,
            normalisers,
            columns,
        } = step_scores;
        values.clear();
        normalisers.clear();
        let mut ids = columns
            .take()
            .map_or_else(Vec::new, |selected| selected.others);
        ids.clear();
        for read in read.chunks_exact(self.num_values()) {
            let (scores, others) = read[1..].split_at(first + top_k);
            normalisers.push(score(read[0]));
            let begin = values.len() + first;
            values.extend(scores.iter().copied().map(&score));
            for (&other, score) in others.iter().zip(&mut values[begin..]) {
                ids.push(id(other).unwrap_or_else(|| {
                    *score = f32::NEG_INFINITY;
                    0
                }));
            }
        }
        *columns = Some(SelectedScores { others: ids });
    }
}

/// The largest of a row of scores with their places, the largest first and the first ones among equal ones.
///
/// # Errors
/// The first score that is NaN.
pub fn largest(scores: &[f32], count: usize) -> Result<Vec<(u32, f32)>, f32> {
    let mut found = vec![NONE; count];
    insert_larger(scores, 0, &mut found)?;
    found.truncate(found.partition_point(|it| it.1 > f32::NEG_INFINITY));
    Ok(found)
}

/// In the place of a score that is not there.
pub(super) const NONE: (u32, f32) = (0, f32::NEG_INFINITY);

/// Inserts those scores that are larger than the last one of `found`, where the largest are first; the place of the first
/// score is `first`, after all those that were found.
///
/// # Errors
/// The first score that is NaN.
pub(super) fn insert_larger(
    scores: &[f32],
    first: usize,
    found: &mut [(u32, f32)],
) -> Result<(), f32> {
    /// Scores that are passed over together.
    const BLOCK: usize = 64;
    let Some(mut least) = found.last().map(|it| it.1) else {
        return Ok(());
    };
    for (number, block) in scores.chunks(BLOCK).enumerate() {
        if !exceeds(block, least) {
            continue;
        }
        for (place, &score) in block.iter().enumerate() {
            if !exceeds(&[score], least) {
                continue;
            }
            if score.is_nan() {
                return Err(score);
            }
            let position = found.partition_point(|&(_, other)| other >= score);
            let place = first + number * BLOCK + place;
            found[position..].rotate_right(1);
            found[position] = (u32::try_from(place).expect("places fit 32 bits"), score);
            least = found[found.len() - 1].1;
        }
    }
    Ok(())
}

/// Whether one of the scores is more than `least`, or no number.
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN must be found")]
fn exceeds(scores: &[f32], least: f32) -> bool {
    let mut any = false;
    for score in scores {
        any |= !(*score <= least);
    }
    any
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Distribution};

    use super::*;
    use crate::log_softmax;

    /// Places of the largest numbers, the lowest among equal ones.
    fn largest(row: &[f32], count: usize) -> Vec<usize> {
        let mut places: Vec<usize> = (0..row.len()).collect();
        places.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        places.truncate(count);
        places
    }

    #[test]
    fn the_top_scores_have_the_log_probabilities_of_all_scores() {
        let (device, vocab) = (Device::flex(), 1_003);
        device.seed(8);
        let scores = Tensor::<2>::random([5, vocab], Distribution::Normal(0.0, 4.0), &device);
        let all = log_softmax(scores.clone());
        let mut read = StepScores::default();
        for (first, top_k) in [(37, 8), (0, 2), (4, 1)] {
            TokenSelection { first, top_k }.select(scores.clone(), &mut read);
            let rows = read.values.chunks(first + top_k);
            for (row, (scores, all)) in rows.zip(all.chunks(vocab)).enumerate() {
                let selected = read.columns.as_ref().expect("a part of them");
                let others = selected.others_of(row, 5).iter().map(|&id| id as usize);
                let others: Vec<usize> = others.collect();
                let top_k = largest(&all[first..], top_k);
                assert!(
                    others
                        .iter()
                        .copied()
                        .eq(top_k.iter().map(|place| first + place))
                );
                for (id, score) in (0..first).chain(others).zip(scores) {
                    let log_prob = score - read.normalisers[row];
                    assert!((log_prob - all[id]).abs() < 1e-4, "{id}");
                }
            }
        }
    }

    #[test]
    fn what_is_suppressed_is_impossible_wherever_it_is_selected() {
        let device = Device::flex();
        let scores = Tensor::<2>::from_data([[0.0, 1.0, 5.0, 3.0, 4.0, 2.0]], &device);
        let (mut few, mut all) = (StepScores::default(), StepScores::default());
        let two = TokenSelection { first: 2, top_k: 2 };
        two.select(scores.clone(), &mut few);
        all.read(scores, None);
        for read in [&mut few, &mut all] {
            read.suppress(&[1, 4]);
        }
        assert_eq!(few.values[..3], [0.0, f32::NEG_INFINITY, 5.0]);
        assert_eq!(few.columns.expect("a part of them").others, [2, 4]);
        let gone: Vec<bool> = all.values.iter().map(|it| it.is_infinite()).collect();
        assert_eq!(gone, [false, true, false, false, true, false]);
        assert!(few.values[3].is_infinite());
    }

    #[test]
    fn scores_that_are_no_numbers_are_reported() {
        let mut scores = vec![0.0; 100];
        scores[60] = f32::NAN;
        let scores = Tensor::<1>::from_floats(scores.as_slice(), &Device::flex());
        let read = TokenSelection { first: 4, top_k: 2 };
        let mut step_scores = StepScores::default();
        read.select(scores.reshape([1, 100]), &mut step_scores);
        assert!(step_scores.normalisers[0].is_nan(), "{step_scores:?}");
    }
}
