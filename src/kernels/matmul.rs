//! Products of small matrices inside one core: those of a single attention head, too small for a library call.

#![allow(
    clippy::needless_range_loop,
    reason = "plain loops stay in the vector instructions of their caller, as the adapters of iterators may not"
)]

use pulp::{Arch, Simd, WithSimd};

/// Rows computed together, so that each column load serves several rows, and their sums stay in registers.
const ROWS: usize = 6;

/// `c = a · b` with `a [m, k]`, `b [k, n]`, `c [m, n]`, all contiguous by rows.
#[expect(
    clippy::many_single_char_names,
    reason = "the customary names of a product's matrices and sizes"
)]
pub(super) fn multiply(a: &[f32], b: &[f32], c: &mut [f32], [m, k, n]: [usize; 3]) {
    assert!(a.len() >= m * k && b.len() >= k * n && c.len() >= m * n);
    Arch::new().dispatch(Product {
        a,
        b,
        c,
        sizes: [m, k, n],
    });
}

/// A product to be computed in registers.
struct Product<'a> {
    a: &'a [f32],
    b: &'a [f32],
    c: &'a mut [f32],
    sizes: [usize; 3],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let [m, k, n] = self.sizes;
        let mut row = 0;
        while row < m {
            let rows = ROWS.min(m - row);
            let (a, c) = (&self.a[row * k..], &mut self.c[row * n..]);
            match rows {
                1 => strip::<S, 1>(simd, a, self.b, c, [k, n]),
                2 => strip::<S, 2>(simd, a, self.b, c, [k, n]),
                3 => strip::<S, 3>(simd, a, self.b, c, [k, n]),
                4 => strip::<S, 4>(simd, a, self.b, c, [k, n]),
                5 => strip::<S, 5>(simd, a, self.b, c, [k, n]),
                _ => strip::<S, ROWS>(simd, a, self.b, c, [k, n]),
            }
            row += rows;
        }
    }
}

/// `R` rows of a product.
#[inline(always)]
fn strip<S: Simd, const R: usize>(
    simd: S,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    [k, n]: [usize; 2],
) {
    let mut column = 0;
    while column + 2 * S::F32_LANES <= n {
        tile::<S, R, 2>(simd, a, b, c, [k, n], column);
        column += 2 * S::F32_LANES;
    }
    if column + S::F32_LANES <= n {
        tile::<S, R, 1>(simd, a, b, c, [k, n], column);
        column += S::F32_LANES;
    }
    if column < n {
        last_columns::<S, R>(simd, a, b, c, [k, n], column);
    }
}

/// `R` rows of `V` registers of columns from `column` on.
#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize>(
    simd: S,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    [k, n]: [usize; 2],
    column: usize,
) {
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    for inner in 0..k {
        let (line, _) = S::as_simd_f32s(&b[inner * n + column..(inner + 1) * n]);
        for place in 0..V {
            let columns = line[place];
            for row in 0..R {
                let x = simd.splat_f32s(a[row * k + inner]);
                sums[row][place] = simd.mul_add_f32s(x, columns, sums[row][place]);
            }
        }
    }
    for row in 0..R {
        let (line, _) = S::as_mut_simd_f32s(&mut c[row * n + column..(row + 1) * n]);
        for place in 0..V {
            line[place] = sums[row][place];
        }
    }
}

/// `R` rows of the columns from `column` on, which are fewer than a register holds.
#[inline(always)]
fn last_columns<S: Simd, const R: usize>(
    simd: S,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    [k, n]: [usize; 2],
    column: usize,
) {
    let mut sums = [simd.splat_f32s(0.0); R];
    for inner in 0..k {
        let columns = simd.partial_load_f32s(&b[inner * n + column..(inner + 1) * n]);
        for row in 0..R {
            let x = simd.splat_f32s(a[row * k + inner]);
            sums[row] = simd.mul_add_f32s(x, columns, sums[row]);
        }
    }
    for row in 0..R {
        simd.partial_store_f32s(&mut c[row * n + column..(row + 1) * n], sums[row]);
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
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
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
