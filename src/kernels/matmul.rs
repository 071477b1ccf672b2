//! Products of small matrices inside one core: those of a single attention head, too small for a library call.

#![allow(
    clippy::needless_range_loop,
    reason = "plain loops stay in the vector instructions of their caller, as the adapters of iterators may not"
)]

/// Columns computed together: one AVX-512 register, two of AVX2.
const LANES: usize = 16;

/// Rows computed together, so that each column load serves several rows.
const ROWS: usize = 4;

/// `c = a · b` with `a [m, k]`, `b [k, n]`, `c [m, n]`, all contiguous by rows.
#[inline(always)]
#[expect(
    clippy::many_single_char_names,
    reason = "the customary names of a product's matrices and sizes"
)]
pub(super) fn multiply(a: &[f32], b: &[f32], c: &mut [f32], [m, k, n]: [usize; 3]) {
    assert!(a.len() >= m * k && b.len() >= k * n && c.len() >= m * n);
    let mut row = 0;
    while row + ROWS <= m {
        multiply_rows::<ROWS>(&a[row * k..], b, &mut c[row * n..], [k, n]);
        row += ROWS;
    }
    while row < m {
        multiply_rows::<1>(&a[row * k..], b, &mut c[row * n..], [k, n]);
        row += 1;
    }
}

#[inline(always)]
#[expect(
    clippy::many_single_char_names,
    reason = "the customary names of a product's matrices and sizes"
)]
fn multiply_rows<const R: usize>(a: &[f32], b: &[f32], c: &mut [f32], [k, n]: [usize; 2]) {
    let mut column = 0;
    while column + LANES <= n {
        let mut sums = [[0.0_f32; LANES]; R];
        for inner in 0..k {
            let b = &b[inner * n + column..][..LANES];
            for row in 0..R {
                let a = a[row * k + inner];
                for lane in 0..LANES {
                    sums[row][lane] += a * b[lane];
                }
            }
        }
        for row in 0..R {
            c[row * n + column..][..LANES].copy_from_slice(&sums[row]);
        }
        column += LANES;
    }
    for column in column..n {
        for row in 0..R {
            let mut sum = 0.0;
            for inner in 0..k {
                sum += a[row * k + inner] * b[inner * n + column];
            }
            c[row * n + column] = sum;
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

/// Sum of products, in `LANES` independent sums so that it vectorises.
#[inline(always)]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let b = &b[..a.len()];
    let ((blocks, rest), (others, other_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for block in 0..blocks.len() {
        for lane in 0..LANES {
            sums[lane] += blocks[block][lane] * others[block][lane];
        }
    }
    for lane in 0..rest.len() {
        sums[lane] += rest[lane] * other_rest[lane];
    }
    folded(sums, add)
}

#[inline(always)]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

/// Joins all lanes, in halves.
#[inline(always)]
fn folded(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = join(lanes[lane], lanes[lane + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// Sum in `LANES` independent sums.
#[inline(always)]
pub(super) fn sum(a: &[f32]) -> f32 {
    sum_of(a, |x| x)
}

/// Sum of `f(x)`, in `LANES` independent sums.
#[inline(always)]
pub(super) fn sum_of(a: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (blocks, rest) = a.as_chunks::<LANES>();
    for block in 0..blocks.len() {
        for lane in 0..LANES {
            sums[lane] += f(blocks[block][lane]);
        }
    }
    for lane in 0..rest.len() {
        sums[lane] += f(rest[lane]);
    }
    folded(sums, add)
}

/// The largest number, `-inf` for none; passes over what is none.
#[inline(always)]
pub(super) fn max(a: &[f32]) -> f32 {
    let mut largest = [f32::NEG_INFINITY; LANES];
    let (blocks, rest) = a.as_chunks::<LANES>();
    for block in 0..blocks.len() {
        for lane in 0..LANES {
            largest[lane] = largest[lane].max(blocks[block][lane]);
        }
    }
    for lane in 0..rest.len() {
        largest[lane] = largest[lane].max(rest[lane]);
    }
    folded(largest, f32::max)
}

/// `e^x` for `x ≤ 0`, within 2 units in the last place, without a branch so that it vectorises.
///
/// Range reduction to |r| ≤ ½ ln 2, a polynomial of degree 6, and the exponent put in by its bits; below -87 it is 0.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is clamped to what fits"
)]
#[expect(clippy::cast_sign_loss, reason = "the biased exponent is positive")]
pub(super) fn exp(x: f32) -> f32 {
    let clamped = x.max(-87.0);
    // Adding and subtracting 1.5 · 2²³ rounds to the nearest integer.
    let shift = 12_582_912.0_f32;
    let n = (clamped * std::f32::consts::LOG2_E + shift) - shift;
    let r = clamped - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_2e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 5e-1;
    let value = p * r * r + r + 1.0;
    let scale = f32::from_bits(((n as i32 + 127) as u32) << 23);
    if x < -87.0 { 0.0 } else { value * scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for step in 0..=8_700 {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let x = -(step as f32) / 100.0;
            let (got, want) = (exp(x), x.exp());
            assert!(
                (got - want).abs() <= 4e-7 * want,
                "exp({x}) = {got}, not {want}"
            );
        }
        assert!(exp(f32::NEG_INFINITY).abs() < f32::MIN_POSITIVE);
    }

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
