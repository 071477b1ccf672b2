//! Keys and values that several queries read at a time, as the hypotheses of a sentence read its source.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::COLUMNS;
use super::reading::{Columns, scale};
use crate::vectors::softmax_in;

/// Queries of which each number of keys and values that is read serves all.
pub(super) const QUERIES: usize = 4;

/// Runs of keys and values. Keys are transposed: the scores of adjacent places are computed in one register, without
/// sums across it.
#[derive(Debug, Clone)]
pub struct SharedRows {
    pub(super) runs: Vec<Run>,
    /// Places of the longest run.
    pub(super) longest: usize,
    pub(super) d_model: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Run {
    pub len: usize,
    /// `[d_model, width]`, where the width is the length, made up with zeros to whole registers.
    pub keys: Vec<f32>,
    /// `[len, d_model]`
    pub values: Vec<f32>,
}

impl SharedRows {
    /// Packs these rows of keys and values.
    ///
    /// # Shapes
    /// - keys, values: `[rows, d_model]`
    pub fn new(
        [keys, values]: [Columns<'_>; 2],
        runs: impl IntoIterator<Item = Range<usize>>,
        d_model: usize,
    ) -> Self {
        let run = |rows: Range<usize>| {
            let (len, width) = (rows.len(), width(rows.len()));
            let mut turned = vec![0.0; width * d_model];
            let mut read = Vec::with_capacity(len * d_model);
            for (place, row) in rows.enumerate() {
                let keys = keys.row(row, d_model);
                for column in 0..d_model {
                    turned[column * width + place] = keys[column];
                }
                read.extend_from_slice(values.row(row, d_model));
            }
            Run {
                len,
                keys: turned,
                values: read,
            }
        };
        Self::from_runs(runs.into_iter().map(run).collect(), d_model)
    }

    fn from_runs(runs: Vec<Run>, d_model: usize) -> Self {
        Self {
            longest: runs.iter().map(|run| run.len).max().unwrap_or(0),
            runs,
            d_model,
        }
    }

    /// The runs of all, one after the other.
    pub fn joined(parts: impl IntoIterator<Item = Self>, d_model: usize) -> Self {
        let runs = parts.into_iter().flat_map(|part| part.runs);
        Self::from_runs(runs.collect(), d_model)
    }

    /// Attention of the rows `queries` of `q` to a run, in heads of `d_model / num_heads` columns; zeros where it has none. Row `n`
    /// of the output begins at `n` times the second number.
    ///
    /// # Shapes
    /// - output: `[queries, d_model]`
    pub fn attend(
        &self,
        run: usize,
        (q, queries): (Columns<'_>, Range<usize>),
        num_heads: usize,
        weights: &mut Vec<f32>,
        output: (&mut [f32], usize),
    ) {
        let Run { len, keys, values } = &self.runs[run];
        let width = width(*len);
        weights.resize(QUERIES * width, 0.0);
        Arch::new().dispatch(Readers {
            q,
            queries,
            keys,
            values,
            weights,
            sizes: [*len, width, self.d_model, num_heads],
            output,
        });
    }
}

/// A run's length in whole registers of any processor.
pub(super) fn width(len: usize) -> usize {
    len.next_multiple_of(COLUMNS)
}

struct Readers<'a> {
    q: Columns<'a>,
    queries: Range<usize>,
    keys: &'a [f32],
    values: &'a [f32],
    /// `[QUERIES, width]`
    weights: &'a mut [f32],
    /// Places, their width, `d_model` and heads.
    sizes: [usize; 4],
    output: (&'a mut [f32], usize),
}

impl WithSimd for Readers<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let count = self.queries.len();
        let mut query = 0;
        while query + QUERIES <= count {
            self.read::<S, QUERIES>(simd, query);
            query += QUERIES;
        }
        match count - query {
            3 => self.read::<S, 3>(simd, query),
            2 => self.read::<S, 2>(simd, query),
            1 => self.read::<S, 1>(simd, query),
            _ => {}
        }
    }
}

impl Readers<'_> {
    /// The attention of `Q` queries from `first` on.
    #[inline(always)]
    fn read<S: Simd, const Q: usize>(&mut self, simd: S, first: usize) {
        let [len, width, d_model, num_heads] = self.sizes;
        let d_head = d_model / num_heads;
        // Sums of all queries stay in registers, of which there are 32 of 16 numbers or 16 of eight.
        let is_wide = S::F32_LANES >= COLUMNS;
        for head in 0..num_heads {
            let column = head * d_head;
            let mut rows = [0; Q];
            for query in 0..Q {
                rows[query] = self.queries.start + first + query;
            }
            let q = head_rows(self.q, rows, column..column + d_head, d_model);
            let keys = &self.keys[column * width..(column + d_head) * width];
            all_scores::<S, Q>(simd, &q, keys, width, self.weights);
            for query in 0..Q {
                softmax_in(
                    simd,
                    &mut self.weights[query * width..][..len],
                    scale(d_head),
                );
            }
            let (mut column, end) = (column, column + d_head);
            while is_wide && column + 4 * S::F32_LANES <= end {
                self.sums::<S, Q, 4>(simd, first, column);
                column += 4 * S::F32_LANES;
            }
            while column + 2 * S::F32_LANES <= end {
                self.sums::<S, Q, 2>(simd, first, column);
                column += 2 * S::F32_LANES;
            }
            while column + S::F32_LANES <= end {
                self.sums::<S, Q, 1>(simd, first, column);
                column += S::F32_LANES;
            }
            if column < end {
                self.last_sums::<S, Q>(simd, first, column..end);
            }
        }
    }

    /// `V` registers of columns of values from `column` on, each row times its weight.
    #[inline(always)]
    fn sums<S: Simd, const Q: usize, const V: usize>(
        &mut self,
        simd: S,
        first: usize,
        column: usize,
    ) {
        let [len, width, d_model, _] = self.sizes;
        let weights = (&*self.weights, [len, width]);
        let sums = weighted_sums::<S, Q, V>(simd, weights, (self.values, d_model), column);
        let (output, row) = &mut self.output;
        for query in 0..Q {
            let output = &mut output[(first + query) * *row + column..][..V * S::F32_LANES];
            let (output, _) = S::as_mut_simd_f32s(output);
            for number in 0..V {
                output[number] = sums[query][number];
            }
        }
    }

    /// Fewer columns than a register holds.
    #[inline(always)]
    fn last_sums<S: Simd, const Q: usize>(&mut self, simd: S, first: usize, columns: Range<usize>) {
        let [len, width, d_model, _] = self.sizes;
        for query in 0..Q {
            let weights = &self.weights[query * width..][..len];
            let mut sum = simd.splat_f32s(0.0);
            for place in 0..len {
                let values = &self.values[place * d_model..][..d_model];
                let values = simd.partial_load_f32s(&values[columns.clone()]);
                sum = simd.mul_add_f32s(simd.splat_f32s(weights[place]), values, sum);
            }
            let (output, row) = &mut self.output;
            let output = &mut output[(first + query) * *row..][columns.clone()];
            simd.partial_store_f32s(output, sum);
        }
    }
}

/// The columns of a head in some rows.
#[inline(always)]
pub(super) fn head_rows<const Q: usize>(
    matrix: Columns<'_>,
    rows: [usize; Q],
    columns: Range<usize>,
    d_model: usize,
) -> [&[f32]; Q] {
    let mut found = [matrix.values; Q];
    for query in 0..Q {
        found[query] = &matrix.row(rows[query], d_model)[columns.start..columns.end];
    }
    found
}

/// For `Q` queries the sums of `V` registers of columns of values from `column` on, each row times its weight.
///
/// # Shapes
/// - weights: `[Q, width]`, of which `len` count; values: `[len, d_model]`
#[inline(always)]
pub(super) fn weighted_sums<S: Simd, const Q: usize, const V: usize>(
    simd: S,
    (all, [len, width]): (&[f32], [usize; 2]),
    (values, d_model): (&[f32], usize),
    column: usize,
) -> [[S::f32s; V]; Q] {
    let mut weights = [all; Q];
    for query in 0..Q {
        weights[query] = &all[query * width..][..len];
    }
    let mut sums = [[simd.splat_f32s(0.0); V]; Q];
    for place in 0..len {
        let values = &values[place * d_model + column..][..V * S::F32_LANES];
        let (values, _) = S::as_simd_f32s(values);
        for query in 0..Q {
            let weight = simd.splat_f32s(weights[query][place]);
            for number in 0..V {
                sums[query][number] =
                    simd.mul_add_f32s(weight, values[number], sums[query][number]);
            }
        }
    }
    sums
}

/// Products of a head's `Q` queries with all keys of a run, which are turned.
///
/// # Shapes
/// - q: each `[d_head]`; keys: `[d_head, width]`; weights: `[Q, width]`
#[inline(always)]
pub(super) fn all_scores<S: Simd, const Q: usize>(
    simd: S,
    q: &[&[f32]; Q],
    keys: &[f32],
    width: usize,
    weights: &mut [f32],
) {
    let is_wide = S::F32_LANES >= COLUMNS;
    let mut place = 0;
    while is_wide && place + 4 * S::F32_LANES <= width {
        scores::<S, Q, 4>(simd, q, keys, (place, width), weights);
        place += 4 * S::F32_LANES;
    }
    while place + 2 * S::F32_LANES <= width {
        scores::<S, Q, 2>(simd, q, keys, (place, width), weights);
        place += 2 * S::F32_LANES;
    }
    while place < width {
        scores::<S, Q, 1>(simd, q, keys, (place, width), weights);
        place += S::F32_LANES;
    }
}

/// Products of a head's `Q` queries with `R` registers of keys from `place` on.
#[inline(always)]
fn scores<S: Simd, const Q: usize, const R: usize>(
    simd: S,
    q: &[&[f32]; Q],
    keys: &[f32],
    (place, width): (usize, usize),
    weights: &mut [f32],
) {
    let mut sums = [[simd.splat_f32s(0.0); R]; Q];
    for column in 0..q[0].len() {
        let keys = &keys[column * width + place..][..R * S::F32_LANES];
        let (keys, _) = S::as_simd_f32s(keys);
        for query in 0..Q {
            let x = simd.splat_f32s(q[query][column]);
            for number in 0..R {
                sums[query][number] = simd.mul_add_f32s(x, keys[number], sums[query][number]);
            }
        }
    }
    for query in 0..Q {
        let weights = &mut weights[query * width + place..][..R * S::F32_LANES];
        let (weights, _) = S::as_mut_simd_f32s(weights);
        for number in 0..R {
            weights[number] = sums[query][number];
        }
    }
}
