//! Numbers of tokens, sentences and paragraphs in a text.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, §1.2.

use serde::{Deserialize, Serialize};

use canopy_document::document::{HEADING_LEVELS, SectionNumbers};

/// The levels of a place.
pub const LEVELS: usize = 3 + HEADING_LEVELS;

/// A token's number, its sentence's, its paragraph's, and those of the sections that it is in, the outermost first.
pub type Place = [usize; LEVELS];

/// A place under such headings.
pub(super) fn place_under(
    [token, sentence, paragraph]: [usize; 3],
    headings: SectionNumbers,
) -> Place {
    let [first, second, third] = headings;
    [token, sentence, paragraph, first, second, third]
}

/// The place of a token that is so many tokens after the one of this place, in its sentence.
pub(super) fn place_after(place: &Place, tokens: usize) -> Place {
    let mut after = *place;
    after[0] += tokens;
    after
}

/// From where tokens, sentences and paragraphs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// Tokens within their sentence, sentences within their paragraph, sections within the one around them: the tables are bounded.
    #[default]
    Restarting,
    /// All from the beginning of the sequence ("135th word of the text"): the text must fit the tables.
    Absolute,
}

impl Counting {
    /// Token, sentence and paragraph number of every token of a text without headings.
    ///
    /// `sentence_lengths` counts the tokens of each sentence, `sentences_per_paragraph` the sentences of each paragraph.
    pub fn positions(
        self,
        sentence_lengths: &[usize],
        sentences_per_paragraph: &[usize],
    ) -> Vec<Place> {
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
                positions.extend((0..words).map(|word| {
                    let place = match self {
                        Self::Restarting => [word, within, paragraph],
                        Self::Absolute => [before + word, sentence, paragraph],
                    };
                    place_under(place, SectionNumbers::default())
                }));
            }
        }
        positions
    }
}
