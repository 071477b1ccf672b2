//! The numbers themselves, tile by tile, for display.

use super::Rows;
use super::embeddings::Embeddings;
use super::measure::Measure;
use super::products::{Prepared, Sink, compare};

/// The matrix in which every sentence meets every other, such as the one that CATSBY shows as Figure 4; only the parts
/// that are requested are computed.
pub struct SimilarityMatrix<'a>(Prepared<'a>);

impl<'a> SimilarityMatrix<'a> {
    /// Prepares vectors for a measure.
    pub fn new(embeddings: &'a Embeddings, measure: Measure) -> Self {
        Self(Prepared::new(embeddings, measure))
    }

    /// Values of the measure for some sentences (its A) and some candidates (its B).
    ///
    /// # Shapes
    /// - output: `[anchors, candidates]`, in units of the measure
    pub fn tile(&self, anchors: Rows, candidates: Rows) -> Vec<f32> {
        let queries: Vec<usize> = anchors.clone().collect();
        let mut tile = Tile {
            closeness: vec![0.0; anchors.len() * candidates.len()],
            candidates: candidates.clone(),
        };
        compare(&self.0, &queries, candidates.clone(), &mut tile);
        let mut numbers = tile.closeness;
        let rows = numbers.chunks_exact_mut(candidates.len().max(1));
        for (anchor, row) in anchors.zip(rows) {
            for number in row {
                *number = self.0.value(*number, anchor);
            }
        }
        numbers
    }
}

struct Tile {
    /// `[anchors, candidates]`
    closeness: Vec<f32>,
    candidates: Rows,
}

impl Sink for Tile {
    fn wants(&self, _: usize, _: f32) -> bool {
        true
    }

    fn take(&mut self, query: usize, first: usize, closeness: &[f32]) {
        let start = query * self.candidates.len() + first - self.candidates.start;
        self.closeness[start..][..closeness.len()].copy_from_slice(closeness);
    }
}
