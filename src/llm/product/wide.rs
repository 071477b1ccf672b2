//! The loops for processors with AVX-512 and its products of bytes.

use std::arch::x86_64::{
    __m256i, __m512, __m512i, _mm256_castpd_ps, _mm256_castps_pd, _mm256_dpbusd_epi32,
    _mm256_setzero_si256, _mm512_castpd_ps, _mm512_castps_pd, _mm512_castps256_ps512,
    _mm512_castps512_ps256, _mm512_castsi256_si512, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32,
    _mm512_extractf64x4_pd, _mm512_fmadd_ps, _mm512_insertf64x4, _mm512_inserti64x4, _mm512_mul_ps,
    _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512,
};

use super::lanes::lanes;
use super::loops::loops;

/// Sums of products of four bytes in each lane.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn products(weights: __m256i, x: __m256i, _: bool) -> __m256i {
    _mm256_dpbusd_epi32(_mm256_setzero_si256(), weights, x)
}

/// Rows of a panel.
const PANEL: usize = 16;

/// Loads the numbers of all rows, which the compiler makes one instruction.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn loaded(numbers: &[f32; PANEL]) -> __m512 {
    let [low, high]: [__m256; 2] = cast(*numbers);
    let low = _mm512_castps_pd(_mm512_castps256_ps512(low));
    _mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd(high)))
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn zeros() -> __m512 {
    _mm512_setzero_ps()
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn no_integers() -> __m512i {
    _mm512_setzero_si512()
}

/// Adds products of four bytes of each row with four of x.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn add_fours(sums: __m512i, weights: &[[u8; 4]; PANEL], x: [i8; 4], _: bool) -> __m512i {
    let [low, high]: [__m256i; 2] = cast(*weights);
    let weights = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
    _mm512_dpbusd_epi32(sums, weights, _mm512_set1_epi32(cast(x)))
}

/// Adds integers, times the scale of their rows and of x.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn add_scaled(sums: __m512, integers: __m512i, scales: &[f32; PANEL], x_scale: f32) -> __m512 {
    let scales = _mm512_mul_ps(loaded(scales), _mm512_set1_ps(x_scale));
    _mm512_fmadd_ps(_mm512_cvtepi32_ps(integers), scales, sums)
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn add_times(sums: __m512, numbers: &[f32; PANEL], factor: f32) -> __m512 {
    _mm512_fmadd_ps(loaded(numbers), _mm512_set1_ps(factor), sums)
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn numbers_of(sums: __m512) -> [f32; PANEL] {
    let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(sums)));
    cast([_mm512_castps512_ps256(sums), high])
}

lanes!("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni");
loops!("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni");
