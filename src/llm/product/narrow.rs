//! The loops for processors with AVX2.

use std::arch::x86_64::{
    __m256, __m256i, _mm_set1_ps, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_cvtepi32_ps, _mm256_cvtepu8_epi16, _mm256_cvtph_ps, _mm256_extracti128_si256,
    _mm256_fmadd_ps, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_mul_ps, _mm256_set_m128,
    _mm256_set1_epi16, _mm256_set1_ps, _mm256_setzero_ps,
};

use bytemuck::cast;

use super::loops::loops;

type Lanes = __m256;

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn zero() -> Lanes {
    _mm256_setzero_ps()
}

/// Sums of products, four to a lane; of bytes that need 8 bits in any order, since pairs of them overflow 16 bits.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn products<B: Blocks>(weights: __m256i, x: __m256i) -> __m256i {
    if !B::WIDE {
        return _mm256_madd_epi16(_mm256_maddubs_epi16(weights, x), _mm256_set1_epi16(1));
    }
    let low = _mm256_madd_epi16(
        _mm256_cvtepu8_epi16(_mm256_castsi256_si128(weights)),
        _mm256_cvtepi8_epi16(_mm256_castsi256_si128(x)),
    );
    let high = _mm256_madd_epi16(
        _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(weights)),
        _mm256_cvtepi8_epi16(_mm256_extracti128_si256::<1>(x)),
    );
    _mm256_add_epi32(low, high)
}

/// Adds products of 32 integers, times the scale of each half.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn add_block<B: Blocks>(
    sums: &mut Lanes,
    weights: &[u8; 32],
    x: &[i8; 32],
    x_scale: f32,
    scales: [f32; 2],
) {
    let products = products::<B>(cast(*weights), cast(*x));
    let of_x = _mm256_mul_ps(_mm256_cvtepi32_ps(products), _mm256_set1_ps(x_scale));
    let scales = if B::GROUP == 32 {
        _mm256_set1_ps(scales[0])
    } else {
        _mm256_set_m128(_mm_set1_ps(scales[1]), _mm_set1_ps(scales[0]))
    };
    *sums = _mm256_fmadd_ps(of_x, scales, *sums);
}

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn add_products(sums: &mut Lanes, a: &[f32; 8], b: &[f32; 8]) {
    *sums = _mm256_fmadd_ps(cast(*a), cast(*b), *sums);
}

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn total(sums: Lanes) -> f32 {
    let sums: [f32; 8] = cast(sums);
    let fours: [f32; 4] = std::array::from_fn(|lane| sums[lane] + sums[lane + 4]);
    (fours[0] + fours[2]) + (fours[1] + fours[3])
}

#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn halves(halves: &[u16; 8]) -> [f32; 8] {
    cast(_mm256_cvtph_ps(cast(*halves)))
}

/// `a b + c`
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

loops!("avx2,fma,f16c");
