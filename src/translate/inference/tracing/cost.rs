//! An estimate of a trace's size, before it is made.

use canopy_document::document::Document;
use canopy_nn::model::ModelConfig;

/// Bytes that a row of a map takes, as measured on traces of the shipped pages.
const ROW_BYTES: usize = 250;

/// Tokens of ten words between spaces, and bytes of a token where there are no spaces, both roughly.
const TOKENS_TEN_WORDS: usize = 16;
const BYTES_A_TOKEN: usize = 9;

/// The size of a model's traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TraceCost {
    /// Rows of all maps for each token of a document.
    pub rows_a_token: usize,
}

impl TraceCost {
    /// The size of the traces of a model of these sizes.
    pub fn from_config(config: &ModelConfig) -> Self {
        let layers = super::describe::encoder_layers(config) + config.num_decoder_layers;
        Self {
            // In each layer one attention, in the last ones of either side another.
            rows_a_token: config.num_heads * (layers + 2),
        }
    }

    /// Returns about how many bytes a trace of these sentences takes in memory.
    pub fn bytes(self, document: &Document, sentences: std::ops::Range<usize>) -> usize {
        let tokens = document.sentences[sentences].iter().map(|sentence| {
            let by_words = sentence.text.split_whitespace().count() * TOKENS_TEN_WORDS / 10;
            by_words.max(sentence.text.len() / BYTES_A_TOKEN)
        });
        tokens.sum::<usize>() * self.rows_a_token * ROW_BYTES
    }
}
