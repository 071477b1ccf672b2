//! Sums, exponentials and softmax of numbers that are side by side, in vector registers written out: what a compiler makes
//! of plain loops around a sum stays in memory, and takes up to ten times as long.

use pulp::{Arch, Simd, WithSimd};

/// Independent sums, so that none waits for the one before.
const SUMS: usize = 4;

/// Sum of products of two slices of one length.
#[inline]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    struct Dot<'a>(&'a [f32], &'a [f32]);

    impl WithSimd for Dot<'_> {
        type Output = f32;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> f32 {
            dot_in(simd, self.0, self.1)
        }
    }

    Arch::new().dispatch(Dot(a, b))
}

#[inline]
pub(super) fn sum(a: &[f32]) -> f32 {
    struct Sum<'a>(&'a [f32]);

    impl WithSimd for Sum<'_> {
        type Output = f32;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> f32 {
            sum_in(simd, self.0)
        }
    }

    Arch::new().dispatch(Sum(a))
}

/// `ln Σ e^x`: numbers less this are log-probabilities.
#[inline]
pub(super) fn log_sum_exp(a: &[f32]) -> f32 {
    let (largest, total) = largest_and_sum(a);
    largest + total.ln()
}

/// The largest number, and `Σ e^(x - largest)`.
#[inline]
pub(super) fn largest_and_sum(a: &[f32]) -> (f32, f32) {
    struct LargestAndSum<'a>(&'a [f32]);

    impl WithSimd for LargestAndSum<'_> {
        type Output = (f32, f32);

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> (f32, f32) {
            let largest = max_in(simd, self.0);
            let shift = simd.splat_f32s(largest);
            let total = sum_of(
                simd,
                self.0,
                #[inline(always)]
                |x| exp_in(simd, simd.sub_f32s(x, shift)),
            );
            (largest, total)
        }
    }

    Arch::new().dispatch(LargestAndSum(a))
}

/// Replaces every number by `e^(x - largest)`; gives their sum and the largest.
#[inline]
pub(super) fn exp_below_largest(a: &mut [f32]) -> (f32, f32) {
    struct Exp<'a>(&'a mut [f32]);

    impl WithSimd for Exp<'_> {
        type Output = (f32, f32);

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> (f32, f32) {
            exp_below_largest_in(simd, self.0, 1.0)
        }
    }

    Arch::new().dispatch(Exp(a))
}

/// `softmax(scale · scores)`, in place.
#[inline]
pub(super) fn softmax(scores: &mut [f32], scale: f32) {
    struct Softmax<'a>(&'a mut [f32], f32);

    impl WithSimd for Softmax<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            softmax_in(simd, self.0, self.1);
        }
    }

    Arch::new().dispatch(Softmax(scores, scale));
}

/// [`dot`] in the registers of `simd`.
#[inline(always)]
pub(super) fn dot_in<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let b = &b[..a.len()];
    let ((blocks, rest), (others, other_rest)) = (S::as_simd_f32s(a), S::as_simd_f32s(b));
    let mut sums = [simd.splat_f32s(0.0); SUMS];
    let mut block = 0;
    while block + SUMS <= blocks.len() {
        for place in 0..SUMS {
            let (x, y) = (blocks[block + place], others[block + place]);
            sums[place] = simd.mul_add_f32s(x, y, sums[place]);
        }
        block += SUMS;
    }
    while block < blocks.len() {
        sums[0] = simd.mul_add_f32s(blocks[block], others[block], sums[0]);
        block += 1;
    }
    if !rest.is_empty() {
        let [x, y] = [
            simd.partial_load_f32s(rest),
            simd.partial_load_f32s(other_rest),
        ];
        sums[1] = simd.mul_add_f32s(x, y, sums[1]);
    }
    joined(simd, sums)
}

/// [`sum`] in the registers of `simd`.
#[inline(always)]
pub(super) fn sum_in<S: Simd>(simd: S, a: &[f32]) -> f32 {
    sum_of(
        simd,
        a,
        #[inline(always)]
        |x| x,
    )
}

/// [`softmax`] in the registers of `simd`.
#[inline(always)]
pub(super) fn softmax_in<S: Simd>(simd: S, scores: &mut [f32], scale: f32) {
    let (total, _) = exp_below_largest_in(simd, scores, scale);
    let share = simd.splat_f32s(1.0 / total);
    let (blocks, rest) = S::as_mut_simd_f32s(scores);
    for block in 0..blocks.len() {
        blocks[block] = simd.mul_f32s(blocks[block], share);
    }
    if !rest.is_empty() {
        let last = simd.mul_f32s(simd.partial_load_f32s(rest), share);
        simd.partial_store_f32s(rest, last);
    }
}

/// `e^(scale · (x - largest))`, their sum, and the largest.
#[inline(always)]
fn exp_below_largest_in<S: Simd>(simd: S, a: &mut [f32], scale: f32) -> (f32, f32) {
    let largest = max_in(simd, a);
    let (shift, scale) = (simd.splat_f32s(largest), simd.splat_f32s(scale));
    let (blocks, rest) = S::as_mut_simd_f32s(a);
    let mut total = simd.splat_f32s(0.0);
    for block in 0..blocks.len() {
        let x = simd.sub_f32s(blocks[block], shift);
        blocks[block] = exp_in(simd, simd.mul_f32s(x, scale));
        total = simd.add_f32s(total, blocks[block]);
    }
    if !rest.is_empty() {
        let x = simd.sub_f32s(simd.partial_load_f32s(rest), shift);
        let last = exp_in(simd, simd.mul_f32s(x, scale));
        simd.partial_store_f32s(rest, last);
        // Without what is after the last number.
        total = simd.add_f32s(total, simd.partial_load_f32s(rest));
    }
    (simd.reduce_sum_f32s(total), largest)
}

/// The largest number, `-inf` without numbers; ignores NaN.
#[inline(always)]
pub(super) fn max_in<S: Simd>(simd: S, a: &[f32]) -> f32 {
    let (blocks, rest) = S::as_simd_f32s(a);
    let mut registers = [simd.splat_f32s(f32::NEG_INFINITY); SUMS];
    let mut block = 0;
    // With a number and a NaN, the second operand is taken.
    while block + SUMS <= blocks.len() {
        for place in 0..SUMS {
            registers[place] = simd.max_f32s(blocks[block + place], registers[place]);
        }
        block += SUMS;
    }
    while block < blocks.len() {
        registers[0] = simd.max_f32s(blocks[block], registers[0]);
        block += 1;
    }
    let halves = [
        simd.max_f32s(registers[0], registers[1]),
        simd.max_f32s(registers[2], registers[3]),
    ];
    let mut largest = simd.reduce_max_f32s(simd.max_f32s(halves[0], halves[1]));
    for lane in 0..rest.len() {
        largest = largest.max(rest[lane]);
    }
    largest
}

/// Sum of `f(x)`.
#[inline(always)]
fn sum_of<S: Simd>(simd: S, a: &[f32], f: impl Fn(S::f32s) -> S::f32s) -> f32 {
    let (blocks, rest) = S::as_simd_f32s(a);
    let mut sums = [simd.splat_f32s(0.0); SUMS];
    let mut block = 0;
    while block + SUMS <= blocks.len() {
        for place in 0..SUMS {
            sums[place] = simd.add_f32s(sums[place], f(blocks[block + place]));
        }
        block += SUMS;
    }
    while block < blocks.len() {
        sums[0] = simd.add_f32s(sums[0], f(blocks[block]));
        block += 1;
    }
    if !rest.is_empty() {
        let inside = simd.mask_between_m32s(0, u32::try_from(rest.len()).unwrap_or(u32::MAX));
        let last = f(simd.partial_load_f32s(rest));
        let last = simd.select_f32s(inside.mask(), last, simd.splat_f32s(0.0));
        sums[1] = simd.add_f32s(sums[1], last);
    }
    joined(simd, sums)
}

#[inline(always)]
fn joined<S: Simd>(simd: S, sums: [S::f32s; SUMS]) -> f32 {
    let halves = [
        simd.add_f32s(sums[0], sums[1]),
        simd.add_f32s(sums[2], sums[3]),
    ];
    simd.reduce_sum_f32s(simd.add_f32s(halves[0], halves[1]))
}

/// [`exp`] of every lane.
#[inline(always)]
fn exp_in<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let least = simd.splat_f32s(LEAST);
    let clamped = simd.max_f32s(x, least);
    let shifted = simd.mul_add_f32s(
        clamped,
        simd.splat_f32s(std::f32::consts::LOG2_E),
        simd.splat_f32s(SHIFT),
    );
    let n = simd.sub_f32s(shifted, simd.splat_f32s(SHIFT));
    let r = simd.mul_add_f32s(n, simd.splat_f32s(-LN_2[0]), clamped);
    let r = simd.mul_add_f32s(n, simd.splat_f32s(-LN_2[1]), r);
    let mut p = simd.splat_f32s(POLYNOMIAL[0]);
    for place in 1..POLYNOMIAL.len() {
        p = simd.mul_add_f32s(p, r, simd.splat_f32s(POLYNOMIAL[place]));
    }
    let value = simd.add_f32s(
        simd.mul_add_f32s(simd.mul_f32s(p, r), r, r),
        simd.splat_f32s(1.0),
    );
    let bits = simd.add_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(BIAS));
    let scale = simd.wrapping_dyn_shl_u32s(bits, simd.splat_u32s(MANTISSA));
    let value = simd.mul_f32s(value, simd.transmute_f32s_u32s(scale));
    simd.select_f32s(simd.less_than_f32s(x, least), simd.splat_f32s(0.0), value)
}

/// Below it `e^x` is taken for 0.
const LEAST: f32 = -87.0;
/// Adding 1.5 · 2²³ rounds to the nearest integer, which then is in the lowest bits.
const SHIFT: f32 = 12_582_912.0;
/// `ln 2` in two parts, of which multiples by small integers are exact and nearly so.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
/// `(e^r - 1 - r) / r²` for |r| ≤ ½ ln 2, the highest power first.
const POLYNOMIAL: [f32; 6] = [
    1.987_569_1e-4,
    1.398_2e-3,
    8.333_452e-3,
    4.166_579_6e-2,
    1.666_666_5e-1,
    5e-1,
];
/// The exponent of 1, and the bits after the exponent.
const BIAS: u32 = 127;
const MANTISSA: u32 = 23;

/// `e^x` for `x ≤ 88`, within 2 units in the last place, without a branch so that a loop around it vectorises.
///
/// Range reduction to |r| ≤ ½ ln 2, a polynomial of degree 6, and the exponent put in by its bits; below -87 it is 0.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let clamped = x.max(LEAST);
    let shifted = clamped * std::f32::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = clamped - n * LN_2[0] - n * LN_2[1];
    let mut p = POLYNOMIAL[0];
    for place in 1..POLYNOMIAL.len() {
        p = p * r + POLYNOMIAL[place];
    }
    let value = p * (r * r) + r + 1.0;
    let scale = f32::from_bits(shifted.to_bits().wrapping_add(BIAS) << MANTISSA);
    if x < LEAST { 0.0 } else { value * scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f32> {
        let number = |i: usize| ((i * 37 % 101) as f32 - 50.0) / 8.0;
        (0..count).map(number).collect()
    }

    fn assert_close(got: f32, want: f64) {
        let error = (f64::from(got) - want).abs();
        assert!(error <= 2e-6 * want.abs().max(1.0), "{got}, not {want}");
    }

    /// As many as no register has, as one has, and around several.
    const COUNTS: [usize; 12] = [1, 2, 7, 8, 15, 16, 17, 33, 64, 71, 129, 1_000];

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for step in 0..=8_700 {
            let x = -(step as f32) / 100.0;
            let (got, want) = (exp(x), x.exp());
            let mut both = [x, 0.0];
            exp_below_largest(&mut both);
            for got in [got, both[0]] {
                assert!(
                    (got - want).abs() <= 4e-7 * want,
                    "exp({x}) = {got}, not {want}"
                );
            }
        }
        assert!(exp(f32::NEG_INFINITY).abs() < f32::MIN_POSITIVE);
        let mut both = [f32::NEG_INFINITY, 1.0];
        exp_below_largest(&mut both);
        assert_eq!(both.map(f32::to_bits), [0.0_f32, 1.0].map(f32::to_bits));
    }

    #[test]
    fn sums_of_any_length_are_those_of_plain_loops() {
        for count in COUNTS {
            let a = numbers(count);
            let b: Vec<f32> = a.iter().rev().map(|x| x + 0.25).collect();
            let products = a.iter().zip(&b);
            let products = products.map(|(x, y)| f64::from(*x) * f64::from(*y));
            assert_close(dot(&a, &b), products.sum());
            assert_close(sum(&a), a.iter().map(|&x| f64::from(x)).sum());
        }
    }

    #[test]
    fn the_largest_number_is_found_also_among_negative_ones_and_what_is_none() {
        let largest = |a: &[f32]| exp_below_largest(&mut a.to_vec()).1.to_bits();
        for count in COUNTS {
            let negative: Vec<f32> = numbers(count).iter().map(|x| x - 100.0).collect();
            let expected = negative.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(largest(&negative), expected.to_bits());
        }
        assert_eq!(largest(&[]), f32::NEG_INFINITY.to_bits());
        assert_eq!(largest(&[1.0, f32::NAN]), 1.0_f32.to_bits());
        assert_eq!(largest(&[[f32::NAN, 2.0]; 40].concat()), 2.0_f32.to_bits());
    }

    #[test]
    fn softmax_and_its_normaliser_are_those_of_plain_loops() {
        for count in COUNTS {
            let a = numbers(count);
            let exps: Vec<f64> = a.iter().map(|&x| (f64::from(x) * 0.5).exp()).collect();
            let total: f64 = exps.iter().sum();
            let mut shares = a.clone();
            softmax(&mut shares, 0.5);
            for (share, exp) in shares.iter().zip(&exps) {
                assert_close(*share, exp / total);
            }
            let total: f64 = a.iter().map(|&x| f64::from(x).exp()).sum();
            assert_close(log_sum_exp(&a), total.ln());
        }
    }
}
