//! The loops for processors with AVX2.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_mul_ps, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
    _mm256_srli_epi16,
};

use super::lanes::lanes;
use super::loops::loops;

/// Sums of products of four bytes in each lane; `wide` ones need all 8 bits.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn products(weights: __m256i, x: __m256i, wide: bool) -> __m256i {
    if !wide {
        return _mm256_madd_epi16(_mm256_maddubs_epi16(weights, x), _mm256_set1_epi16(1));
    }
    // Pairs of products of 8 bits overflow 16: the highest bit is multiplied by itself.
    let low = _mm256_and_si256(weights, _mm256_set1_epi8(0x7f));
    let high = _mm256_and_si256(_mm256_srli_epi16::<7>(weights), _mm256_set1_epi8(1));
    _mm256_add_epi32(
        _mm256_madd_epi16(_mm256_maddubs_epi16(low, x), _mm256_set1_epi16(1)),
        _mm256_madd_epi16(_mm256_maddubs_epi16(high, x), _mm256_set1_epi16(128)),
    )
}

/// Rows of a panel.
const PANEL: usize = 8;

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn zeros() -> __m256 {
    _mm256_setzero_ps()
}

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn no_integers() -> __m256i {
    _mm256_setzero_si256()
}

/// Adds products of four bytes of each row with four of x.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn add_fours(sums: __m256i, weights: &[[u8; 4]; PANEL], x: [i8; 4], wide: bool) -> __m256i {
    let x = _mm256_set1_epi32(cast(x));
    _mm256_add_epi32(sums, products(cast(*weights), x, wide))
}

/// Adds integers, times the scale of their rows and of x.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn add_scaled(sums: __m256, integers: __m256i, scales: &[f32; PANEL], x_scale: f32) -> __m256 {
    let scales = _mm256_mul_ps(cast(*scales), _mm256_set1_ps(x_scale));
    _mm256_fmadd_ps(_mm256_cvtepi32_ps(integers), scales, sums)
}

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn add_times(sums: __m256, numbers: &[f32; PANEL], factor: f32) -> __m256 {
    _mm256_fmadd_ps(cast(*numbers), _mm256_set1_ps(factor), sums)
}

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn numbers_of(sums: __m256) -> [f32; PANEL] {
    cast(sums)
}

lanes!("avx2,fma,f16c");
loops!("avx2,fma,f16c");
