//! KeepTopT: the `t` most relevant sentences, or nodes of a level.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, Eq. 4.

use burn::tensor::{Bool, Tensor, TensorData};

/// KeepTopT, Eq. 4: the `t` largest scores of every row stay, the others become `-inf`.
///
/// # Shapes
/// - scores, output: `[rows, sentences]`
pub fn keep_top_t(scores: Tensor<2>, t: usize) -> Tensor<2> {
    let ([rows, sentences], device) = (scores.dims(), scores.device());
    let numbers: Vec<f32> = scores.to_data().iter().collect();
    let mut dropped = vec![true; numbers.len()];
    for (row, scores) in numbers.chunks_exact(sentences.max(1)).enumerate() {
        for position in top_t(scores, t) {
            dropped[row * sentences + position] = false;
        }
    }
    let dropped =
        Tensor::<2, Bool>::from_data(TensorData::new(dropped, [rows, sentences]), &device);
    scores.mask_fill(dropped, f32::NEG_INFINITY)
}

/// Places of the `t` largest scores, ascending; of equal ones the first. `-inf` never counts.
pub fn top_t(scores: &[f32], t: usize) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..scores.len())
        .filter(|&position| scores[position] > f32::NEG_INFINITY)
        .collect();
    if positions.len() > t {
        if t > 0 {
            positions.select_nth_unstable_by(t - 1, |&a, &b| {
                scores[b].total_cmp(&scores[a]).then(a.cmp(&b))
            });
        }
        positions.truncate(t);
        positions.sort_unstable();
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_scores_stay_and_ties_go_to_the_first() {
        let hidden = f32::NEG_INFINITY;
        assert_eq!(top_t(&[0.1, 3.0, hidden, 2.0, 2.0], 2), [1, 3]);
        assert_eq!(top_t(&[hidden, 1.0, hidden], 2), [1]);
        assert_eq!(top_t(&[1.0, 2.0], 9), [0, 1]);
        assert!(top_t(&[1.0], 0).is_empty());
    }
}
