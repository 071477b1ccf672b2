//! Log-probabilities for the search, which reads them on the CPU whatever device the scores come from.

use burn::tensor::Tensor;

use super::cpu;
use super::vectors::log_sum_exp;

/// `x - ln Σ exp(x)` of every row.
///
/// # Shapes
/// - scores: `[rows, columns]`, without a gradient graph
/// - output: `[rows, columns]`, row by row
pub fn log_softmax(scores: Tensor<2>) -> Vec<f32> {
    let [_, columns] = scores.dims();
    let scores = scores.into_data().try_into_vec();
    let mut scores: Vec<f32> = scores.expect("scores are 32-bit floats");
    cpu::for_rows(&mut scores, columns, |_, rows| {
        for row in rows.chunks_exact_mut(columns.max(1)) {
            let shift = log_sum_exp(row);
            for x in row {
                *x -= shift;
            }
        }
    });
    scores
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Distribution, activation};

    use super::*;

    #[test]
    fn fused_and_plain_agree() {
        let device = Device::flex();
        device.seed(3);
        let scores = Tensor::<2>::random([7, 8_001], Distribution::Normal(0.0, 9.0), &device);
        let plain = activation::log_softmax(scores.clone(), 1).into_data();
        for (fused, plain) in log_softmax(scores).into_iter().zip(plain.iter::<f32>()) {
            assert!(
                (fused - plain).abs() < 2e-5 * plain.abs().max(1.0),
                "{fused} {plain}"
            );
        }
    }

    #[test]
    fn what_cannot_be_stays_impossible() {
        let scores = [[0.0, f32::NEG_INFINITY, 0.0]];
        let found = log_softmax(Tensor::from_floats(scores, &Device::flex()));
        assert!((found[0] + std::f32::consts::LN_2).abs() < 1e-6);
        assert!(found[1].is_infinite());
    }
}
