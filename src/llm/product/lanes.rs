//! Operations of the loops on registers of eight floats, common to AVX2 and AVX-512.

/// The primitives of [`loops`](super::loops::loops) but for `products`, the sums of products of bytes, which the module has.
macro_rules! lanes {
    ($features:literal) => {
        use std::arch::x86_64::{
            __m256, _mm_set1_ps, _mm256_add_ps, _mm256_cvtepi32_ps, _mm256_cvtph_ps,
            _mm256_fmadd_ps, _mm256_set_m128, _mm256_set1_ps, _mm256_setzero_ps,
        };

        use bytemuck::cast;

        type Lanes = __m256;

        #[target_feature(enable = $features)]
        #[inline]
        fn zero() -> Lanes {
            _mm256_setzero_ps()
        }

        /// Adds products of 32 integers, times the scale of each half.
        #[target_feature(enable = $features)]
        #[inline]
        fn add_block<B: Blocks>(
            sums: &mut Lanes,
            weights: &[u8; 32],
            x: &[i8; 32],
            scales: [f32; 2],
        ) {
            let products = products(cast(*weights), cast(*x), B::WIDE);
            let scales = if B::GROUP == 32 {
                _mm256_set1_ps(scales[0])
            } else {
                _mm256_set_m128(_mm_set1_ps(scales[1]), _mm_set1_ps(scales[0]))
            };
            *sums = _mm256_fmadd_ps(_mm256_cvtepi32_ps(products), scales, *sums);
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn add_products(sums: &mut Lanes, a: &[f32; 8], b: &[f32; 8]) {
            *sums = _mm256_fmadd_ps(cast(*a), cast(*b), *sums);
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn added(a: Lanes, b: Lanes) -> Lanes {
            _mm256_add_ps(a, b)
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn total(sums: Lanes) -> f32 {
            let sums: [f32; 8] = cast(sums);
            let fours: [f32; 4] = std::array::from_fn(|lane| sums[lane] + sums[lane + 4]);
            (fours[0] + fours[2]) + (fours[1] + fours[3])
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn halves(halves: [u16; 8]) -> [f32; 8] {
            cast(_mm256_cvtph_ps(cast(halves)))
        }

        /// `a b + c`
        #[target_feature(enable = $features)]
        #[inline]
        fn fused(a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }
    };
}

pub(super) use lanes;
