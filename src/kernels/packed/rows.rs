//! Operations on rows between two products: norms, activations, the normaliser of a softmax.

use pulp::Arch;

use crate::gelu::distribution;
use crate::vectors::{exp, log_sum_exp};

/// Layer normalisation with its parameters, as [`layer_norm`](crate::layer_norm).
#[derive(Debug, Clone)]
pub struct RowNorm {
    /// γ, the scale of each column.
    pub gamma: Vec<f32>,
    /// β, the shift of each column.
    pub beta: Vec<f32>,
    /// ε, added to the variance.
    pub epsilon: f32,
}

impl RowNorm {
    /// Normalises every row of `x` `[rows, d_model]`.
    pub fn apply(&self, x: &mut [f32]) {
        Arch::new().dispatch(
            #[inline(always)]
            || {
                let columns = self.gamma.len();
                for row in 0..x.len() / columns {
                    self.normalise(&mut x[row * columns..][..columns]);
                }
            },
        );
    }

    /// `norm(x + branch)`, both `[rows, d_model]`.
    pub fn add(&self, x: &mut [f32], branch: &[f32]) {
        let columns = self.gamma.len();
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for row in 0..x.len() / columns {
                    let x = &mut x[row * columns..][..columns];
                    let branch = &branch[row * columns..][..columns];
                    for column in 0..columns {
                        x[column] += branch[column];
                    }
                    self.normalise(x);
                }
            },
        );
    }

    /// In the order and with the roundings of Marian, whatever registers there are: where rows are rounded to integers
    /// next, the last bit of a number decides which one it becomes.
    #[inline(always)]
    fn normalise(&self, x: &mut [f32]) {
        let columns = x.len();
        let share = 1.0 / columns as f32;
        let mean = sum_by_lanes(x, |x| x) * share;
        for column in 0..columns {
            x[column] -= mean;
        }
        let variance = sum_by_lanes(x, |x| x * x) * share;
        let inverse_deviation = 1.0 / (variance + self.epsilon).sqrt();
        let (gamma, beta) = (&self.gamma[..columns], &self.beta[..columns]);
        for column in 0..columns {
            x[column] = gamma[column] * inverse_deviation * x[column] + beta[column];
        }
    }
}

/// `Σ f(x)`, every eighth number by itself, then these sums in halves.
#[inline(always)]
fn sum_by_lanes(x: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    const LANES: usize = 8;
    let (blocks, rest) = x.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for block in 0..blocks.len() {
        for lane in 0..LANES {
            sums[lane] += f(blocks[block][lane]);
        }
    }
    for lane in 0..rest.len() {
        sums[lane] += f(rest[lane]);
    }
    let mut left = LANES / 2;
    while left > 0 {
        for lane in 0..left {
            sums[lane] += sums[lane + left];
        }
        left /= 2;
    }
    sums[0]
}

/// The activation between the two maps of a feed-forward layer; `σ` is the logistic function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// `max(0, x)`
    Relu,
    /// `x σ(x)`
    Swish,
    /// `x Φ(x)`
    Gelu,
    /// Its approximation by tanh.
    GeluTanh,
    /// Its approximation `x σ(1.702 x)`.
    GeluSigmoid,
    /// `tanh(x)`
    Tanh,
    /// `σ(x)`
    Sigmoid,
}

impl Activation {
    /// Replaces each number by its activation.
    pub fn apply(self, x: &mut [f32]) {
        match self {
            // What is no number stays so.
            Self::Relu => each(
                x,
                #[inline(always)]
                |x| if x < 0.0 { 0.0 } else { x },
            ),
            Self::Swish => each(
                x,
                #[inline(always)]
                |x| x * logistic(x),
            ),
            Self::Gelu => each(
                x,
                #[inline(always)]
                |x| x * distribution(x),
            ),
            Self::GeluTanh => each(
                x,
                #[inline(always)]
                |x| {
                    let inner = (x * x * x * 0.044_715 + x) * 0.797_884_6;
                    x * logistic(2.0 * inner)
                },
            ),
            Self::GeluSigmoid => each(
                x,
                #[inline(always)]
                |x| x * logistic(1.702 * x),
            ),
            Self::Tanh => each(
                x,
                #[inline(always)]
                |x| 2.0 * logistic(2.0 * x) - 1.0,
            ),
            Self::Sigmoid => each(x, share_of_exp),
        }
    }
}

fn each(x: &mut [f32], f: impl Fn(f32) -> f32) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for place in 0..x.len() {
                x[place] = f(x[place]);
            }
        },
    );
}

/// `1 / (1 + e^-x)`
#[inline(always)]
fn logistic(x: f32) -> f32 {
    let small = exp(-x.abs());
    let share = 1.0 / (1.0 + small);
    if x < 0.0 { small * share } else { share }
}

/// The logistic function as `e^x / (1 + e^x)`, which Marian computes.
#[inline(always)]
fn share_of_exp(x: f32) -> f32 {
    /// Above it `1 + e^x` is `e^x`.
    const MOST: f32 = 88.0;
    let e = exp(if x > MOST { MOST } else { x });
    e / (1.0 + e)
}

/// `ln Σ exp(x)` of every row of `scores` `[rows, columns]`: scores less this are log-probabilities.
pub fn log_normalisers(scores: &[f32], columns: usize, normalisers: &mut Vec<f32>) {
    normalisers.clear();
    normalisers.extend(scores.chunks_exact(columns).map(log_sum_exp));
}
