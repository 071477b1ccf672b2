//! What is done to rows between two products: norms, activations, the normaliser of a softmax.

use pulp::Arch;

use crate::kernels::matmul::{dot, exp, max, sum, sum_of};

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
                for x in x.chunks_exact_mut(self.gamma.len()) {
                    self.normalise(x);
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
                let rows = x.chunks_exact_mut(columns);
                for (x, branch) in rows.zip(branch.chunks_exact(columns)) {
                    for (x, branch) in x.iter_mut().zip(branch) {
                        *x += branch;
                    }
                    self.normalise(x);
                }
            },
        );
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "row lengths are small")]
    fn normalise(&self, x: &mut [f32]) {
        let columns = x.len() as f32;
        let mean = sum(x) / columns;
        for x in x.iter_mut() {
            *x -= mean;
        }
        let inverse_deviation = 1.0 / (dot(x, x) / columns + self.epsilon).sqrt();
        for ((x, gamma), beta) in x.iter_mut().zip(&self.gamma).zip(&self.beta) {
            *x = *x * inverse_deviation * gamma + beta;
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
            for row in scores.chunks_exact(columns) {
                let largest = max(row);
                let total = sum_of(row, |x| exp(x - largest));
                normalisers.push(largest + total.ln());
            }
        },
    );
}
