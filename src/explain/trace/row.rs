//! The weights of one query with one head.

use serde::{Deserialize, Serialize};

use super::map::Units;

/// The weights of one query with one head.
///
/// The weights of the map's keys and `rest` sum to 1, or to 0 for a query that may see nothing. If the keys are words,
/// `sentences` has the weight of whole sentences (of all that were chosen): what it exceeds the weights of the
/// sentence's words in `words` by was dropped inside that sentence, or is that of its encoding, which is read in the place
/// of the words in a document too long to be read at once. If the keys are sentences, `words` is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MapRow {
    /// Ascending by sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<SentenceWeight>,
    /// Row of a word on the keys' side and its weight, ascending by row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<(u32, f32)>,
    /// Sum of the weights of all keys that were dropped, and of those that are no words, such as sentence breaks and
    /// encodings.
    pub rest: f32,
    /// Which of [`Overview::trees`](super::Overview::trees) `visits` speaks of.
    #[serde(skip_serializing_if = "is_zero")]
    pub tree: u32,
    /// The way down the tree, ascending by level and node; only of systems that have one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub visits: Vec<NodeVisit>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A sentence that a query attended to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SentenceWeight {
    /// Number of the sentence, from 0.
    pub sentence: u32,
    /// 0 to 1: of the sentence, or of all its words together.
    pub weight: f32,
    /// Its own score, before normalising.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
    /// Sum of the scores on the path to it, if there is a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cumulative: Option<f32>,
}

/// A node of the tree that a query looked at; in JSON `[level, node, relevance, cumulative, kept]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u8, u32, f32, f32, bool)", into = "(u8, u32, f32, f32, bool)")]
pub struct NodeVisit {
    /// 0 for leaves.
    pub level: u8,
    /// Number in its level.
    pub node: u32,
    /// Score of the node for the query.
    pub relevance: f32,
    /// Sum of the relevance from the root down to this node.
    pub cumulative: f32,
    /// Whether it was among the top T of its level; the others were cut with all below them.
    pub kept: bool,
}

impl From<(u8, u32, f32, f32, bool)> for NodeVisit {
    fn from((level, node, relevance, cumulative, kept): (u8, u32, f32, f32, bool)) -> Self {
        Self {
            level,
            node,
            relevance,
            cumulative,
            kept,
        }
    }
}

impl From<NodeVisit> for (u8, u32, f32, f32, bool) {
    fn from(visit: NodeVisit) -> Self {
        (
            visit.level,
            visit.node,
            visit.relevance,
            visit.cumulative,
            visit.kept,
        )
    }
}

impl MapRow {
    /// A row of weights for the map's keys, in any order; zeros and what is below `threshold` are left out.
    pub fn new(keys: Units, weights: impl IntoIterator<Item = (u32, f32)>, threshold: f32) -> Self {
        let (kept, rest) = drop_below(weights, threshold);
        if keys.are_words() {
            return Self {
                words: kept,
                rest,
                ..Self::default()
            };
        }
        let sentence = |(sentence, weight)| SentenceWeight {
            sentence,
            weight,
            ..SentenceWeight::default()
        };
        Self {
            sentences: kept.into_iter().map(sentence).collect(),
            rest,
            ..Self::default()
        }
    }

    /// Adds what is known of the sentences, in any order.
    #[must_use]
    pub fn with_sentences(mut self, sentences: impl IntoIterator<Item = SentenceWeight>) -> Self {
        self.sentences = sentences.into_iter().collect();
        self.sentences.sort_by_key(|sentence| sentence.sentence);
        self
    }

    /// Adds the way down a tree, in any order.
    #[must_use]
    pub fn with_visits(mut self, tree: u32, visits: impl IntoIterator<Item = NodeVisit>) -> Self {
        self.tree = tree;
        self.visits = visits.into_iter().collect();
        self.visits.sort_by_key(|visit| (visit.level, visit.node));
        self
    }

    /// Weight of a word, `None` if it was dropped or is exactly 0.
    pub fn word(&self, row: u32) -> Option<f32> {
        let place = self.words.binary_search_by_key(&row, |&(word, _)| word);
        place.ok().map(|place| self.words[place].1)
    }

    /// The weight of a sentence.
    pub fn sentence(&self, sentence: u32) -> Option<&SentenceWeight> {
        let place = self
            .sentences
            .binary_search_by_key(&sentence, |weight| weight.sentence);
        place.ok().map(|place| &self.sentences[place])
    }
}

/// Splits weights into those of at least `threshold`, ascending by number, and the sum of the others. Exact zeros are
/// neither.
pub fn drop_below(
    weights: impl IntoIterator<Item = (u32, f32)>,
    threshold: f32,
) -> (Vec<(u32, f32)>, f32) {
    let mut rest = 0.0_f64;
    let mut kept = Vec::new();
    for (number, weight) in weights {
        if weight >= threshold && weight != 0.0 {
            kept.push((number, weight));
        } else {
            rest += f64::from(weight);
        }
    }
    kept.sort_by_key(|&(number, _)| number);
    #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
    (kept, rest as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_weights_stay_as_rest() {
        let scores = (0..500_u16).map(|place| f32::from(place * 37 % 101) / 7.0);
        let weights: Vec<f32> = scores.map(f32::exp).collect();
        let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
        #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
        let share = |weight: f32| (f64::from(weight) / sum) as f32;
        for threshold in [0.0, 1e-4, 0.01, 0.2] {
            let weights = (0..).zip(weights.iter().map(|&weight| share(weight)));
            let row = MapRow::new(Units::SourceWords, weights, threshold);
            let kept: f64 = row.words.iter().map(|&(_, weight)| f64::from(weight)).sum();
            assert!(
                (kept + f64::from(row.rest) - 1.0).abs() < 1e-6,
                "{threshold}"
            );
            assert!(row.words.iter().all(|&(_, weight)| weight >= threshold));
        }
    }

    #[test]
    fn exact_zeros_are_neither_kept_nor_rest() {
        let row = MapRow::new(
            Units::SourceSentences,
            [(4, 0.25), (1, 0.0), (0, 0.75), (2, -0.0)],
            0.0,
        );
        let kept: Vec<_> = row.sentences.iter().map(|kept| kept.sentence).collect();
        assert_eq!((kept.as_slice(), row.rest), ([0, 4].as_slice(), 0.0));
        assert_eq!(row.sentence(4).map(|kept| kept.weight), Some(0.25));
        assert_eq!(row.sentence(1), None);
    }

    #[test]
    fn a_weight_that_is_no_number_shows_in_the_rest() {
        assert!(drop_below([(0, f32::NAN), (1, 0.5)], 0.1).1.is_nan());
    }
}
