//! The loops for processors with NEON, which all of aarch64 have. Stable Rust has no dot products of bytes (`vdotq_s32`): products
//! of 16 bits are added in pairs.

use std::arch::aarch64::{
    float32x4_t, int8x16_t, int32x4_t, uint8x16_t, uint16x4_t, vaddq_f32, vcvt_f32_f16,
    vcvtq_f32_s32, vdupq_n_f32, vdupq_n_s32, vdupq_n_u8, veorq_u8, vfmaq_f32, vfmaq_n_f32,
    vget_low_s8, vmull_high_s8, vmull_s8, vmulq_n_f32, vpadalq_s16, vpaddlq_s8, vpaddq_s16,
    vreinterpret_f16_u16, vreinterpretq_s8_s32, vreinterpretq_s8_u8, vshlq_n_s16,
};

use bytemuck::cast;

use super::loops::loops;

/// Eight numbers, the first four first.
type Lanes = [float32x4_t; 2];

#[target_feature(enable = "neon")]
#[inline]
fn zero() -> Lanes {
    [vdupq_n_f32(0.0); 2]
}

/// Adds products of four bytes to each lane; `wide` weights need all 8 bits. Bytes of `x` are at least -127.
#[target_feature(enable = "neon")]
#[inline]
fn add_bytes(sums: int32x4_t, weights: uint8x16_t, x: int8x16_t, wide: bool) -> int32x4_t {
    // Less 128, wide weights have a sign. Two products are 2 · 128 · 127 at most, which 16 bits hold.
    let signed = if wide {
        veorq_u8(weights, vdupq_n_u8(0x80))
    } else {
        weights
    };
    let signed = vreinterpretq_s8_u8(signed);
    let low = vmull_s8(vget_low_s8(signed), vget_low_s8(x));
    let high = vmull_high_s8(signed, x);
    let sums = vpadalq_s16(sums, vpaddq_s16(low, high));
    if wide {
        vpadalq_s16(sums, vshlq_n_s16::<7>(vpaddlq_s8(x)))
    } else {
        sums
    }
}

/// Adds products of 32 integers, times the scale of each half.
#[target_feature(enable = "neon")]
#[inline]
fn add_block<B: Blocks>(sums: &mut Lanes, weights: &[u8; 32], x: &[i8; 32], scales: [f32; 2]) {
    let (weights, x): ([uint8x16_t; 2], [int8x16_t; 2]) = (cast(*weights), cast(*x));
    for half in 0..2 {
        let products = add_bytes(vdupq_n_s32(0), weights[half], x[half], B::WIDE);
        sums[half] = vfmaq_n_f32(sums[half], vcvtq_f32_s32(products), scales[half]);
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn add_products(sums: &mut Lanes, a: &[f32; 8], b: &[f32; 8]) {
    let (a, b): (Lanes, Lanes) = (cast(*a), cast(*b));
    *sums = [
        vfmaq_f32(sums[0], a[0], b[0]),
        vfmaq_f32(sums[1], a[1], b[1]),
    ];
}

#[target_feature(enable = "neon")]
#[inline]
fn added(a: Lanes, b: Lanes) -> Lanes {
    [vaddq_f32(a[0], b[0]), vaddq_f32(a[1], b[1])]
}

#[target_feature(enable = "neon")]
#[inline]
fn total(sums: Lanes) -> f32 {
    let fours: [f32; 4] = cast(vaddq_f32(sums[0], sums[1]));
    (fours[0] + fours[2]) + (fours[1] + fours[3])
}

#[target_feature(enable = "neon")]
#[inline]
fn halves(halves: [u16; 8]) -> [f32; 8] {
    let halves: [uint16x4_t; 2] = cast(halves);
    let [low, high] = halves.map(|it| vcvt_f32_f16(vreinterpret_f16_u16(it)));
    cast([low, high])
}

/// `a b + c`
#[target_feature(enable = "neon")]
#[inline]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

/// Rows of a panel.
const PANEL: usize = 8;

#[target_feature(enable = "neon")]
#[inline]
fn zeros() -> Lanes {
    zero()
}

#[target_feature(enable = "neon")]
#[inline]
fn no_integers() -> [int32x4_t; 2] {
    [vdupq_n_s32(0); 2]
}

/// Adds products of four bytes of each row with four of x.
#[target_feature(enable = "neon")]
#[inline]
fn add_fours(
    sums: [int32x4_t; 2],
    weights: &[[u8; 4]; PANEL],
    x: [i8; 4],
    wide: bool,
) -> [int32x4_t; 2] {
    let weights: [uint8x16_t; 2] = cast(*weights);
    let x = vreinterpretq_s8_s32(vdupq_n_s32(cast(x)));
    [
        add_bytes(sums[0], weights[0], x, wide),
        add_bytes(sums[1], weights[1], x, wide),
    ]
}

/// Adds integers, times the scale of their rows and of x.
#[target_feature(enable = "neon")]
#[inline]
fn add_scaled(
    mut sums: Lanes,
    integers: [int32x4_t; 2],
    scales: &[f32; PANEL],
    x_scale: f32,
) -> Lanes {
    let scales: Lanes = cast(*scales);
    for half in 0..2 {
        let scales = vmulq_n_f32(scales[half], x_scale);
        sums[half] = vfmaq_f32(sums[half], vcvtq_f32_s32(integers[half]), scales);
    }
    sums
}

#[target_feature(enable = "neon")]
#[inline]
fn add_times(sums: Lanes, numbers: &[f32; PANEL], factor: f32) -> Lanes {
    let numbers: Lanes = cast(*numbers);
    [
        vfmaq_n_f32(sums[0], numbers[0], factor),
        vfmaq_n_f32(sums[1], numbers[1], factor),
    ]
}

#[target_feature(enable = "neon")]
#[inline]
fn numbers_of(sums: Lanes) -> [f32; PANEL] {
    cast(sums)
}

loops!("neon");
