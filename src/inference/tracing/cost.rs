//! An estimate of a trace's size, told before it is made.

use crate::model::ModelConfig;
use crate::text::document::Document;

/// Bytes that a row of a map takes, as measured on traces of the shipped pages.
const ROW_BYTES: usize = 250;

/// Tokens of a word between spaces, and characters of a token where there are none, both roughly.
const TOKENS_A_WORD: f32 = 1.6;
const CHARACTERS_A_TOKEN: usize = 3;

/// The size of a model's traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TraceCost {
    /// Rows of all maps for each token of a document.
    pub rows_a_token: usize,
}

impl TraceCost {
    pub fn of(config: &ModelConfig) -> Self {
        let layers = super::describe::encoder_layers(config) + config.num_decoder_layers;
        Self {
            // In each layer one attention, in the last ones of either side another.
            rows_a_token: config.num_heads * (layers + 2),
        }
    }

    /// Returns about how many bytes a trace of these sentences takes in memory.
    pub fn bytes(self, document: &Document, sentences: std::ops::Range<usize>) -> usize {
        let tokens = document.sentences[sentences].iter().map(|sentence| {
            let by_words = sentence.text.split_whitespace().count() as f32 * TOKENS_A_WORD;
            (by_words as usize).max(sentence.text.len() / (3 * CHARACTERS_A_TOKEN))
        });
        tokens.sum::<usize>() * self.rows_a_token * ROW_BYTES
    }
}
