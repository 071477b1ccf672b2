//! Words of previous translations that the encoder reads after source sentences; the trace shows them as such.

use std::ops::Range;

use super::text::TracedText;
use canopy_explain::trace::Side;
use canopy_nn::model::{AttentionWeights, HeadWeights};

/// A row of the source as the encoder reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadRow {
    /// The source sentence: its number among those of the pass.
    Own(u32),
    /// A word of a translation before: its row in the document.
    Translation(u32),
    /// A sentence break, or a word of a translation that is in no part of the trace.
    Neither,
}

/// The rows of a pass, in order.
pub(super) struct ReadRows {
    rows: Vec<ReadRow>,
    /// Rows of source sentences.
    own: Vec<Range<usize>>,
}

impl ReadRows {
    /// Owners of some parts of a text.
    pub(crate) fn from_parts(text: &TracedText, parts: Range<usize>) -> Self {
        let mut read = Self {
            rows: Vec::new(),
            own: Vec::new(),
        };
        let mut next = 0_u32;
        for part in parts {
            let [before, after] = text.own_words(part);
            for (count, behind) in [(before, text.behind(part)), (after, &[])] {
                let start = read.rows.len();
                read.rows.extend((0..count).map(|_| {
                    next += 1;
                    ReadRow::Own(next - 1)
                }));
                read.own.push(start..read.rows.len());
                let behind = behind.iter().map(|row| match *row {
                    Some(row) => ReadRow::Translation(row),
                    None => ReadRow::Neither,
                });
                read.rows.extend(behind);
            }
        }
        read
    }

    /// Attention to the source sentence and to the translations before, each as an attention of its own: the weights of the
    /// one are part of the other's rest. `query_side` is the side of the queries; `sees` returns for each query whether it
    /// could read any translation.
    pub(crate) fn apart(
        &self,
        mut weights: AttentionWeights,
        query_side: Side,
        sees: impl Iterator<Item = bool>,
    ) -> [AttentionWeights; 2] {
        if query_side == Side::Source {
            weights.select(&self.own);
        }
        let mut before = weights.clone();
        weights.rename(|row| match self.rows[row] {
            ReadRow::Own(row) => Some(row),
            _ => None,
        });
        before.rename(|row| match self.rows[row] {
            ReadRow::Translation(row) => Some(row),
            _ => None,
        });
        let heads = before.num_heads;
        for (rows, sees) in before.rows.chunks_mut(heads).zip(sees) {
            for row in rows {
                if sees {
                    // The nearest sentence is first after the source.
                    row.keys.sort_unstable_by_key(|&(word, _)| word);
                } else {
                    *row = HeadWeights::default();
                }
            }
        }
        [weights, before]
    }
}
