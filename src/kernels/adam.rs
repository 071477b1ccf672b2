//! One step of Adam over the numbers of one parameter.
//!
//! Kingma & Ba, "Adam", ICLR 2015, Algorithm 1, with the two bias corrections of its lines 9 and 10.

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use super::cpu::{self, Matrix};
use super::gpu_training;
use super::vectors::dot;

/// The constants of one step.
#[derive(Debug, Clone, Copy)]
pub struct AdamStep {
    /// Decay of the mean of the gradients and of that of their squares.
    pub betas: (f64, f64),
    /// Updates so far, this one counted.
    pub step: i32,
    /// ε, added to the divisor.
    pub epsilon: f64,
    /// α, the length of a step.
    pub learning_rate: f64,
    /// By which the gradient is multiplied first.
    pub scale: f64,
}

/// The running means of a gradient and of its square, `[numbers]` each.
#[derive(Debug, Clone)]
pub struct Moments {
    first: Tensor<1>,
    second: Tensor<1>,
}

impl Moments {
    /// Moments of a parameter of `len` numbers before its first step.
    pub fn zeros(numbers: usize, device: &Device) -> Self {
        let zeros = Tensor::zeros([numbers], device);
        Self {
            first: zeros.clone(),
            second: zeros,
        }
    }

    /// Moments from [`Self::to_numbers`].
    pub fn from_numbers(first: Vec<f32>, second: Vec<f32>, device: &Device) -> Self {
        let [first, second] = [first, second].map(|numbers| {
            let len = numbers.len();
            Tensor::from_data(TensorData::new(numbers, [len]), device)
        });
        Self { first, second }
    }

    /// The means of the gradient and of its square.
    pub fn to_numbers(&self) -> (Vec<f32>, Vec<f32>) {
        let numbers = |tensor: &Tensor<1>| {
            let data = tensor.clone().into_data();
            data.try_into_vec().expect("32-bit floats")
        };
        (numbers(&self.first), numbers(&self.second))
    }
}

/// The numbers after the step, with the running means of the gradient and of its square.
///
/// # Shapes
/// All `[numbers]`, without a gradient graph.
pub fn adam(
    values: Tensor<1>,
    gradient: Tensor<1>,
    moments: Moments,
    step: AdamStep,
) -> (Tensor<1>, Moments) {
    if cpu::is_cpu(&values.device()) {
        fused(values, gradient, moments, step)
    } else {
        plain(values, gradient, moments, step)
    }
}

/// A parameter that a step changes, `[numbers]` each.
#[derive(Debug, Clone)]
pub struct Adapted {
    /// The parameter.
    pub values: Tensor<1>,
    /// The gradient of the loss.
    pub gradient: Tensor<1>,
    /// The running means of the gradient and of its square.
    pub moments: Moments,
}

/// Whether [`adam_at_once`] takes a parameter with these values: one on a GPU.
pub fn is_adapted_at_once(values: &Tensor<1>) -> bool {
    gpu_training::is_updated(values)
}

/// [`adam`] over all parameters, and the sum of the squares of all their gradients before, `[1]`, which is read later. Gradients
/// that together are longer than `limit` are scaled to it, and then by [`AdamStep::scale`]; where their length is not finite,
/// nothing changes.
///
/// # Panics
/// For parameters that [`is_adapted_at_once`] refuses, and without any.
#[expect(clippy::cast_possible_truncation, reason = "the numbers have 32 bits")]
pub fn adam_at_once(
    parameters: Vec<Adapted>,
    step: AdamStep,
    limit: Option<f64>,
) -> (Vec<(Tensor<1>, Moments)>, Tensor<1>) {
    let parts = parameters.into_iter().map(|it| gpu_training::Part {
        values: it.values,
        gradient: it.gradient,
        means: [it.moments.first, it.moments.second],
    });
    let limit = limit.map_or(f32::MAX, |limit| limit as f32);
    let (after, square_sum) =
        gpu_training::update(parts.collect(), Constants::from_step(step), limit);
    let after = after.into_iter();
    let after = after.map(|[values, first, second]| (values, Moments { first, second }));
    (after.collect(), square_sum)
}

/// `[1]`: the sum of the squares of `[numbers]`.
pub fn square_sum(gradient: Tensor<1>) -> Tensor<1> {
    if !cpu::is_cpu(&gradient.device()) {
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
    Moments { first, second }: Moments,
    step: AdamStep,
) -> (Tensor<1>, Moments) {
    let (beta_1, beta_2) = step.betas;
    let gradient = gradient * step.scale;
    let first = first * beta_1 + gradient.clone() * (1.0 - beta_1);
    let second = second * beta_2 + gradient.square() * (1.0 - beta_2);
    let (bias_1, bias_2) = step.biases();
    let direction = first.clone() / ((second.clone() / bias_2).sqrt() + step.epsilon);
    let values = values - direction * (step.learning_rate / bias_1);
    (values, Moments { first, second })
}

const CHUNK: usize = 1 << 14;

fn fused(
    values: Tensor<1>,
    gradient: Tensor<1>,
    Moments { first, second }: Moments,
    step: AdamStep,
) -> (Tensor<1>, Moments) {
    let [mut values, mut first, mut second] = [values, first, second].map(cpu::matrix);
    let gradient = cpu::matrix(gradient);
    let constants = Constants::from_step(step);
    let parts = values
        .values_mut()
        .par_chunks_mut(CHUNK)
        .zip(first.values_mut().par_chunks_mut(CHUNK))
        .zip(second.values_mut().par_chunks_mut(CHUNK))
        .zip(gradient.values().par_chunks(CHUNK));
    parts.for_each(|(((values, first), second), gradient)| {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || constants.update(values, gradient, first, second),
        );
    });
    let [values, first, second] = [values, first, second].map(Matrix::into_vector);
    (values, Moments { first, second })
}

/// [`AdamStep`] in 32 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constants {
    pub betas: (f32, f32),
    pub news: (f32, f32),
    pub epsilon: f32,
    pub scale: f32,
    pub rate: f32,
    pub bias_2: f32,
}

impl Constants {
    #[expect(clippy::cast_possible_truncation, reason = "the numbers have 32 bits")]
    fn from_step(step: AdamStep) -> Self {
        let (bias_1, bias_2) = step.biases();
        let (beta_1, beta_2) = step.betas;
        Self {
            betas: (beta_1 as f32, beta_2 as f32),
            news: ((1.0 - beta_1) as f32, (1.0 - beta_2) as f32),
            epsilon: step.epsilon as f32,
            scale: step.scale as f32,
            rate: (step.learning_rate / bias_1) as f32,
            bias_2: bias_2 as f32,
        }
    }

    #[inline(always)]
    fn update(&self, values: &mut [f32], gradient: &[f32], first: &mut [f32], second: &mut [f32]) {
        let means = first.iter_mut().zip(second);
        for ((value, (first, second)), gradient) in values.iter_mut().zip(means).zip(gradient) {
            let gradient = gradient * self.scale;
            *first = *first * self.betas.0 + gradient * self.news.0;
            *second = *second * self.betas.1 + gradient * gradient * self.news.1;
            *value -= *first / ((*second / self.bias_2).sqrt() + self.epsilon) * self.rate;
        }
    }
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

    fn step() -> AdamStep {
        AdamStep {
            betas: (0.9, 0.98),
            step: 3,
            epsilon: 1e-9,
            learning_rate: 0.01,
            scale: 0.3,
        }
    }

    fn random(numbers: usize) -> Tensor<1> {
        Tensor::random([numbers], Distribution::Normal(0.0, 1.0), &Device::flex())
    }

    #[test]
    fn fused_and_plain_agree() {
        const NUMBERS: usize = 50_000;
        Device::flex().seed(5);
        let (values, gradient) = (random(NUMBERS), random(NUMBERS));
        let moments = Moments {
            first: random(NUMBERS),
            second: random(NUMBERS).square(),
        };
        let plain = plain(values.clone(), gradient.clone(), moments.clone(), step());
        let fused = adam(values, gradient, moments, step());
        let assert_close = |fused: &[f32], plain: &[f32]| {
            assert_eq!(fused.len(), plain.len());
            for (fused, plain) in fused.iter().zip(plain) {
                assert!(
                    (fused - plain).abs() <= 1e-6 * plain.abs().max(1.0),
                    "{fused} for {plain}"
                );
            }
        };
        assert_close(&numbers(fused.0), &numbers(plain.0));
        let (fused, plain) = (fused.1.to_numbers(), plain.1.to_numbers());
        assert_close(&fused.0, &plain.0);
        assert_close(&fused.1, &plain.1);
    }

    #[test]
    fn the_first_step_is_as_long_as_the_learning_rate_says() {
        Device::flex().seed(6);
        let first = AdamStep {
            step: 1,
            scale: 1.0,
            ..step()
        };
        let (values, gradient) = (random(5_000), random(5_000));
        let zeros = Moments::zeros(5_000, &Device::flex());
        let (after, _) = adam(values.clone(), gradient.clone(), zeros, first);
        // Whatever the gradient (section 2.1).
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
