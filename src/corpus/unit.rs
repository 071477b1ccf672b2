//! A pair of sentences, the smallest thing that is translated and learnt from.

use serde::{Deserialize, Serialize};

pub(super) use crate::text::placeholder::folded;
pub use crate::text::placeholder::visible;

/// A sentence with its translation, or a whole paragraph where the sides do not have equally many sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// With placeholders; the same number means the same markup on both sides.
    pub source: String,
    pub target: String,
    pub status: UnitStatus,
    /// The text of each point of `source`, by number; empty for tags, for pairs and beyond the end of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<String>,
    /// The same for `target`, where it differs: inline code may be translated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_points: Option<Vec<String>>,
}

/// The use of a unit; every unit is context for its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnitStatus {
    /// Counts in the loss.
    New,
    /// The same pair, placeholders included, stood earlier in the same split.
    Repeated,
    /// Both sides show the same.
    Identical,
    /// Whether the sides belong together is not sure; set by whoever aligned them.
    Doubtful,
}

impl Unit {
    /// A pair that is not yet compared with others.
    pub fn new(source: String, target: String) -> Self {
        Self {
            source,
            target,
            status: UnitStatus::New,
            points: Vec::new(),
            target_points: None,
        }
    }

    /// Visible text of the source.
    pub fn visible_source(&self) -> String {
        visible(&self.source, &self.points)
    }

    /// Visible text of the target.
    pub fn visible_target(&self) -> String {
        visible(
            &self.target,
            self.target_points.as_ref().unwrap_or(&self.points),
        )
    }
}
