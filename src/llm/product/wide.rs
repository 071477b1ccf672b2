//! The loops for processors with AVX-512 and its products of bytes.

use std::arch::x86_64::{__m256i, _mm256_dpbusd_epi32, _mm256_setzero_si256};

use super::lanes::lanes;
use super::loops::loops;

/// Sums of products, four to a lane.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn products(weights: __m256i, x: __m256i, _: bool) -> __m256i {
    _mm256_dpbusd_epi32(_mm256_setzero_si256(), weights, x)
}

lanes!("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni");
loops!("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni");
