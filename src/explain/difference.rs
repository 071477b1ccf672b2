//! Did the context matter? A sentence translated without its context and with another one, and what each word of its
//! translation is worth without it.
//!
//! The figure of a word is `ln p(word | sentence, context) − ln p(word | sentence)`, given the words before it: the
//! point-wise conditional cross-mutual information of Fernandes, Yin, Neubig & Martins, "Measuring and Increasing Context
//! Usage in Context-Aware Machine Translation", ACL 2021, eq. 4 and 5, in nats. Positive: the context made the word more
//! probable.

use serde::Serialize;

use canopy_metrics::comparison::{Change, Piece, word_diff};

/// The context that the model read with the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// The document as it is.
    Document,
    /// Nothing.
    Nothing,
    /// The other sentences of the document in random order.
    Shuffled,
}

/// One sentence under all conditions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextDifference {
    /// Name of the model.
    pub model: String,
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// The source text.
    pub source: String,
    /// The translation whose words are scored.
    pub translation: String,
    /// Translations under each condition.
    pub written: Vec<(Condition, String)>,
    /// Subwords of the scored translation and its end.
    pub words: Vec<WordDifference>,
    /// The selected word.
    pub selected: Option<usize>,
}

/// Natural logarithms of the probabilities of a subword.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WordDifference {
    /// The subword for display.
    pub label: String,
    /// With its own document.
    pub in_document: f32,
    /// Without context.
    pub alone: f32,
    /// With shuffled context.
    pub shuffled: f32,
}

impl Condition {
    /// All conditions, the document first.
    pub const ALL: [Self; 3] = [Self::Document, Self::Nothing, Self::Shuffled];

    /// Returns the phrase that names the condition.
    pub fn label(self) -> &'static str {
        match self {
            Self::Document => "with its document",
            Self::Nothing => "without context",
            Self::Shuffled => "with the document shuffled",
        }
    }
}

impl WordDifference {
    /// In nats.
    pub fn gain(&self) -> f32 {
        self.in_document - self.alone
    }

    /// The rest of the gain if the context is in another order.
    pub fn shuffled_gain(&self) -> f32 {
        self.shuffled - self.alone
    }
}

impl ContextDifference {
    /// Gain of the whole translation, in nats.
    pub fn gain(&self) -> f32 {
        self.words.iter().map(WordDifference::gain).sum()
    }

    /// Returns how much more probable the translation is with its document than with shuffled context, in nats.
    pub fn shuffled_gain(&self) -> f32 {
        self.words.iter().map(WordDifference::shuffled_gain).sum()
    }

    /// Translations with the words that the model does not write with the whole document.
    pub fn marked(&self) -> Vec<(Condition, Vec<Piece>)> {
        let with = self.written.first().map_or("", |(_, text)| text.as_str());
        let marked = self.written.iter().map(|(condition, text)| {
            let mut pieces = word_diff(with, text);
            pieces.retain(|piece| piece.change != Change::Removed);
            (*condition, pieces)
        });
        marked.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_differences_of_logarithms_and_other_words_are_marked() {
        let word = |in_document, alone, shuffled| WordDifference {
            label: "x".to_owned(),
            in_document,
            alone,
            shuffled,
        };
        let difference = ContextDifference {
            model: "m".to_owned(),
            sentence: 0,
            source: "It".to_owned(),
            translation: "Er geht".to_owned(),
            written: vec![
                (Condition::Document, "Er geht".to_owned()),
                (Condition::Nothing, "Es geht".to_owned()),
            ],
            words: vec![word(-0.25, -1.75, -1.0), word(-0.5, -0.25, -0.25)],
            selected: None,
        };
        assert!((difference.gain() - 1.25).abs() < 1e-6);
        assert!((difference.shuffled_gain() - 0.75).abs() < 1e-6);
        let marked = difference.marked();
        let changes: Vec<Change> = marked[1].1.iter().map(|piece| piece.change).collect();
        assert_eq!(changes, [Change::Added, Change::Kept]);
        assert_eq!(marked[0].1.len(), 1);
    }
}
