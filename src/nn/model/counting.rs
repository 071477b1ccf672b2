//! Numbers of tokens, sentences and paragraphs in a text.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, §1.2.

use serde::{Deserialize, Serialize};

/// From where tokens, sentences and paragraphs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// Tokens within their sentence, sentences within their paragraph: the tables are bounded.
    #[default]
    Restarting,
    /// All from the beginning of the sequence ("135th word of the text"): the text must fit the tables.
    Absolute,
}

impl Counting {
    /// Token, sentence and paragraph number of every token of a text.
    ///
    /// `sentence_lengths` counts the tokens of each sentence, `sentences_per_paragraph` the sentences of each paragraph.
    pub fn positions(
        self,
        sentence_lengths: &[usize],
        sentences_per_paragraph: &[usize],
    ) -> Vec<[usize; 3]> {
        let in_paragraphs: usize = sentences_per_paragraph.iter().sum();
        assert_eq!(
            sentence_lengths.len(),
            in_paragraphs,
            "{} sentences",
            sentence_lengths.len()
        );
        let mut positions = Vec::with_capacity(sentence_lengths.iter().sum());
        let mut lengths = sentence_lengths.iter().enumerate();
        for (paragraph, &sentences) in sentences_per_paragraph.iter().enumerate() {
            for (within, (sentence, &words)) in lengths.by_ref().take(sentences).enumerate() {
                let before = positions.len();
                positions.extend((0..words).map(|word| match self {
                    Self::Restarting => [word, within, paragraph],
                    Self::Absolute => [before + word, sentence, paragraph],
                }));
            }
        }
        positions
    }
}
