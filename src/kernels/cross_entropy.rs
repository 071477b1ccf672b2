//! Cross-entropy with label smoothing.
//!
//! Szegedy et al., "Rethinking the Inception Architecture", CVPR 2016, §7: the target is `(1 - ε) onehot + ε / vocab`,
//! spread over the whole vocabulary.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};
use rayon::prelude::*;

use super::cpu::{self, CpuOperation, Matrix};
use super::gpu_training;
use super::vectors::{exp_below_largest, sum};

/// Mean loss over all rows, in nats a token.
///
/// # Shapes
/// - logits: `[rows, vocab]`; targets: one id a row
/// - output: `[1]`
pub fn label_smoothed_cross_entropy(
    logits: Tensor<2>,
    targets: &[u32],
    smoothing: f32,
) -> Tensor<1> {
    let [rows, vocab] = logits.dims();
    assert_eq!(
        rows,
        targets.len(),
        "logits have {rows} rows for {} targets",
        targets.len()
    );
    assert!(
        targets.iter().all(|&target| (target as usize) < vocab),
        "a target is outside the vocabulary of {vocab}"
    );
    if !cpu::is_cpu(&logits.device()) {
        let from_gpu = gpu_training::cross_entropy(&logits, targets, smoothing);
        return from_gpu.unwrap_or_else(|| plain(logits, targets, smoothing));
    }
    let operation = CrossEntropy {
        targets: targets.to_vec(),
        smoothing,
    };
    cpu::run_in_place(operation, logits)
}

fn plain(logits: Tensor<2>, targets: &[u32], smoothing: f32) -> Tensor<1> {
    let device = logits.device();
    let log_probs = log_softmax(logits, 1);
    let ids: Vec<i32> = targets
        .iter()
        .map(|&id| i32::try_from(id).expect("ids fit 31 bits"))
        .collect();
    let targets = Tensor::<2, Int>::from_data(TensorData::new(ids, [targets.len(), 1]), &device);
    let of_target = log_probs.clone().gather(1, targets).mean();
    (of_target * (1.0 - smoothing) + log_probs.mean() * smoothing).neg()
}

#[derive(Clone, Debug)]
struct CrossEntropy {
    targets: Vec<u32>,
    smoothing: f32,
}

impl CpuOperation<1> for CrossEntropy {
    /// Gradient of the mean loss by the logits: it costs the forward pass next to nothing.
    type Saved = Matrix;

    fn forward(&self, [mut logits]: [Matrix; 1]) -> (Matrix, Matrix) {
        let vocab = logits.columns();
        let weight = 1.0 / self.targets.len().max(1) as f32;
        let spread = self.smoothing / vocab as f32;
        let mut losses = vec![0.0_f32; self.targets.len()];
        logits
            .values_mut()
            .par_chunks_mut(vocab)
            .zip(&mut losses)
            .zip(&self.targets)
            .for_each(|((row, loss), &target)| {
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        let mean = sum(row) / vocab as f32;
                        let target = target as usize;
                        let of_target = row[target];
                        let (total, largest) = exp_below_largest(row);
                        let log_total = total.ln() + largest;
                        *loss =
                            log_total - (1.0 - self.smoothing) * of_target - self.smoothing * mean;
                        let scale = weight / total;
                        let shift = spread * weight;
                        for x in row.iter_mut() {
                            *x = *x * scale - shift;
                        }
                        row[target] -= (1.0 - self.smoothing) * weight;
                    },
                );
            });
        let loss: f64 = losses.iter().map(|&loss| f64::from(loss)).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a loss in nats")]
        let loss = (loss * f64::from(weight)) as f32;
        (Matrix::from_vector(vec![loss]), logits)
    }

    #[expect(clippy::float_cmp, reason = "exactly 1 unless the loss was scaled")]
    fn backward(&self, mut saved: Matrix, gradient: Matrix) -> [Matrix; 1] {
        let factor = gradient.values()[0];
        if factor != 1.0 {
            let columns = saved.columns();
            cpu::for_rows(saved.values_mut(), columns, |_, rows| {
                for x in rows {
                    *x *= factor;
                }
            });
        }
        [saved]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::assert_same;

    #[test]
    fn fused_loss_equals_the_plain_one() {
        let targets = [3, 0, 36, 3, 11];
        for smoothing in [0.0, 0.1] {
            assert_same(
                [[5, 37]],
                |[logits]| label_smoothed_cross_entropy(logits, &targets, smoothing),
                |[logits]| plain(logits, &targets, smoothing),
            );
        }
    }
}
