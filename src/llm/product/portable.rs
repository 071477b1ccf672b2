//! The loops for any processor.

use super::loops::loops;

type Lanes = [f32; 8];

fn zero() -> Lanes {
    [0.0; 8]
}

/// Adds products of 32 integers, times the scale of each half.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "sums of few bytes")]
fn add_block<B: Blocks>(
    sums: &mut Lanes,
    weights: &[u8; 32],
    x: &[i8; 32],
    x_scale: f32,
    scales: [f32; 2],
) {
    for (half, scale) in scales.into_iter().enumerate() {
        for lane in 4 * half..4 * half + 4 {
            let products =
                (0..4).map(|it| i32::from(weights[4 * lane + it]) * i32::from(x[4 * lane + it]));
            sums[lane] += scale * x_scale * products.sum::<i32>() as f32;
        }
    }
}

#[inline(always)]
fn add_products(sums: &mut Lanes, a: &[f32; 8], b: &[f32; 8]) {
    for lane in 0..8 {
        sums[lane] += a[lane] * b[lane];
    }
}

#[inline(always)]
fn total(sums: Lanes) -> f32 {
    sums.iter().sum()
}

#[inline(always)]
fn halves(halves: &[u16; 8]) -> [f32; 8] {
    halves.map(f16_to_f32)
}

/// `a b + c`
#[inline(always)]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    a * b + c
}

loops!();
