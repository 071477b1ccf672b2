//! Products of small matrices inside one core: those of a single attention head, too small for a library call.

use pulp::{Arch, Simd, WithSimd};

/// Rows computed together, so that each column load serves several rows, and their sums stay in registers.
const ROWS: usize = 6;

/// `c = a · b` with `a [m, k]`, `b [k, n]`, `c [m, n]`, all contiguous by rows.
#[expect(
    clippy::many_single_char_names,
    reason = "the customary names of a product's matrices and sizes"
)]
pub fn multiply(a: &[f32], b: &[f32], c: &mut [f32], [m, k, n]: [usize; 3]) {
    assert!(a.len() >= m * k && b.len() >= k * n && c.len() >= m * n);
    Arch::new().dispatch(Product {
        left: a,
        right: b,
        result: c,
        sizes: [m, k, n],
    });
}

/// A product to be computed in registers.
struct Product<'a> {
    left: &'a [f32],
    right: &'a [f32],
    result: &'a mut [f32],
    sizes: [usize; 3],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (rows, mut row) = (self.sizes[0], 0);
        while row < rows {
            let strip = ROWS.min(rows - row);
            match strip {
                1 => self.strip::<S, 1>(simd, row),
                2 => self.strip::<S, 2>(simd, row),
                3 => self.strip::<S, 3>(simd, row),
                4 => self.strip::<S, 4>(simd, row),
                5 => self.strip::<S, 5>(simd, row),
                _ => self.strip::<S, ROWS>(simd, row),
            }
            row += strip;
        }
    }
}

impl Product<'_> {
    /// `R` rows from `row` on.
    #[inline(always)]
    fn strip<S: Simd, const R: usize>(&mut self, simd: S, row: usize) {
        let (columns, mut column) = (self.sizes[2], 0);
        while column + 2 * S::F32_LANES <= columns {
            self.tile::<S, R, 2>(simd, row, column);
            column += 2 * S::F32_LANES;
        }
        if column + S::F32_LANES <= columns {
            self.tile::<S, R, 1>(simd, row, column);
            column += S::F32_LANES;
        }
        if column < columns {
            self.last_columns::<S, R>(simd, row, column);
        }
    }

    /// `R` rows of `V` registers of columns.
    #[inline(always)]
    fn tile<S: Simd, const R: usize, const V: usize>(
        &mut self,
        simd: S,
        row: usize,
        column: usize,
    ) {
        let [_, depth, width] = self.sizes;
        let left = &self.left[row * depth..];
        let mut sums = [[simd.splat_f32s(0.0); V]; R];
        for inner in 0..depth {
            let line = &self.right[inner * width + column..(inner + 1) * width];
            let (line, _) = S::as_simd_f32s(line);
            // Before the rows: with all rows' numbers in registers there would be none left for the sums.
            let mut columns = [simd.splat_f32s(0.0); V];
            for place in 0..V {
                columns[place] = line[place];
            }
            for of_strip in 0..R {
                let x = simd.splat_f32s(left[of_strip * depth + inner]);
                for place in 0..V {
                    let sum = sums[of_strip][place];
                    sums[of_strip][place] = simd.mul_add_f32s(x, columns[place], sum);
                }
            }
        }
        for of_strip in 0..R {
            let begin = (row + of_strip) * width;
            let line = &mut self.result[begin + column..begin + width];
            let (line, _) = S::as_mut_simd_f32s(line);
            for place in 0..V {
                line[place] = sums[of_strip][place];
            }
        }
    }

    /// `R` rows of the columns from `column` on, which are fewer than a register holds.
    #[inline(always)]
    fn last_columns<S: Simd, const R: usize>(&mut self, simd: S, row: usize, column: usize) {
        let [_, depth, width] = self.sizes;
        let left = &self.left[row * depth..];
        let mut sums = [simd.splat_f32s(0.0); R];
        for inner in 0..depth {
            let line = &self.right[inner * width + column..(inner + 1) * width];
            let columns = simd.partial_load_f32s(line);
            for of_strip in 0..R {
                let x = simd.splat_f32s(left[of_strip * depth + inner]);
                sums[of_strip] = simd.mul_add_f32s(x, columns, sums[of_strip]);
            }
        }
        for of_strip in 0..R {
            let begin = (row + of_strip) * width;
            let line = &mut self.result[begin + column..begin + width];
            simd.partial_store_f32s(line, sums[of_strip]);
        }
    }
}

/// `t = mᵀ` with `m [rows, columns]`.
#[inline(always)]
pub(super) fn transpose(m: &[f32], t: &mut [f32], [rows, columns]: [usize; 2]) {
    for row in 0..rows {
        for column in 0..columns {
            t[column * rows + row] = m[row * columns + column];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_remainders_multiply_alike() {
        for [m, k, n] in [[1, 3, 5], [4, 7, 16], [9, 5, 37], [6, 64, 48]] {
            let number = |i: usize| ((i * 37 % 19) as f32 - 9.0) / 8.0;
            let a: Vec<f32> = (0..m * k).map(number).collect();
            let b: Vec<f32> = (0..k * n).map(number).collect();
            let mut c = vec![0.0; m * n];
            multiply(&a, &b, &mut c, [m, k, n]);
            for row in 0..m {
                for column in 0..n {
                    let want: f32 = (0..k).map(|i| a[row * k + i] * b[i * n + column]).sum();
                    assert!((c[row * n + column] - want).abs() < 1e-4);
                }
            }
        }
    }
}
