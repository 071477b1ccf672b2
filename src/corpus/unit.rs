//! A pair of sentences, the smallest thing that is translated and learnt from.

use serde::{Deserialize, Serialize};

use crate::text::placeholder::Placeholder;

/// A sentence with its translation, or a whole paragraph where the sides do not have equally many sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// With placeholders; the same number means the same markup on both sides.
    pub source: String,
    pub target: String,
    pub status: UnitStatus,
    /// What each point of `source` shows, by number; empty for tags, for pairs and beyond the end of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<String>,
    /// The same for `target`, where it differs: inline code may be translated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_points: Option<Vec<String>>,
}

/// What a unit is good for; every unit is context for its neighbours.
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

    /// What a reader sees of the source.
    pub fn visible_source(&self) -> String {
        visible(&self.source, &self.points)
    }

    /// What a reader sees of the target.
    pub fn visible_target(&self) -> String {
        visible(
            &self.target,
            self.target_points.as_ref().unwrap_or(&self.points),
        )
    }
}

/// What a reader sees of a text with placeholders: points as what they show, no tags, white space folded.
pub fn visible(text: &str, points: &[String]) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match Placeholder::of(character) {
            None => shown.push(character),
            Some(Placeholder::Point(number)) => {
                shown += points.get(number).map_or("", String::as_str);
            }
            Some(Placeholder::Open(_) | Placeholder::Close) => {}
        }
    }
    folded(&shown)
}

/// Every run of white space as one space, none at the ends.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_shown_and_tags_are_not() {
        let points = [String::new(), "SUM".to_owned()];
        assert_eq!(
            visible("a \u{E000}b\u{E200}  \u{E101}(1) \u{E105} c\u{A0}", &points),
            "a b SUM(1) c"
        );
    }
}
