//! How much a corpus holds.

use serde::{Deserialize, Serialize};

use super::split::Split;
use super::unit::{Unit, UnitStatus};

/// Counts of a corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Counts of the training split.
    pub train: SplitStatistics,
    /// Counts of the development split.
    pub dev: SplitStatistics,
    /// Counts of the test split.
    pub test: SplitStatistics,
}

impl Statistics {
    /// Returns the counts of a split.
    pub fn get(&self, split: Split) -> &SplitStatistics {
        match split {
            Split::Train => &self.train,
            Split::Dev => &self.dev,
            Split::Test => &self.test,
        }
    }

    pub(super) fn get_mut(&mut self, split: Split) -> &mut SplitStatistics {
        match split {
            Split::Train => &mut self.train,
            Split::Dev => &mut self.dev,
            Split::Test => &mut self.test,
        }
    }
}

/// Counts of one split.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitStatistics {
    /// Number of documents.
    pub documents: usize,
    /// Number of paragraphs.
    pub paragraphs: usize,
    /// Paragraphs whose sides show different texts, none of them doubtful: what is scored.
    pub segments: usize,
    /// Number of units.
    pub units: usize,
    /// Units that are the same on both sides.
    pub identical: usize,
    /// Units that stood earlier in the split.
    pub repeated: usize,
    /// Units whose sides may not belong together.
    #[serde(default)]
    pub doubtful: usize,
    /// Units that are read and have no translation.
    #[serde(default)]
    pub context: usize,
    /// Words between white space, of all units.
    pub source_words: usize,
    /// Words between white space, of the targets of all units.
    pub target_words: usize,
}

impl SplitStatistics {
    /// Units that count in the loss.
    pub fn new_units(&self) -> usize {
        self.units - self.identical - self.repeated - self.doubtful - self.context
    }

    /// Adds a unit to the counts.
    pub(super) fn count(&mut self, unit: &Unit) {
        self.units += 1;
        self.identical += usize::from(unit.status == UnitStatus::Identical);
        self.repeated += usize::from(unit.status == UnitStatus::Repeated);
        self.doubtful += usize::from(unit.status == UnitStatus::Doubtful);
        self.context += usize::from(unit.status == UnitStatus::Context);
        self.source_words += unit
            .visible_source()
            .split(' ')
            .filter(|word| !word.is_empty())
            .count();
        self.target_words += unit
            .visible_target()
            .split(' ')
            .filter(|word| !word.is_empty())
            .count();
    }
}
