//! Multi-level positions: learned tables for token, sentence and paragraph, summed.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, §1.2. A joint
//! table for each triple, also compatible with the text, would be unusably large.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::packed_batch::PackedBatch;
use canopy_kernels::select_rows;

/// Counts the places of all documents of a batch from their beginnings, in windows that the tables hold: a window ends
/// where the next sentence, with `reserve` tokens for its translation, would not fit.
///
/// Counts places from the beginning of the document; `rows` has the sentence of the first token in its paragraph and its
/// paragraph, as [`PackedBatch::push`] puts them.
pub(super) fn count_absolutely(rows: &mut PackedBatch, sizes: [usize; 3], reserve: usize) {
    for document in rows.documents.clone() {
        let (mut first, mut paragraph) = (document.start, None);
        let mut words = 0;
        let mut last = None;
        for sentence in document {
            let of_text = rows.positions[sentence][2];
            let fits = |words: usize, sentences: usize, paragraphs: usize| {
                words + reserve < sizes[0] && sentences < sizes[1] && paragraphs < sizes[2]
            };
            let start = paragraph.unwrap_or(of_text);
            let len = rows.sentences[sentence].len();
            if !fits(words + len, sentence - first, of_text - start) {
                (first, paragraph, words) = (sentence, None, 0);
            }
            let start = *paragraph.get_or_insert(of_text);
            debug_assert!(last.is_none_or(|last| last <= of_text), "paragraphs ascend");
            last = Some(of_text);
            rows.positions[sentence] = [words, sentence - first, of_text - start];
            words += len;
        }
    }
}

/// One table a level, each `[size, d_model]`.
#[derive(Module, Debug)]
pub struct PositionTables {
    pub words: Param<Tensor<2>>,
    pub sentences: Param<Tensor<2>>,
    pub paragraphs: Param<Tensor<2>>,
}

impl PositionTables {
    /// Sizes of the tables.
    pub fn sizes(&self) -> [usize; 3] {
        [&self.words, &self.sentences, &self.paragraphs].map(|table| table.lazy_shape()[0])
    }

    /// The sum of the three tables' rows for every place (token, sentence, paragraph), all of them within the tables.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn forward(&self, positions: &[[usize; 3]]) -> Tensor<2> {
        let sizes = self.sizes();
        assert!(
            positions.iter().all(|position| position
                .iter()
                .zip(sizes)
                .all(|(&index, size)| index < size)),
            "a place is outside the tables of {sizes:?} entries"
        );
        let of_level = |level: usize, table: &Param<Tensor<2>>| {
            let rows = positions.iter().map(|position| position[level]);
            select_rows(table.val(), &rows.collect())
        };
        of_level(0, &self.words) + of_level(1, &self.sentences) + of_level(2, &self.paragraphs)
    }
}
