//! A batch of BERT.

use std::ops::Range;

use serde::{Deserialize, Serialize};

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

/// `[CLS] first [SEP] second [SEP]`, or one text alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BertSequence {
    /// Ids of all pieces, special ones included.
    pub ids: Vec<u32>,
    /// How many ids belong to the first text.
    pub of_first: usize,
}

impl BertBatch {
    /// Adds `[CLS] text [SEP]`.
    pub fn push(&mut self, sequence: &[u32]) {
        self.push_pair(sequence, sequence.len());
    }

    /// Adds `[CLS] first [SEP] second [SEP]`, the first `first` ids of which belong to the first text.
    pub fn push_pair(&mut self, sequence: &[u32], of_first: usize) {
        let start = self.ids.len();
        self.ids.extend_from_slice(sequence);
        self.types
            .extend((0..sequence.len()).map(|position| usize::from(position >= of_first)));
        self.sequences.push(start..self.ids.len());
    }

    /// One of the sequences.
    pub fn sequence(&self, number: usize) -> BertSequence {
        let rows = self.sequences[number].clone();
        let types = &self.types[rows.clone()];
        BertSequence {
            ids: self.ids[rows].to_vec(),
            of_first: types.iter().filter(|&&kind| kind == 0).count(),
        }
    }

    /// The place of every row in its sequence.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        let sequences = self.sequences.iter();
        sequences.flat_map(|sequence| 0..sequence.len())
    }
}
