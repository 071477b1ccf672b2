//! Markup by alignment: words are translated without tags, then each tag is put where the words that it encloses went.
//!
//! For models whose vocabularies have no placeholders. [`StrippedSource`] takes the markup out of a sentence, [`projected`]
//! puts it into the translation. Whatever the alignment is, every placeholder of the source is in the result exactly
//! once, and pairs nest as in the source. Also kept are words such as `%s` and `{name}`, which a program fills in.

mod links;
mod literals;
mod marks;
mod placing;
mod quotes;
mod rendering;
mod source;
#[cfg(test)]
mod tests;
mod words;

use std::ops::Range;

pub(crate) use links::word_links;
pub use links::{WordLink, word_ranges};
pub use source::StrippedSource;

use placing::Placing;
use words::{Words, word_weights};

/// The tokens of two texts and how much each target token has to do with each source token.
#[derive(Debug, Clone, Default)]
pub struct Alignment {
    /// Bytes of the source text that its tokens stand for.
    pub source: Vec<Range<usize>>,
    /// Bytes of the target text that its tokens stand for.
    pub target: Vec<Range<usize>>,
    /// A row for each target token, in it a weight for each source token.
    pub weights: Vec<Vec<f32>>,
}

/// A translation with markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projected {
    /// With the markup of the source.
    pub text: String,
    /// Whether a word that has to stay as it is had to be put in by alignment, since the translation had lost it, or is
    /// there more often than in the source.
    pub is_repaired: bool,
}

/// Puts the markup of a source sentence into its translation into a language, whose customs the quotation marks follow that
/// the translation has lost.
pub fn projected(
    source: &StrippedSource,
    target: &str,
    alignment: &Alignment,
    language: &str,
) -> Projected {
    let kept = source.kept_texts();
    let cuts = literals::occurrences(target, &kept);
    let mut settled = marks::settled(source, target, cuts);
    quotes::enclose_lost(&mut settled.source, target, language);
    let source_words = Words::new(&source.text, &settled.source_cuts);
    let target_words = Words::new(target, &settled.target_cuts);
    let mut weights = word_weights(&source_words, &target_words, alignment);
    settled.trust_same(&source_words, &target_words, &mut weights);
    let placing = Placing::new(&settled.source, &source_words, &target_words, weights);
    let (placed, is_repaired) = placing.place();
    let text = rendering::rendered(source, &target_words, &placed);
    let is_repeated = kept.iter().any(|kept| {
        let num = |text: &str| text.matches(kept).count();
        literals::literals(kept).len() == 1 && num(&text) > num(&source.text)
    });
    Projected {
        text,
        is_repaired: is_repaired || is_repeated,
    }
}
