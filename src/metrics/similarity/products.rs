//! Blocks of vectors against blocks of vectors, in the registers of one core.
//!
//! As a matrix product is computed (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", TOMS
//! 2008): a few queries and two registers full of candidates meet in sums that never leave the registers, and both sides
//! are copied first into the order in which they are read. Distances take the same way, their sums being of something
//! else; `|A|² + |B|² - 2 A·B` would be faster and blind to small ones.
//!
//! A sum runs over the dimensions in order, in a lane of its own. So it has the same bits wherever the pair is stored.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::Rows;
use super::embeddings::Embeddings;
use super::measure::{Measure, Preparation};

/// Candidates that are copied at once, so that they stay in the cache: a multiple of the columns of any tile.
const CANDIDATES: usize = 256;

/// The most columns of a tile: two AVX-512 registers.
const MAX_COLUMNS: usize = 32;

/// Vectors, and what each goes through before it meets others.
pub(super) struct Prepared<'a> {
    embeddings: &'a Embeddings,
    preparations: Vec<Preparation>,
    pub measure: Measure,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(embeddings: &'a Embeddings, measure: Measure) -> Self {
        let rows = (0..embeddings.len()).into_par_iter();
        Self {
            embeddings,
            preparations: rows
                .map(|row| measure.preparation(embeddings.row(row)))
                .collect(),
            measure,
        }
    }

    /// The measure itself, of a closeness.
    pub(super) fn value(&self, closeness: f32, anchor: usize) -> f32 {
        self.measure.value(closeness, anchor, self.embeddings)
    }
}

/// Takes the closeness of queries to candidates: larger is nearer.
pub(super) trait Sink {
    /// Whether a number as large as `largest` would change anything for a query.
    fn wants(&self, query: usize, largest: f32) -> bool;

    /// Takes the numbers of one query, for candidates from row `first` on.
    fn take(&mut self, query: usize, first: usize, closeness: &[f32]);
}

/// Compares the sentences `queries` with the rows `candidates` and gives `sink` what comes out; queries are counted by
/// their place in the list.
pub(super) fn compare(
    prepared: &Prepared,
    queries: &[usize],
    candidates: Rows,
    sink: &mut impl Sink,
) {
    let comparison = Comparison {
        prepared,
        queries,
        candidates,
        sink,
    };
    pulp::Arch::new().dispatch(comparison);
}

struct Comparison<'a, K> {
    prepared: &'a Prepared<'a>,
    queries: &'a [usize],
    candidates: Rows,
    sink: &'a mut K,
}

impl<K: Sink> WithSimd for Comparison<'_, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.prepared.measure {
            Measure::Cosine => self.with_pairing::<S, Product>(simd),
            Measure::Manhattan => self.with_pairing::<S, AbsoluteDifference>(simd),
            Measure::Euclidean | Measure::Snr | Measure::SnrVariance => {
                self.with_pairing::<S, SquaredDifference>(simd);
            }
        }
    }
}

impl<K: Sink> Comparison<'_, K> {
    /// With as many queries in a tile as there are registers for: two sums each, plus two for the candidates and one
    /// for the query.
    #[inline(always)]
    fn with_pairing<S: Simd, P: Pairing>(self, simd: S) {
        if S::REGISTER_COUNT >= 32 {
            self.run::<S, P, 12>(simd);
        } else {
            self.run::<S, P, 6>(simd);
        }
    }

    #[inline(always)]
    fn run<S: Simd, P: Pairing, const R: usize>(self, simd: S) {
        let Self {
            prepared,
            queries,
            candidates,
            sink,
        } = self;
        let dimensions = prepared.embeddings.dimensions();
        let columns = 2 * S::F32_LANES;
        let mut packed_queries = Vec::new();
        pack(prepared, queries.iter().copied(), R, &mut packed_queries);
        let mut packed = Vec::new();
        let mut numbers = [0.0_f32; MAX_COLUMNS];
        for start in candidates.clone().step_by(CANDIDATES) {
            let block = start..candidates.end.min(start + CANDIDATES);
            pack(prepared, block.clone(), columns, &mut packed);
            for (first_query, ours) in packed_queries.chunks_exact(R * dimensions).enumerate() {
                for (panel, theirs) in packed.chunks_exact(columns * dimensions).enumerate() {
                    let sums = tile::<S, P, R>(simd, ours, theirs);
                    let first = start + panel * columns;
                    let count = columns.min(block.end - first);
                    for (row, [left, right]) in sums.into_iter().enumerate() {
                        let query = first_query * R + row;
                        let largest = simd.reduce_max_f32s(simd.max_f32s(left, right));
                        if query < queries.len() && sink.wants(query, largest) {
                            let (vectors, _) = S::as_mut_simd_f32s(&mut numbers[..columns]);
                            vectors.copy_from_slice(&[left, right]);
                            sink.take(query, first, &numbers[..count]);
                        }
                    }
                }
            }
        }
    }
}

/// Copies vectors side by side into panels `[dimensions, width]`; the last one is filled up with zeros.
#[inline(always)]
fn pack(
    prepared: &Prepared,
    rows: impl ExactSizeIterator<Item = usize>,
    width: usize,
    packed: &mut Vec<f32>,
) {
    let dimensions = prepared.embeddings.dimensions();
    packed.clear();
    packed.resize(rows.len().div_ceil(width) * width * dimensions, 0.0);
    for (place, row) in rows.enumerate() {
        let preparation = prepared.preparations[row];
        let panel = &mut packed[place / width * width * dimensions..];
        let column = panel[place % width..].iter_mut().step_by(width);
        for (to, &from) in column.zip(prepared.embeddings.row(row)) {
            *to = preparation.apply(from);
        }
    }
}

/// The sums of `R` queries with two registers of candidates.
///
/// # Shapes
/// - queries: `[dimensions, R]`
/// - candidates: `[dimensions, 2 · lanes]`
#[inline(always)]
fn tile<S: Simd, P: Pairing, const R: usize>(
    simd: S,
    queries: &[f32],
    candidates: &[f32],
) -> [[S::f32s; 2]; R] {
    let mut sums = [[simd.splat_f32s(0.0); 2]; R];
    let (queries, _) = queries.as_chunks::<R>();
    let (candidates, _) = S::as_simd_f32s(candidates);
    let (candidates, _) = candidates.as_chunks::<2>();
    for (ours, [left, right]) in queries.iter().zip(candidates) {
        for (sums, &ours) in sums.iter_mut().zip(ours) {
            let ours = simd.splat_f32s(ours);
            sums[0] = P::add(simd, sums[0], ours, *left);
            sums[1] = P::add(simd, sums[1], ours, *right);
        }
    }
    sums
}

/// The contribution of one dimension to the closeness of two vectors.
trait Pairing {
    fn add<S: Simd>(simd: S, sum: S::f32s, ours: S::f32s, theirs: S::f32s) -> S::f32s;
}

struct Product;

impl Pairing for Product {
    #[inline(always)]
    fn add<S: Simd>(simd: S, sum: S::f32s, ours: S::f32s, theirs: S::f32s) -> S::f32s {
        simd.mul_add_e_f32s(ours, theirs, sum)
    }
}

struct SquaredDifference;

impl Pairing for SquaredDifference {
    #[inline(always)]
    fn add<S: Simd>(simd: S, sum: S::f32s, ours: S::f32s, theirs: S::f32s) -> S::f32s {
        let difference = simd.sub_f32s(ours, theirs);
        simd.negate_mul_add_e_f32s(difference, difference, sum)
    }
}

struct AbsoluteDifference;

impl Pairing for AbsoluteDifference {
    #[inline(always)]
    fn add<S: Simd>(simd: S, sum: S::f32s, ours: S::f32s, theirs: S::f32s) -> S::f32s {
        simd.sub_f32s(sum, simd.abs_f32s(simd.sub_f32s(ours, theirs)))
    }
}
