//! What is done to rows between two products: norms, activations, the normaliser of a softmax.

#![allow(
    clippy::needless_range_loop,
    reason = "plain loops stay in the vector instructions of their caller, as the adapters of iterators may not"
)]

use pulp::Arch;

use crate::kernels::matmul::exp;

/// Layer normalisation with its parameters, as [`layer_norm`](crate::kernels::layer_norm).
#[derive(Debug, Clone)]
pub struct RowNorm {
    pub gamma: Vec<f32>,
    pub beta: Vec<f32>,
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

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "row lengths are small")]
    fn normalise(&self, x: &mut [f32]) {
        let columns = x.len();
        let mean = sum(x) / columns as f32;
        for column in 0..columns {
            x[column] -= mean;
        }
        let inverse_deviation = 1.0 / (product(x, x) / columns as f32 + self.epsilon).sqrt();
        let (gamma, beta) = (&self.gamma[..columns], &self.beta[..columns]);
        for column in 0..columns {
            x[column] = x[column] * inverse_deviation * gamma[column] + beta[column];
        }
    }
}

/// What stands between the two maps of a feed-forward layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    Relu,
}

impl Activation {
    pub fn apply(self, x: &mut [f32]) {
        Arch::new().dispatch(
            #[inline(always)]
            || match self {
                Self::Relu => {
                    for x in x {
                        // What is no number stays so.
                        *x = if *x < 0.0 { 0.0 } else { *x };
                    }
                }
            },
        );
    }
}

/// `ln Σ exp(x)` of every row of `scores` `[rows, columns]`: scores less this are log-probabilities.
pub fn log_normalisers(scores: &[f32], columns: usize, normalisers: &mut Vec<f32>) {
    normalisers.clear();
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for row in 0..scores.len() / columns {
                let row = &scores[row * columns..][..columns];
                let largest = largest(row);
                let total = sum_of(
                    row,
                    #[inline(always)]
                    |x| exp(x - largest),
                );
                normalisers.push(largest + total.ln());
            }
        },
    );
}

/// Numbers that are added or compared in independent lanes.
const LANES: usize = 16;

/// The sum of what the lanes hold, in halves.
#[inline(always)]
fn folded(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = join(lanes[lane], lanes[lane + half]);
        }
        half /= 2;
    }
    lanes[0]
}

#[inline(always)]
pub(super) fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let b = &b[..a.len()];
    let ((blocks, rest), (others, other_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for block in 0..blocks.len() {
        for lane in 0..LANES {
            sums[lane] += blocks[block][lane] * others[block][lane];
        }
    }
    for lane in 0..rest.len() {
        sums[lane] += rest[lane] * other_rest[lane];
    }
    folded(
        sums,
        #[inline(always)]
        |a, b| a + b,
    )
}

#[inline(always)]
pub(super) fn sum(x: &[f32]) -> f32 {
    sum_of(
        x,
        #[inline(always)]
        |x| x,
    )
}

#[inline(always)]
fn sum_of(x: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (blocks, rest) = x.as_chunks::<LANES>();
    for block in 0..blocks.len() {
        for lane in 0..LANES {
            sums[lane] += f(blocks[block][lane]);
        }
    }
    for lane in 0..rest.len() {
        sums[lane] += f(rest[lane]);
    }
    folded(
        sums,
        #[inline(always)]
        |a, b| a + b,
    )
}

/// The largest number, `-inf` for none; passes over what is none.
#[inline(always)]
pub(super) fn largest(x: &[f32]) -> f32 {
    let mut largest = [f32::NEG_INFINITY; LANES];
    let (blocks, rest) = x.as_chunks::<LANES>();
    for block in 0..blocks.len() {
        for lane in 0..LANES {
            largest[lane] = largest[lane].max(blocks[block][lane]);
        }
    }
    for lane in 0..rest.len() {
        largest[lane] = largest[lane].max(rest[lane]);
    }
    folded(
        largest,
        #[inline(always)]
        |a, b| a.max(b),
    )
}
