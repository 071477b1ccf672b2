//! The loops for any processor.

use super::loops::loops;

type Lanes = [f32; 8];

fn zero() -> Lanes {
    [0.0; 8]
}

/// Adds products of 32 integers, times the scale of each half.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "sums of few bytes")]
fn add_block<B: Blocks>(sums: &mut Lanes, weights: &[u8; 32], x: &[i8; 32], scales: [f32; 2]) {
    for (half, scale) in scales.into_iter().enumerate() {
        for lane in 4 * half..4 * half + 4 {
            let products =
                (0..4).map(|it| i32::from(weights[4 * lane + it]) * i32::from(x[4 * lane + it]));
            sums[lane] += scale * products.sum::<i32>() as f32;
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
fn added(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|lane| a[lane] + b[lane])
}

#[inline(always)]
fn total(sums: Lanes) -> f32 {
    sums.iter().sum()
}

#[inline(always)]
fn halves(halves: [u16; 8]) -> [f32; 8] {
    halves.map(f16_to_f32)
}

/// `a b + c`
#[inline(always)]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    a * b + c
}

/// Rows of a panel.
const PANEL: usize = 8;

fn zeros() -> [f32; PANEL] {
    [0.0; PANEL]
}

fn no_integers() -> [i32; PANEL] {
    [0; PANEL]
}

/// Adds products of four bytes of each row with four of x.
#[inline(always)]
fn add_fours(
    mut sums: [i32; PANEL],
    weights: &[[u8; 4]; PANEL],
    x: [i8; 4],
    _: bool,
) -> [i32; PANEL] {
    for (sum, weights) in sums.iter_mut().zip(weights) {
        for (weight, x) in weights.iter().zip(x) {
            *sum += i32::from(*weight) * i32::from(x);
        }
    }
    sums
}

/// Adds integers, times the scale of their rows and of x.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "sums of few bytes")]
fn add_scaled(
    mut sums: [f32; PANEL],
    integers: [i32; PANEL],
    scales: &[f32; PANEL],
    x_scale: f32,
) -> [f32; PANEL] {
    for ((sum, integer), scale) in sums.iter_mut().zip(integers).zip(scales) {
        *sum += scale * x_scale * integer as f32;
    }
    sums
}

#[inline(always)]
fn add_times(mut sums: [f32; PANEL], numbers: &[f32; PANEL], factor: f32) -> [f32; PANEL] {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number * factor;
    }
    sums
}

fn numbers_of(sums: [f32; PANEL]) -> [f32; PANEL] {
    sums
}

loops!();
