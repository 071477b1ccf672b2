//! Layer normalisation, alone and after a residual connection.
//!
//! Ba et al., "Layer Normalization", 2016: `y = (x - mean) / sqrt(variance + ε) · γ + β` over the last axis, with the
//! biased variance.

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::cpu::{self, CpuOperation, Matrix};
use super::dropout::{Dropout, dropout};
use super::gpu_training;
use super::product::for_each_row;
use super::vectors::{dot, sum};

/// Layer normalisation of every row; `epsilon` is ε.
///
/// # Shapes
/// - x: `[rows, d_model]`; gamma, beta: `[d_model]`
/// - output: `[rows, d_model]`
pub fn layer_norm(x: Tensor<2>, gamma: Tensor<1>, beta: Tensor<1>, epsilon: f32) -> Tensor<2> {
    if cpu::is_cpu(&x.device()) {
        let operands = [x.into(), gamma.into(), beta.into()];
        return cpu::run(Norm { epsilon }, operands).expect("tensors of one kind");
    }
    plain_layer_norm(x, gamma, beta, epsilon)
}

/// `layer_norm(x + dropout(branch))`, the end of a post-norm sublayer.
///
/// # Shapes
/// - x, branch: `[rows, d_model]`; gamma, beta: `[d_model]`
/// - output: `[rows, d_model]`
pub fn add_norm(
    x: Tensor<2>,
    branch: Tensor<2>,
    mask: Option<Dropout>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    epsilon: f32,
) -> Tensor<2> {
    if cpu::is_cpu(&x.device()) {
        let operands = [x.into(), branch.into(), gamma.into(), beta.into()];
        return cpu::run(AddNorm { mask, epsilon }, operands).expect("tensors of one kind");
    }
    if let Some(output) = gpu_training::add_norm([&x, &branch], mask, [&gamma, &beta], epsilon) {
        return output;
    }
    plain_layer_norm(x + dropout(branch, mask), gamma, beta, epsilon)
}

fn plain_layer_norm(x: Tensor<2>, gamma: Tensor<1>, beta: Tensor<1>, epsilon: f32) -> Tensor<2> {
    let from_gpu = gpu_training::layer_norm(&x, &gamma, &beta, epsilon);
    from_gpu.unwrap_or_else(|| layer_norm_plain(x, gamma, beta, epsilon))
}

fn layer_norm_plain(x: Tensor<2>, gamma: Tensor<1>, beta: Tensor<1>, epsilon: f32) -> Tensor<2> {
    let rows = x.dims()[0];
    let centred = x.clone() - x.mean_dim(1);
    let variance = centred.clone().square().mean_dim(1);
    let [gamma, beta] = [gamma, beta].map(|it| for_each_row(it, rows));
    centred / (variance + epsilon).sqrt() * gamma + beta
}

/// Results for the backward pass: the rows before γ and β, and 1 / deviation of each.
#[derive(Clone, Debug)]
struct Normalised {
    rows: Matrix,
    inverse_deviation: Vec<f32>,
    gamma: Matrix,
}

#[derive(Clone, Debug)]
struct Norm {
    epsilon: f32,
}

impl CpuOperation<3> for Norm {
    type Saved = Normalised;

    fn forward(&self, [mut x, gamma, beta]: [Matrix; 3]) -> (Matrix, Normalised) {
        let inverse_deviation = normalise(&mut x, self.epsilon);
        let output = scale_and_shift(&x, &gamma, &beta);
        (
            output,
            Normalised {
                rows: x,
                inverse_deviation,
                gamma,
            },
        )
    }

    fn backward(&self, saved: Normalised, gradient: Matrix) -> [Matrix; 3] {
        let (gamma, beta) = parameter_gradients(&saved, &gradient);
        [input_gradient(&saved, gradient), gamma, beta]
    }
}

#[derive(Clone, Debug)]
struct AddNorm {
    mask: Option<Dropout>,
    epsilon: f32,
}

impl CpuOperation<4> for AddNorm {
    type Saved = Normalised;

    fn forward(&self, [mut x, mut branch, gamma, beta]: [Matrix; 4]) -> (Matrix, Normalised) {
        let columns = x.columns();
        drop_rows(self.mask, &mut branch);
        let branch = branch.values();
        cpu::for_rows(x.values_mut(), columns, |first, rows| {
            let branch = &branch[first * columns..][..rows.len()];
            for (x, branch) in rows.iter_mut().zip(branch) {
                *x += branch;
            }
        });
        let epsilon = self.epsilon;
        Norm { epsilon }.forward([x, gamma, beta])
    }

    fn backward(&self, saved: Normalised, gradient: Matrix) -> [Matrix; 4] {
        let epsilon = self.epsilon;
        let [x, gamma, beta] = Norm { epsilon }.backward(saved, gradient);
        let mut branch = x.clone();
        drop_rows(self.mask, &mut branch);
        [x, branch, gamma, beta]
    }
}

fn drop_rows(mask: Option<Dropout>, rows: &mut Matrix) {
    let Some(mask) = mask else { return };
    let columns = rows.columns();
    cpu::for_rows(rows.values_mut(), columns, |first, rows| {
        mask.apply(rows, first * columns);
    });
}

/// Brings every row to mean 0 and variance 1; gives 1 / deviation of each.
fn normalise(x: &mut Matrix, epsilon: f32) -> Vec<f32> {
    let columns = x.columns();
    let chunk = cpu::rows_per_chunk(columns);
    let mut inverse_deviation = vec![0.0; x.rows()];
    x.values_mut()
        .par_chunks_mut(chunk * columns)
        .zip(inverse_deviation.par_chunks_mut(chunk))
        .for_each(|(rows, inverses)| {
            pulp::Arch::new().dispatch(
                #[inline(always)]
                || {
                    for (row, inverse) in rows.chunks_exact_mut(columns).zip(inverses) {
                        let mean = sum(row) / columns as f32;
                        for x in row.iter_mut() {
                            *x -= mean;
                        }
                        *inverse = 1.0 / (dot(row, row) / columns as f32 + epsilon).sqrt();
                        for x in row.iter_mut() {
                            *x *= *inverse;
                        }
                    }
                },
            );
        });
    inverse_deviation
}

fn scale_and_shift(rows: &Matrix, gamma: &Matrix, beta: &Matrix) -> Matrix {
    let columns = rows.columns();
    let (normalised, gamma, beta) = (rows.values(), gamma.values(), beta.values());
    let mut output = vec![0.0; normalised.len()];
    cpu::for_rows(&mut output, columns, |first, rows| {
        let normalised = &normalised[first * columns..][..rows.len()];
        for (output, normalised) in rows
            .chunks_exact_mut(columns)
            .zip(normalised.chunks_exact(columns))
        {
            for (((output, x), gamma), beta) in
                output.iter_mut().zip(normalised).zip(gamma).zip(beta)
            {
                *output = x * gamma + beta;
            }
        }
    });
    Matrix::from_rows(output, rows.rows())
}

/// `dx = (dy γ - mean(dy γ) - x̂ mean(dy γ x̂)) / deviation`, row by row.
fn input_gradient(saved: &Normalised, mut gradient: Matrix) -> Matrix {
    let columns = gradient.columns();
    let (normalised, gamma) = (saved.rows.values(), saved.gamma.values());
    cpu::for_rows(gradient.values_mut(), columns, |first, rows| {
        for (offset, gradient) in rows.chunks_exact_mut(columns).enumerate() {
            let row = first + offset;
            let normalised = &normalised[row * columns..][..columns];
            for (gradient, gamma) in gradient.iter_mut().zip(gamma) {
                *gradient *= gamma;
            }
            let mean = sum(gradient) / columns as f32;
            let along = dot(gradient, normalised) / columns as f32;
            let inverse = saved.inverse_deviation[row];
            for (gradient, normalised) in gradient.iter_mut().zip(normalised) {
                *gradient = (*gradient - mean - normalised * along) * inverse;
            }
        }
    });
    gradient
}

/// Gradients of γ and β, summed by fixed chunks so that they do not depend on the number of cores.
fn parameter_gradients(saved: &Normalised, gradient: &Matrix) -> (Matrix, Matrix) {
    let columns = gradient.columns();
    let chunk = cpu::rows_per_chunk(columns) * columns;
    let partial: Vec<(Vec<f32>, Vec<f32>)> = gradient
        .values()
        .par_chunks(chunk)
        .zip(saved.rows.values().par_chunks(chunk))
        .map(|(gradient, normalised)| {
            let (mut gamma, mut beta) = (vec![0.0; columns], vec![0.0; columns]);
            pulp::Arch::new().dispatch(
                #[inline(always)]
                || {
                    for (gradient, normalised) in gradient
                        .chunks_exact(columns)
                        .zip(normalised.chunks_exact(columns))
                    {
                        for column in 0..columns {
                            gamma[column] += gradient[column] * normalised[column];
                            beta[column] += gradient[column];
                        }
                    }
                },
            );
            (gamma, beta)
        })
        .collect();
    let (mut gamma, mut beta) = (vec![0.0; columns], vec![0.0; columns]);
    for (partial_gamma, partial_beta) in partial {
        for column in 0..columns {
            gamma[column] += partial_gamma[column];
            beta[column] += partial_beta[column];
        }
    }
    (Matrix::from_vector(gamma), Matrix::from_vector(beta))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::assert_same;

    const EPSILON: f32 = 1e-5;

    #[test]
    fn fused_norms_equal_the_plain_one() {
        let row = |x: Tensor<2>| x.squeeze_dim::<1>(0);
        assert_same(
            [[70, 40], [1, 40], [1, 40]],
            |[x, gamma, beta]| layer_norm(x, row(gamma), row(beta), EPSILON),
            |[x, gamma, beta]| layer_norm_plain(x, row(gamma), row(beta), EPSILON),
        );
        assert_same(
            [[70, 40], [70, 40], [1, 40], [1, 40]],
            |[x, branch, gamma, beta]| add_norm(x, branch, None, row(gamma), row(beta), EPSILON),
            |[x, branch, gamma, beta]| layer_norm_plain(x + branch, row(gamma), row(beta), EPSILON),
        );
    }

    #[test]
    fn dropout_before_the_norm_equals_dropout_alone() {
        let mask = Dropout {
            prob: 0.3,
            stream: 5,
        };
        let row = |x: Tensor<2>| x.squeeze_dim::<1>(0);
        assert_same(
            [[70, 40], [70, 40], [1, 40], [1, 40]],
            |[x, branch, gamma, beta]| {
                add_norm(x, branch, Some(mask), row(gamma), row(beta), EPSILON)
            },
            |[x, branch, gamma, beta]| {
                layer_norm_plain(
                    x + super::super::dropout(branch, Some(mask)),
                    row(gamma),
                    row(beta),
                    EPSILON,
                )
            },
        );
    }
}
