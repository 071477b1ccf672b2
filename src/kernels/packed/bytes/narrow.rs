//! Tiles of AVX2's registers, which hold the sums of half a panel.

#[cfg(test)]
use std::arch::x86_64::_mm256_dpbusd_epi32;
use std::arch::x86_64::{
    __m256, __m256i, _mm256_abs_epi8, _mm256_add_epi32, _mm256_add_ps, _mm256_cvtepi32_ps,
    _mm256_dpbusd_avx_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_mul_ps,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_sign_epi8,
};
use std::ops::Range;

use pulp::bytemuck;

use super::{BytePanels, COLUMNS, Instructions, Quantised, runs};

/// `R` rows of bytes with their scales times a panel, into an output of `width` columns, from this one on.
type Tile = unsafe fn(&BytePanels, (&[i32], &[f32]), usize, (&mut [f32], usize, usize));

/// A tile for one, two, … rows, where a product and its sum are one instruction.
pub(super) const VNNI_TILES: [Tile; 6] = [
    BytePanels::vnni_tile::<1>,
    BytePanels::vnni_tile::<2>,
    BytePanels::vnni_tile::<3>,
    BytePanels::vnni_tile::<4>,
    BytePanels::vnni_tile::<5>,
    BytePanels::vnni_tile::<6>,
];

/// Where they are three.
pub(super) const PAIR_TILES: [Tile; 4] = [
    BytePanels::pair_tile::<1>,
    BytePanels::pair_tile::<2>,
    BytePanels::pair_tile::<3>,
    BytePanels::pair_tile::<4>,
];

/// Tiles for rows of signed bytes.
const SIGNED_TILES: [Tile; 4] = [
    BytePanels::signed_tile::<1>,
    BytePanels::signed_tile::<2>,
    BytePanels::signed_tile::<3>,
    BytePanels::signed_tile::<4>,
];

/// A function of [`BytePanels`] for `R` rows of bytes times a panel, which adds products to a sum by this expression.
macro_rules! tile {
    ($(#[$attribute:meta])* $name:ident, $features:literal, |$sum:ident, $x:ident, $weights:ident| $product:expr) => {
        $(#[$attribute])*
        #[target_feature(enable = $features)]
        fn $name<const R: usize>(
            &self,
            (quads, scales): (&[i32], &[f32]),
            panel: usize,
            output: (&mut [f32], usize, usize),
        ) {
            let lines = &self.lines[panel * self.depth..][..self.depth];
            let offsets: [__m256i; 2] = bytemuck::cast(self.offsets[panel]);
            let mut sums = [offsets; R];
            let (quads, _) = quads.as_chunks::<R>();
            let quads = &quads[..lines.len()];
            for place in 0..lines.len() {
                let line: [__m256i; 2] = bytemuck::cast(lines[place].0);
                for row in 0..R {
                    let $x = _mm256_set1_epi32(quads[place][row]);
                    for half in 0..2 {
                        let ($sum, $weights) = (sums[row][half], line[half]);
                        sums[row][half] = $product;
                    }
                }
            }
            self.end_of_tile(sums, scales, panel, output);
        }
    };
}

impl BytePanels {
    /// As [`Self::multiply`], which asserts that the processor has the instructions.
    pub(super) fn multiply_narrow(&self, x: &Quantised, panels: Range<usize>, output: &mut [f32]) {
        let tiles: &[Tile] = match (self.instructions, self.activations) {
            (Instructions::AvxVnni, _) => &VNNI_TILES,
            (_, Some(_)) => &SIGNED_TILES,
            (_, None) => &PAIR_TILES,
        };
        self.multiply_by(tiles, x, panels, output);
    }

    /// Multiplies by tiles whose instructions the caller has asserted that the processor has.
    fn multiply_by(&self, tiles: &[Tile], x: &Quantised, panels: Range<usize>, output: &mut [f32]) {
        let rows = x.scales.len();
        let width = self.outputs.min(panels.end * COLUMNS) - panels.start * COLUMNS;
        for panel in panels.clone() {
            let column = (panel - panels.start) * COLUMNS;
            for run in runs(rows, tiles.len()) {
                let quads = &x.quads[run.start * self.depth..run.end * self.depth];
                let output = &mut output[run.start * width..run.end * width];
                let x = (quads, &x.scales[run.clone()]);
                #[expect(
                    unsafe_code,
                    reason = "the processor has the instructions, as asserted"
                )]
                // SAFETY: the callers assert that the processor has the instructions that `tiles` are compiled for.
                unsafe {
                    tiles[run.len() - 1](self, x, panel, (output, width, column));
                }
            }
        }
    }

    tile!(
        /// `R` rows times a panel, four products at a time.
        vnni_tile,
        "avx2,avxvnni",
        |sum, x, weights| _mm256_dpbusd_avx_epi32(sum, x, weights)
    );
    tile!(
        /// [`Self::vnni_tile`] by the encoding of AVX-512, so that processors without the other one test it.
        #[cfg(test)]
        vnni_tile_of_avx512,
        "avx2,avx512vl,avx512vnni",
        |sum, x, weights| _mm256_dpbusd_epi32(sum, x, weights)
    );
    tile!(
        /// `R` rows times a panel, two products at a time.
        pair_tile,
        "avx2",
        |sum, x, weights| {
            let pairs = _mm256_maddubs_epi16(x, weights);
            let products = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
            _mm256_add_epi32(sum, products)
        }
    );
    tile!(
        /// `R` rows of signed bytes times a panel: weights get the signs of the rows, so that pairs of products are within
        /// 16 bits.
        signed_tile,
        "avx2",
        |sum, x, weights| {
            let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_sign_epi8(weights, x));
            let products = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
            _mm256_add_epi32(sum, products)
        }
    );

    /// Writes the sums of `R` rows with a panel, made numbers again.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn end_of_tile<const R: usize>(
        &self,
        sums: [[__m256i; 2]; R],
        scales: &[f32],
        panel: usize,
        (output, width, column): (&mut [f32], usize, usize),
    ) {
        let of_panel: [__m256; 2] = bytemuck::cast(self.scales[panel]);
        let bias: [__m256; 2] = bytemuck::cast(self.bias[panel]);
        for row in 0..R {
            let mut line = bias;
            for half in 0..2 {
                let scale = _mm256_mul_ps(of_panel[half], _mm256_set1_ps(scales[row]));
                let sum = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[row][half]), scale);
                line[half] = _mm256_add_ps(sum, bias[half]);
            }
            let line: [f32; COLUMNS] = bytemuck::cast(line);
            let output = &mut output[row * width + column..];
            match output.first_chunk_mut::<COLUMNS>() {
                Some(whole) if column + COLUMNS <= width => *whole = line,
                _ => output[..width - column].copy_from_slice(&line[..width - column]),
            }
        }
    }
}

#[cfg(test)]
impl BytePanels {
    /// The product of panels for AVX-VNNI, by instructions of AVX-512.
    pub(super) fn multiply_by_avx512(
        &self,
        x: &Quantised,
        panels: Range<usize>,
        output: &mut [f32],
    ) {
        const TILES: [Tile; VNNI_TILES.len()] = [
            BytePanels::vnni_tile_of_avx512::<1>,
            BytePanels::vnni_tile_of_avx512::<2>,
            BytePanels::vnni_tile_of_avx512::<3>,
            BytePanels::vnni_tile_of_avx512::<4>,
            BytePanels::vnni_tile_of_avx512::<5>,
            BytePanels::vnni_tile_of_avx512::<6>,
        ];
        assert!(Instructions::Avx512Vnni.are_here());
        self.multiply_by(&TILES, x, panels, output);
    }
}
