//! The sentences of two documents side by side, in rows.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::lengths::Bead;

/// One of the two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// The source document.
    Source,
    /// The target document.
    Target,
}

/// The evidence for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// The aligner found it.
    #[default]
    Likely,
    /// The aligner found it, but its sides may not belong together.
    Doubtful,
    /// A person says that its sides belong together.
    Right,
    /// A person does not want it.
    LeftOut,
}

/// Sentences that belong together, by their numbers in both documents; one side may have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlignmentRow {
    /// Numbers of the source sentences.
    pub source: Range<usize>,
    /// Numbers of the target sentences.
    pub target: Range<usize>,
    /// How sure it is that they belong together.
    pub state: RowState,
}

impl AlignmentRow {
    /// Rows of sentences of which none has a partner.
    pub(super) fn unpaired(
        source: Range<usize>,
        target: Range<usize>,
    ) -> impl Iterator<Item = Self> {
        let (source_end, target_start) = (source.end, target.start);
        let ours = source.map(move |sentence| (sentence..sentence + 1, target_start..target_start));
        let theirs = target.map(move |sentence| (source_end..source_end, sentence..sentence + 1));
        ours.chain(theirs).map(|(source, target)| Self {
            source,
            target,
            state: RowState::Likely,
        })
    }

    /// The sentences of one side.
    pub fn cell(&self, column: Column) -> &Range<usize> {
        match column {
            Column::Source => &self.source,
            Column::Target => &self.target,
        }
    }

    /// Whether a person should look at it: a doubtful pair, or a sentence without the other side.
    pub fn is_open(&self) -> bool {
        match self.state {
            RowState::Likely => !self.is_pair(),
            RowState::Doubtful => true,
            RowState::Right | RowState::LeftOut => false,
        }
    }

    /// Whether both sides have something.
    pub fn is_pair(&self) -> bool {
        !self.source.is_empty() && !self.target.is_empty()
    }
}

impl Bead {
    /// The row of a bead of which the first texts are these sentences.
    pub(super) fn row(&self, first: (usize, usize), is_doubtful: bool) -> AlignmentRow {
        let moved = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
        AlignmentRow {
            source: moved(&self.source, first.0),
            target: moved(&self.target, first.1),
            state: if is_doubtful {
                RowState::Doubtful
            } else {
                RowState::Likely
            },
        }
    }
}

/// Sentences of each side for which the other has nothing.
pub(crate) fn unpaired_sentences(rows: &[AlignmentRow]) -> (usize, usize) {
    let alone = rows.iter().filter(|row| !row.is_pair());
    alone.fold((0, 0), |(source, target), row| {
        (source + row.source.len(), target + row.target.len())
    })
}
