//! The loops for processors with AVX2.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_cvtepu8_epi16,
    _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
};

use super::lanes::lanes;
use super::loops::loops;

/// Sums of products, four to a lane; of `wide` bytes, which need all 8 bits, in any order, since pairs of them overflow 16 bits.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn products(weights: __m256i, x: __m256i, wide: bool) -> __m256i {
    if !wide {
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

lanes!("avx2,fma,f16c");
loops!("avx2,fma,f16c");
