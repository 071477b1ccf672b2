//! The trait that all tokenizers of translation models have.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{BaseError, Error, Result};
use canopy_document::placeholder::Placeholder;

/// A side of a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The text that is translated.
    Source,
    /// The translation.
    Target,
}

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Number in the vocabulary.
    pub id: u32,
    /// The bytes of the text that it stands for.
    pub range: Range<usize>,
}

/// Decoded text, and the place of each token in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without special tokens.
    pub text: String,
    /// For each id the bytes of the text that it shows; empty for what shows nothing.
    pub ranges: Vec<Range<usize>>,
}

/// Ids of a vocabulary that stand for no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialIds {
    /// The decoder's input before the first token of a translation.
    pub start: u32,
    /// Ends a translation.
    pub eos: u32,
    /// On the source side.
    pub unk: Option<u32>,
    /// Fills batches up.
    pub pad: Option<u32>,
    /// The prefix of every source sentence: a language token, or `bos`.
    pub source_prefix: Vec<u32>,
    /// The suffix of every source sentence, `eos` for most.
    pub source_suffix: Vec<u32>,
    /// The forced prefix of every translation: the token of its language.
    pub target_prefix: Vec<u32>,
}

impl SpecialIds {
    /// Stands between a source sentence and what is read after it: `bos` of our own vocabulary, the end of the source in
    /// others; none if they have no such.
    pub fn sentence_break(&self) -> Option<u32> {
        if *self == Self::default() {
            return Some(self.start);
        }
        self.source_suffix.last().copied()
    }

    /// The id that ends every source sentence.
    pub fn source_end(&self) -> u32 {
        self.source_suffix.last().copied().unwrap_or(self.eos)
    }

    /// A translation as a model learns it: after the token of its language, if it begins with one.
    pub fn begun(&self, target: Vec<u32>) -> Vec<u32> {
        if self.target_prefix.is_empty() {
            return target;
        }
        [self.target_prefix.as_slice(), &target].concat()
    }

    /// A source sentence as an encoder reads it.
    pub fn framed(&self, source: &[u32]) -> Vec<u32> {
        [self.source_prefix.as_slice(), source, &self.source_suffix].concat()
    }
}

/// Texts to ids and back, on both sides of a translation.
pub trait Tokenizer: Debug + Send + Sync {
    /// Ids that stand for no text.
    fn special(&self) -> &SpecialIds;

    /// How many ids a side has.
    fn len(&self, side: Side) -> usize;

    /// The tokens of a text alone, without what [`SpecialIds`] puts around them.
    fn tokens(&self, side: Side, text: &str) -> Vec<Token>;

    /// The text of `ids`; special ids and those outside the vocabulary show nothing.
    fn decoded(&self, side: Side, ids: &[u32]) -> Decoded;

    /// The token behind an id as in the vocabulary, for showing, not for joining to a text.
    fn token(&self, side: Side, id: u32) -> Option<String>;

    /// A token for display, `▁` for a space.
    fn piece(&self, side: Side, id: u32) -> String {
        self.token(side, id).unwrap_or_default()
    }

    /// The id of a token as in the vocabulary.
    fn id(&self, side: Side, token: &str) -> Option<u32>;

    /// The ids of the placeholders of markup, the closing one last; none if a model cannot place markup itself.
    fn placeholder_ids(&self) -> Range<u32> {
        0..0
    }

    /// The placeholder that an id is, if it is one.
    fn placeholder(&self, id: u32) -> Option<Placeholder> {
        let _ = id;
        None
    }

    /// The ids of a text alone.
    fn encode(&self, side: Side, text: &str) -> Vec<u32> {
        let tokens = self.tokens(side, text);
        tokens.into_iter().map(|token| token.id).collect()
    }

    /// The text of ids.
    fn decode(&self, side: Side, ids: &[u32]) -> String {
        self.decoded(side, ids).text
    }

    /// Codes of the languages that can be translated to, as the model writes them; none if there is no choice.
    fn target_languages(&self) -> Vec<String> {
        Vec::new()
    }

    /// This tokenizer for other languages, named by ISO 639-1, ISO 639-3 or as the model writes them.
    ///
    /// # Errors
    /// [`BaseError::Config`] if the model cannot.
    fn between(&self, source: Option<&str>, target: &str) -> Result<Arc<dyn Tokenizer>> {
        let _ = source;
        Err(Error::Base(BaseError::Config {
            field: "target language",
            found: target.to_owned(),
            allowed: "that of the model, which translates to one language only".to_owned(),
        }))
    }
}
