//! Scores that no model gives that is whole, on a device that works.

use super::batch::SourceText;
use crate::error::{BaseError, Error};
use canopy_document::document::beginning;
use canopy_document::placeholder::stripped;
use canopy_tokenize::{Side, Tokenizer};

/// The scores of a sentence are no log-probabilities: what a search found with them would be nonsense.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InvalidScores {
    /// Number of the sentence, among those that were searched together.
    pub number: usize,
    /// One of the numbers: not a number, infinite, or the logarithm of more than 1.
    pub found: f32,
}

impl InvalidScores {
    /// This fault with the number of the sentence in its document.
    #[must_use]
    pub(super) fn with_number(self, number: usize) -> Self {
        Self { number, ..self }
    }

    /// As an error that names the sentence of `text` by its beginning.
    pub fn into_error(self, text: &SourceText, vocabulary: &dyn Tokenizer) -> Error {
        let sentence = vocabulary.decode(Side::Source, &text.sentences[self.number].ids);
        Error::Base(BaseError::InvalidScores {
            sentence: format!("\"{}\"", beginning(&stripped(&sentence))),
            found: self.found,
        })
    }
}
