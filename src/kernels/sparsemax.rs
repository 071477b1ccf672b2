//! Sparsemax: a softmax whose small weights are exactly zero.
//!
//! Martins & Astudillo, "From Softmax to Sparsemax", ICML 2016: definition and threshold τ (Algorithm 1), Jacobian
//! (Eq. 9).

use burn::tensor::{Int, Tensor};
use pulp::{Arch, Simd, WithSimd};

use super::cpu::{self, CpuOperation, Matrix, Operand};
use super::vectors::max_in;

/// Stands for minus infinity where `0 · -inf` would be NaN.
const MASKED: f32 = -1e30;

/// Projects every row of `scores` onto the probability simplex.
///
/// Keys whose score is `-inf` are masked; a row in which all of them are gives zeros.
///
/// # Shapes
/// - scores: `[rows, keys]`
/// - output: the same; each row sums to 1
pub fn sparsemax(scores: Tensor<2>) -> Tensor<2> {
    cpu::run(Sparsemax, [Operand::from(&scores)]).unwrap_or_else(|| plain(scores))
}

/// Algorithm 1 and Eq. 9 from tensor operations.
fn plain(scores: Tensor<2>) -> Tensor<2> {
    let ([_, keys], device) = (scores.dims(), scores.device());
    let masked = scores.clone().lower_elem(MASKED / 10.0);
    let real = masked.clone().bool_not().float();
    let scores = scores.mask_fill(masked, MASKED);
    let shifted = scores.clone() - scores.detach().max_dim(1);
    // τ is never below the largest score - 1: clamping what is lower keeps the running sums exact.
    let clamped = shifted.clone().detach().clamp_min(-2.0);
    let sorted = clamped.clone().sort_descending(1);
    let sums = sorted.clone().cumsum(1);
    let last = i64::try_from(keys).expect("keys fit 63 bits") + 1;
    let counts = Tensor::<1, Int>::arange(1..last, &device)
        .float()
        .unsqueeze::<2>();
    let prefix = (sorted.clone() * counts - sums + 1.0)
        .greater_elem(0.0)
        .float();
    let threshold = ((sorted * prefix.clone()).sum_dim(1) - 1.0) / prefix.sum_dim(1).clamp_min(1.0);
    let support = (clamped - threshold).greater_elem(0.0).float() * real;
    // With the support fixed, autodiff finds the Jacobian of Eq. 9: diag(s) - s sᵀ / |S|.
    let size = support.clone().sum_dim(1).clamp_min(1.0);
    let threshold = ((shifted.clone() * support.clone()).sum_dim(1) - 1.0) / size;
    (shifted - threshold) * support
}

/// [`sparsemax`] of one row in place.
pub fn sparsemax_row(row: &mut [f32]) {
    struct Row<'a>(&'a mut [f32]);

    impl WithSimd for Row<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            sparsemax_in(simd, self.0);
        }
    }

    Arch::new().dispatch(Row(row));
}

/// [`sparsemax_row`] in the registers of `simd`.
///
/// τ comes without sorting: all that is not below the largest score - 1 may be in the support; with that support τ is higher,
/// which leaves some of it out, until nothing more is (Michelot, "A finite algorithm for finding the projection of a point
/// onto the canonical simplex of Rⁿ", J. Optim. Theory Appl. 50, 1986).
#[inline(always)]
pub(super) fn sparsemax_in<S: Simd>(simd: S, row: &mut [f32]) {
    let largest = max_in(simd, row);
    if largest < MASKED / 10.0 {
        row.fill(0.0);
        return;
    }
    let (mut threshold, mut support) = (-1.0_f32, f32::INFINITY);
    loop {
        let (sum, count) = above(simd, row, largest, threshold);
        if count >= support || count == 0.0 {
            break;
        }
        support = count;
        threshold = (sum - 1.0) / count;
    }
    let (shift, zero) = (simd.splat_f32s(largest + threshold), simd.splat_f32s(0.0));
    let (blocks, rest) = S::as_mut_simd_f32s(row);
    for block in 0..blocks.len() {
        blocks[block] = simd.max_f32s(simd.sub_f32s(blocks[block], shift), zero);
    }
    if !rest.is_empty() {
        let last = simd.sub_f32s(simd.partial_load_f32s(rest), shift);
        simd.partial_store_f32s(rest, simd.max_f32s(last, zero));
    }
}

/// Sum and number of all `x - largest` that are more than `threshold`.
#[inline(always)]
fn above<S: Simd>(simd: S, row: &[f32], largest: f32, threshold: f32) -> (f32, f32) {
    let [shift, least, zero, one] =
        [largest, threshold, 0.0, 1.0].map(|number| simd.splat_f32s(number));
    let (mut sum, mut count) = (zero, zero);
    let (blocks, rest) = S::as_simd_f32s(row);
    for block in 0..blocks.len() {
        let x = simd.sub_f32s(blocks[block], shift);
        let is_above = simd.greater_than_f32s(x, least);
        sum = simd.add_f32s(sum, simd.select_f32s(is_above, x, zero));
        count = simd.add_f32s(count, simd.select_f32s(is_above, one, zero));
    }
    if !rest.is_empty() {
        let inside = simd.mask_between_m32s(0, u32::try_from(rest.len()).unwrap_or(u32::MAX));
        let x = simd.sub_f32s(simd.partial_load_f32s(rest), shift);
        let x = simd.select_f32s(inside.mask(), x, simd.splat_f32s(f32::NEG_INFINITY));
        let is_above = simd.greater_than_f32s(x, least);
        sum = simd.add_f32s(sum, simd.select_f32s(is_above, x, zero));
        count = simd.add_f32s(count, simd.select_f32s(is_above, one, zero));
    }
    (simd.reduce_sum_f32s(sum), simd.reduce_sum_f32s(count))
}

/// Turns the gradient of a row's weights into that of its scores, Eq. 9.
pub(super) fn sparsemax_row_gradient(weights: &[f32], gradient: &mut [f32]) {
    let supported = weights
        .iter()
        .zip(gradient.iter())
        .filter(|&(&weight, _)| weight > 0.0);
    let (count, sum) = supported.fold((0_usize, 0.0_f32), |(count, sum), (_, gradient)| {
        (count + 1, sum + gradient)
    });
    let mean = sum / count.max(1) as f32;
    for (weight, gradient) in weights.iter().zip(gradient) {
        *gradient = if *weight > 0.0 { *gradient - mean } else { 0.0 };
    }
}

#[derive(Clone, Debug)]
struct Sparsemax;

impl CpuOperation<1> for Sparsemax {
    /// The weights: positive exactly on the support.
    type Saved = Matrix;

    fn forward(&self, [mut scores]: [Matrix; 1]) -> (Matrix, Matrix) {
        let keys = scores.columns();
        cpu::for_rows(scores.values_mut(), keys, |_, rows| {
            rows.chunks_exact_mut(keys).for_each(sparsemax_row);
        });
        (scores.clone(), scores)
    }

    fn backward(&self, weights: Matrix, mut gradient: Matrix) -> [Matrix; 1] {
        let keys = gradient.columns();
        let weights = weights.values();
        cpu::for_rows(gradient.values_mut(), keys, |first, rows| {
            let weights = weights[first * keys..].chunks_exact(keys);
            for (gradient, weights) in rows.chunks_exact_mut(keys).zip(weights) {
                sparsemax_row_gradient(weights, gradient);
            }
        });
        [gradient]
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Distribution};

    use super::*;
    use crate::comparison::assert_same;

    #[test]
    fn fused_sparsemax_equals_the_plain_one() {
        for scale in [0.1, 1.0, 10.0] {
            assert_same(
                [[40, 17]],
                |[z]| sparsemax(z * scale),
                |[z]| plain(z * scale),
            );
        }
    }

    #[test]
    fn rows_sum_to_one_and_small_weights_are_exactly_zero() {
        let device = Device::flex();
        device.seed(3);
        let z = Tensor::<2>::random([50, 30], Distribution::Normal(0.0, 2.0), &device);
        for weights in [sparsemax(z.clone()), plain(z)] {
            let zeros = weights
                .clone()
                .equal_elem(0.0)
                .int()
                .sum()
                .into_scalar::<i64>();
            assert!(zeros > 50 * 20, "only {zeros} weights are zero");
            let sums: Vec<f32> = weights.sum_dim(1).into_data().iter().collect();
            assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{sums:?}");
        }
    }

    #[test]
    fn masked_keys_get_nothing_and_a_masked_row_is_zero() {
        let hidden = f32::NEG_INFINITY;
        let z = Tensor::<2>::from_data(
            [[0.3, hidden, 0.1], [hidden, hidden, hidden]],
            &Device::flex(),
        );
        for weights in [sparsemax(z.clone()), plain(z)] {
            let weights: Vec<f32> = weights.into_data().iter().collect();
            let want = [0.6, 0.0, 0.4, 0.0, 0.0, 0.0];
            assert!(
                weights
                    .iter()
                    .zip(want)
                    .all(|(got, want)| (got - want).abs() < 1e-6),
                "{weights:?}"
            );
        }
    }
}
