//! One vector for each sequence of rows.

use std::ops::Range;

use burn::tensor::{Tensor, TensorData};
use serde::{Deserialize, Serialize};

/// How the states of a sequence become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The state of the first token, BERT's `[CLS]`.
    First,
    /// Their sum, divided by the root of their number.
    SumOverRoot,
}

/// Pools the rows of each sequence; one without rows gets zeros.
///
/// # Shapes
/// - states: `[rows, d_model]`
/// - output: `[sequences, d_model]`
pub fn pooled(states: Tensor<2>, sequences: &[Range<usize>], pooling: Pooling) -> Tensor<2> {
    let ([rows, _], device) = (states.dims(), states.device());
    let mut weights = vec![0.0_f32; sequences.len() * rows];
    for (sequence, weights) in sequences.iter().zip(weights.chunks_exact_mut(rows.max(1))) {
        #[expect(clippy::cast_precision_loss, reason = "sequences are short")]
        let length = sequence.len() as f32;
        let weights = &mut weights[sequence.clone()];
        match pooling {
            Pooling::Mean => weights.fill(1.0 / length),
            Pooling::SumOverRoot => weights.fill(1.0 / length.sqrt()),
            Pooling::First => {
                if let Some(first) = weights.first_mut() {
                    *first = 1.0;
                }
            }
        }
    }
    let weights = TensorData::new(weights, [sequences.len(), rows]);
    Tensor::<2>::from_data(weights, &device).matmul(states)
}

/// Rows of length 1; a row of zeros stays one.
pub fn normalised(x: Tensor<2>) -> Tensor<2> {
    let length = x.clone().square().sum_dim(1).sqrt().clamp_min(1e-12);
    x / length
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;

    #[test]
    fn each_way_pools_each_sequence_for_itself() {
        let states = [[1.0, 4.0], [3.0, 0.0], [5.0, 5.0], [7.0, 7.0]];
        let states = Tensor::<2>::from_floats(states, &Device::flex());
        let sequences = [0..2, 2..2, 2..4];
        let root = 2.0_f32.sqrt();
        for (pooling, want) in [
            (Pooling::Mean, [2.0, 2.0, 0.0, 0.0, 6.0, 6.0]),
            (Pooling::First, [1.0, 4.0, 0.0, 0.0, 5.0, 5.0]),
            (
                Pooling::SumOverRoot,
                [4.0 / root, 4.0 / root, 0.0, 0.0, 12.0 / root, 12.0 / root],
            ),
        ] {
            let found = pooled(states.clone(), &sequences, pooling).into_data();
            let found: Vec<f32> = found.try_into_vec().expect("floats");
            for (found, want) in found.iter().zip(want) {
                assert!((found - want).abs() < 1e-6, "{pooling:?}: {found} {want}");
            }
        }
    }
}
