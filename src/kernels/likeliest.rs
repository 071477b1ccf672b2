//! The tokens that a search goes on with, chosen on the device that computes their scores.

use burn::tensor::Tensor;

use super::cpu;
use super::log_softmax::log_softmax;

/// What a search reads of the scores of each hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadTokens {
    /// So many ids are read whatever their scores: `0..first`.
    pub first: usize,
    /// Of the others, so many of the likeliest; the lowest ids among equal ones.
    pub likeliest: usize,
}

/// Log-probabilities of the tokens that a search reads, of all if it names none; on the CPU, where they lie already, and
/// where nearly all are read, of all.
///
/// # Shapes
/// - scores: `[rows, vocab]` before softmax, without a gradient graph
/// - output: `[rows, vocab]`, row by row; `-inf` where nothing is read
pub fn log_probs(scores: Tensor<2>, read: Option<ReadTokens>) -> Vec<f32> {
    let [_, vocab] = scores.dims();
    match read.filter(|read| read.is_less_than(vocab)) {
        Some(read) if !cpu::is_here(&scores.device()) => read.log_probs(scores),
        _ => log_softmax(scores),
    }
}

impl ReadTokens {
    /// Whether less is read than there is in a vocabulary of so many tokens, whose ids 32-bit floats can hold.
    fn is_less_than(&self, vocab: usize) -> bool {
        const LARGEST: usize = 1 << f32::MANTISSA_DIGITS;
        1 + self.first + 2 * self.likeliest < vocab && vocab <= LARGEST
    }

    /// Log-probabilities of the tokens that are read; all others are `-inf`. One tensor of a few numbers comes from the
    /// device: for each row the normaliser, the scores of the first ids, the likeliest scores, their ids.
    ///
    /// # Shapes
    /// - scores, output: as [`log_probs`]
    fn log_probs(&self, scores: Tensor<2>) -> Vec<f32> {
        let [rows, vocab] = scores.dims();
        let Self { first, likeliest } = *self;
        let largest = scores.clone().max_dim(1);
        let sums = (scores.clone() - largest.clone()).exp().sum_dim(1);
        let others = scores.clone().narrow(1, first, vocab - first);
        let (values, places) = others.topk_with_indices(likeliest, 1);
        let mut parts = vec![sums.log() + largest, values, places.float()];
        if first > 0 {
            parts.insert(1, scores.narrow(1, 0, first));
        }
        let read = Tensor::cat(parts, 1).into_data().try_into_vec::<f32>();
        let read = read.expect("scores are 32-bit floats");
        let mut log_probs = vec![f32::NEG_INFINITY; rows * vocab];
        let rows = log_probs.chunks_exact_mut(vocab);
        for (row, read) in rows.zip(read.chunks_exact(1 + first + 2 * likeliest)) {
            let normaliser = read[0];
            let (values, places) = read[1 + first..].split_at(likeliest);
            for (log_prob, score) in row.iter_mut().zip(&read[1..=first]) {
                *log_prob = score - normaliser;
            }
            for (score, &place) in values.iter().zip(places) {
                // Where less is possible than is asked for, the rest names no place.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a whole number, or -1"
                )]
                let place = if place < 0.0 {
                    vocab
                } else {
                    first + place as usize
                };
                if let Some(log_prob) = row.get_mut(place) {
                    *log_prob = score - normaliser;
                }
            }
        }
        log_probs
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Distribution};

    use super::*;
    use crate::kernels::log_softmax;

    /// Places of the largest numbers, the lowest among equal ones.
    fn largest(row: &[f32], count: usize) -> Vec<usize> {
        let mut places: Vec<usize> = (0..row.len()).collect();
        places.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        places.truncate(count);
        places
    }

    #[test]
    fn the_likeliest_have_the_log_probabilities_of_all_scores() {
        let (device, vocab) = (Device::flex(), 1_003);
        device.seed(8);
        let scores = Tensor::<2>::random([5, vocab], Distribution::Normal(0.0, 4.0), &device);
        let all = log_softmax(scores.clone());
        for (first, likeliest) in [(37, 8), (0, 2), (4, 1)] {
            let read = ReadTokens { first, likeliest }.log_probs(scores.clone());
            for (read, all) in read.chunks(vocab).zip(all.chunks(vocab)) {
                let mut told: Vec<usize> = (0..first).collect();
                let others = largest(&all[first..], likeliest);
                told.extend(others.iter().map(|place| first + place));
                for place in 0..vocab {
                    if told.contains(&place) {
                        assert!((read[place] - all[place]).abs() < 1e-4, "{place}");
                    } else {
                        assert!(read[place].is_infinite(), "{place}");
                    }
                }
            }
        }
    }

    #[test]
    fn scores_that_are_no_numbers_are_told() {
        let mut scores = vec![0.0; 100];
        scores[60] = f32::NAN;
        let scores = Tensor::<1>::from_floats(scores.as_slice(), &Device::flex());
        let read = ReadTokens {
            first: 4,
            likeliest: 2,
        };
        let log_probs = read.log_probs(scores.reshape([1, 100]));
        assert!(log_probs[..4].iter().all(|it| it.is_nan()), "{log_probs:?}");
    }
}
