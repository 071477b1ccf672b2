//! The Gaussian error linear unit.
//!
//! Hendrycks & Gimpel, "Gaussian Error Linear Units", 2016, §2: `x Φ(x)`, Φ the distribution function of the standard
//! normal, by the error function and not its approximation by tanh.

use burn::tensor::{Tensor, activation};

use super::cpu::{self, CpuOperation, Matrix, Operand};
use super::vectors::exp;

/// `x Φ(x)` for `x [rows, columns]`.
pub fn gelu(x: Tensor<2>) -> Tensor<2> {
    cpu::run(Gelu, [Operand::from(&x)]).unwrap_or_else(|| activation::gelu(x))
}

#[derive(Clone, Debug)]
struct Gelu;

impl CpuOperation<1> for Gelu {
    type Saved = Matrix;

    fn forward(&self, [x]: [Matrix; 1]) -> (Matrix, Matrix) {
        let mut output = x.clone();
        let columns = x.columns();
        cpu::for_rows(output.values_mut(), columns, |_, values| {
            for x in values {
                *x *= distribution(*x);
            }
        });
        (output, x)
    }

    /// `Φ(x) + x φ(x)`.
    fn backward(&self, saved: Matrix, mut gradient: Matrix) -> [Matrix; 1] {
        let (x, columns) = (saved.values(), saved.columns());
        cpu::for_rows(gradient.values_mut(), columns, |first, rows| {
            let x = &x[first * columns..][..rows.len()];
            for (gradient, &x) in rows.iter_mut().zip(x) {
                let density = exp(-0.5 * x * x) * 0.398_942_3;
                *gradient *= distribution(x) + x * density;
            }
        });
        [gradient]
    }
}

/// Φ within 2e-7: Abramowitz & Stegun, "Handbook of Mathematical Functions", 1964, 7.1.26, without a branch.
#[inline(always)]
pub(super) fn distribution(x: f32) -> f32 {
    let size = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let mut tail = 1.061_405_4_f32;
    tail = tail * t - 1.453_152;
    tail = tail * t + 1.421_413_8;
    tail = tail * t - 0.284_496_74;
    tail = tail * t + 0.254_829_6;
    let tail = 0.5 * tail * t * exp(-size * size);
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::assert_same;

    #[test]
    fn fused_and_plain_agree() {
        assert_same(
            [[70, 40]],
            |[x]| gelu(x * 3.0),
            |[x]| activation::gelu(x * 3.0),
        );
    }

    #[test]
    fn known_values_are_met() {
        // scipy.stats.norm.cdf
        for (x, want) in [
            (-3.0, 0.001_349_898),
            (-0.5, 0.308_537_54),
            (0.0, 0.5),
            (1.0, 0.841_344_7),
            (9.0, 1.0),
        ] {
            assert!((distribution(x) - want).abs() < 2e-7, "{x}");
        }
    }
}
