//! One step of Adam over the numbers of one parameter.
//!
//! Kingma & Ba, "Adam", ICLR 2015, Algorithm 1, with the two bias corrections of its lines 9 and 10.

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::cpu::{self, Matrix};
use super::matmul::dot;

/// The constants of one step.
#[derive(Debug, Clone, Copy)]
pub struct AdamStep {
    /// Decay of the mean of the gradients and of that of their squares.
    pub betas: (f64, f64),
    /// Updates so far, this one counted.
    pub step: i32,
    pub epsilon: f64,
    pub learning_rate: f64,
    /// By which the gradient is multiplied first.
    pub scale: f64,
}

/// The numbers after the step, with the running means of the gradient and of its square.
///
/// # Shapes
/// All `[numbers]`, without a gradient graph; no means before the first step.
pub fn adam(
    values: Tensor<1>,
    gradient: Tensor<1>,
    means: Option<(Tensor<1>, Tensor<1>)>,
    step: AdamStep,
) -> (Tensor<1>, (Tensor<1>, Tensor<1>)) {
    let (first, second) = means.unwrap_or_else(|| {
        let zeros = gradient.zeros_like();
        (zeros.clone(), zeros)
    });
    if cpu::is_here(&values.device()) {
        fused(values, gradient, (first, second), step)
    } else {
        plain(values, gradient, (first, second), step)
    }
}

/// `[1]`: the sum of the squares of `[numbers]`.
pub fn square_sum(gradient: Tensor<1>) -> Tensor<1> {
    if !cpu::is_here(&gradient.device()) {
        return gradient.square().sum();
    }
    let device = gradient.device();
    let gradient = cpu::matrix(gradient);
    let sums = gradient
        .values()
        .par_chunks(CHUNK)
        .map(|part| dot(part, part));
    // Added in their order, so that the sum is the same on every machine.
    let sum: f32 = sums.collect::<Vec<f32>>().into_iter().sum();
    Tensor::from_floats([sum], &device)
}

fn plain(
    values: Tensor<1>,
    gradient: Tensor<1>,
    (first, second): (Tensor<1>, Tensor<1>),
    step: AdamStep,
) -> (Tensor<1>, (Tensor<1>, Tensor<1>)) {
    let (beta_1, beta_2) = step.betas;
    let gradient = gradient * step.scale;
    let first = first * beta_1 + gradient.clone() * (1.0 - beta_1);
    let second = second * beta_2 + gradient.square() * (1.0 - beta_2);
    let (bias_1, bias_2) = step.biases();
    let direction = first.clone() / ((second.clone() / bias_2).sqrt() + step.epsilon);
    let values = values - direction * (step.learning_rate / bias_1);
    (values, (first, second))
}

const CHUNK: usize = 1 << 14;

#[expect(clippy::cast_possible_truncation, reason = "the numbers have 32 bits")]
fn fused(
    values: Tensor<1>,
    gradient: Tensor<1>,
    (first, second): (Tensor<1>, Tensor<1>),
    step: AdamStep,
) -> (Tensor<1>, (Tensor<1>, Tensor<1>)) {
    let [mut values, mut first, mut second] = [values, first, second].map(cpu::matrix);
    let gradient = cpu::matrix(gradient);
    let (bias_1, bias_2) = step.biases();
    let (beta_1, beta_2) = (step.betas.0 as f32, step.betas.1 as f32);
    let (new_1, new_2) = ((1.0 - step.betas.0) as f32, (1.0 - step.betas.1) as f32);
    let (scale, epsilon) = (step.scale as f32, step.epsilon as f32);
    let (rate, bias_2) = ((step.learning_rate / bias_1) as f32, bias_2 as f32);
    let parts = values
        .values_mut()
        .par_chunks_mut(CHUNK)
        .zip(first.values_mut().par_chunks_mut(CHUNK))
        .zip(second.values_mut().par_chunks_mut(CHUNK))
        .zip(gradient.values().par_chunks(CHUNK));
    parts.for_each(|(((values, first), second), gradient)| {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let means = first.iter_mut().zip(second);
                for ((value, (first, second)), gradient) in
                    values.iter_mut().zip(means).zip(gradient)
                {
                    let gradient = gradient * scale;
                    *first = *first * beta_1 + gradient * new_1;
                    *second = *second * beta_2 + gradient * gradient * new_2;
                    *value -= *first / ((*second / bias_2).sqrt() + epsilon) * rate;
                }
            },
        );
    });
    let [values, first, second] = [values, first, second].map(Matrix::into_vector);
    (values, (first, second))
}

impl AdamStep {
    fn biases(self) -> (f64, f64) {
        let (beta_1, beta_2) = self.betas;
        (1.0 - beta_1.powi(self.step), 1.0 - beta_2.powi(self.step))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Distribution};

    use super::*;

    fn numbers(tensor: Tensor<1>) -> Vec<f32> {
        tensor.into_data().try_into_vec().expect("32-bit floats")
    }

    #[test]
    fn fused_and_plain_agree() {
        let device = Device::flex();
        device.seed(5);
        let random = || Tensor::<1>::random([50_000], Distribution::Normal(0.0, 1.0), &device);
        let step = AdamStep {
            betas: (0.9, 0.98),
            step: 3,
            epsilon: 1e-9,
            learning_rate: 0.01,
            scale: 0.3,
        };
        let (values, gradient, means) = (random(), random(), (random(), random().square()));
        let fused = fused(values.clone(), gradient.clone(), means.clone(), step);
        let plain = plain(values.clone(), gradient.clone(), means, step);
        for (fused, plain) in [
            (fused.0, plain.0),
            (fused.1.0, plain.1.0),
            (fused.1.1, plain.1.1),
        ] {
            for (fused, plain) in numbers(fused).into_iter().zip(numbers(plain)) {
                assert!(
                    (fused - plain).abs() <= 1e-6 * plain.abs().max(1.0),
                    "{fused} {plain}"
                );
            }
        }
        let first = AdamStep {
            step: 1,
            scale: 1.0,
            ..step
        };
        let (after, _) = adam(values.clone(), gradient.clone(), None, first);
        // The first step is as long as the learning rate says, whatever the gradient (section 2.1).
        for (length, gradient) in numbers(values - after).into_iter().zip(numbers(gradient)) {
            assert!((length - 0.01 * gradient.signum()).abs() < 1e-5, "{length}");
        }
    }

    #[test]
    fn squares_are_summed() {
        let device = Device::flex();
        let numbers = Tensor::<1>::from_floats([3.0, -4.0], &device).repeat(&[20_000]);
        let sum = square_sum(numbers).into_scalar::<f32>();
        assert!((sum - 500_000.0).abs() < 1.0, "{sum}");
    }
}
