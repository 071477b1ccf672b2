//! Sentences of a document against each other.

use std::num::NonZeroUsize;

use serde::Serialize;

use canopy_metrics::similarity::{
    Embeddings, Measure, Neighbour, Range, Selection, Sentences, SimilarityMatrix,
};

/// Rows of a figure; of more sentences, several share a row.
const MOST_ROWS: usize = 160;
/// Others that are named of each sentence.
const NEAREST: NonZeroUsize = NonZeroUsize::new(6).expect("not zero");

/// The matrix of a measure over all pairs of sentences, as CATSBY shows it in its Figure 4.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SimilarityView {
    /// The document.
    pub title: String,
    /// The encoder.
    pub query: String,
    /// The measure.
    pub measure: String,
    /// Texts of the sentences.
    pub labels: Vec<String>,
    /// Sentences that share a row and a column, 1 if none do.
    pub block: usize,
    /// `[rows, columns]`: the measure, a mean where sentences share; none between a sentence and itself.
    pub cells: Vec<Vec<Option<f32>>>,
    /// The nearest other sentence of each; empty where sentences share rows.
    pub picks: Vec<Option<usize>>,
    /// The nearest other sentences of each, the nearest first, with the value of the measure.
    pub nearest: Vec<Vec<(usize, f32)>>,
}

impl SimilarityView {
    /// Compares all sentences of one document, block by block.
    ///
    /// # Panics
    /// If there are not as many labels as embeddings.
    pub fn new(
        title: &str,
        encoder: &str,
        labels: Vec<String>,
        embeddings: Embeddings,
        measure: Measure,
    ) -> Self {
        let count = embeddings.len();
        assert_eq!(count, labels.len(), "embeddings and labels");
        let block = count.div_ceil(MOST_ROWS).max(1);
        let matrix = SimilarityMatrix::new(&embeddings, measure);
        let rows = (0..count).step_by(block);
        let cells = rows.map(|first| row(&matrix, first..count.min(first + block), count, block));
        let cells = cells.collect();
        let selection = Selection {
            measure,
            range: Range::Each,
            count: NEAREST,
        };
        let found = selection.run(&Sentences::one_document(embeddings));
        let pairs = |found: &[Neighbour]| found.iter().map(|one| (one.row, one.value)).collect();
        let nearest: Vec<Vec<(usize, f32)>> = found.iter().map(pairs).collect();
        let picks = nearest.iter().filter(|_| block == 1);
        let picks = picks.map(|found| found.first().map(|one| one.0)).collect();
        Self {
            title: title.to_owned(),
            query: format!("{encoder} · {count} sentences"),
            measure: measure.name().to_owned(),
            labels,
            block,
            cells,
            picks,
            nearest,
        }
    }

    /// The least and the greatest number.
    pub fn extremes(&self) -> (f32, f32) {
        let cells = self.cells.iter().flatten().flatten();
        cells.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &cell| {
            (low.min(cell), high.max(cell))
        })
    }
}

/// One row of cells: the means over `block` columns of what these sentences are to all.
fn row(
    matrix: &SimilarityMatrix,
    sentences: std::ops::Range<usize>,
    count: usize,
    block: usize,
) -> Vec<Option<f32>> {
    let tile = matrix.tile(sentences.clone(), 0..count);
    let mean = |first: usize| {
        let (mut sum, mut pairs) = (0.0_f64, 0.0);
        for (numbers, sentence) in tile.chunks_exact(count).zip(sentences.clone()) {
            for other in (first..count.min(first + block)).filter(|&other| other != sentence) {
                sum += f64::from(numbers[other]);
                pairs += 1.0;
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "a mean of 32-bit numbers")]
        let mean = (sum / pairs) as f32;
        (pairs > 0.0).then_some(mean)
    };
    (0..count).step_by(block).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(count: u16) -> SimilarityView {
        let values = (0..count)
            .flat_map(|number| [f32::from(number), 1.0])
            .collect();
        let embeddings = Embeddings::new(values, 2).expect("finite");
        let labels = (0..count).map(|number| number.to_string()).collect();
        SimilarityView::new("page", "encoder", labels, embeddings, Measure::Manhattan)
    }

    #[test]
    fn a_sentence_is_not_compared_with_itself() {
        let view = view(3);
        let row = |numbers: [Option<f32>; 3]| numbers.to_vec();
        assert_eq!(
            view.cells,
            [
                row([None, Some(1.0), Some(2.0)]),
                row([Some(1.0), None, Some(1.0)]),
                row([Some(2.0), Some(1.0), None]),
            ]
        );
        assert_eq!(view.picks, [Some(1), Some(0), Some(1)]);
        assert_eq!(view.nearest[2], [(1, 1.0), (0, 2.0)]);
        assert_eq!(view.extremes(), (1.0, 2.0));
    }

    #[test]
    fn many_sentences_share_rows() {
        let view = view(321);
        assert_eq!(
            (view.block, view.cells.len(), view.cells[0].len()),
            (3, 107, 107)
        );
        // The mean distance of 3 neighbours to each other, and to the next 3.
        let close = |found: Option<f32>, want: f32| (found.expect("pairs") - want).abs() < 1e-5;
        assert!(close(view.cells[0][0], 4.0 / 3.0) && close(view.cells[0][1], 3.0));
        assert!(view.picks.is_empty());
        let nearest: Vec<usize> = view.nearest[200].iter().map(|one| one.0).collect();
        assert_eq!(nearest, [199, 201, 198, 202, 197, 203]);
    }

    #[test]
    fn documents_of_one_sentence_and_of_none_have_nothing_to_show() {
        assert_eq!(view(1).cells, [[None]]);
        assert_eq!(view(0).cells, Vec::<Vec<Option<f32>>>::new());
    }
}
