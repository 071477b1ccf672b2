//! What BERT reads at once.

use std::ops::Range;

/// Sequences as runs of rows; no row is padding.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BertBatch {
    /// `[rows]`: the word piece.
    pub ids: Vec<u32>,
    /// `[rows]`: 0 in the first text of a sequence, 1 in the second.
    pub types: Vec<usize>,
    /// Rows of every sequence, in order and without gaps.
    pub sequences: Vec<Range<usize>>,
}

impl BertBatch {
    /// Adds `[CLS] text [SEP]`.
    pub fn push(&mut self, sequence: &[u32]) {
        self.push_pair(sequence, sequence.len());
    }

    /// Adds `[CLS] first [SEP] second [SEP]`, of whose ids so many belong to the first text.
    pub fn push_pair(&mut self, sequence: &[u32], of_first: usize) {
        let start = self.ids.len();
        self.ids.extend_from_slice(sequence);
        self.types
            .extend((0..sequence.len()).map(|place| usize::from(place >= of_first)));
        self.sequences.push(start..self.ids.len());
    }

    /// The place of every row in its sequence.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        let sequences = self.sequences.iter();
        sequences.flat_map(|sequence| 0..sequence.len())
    }
}
