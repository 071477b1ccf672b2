//! One step of Adam over the numbers of one parameter.
//!
//! Kingma & Ba, "Adam", ICLR 2015, Algorithm 1, with the two bias corrections of its lines 9 and 10.

mod coded;

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use super::cpu::{self, Matrix};
use super::cube;
use super::vectors::dot;
use coded::{Code, Coded};

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

/// The running means of a gradient and of its square, `[numbers]` each.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one for each parameter, which is larger"
)]
pub enum Moments {
    Float32(Tensor<1>, Tensor<1>),
    /// Eight bits for each number.
    Coded(Coded, Coded),
}

/// Parameters of fewer numbers keep their means in 32 bits (Dettmers et al. 2022, §2).
const LEAST_CODED: usize = 4_096;

impl Moments {
    /// Before the first step of a parameter of so many numbers; `in_8_bits` if they are not too few.
    pub fn zeros(numbers: usize, in_8_bits: bool, device: &Device) -> Self {
        let zeros = vec![0.0; numbers];
        Self::from_numbers(zeros.clone(), zeros, in_8_bits, device)
    }

    /// From [`Self::to_numbers`]; the same means, if they were of 8 bits.
    pub fn from_numbers(
        first: Vec<f32>,
        second: Vec<f32>,
        in_8_bits: bool,
        device: &Device,
    ) -> Self {
        if in_8_bits && first.len() >= LEAST_CODED {
            return Self::Coded(
                Coded::nearest(&first, Code::Signed, device),
                Coded::nearest(&second, Code::Positive, device),
            );
        }
        let tensor = |numbers: Vec<f32>| {
            let len = numbers.len();
            Tensor::from_data(TensorData::new(numbers, [len]), device)
        };
        Self::Float32(tensor(first), tensor(second))
    }

    pub fn to_numbers(&self) -> (Vec<f32>, Vec<f32>) {
        let (first, second) = self.tensors();
        let numbers = |tensor: Tensor<1>| tensor.into_data().try_into_vec().expect("32-bit floats");
        (numbers(first), numbers(second))
    }

    fn tensors(&self) -> (Tensor<1>, Tensor<1>) {
        match self {
            Self::Float32(first, second) => (first.clone(), second.clone()),
            Self::Coded(first, second) => (first.numbers(), second.numbers()),
        }
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
    match moments {
        _ if !cpu::is_cpu(&values.device()) => plain(values, gradient, &moments, step),
        Moments::Float32(first, second) => fused(values, gradient, (first, second), step),
        Moments::Coded(first, second) => fused_coded(values, gradient, (first, second), step),
    }
}

/// A parameter that a step changes, `[numbers]` each.
#[derive(Debug, Clone)]
pub struct Adapted {
    pub values: Tensor<1>,
    pub gradient: Tensor<1>,
    pub moments: Moments,
}

/// Whether [`adam_at_once`] takes a parameter: one on a graphics card, whose means have 32 bits.
pub fn is_adapted_at_once(values: &Tensor<1>, moments: &Moments) -> bool {
    matches!(moments, Moments::Float32(..)) && cube::is_updated(values)
}

/// [`adam`] over all parameters, and the sum of the squares of all their gradients before, `[1]`, which nobody waits for. Gradients
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
    let parts = parameters.into_iter().map(|it| cube::Part {
        values: it.values,
        gradient: it.gradient,
        means: it.moments.tensors().into(),
    });
    let limit = limit.map_or(f32::MAX, |limit| limit as f32);
    let (after, square_sum) = cube::update(parts.collect(), Constants::of(step), limit);
    let after = after.into_iter();
    let after = after.map(|[values, first, second]| (values, Moments::Float32(first, second)));
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
    moments: &Moments,
    step: AdamStep,
) -> (Tensor<1>, Moments) {
    let (beta_1, beta_2) = step.betas;
    let (first, second) = moments.tensors();
    let gradient = gradient * step.scale;
    let first = first * beta_1 + gradient.clone() * (1.0 - beta_1);
    let second = second * beta_2 + gradient.square() * (1.0 - beta_2);
    let (bias_1, bias_2) = step.biases();
    let direction = first.clone() / ((second.clone() / bias_2).sqrt() + step.epsilon);
    let values = values - direction * (step.learning_rate / bias_1);
    let moments = match moments {
        Moments::Float32(..) => Moments::Float32(first, second),
        Moments::Coded(..) => Moments::Coded(
            Coded::encoded(first, Code::Signed, step.step),
            Coded::encoded(second, Code::Positive, step.step),
        ),
    };
    (values, moments)
}

const CHUNK: usize = 1 << 14;

fn fused(
    values: Tensor<1>,
    gradient: Tensor<1>,
    (first, second): (Tensor<1>, Tensor<1>),
    step: AdamStep,
) -> (Tensor<1>, Moments) {
    let [mut values, mut first, mut second] = [values, first, second].map(cpu::matrix);
    let gradient = cpu::matrix(gradient);
    let constants = Constants::of(step);
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
    (values, Moments::Float32(first, second))
}

fn fused_coded(
    values: Tensor<1>,
    gradient: Tensor<1>,
    moments: (Coded, Coded),
    step: AdamStep,
) -> (Tensor<1>, Moments) {
    let (mut values, gradient) = (cpu::matrix(values), cpu::matrix(gradient));
    let (constants, all) = (Constants::of(step), gradient.values());
    let (first, second) = coded::for_blocks(
        moments,
        step.step,
        values.values_mut(),
        #[inline(always)]
        |start, values, first, second| constants.update(values, &all[start..], first, second),
    );
    (values.into_vector(), Moments::Coded(first, second))
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
    fn of(step: AdamStep) -> Self {
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

    /// Means as they are after some gradients.
    fn moments(numbers: usize, in_8_bits: bool) -> Moments {
        let [first, second] = [random(numbers), random(numbers).square()].map(self::numbers);
        Moments::from_numbers(first, second, in_8_bits, &Device::flex())
    }

    #[test]
    fn fused_and_plain_agree() {
        Device::flex().seed(5);
        for (count, in_8_bits) in [(50_000, false), (50_000, true), (4_000, true)] {
            let (values, gradient) = (random(count), random(count));
            let moments = moments(count, in_8_bits);
            let is_coded = matches!(moments, Moments::Coded(..));
            assert_eq!(is_coded, in_8_bits && count > LEAST_CODED);
            let plain = plain(values.clone(), gradient.clone(), &moments, step());
            let fused = adam(values, gradient, moments, step());
            let close = |fused: &[f32], plain: &[f32]| {
                let are_close = fused.iter().zip(plain).map(|(fused, plain)| {
                    usize::from((fused - plain).abs() <= 1e-6 * plain.abs().max(1.0))
                });
                assert_eq!(fused.len(), plain.len());
                are_close.sum::<usize>()
            };
            assert_eq!(close(&numbers(fused.0), &numbers(plain.0)), count);
            let (fused, plain) = (fused.1.to_numbers(), plain.1.to_numbers());
            // A number between two codes may be rounded to the other one after another rounding before.
            let least = if is_coded {
                count - count / 1_000
            } else {
                count
            };
            for close in [close(&fused.0, &plain.0), close(&fused.1, &plain.1)] {
                assert!(close >= least, "{close} of {count}");
            }
        }
    }

    #[test]
    fn the_first_step_is_as_long_as_the_learning_rate_says() {
        Device::flex().seed(6);
        let first = AdamStep {
            step: 1,
            scale: 1.0,
            ..step()
        };
        for in_8_bits in [false, true] {
            let (values, gradient) = (random(5_000), random(5_000));
            let none = Moments::zeros(5_000, in_8_bits, &Device::flex());
            let (after, _) = adam(values.clone(), gradient.clone(), none, first);
            // Whatever the gradient (section 2.1).
            for (length, gradient) in numbers(values - after).into_iter().zip(numbers(gradient)) {
                assert!((length - 0.01 * gradient.signum()).abs() < 1e-5, "{length}");
            }
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
