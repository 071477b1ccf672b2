//! Sizes of an RNNSearch model.

use serde::{Deserialize, Serialize};

use crate::error::{BaseError, Error, Result};

/// Sizes of an [`RnnSearch`](super::RnnSearch).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RnnSearchConfig {
    /// Tokens of the joint vocabulary.
    pub vocab_size: usize,
    /// Width of embeddings, of every state, of the alignment model and of the maxout layer.
    pub d_model: usize,
    /// Recurrent layers of the decoder; the encoder has one in each direction.
    pub num_decoder_layers: usize,
    /// Share of embeddings, annotations and the maxout layer dropped in training.
    pub dropout: f32,
    /// Longest sentence in tokens; longer ones are translated in parts.
    pub max_tokens: usize,
}

/// No size may be larger, so that the number of parameters can always be counted.
const LARGEST_SIZE: usize = 1 << 20;

impl RnnSearchConfig {
    /// Refuses what cannot be built.
    ///
    /// # Errors
    /// [`BaseError::Config`] with the field and the values it may have.
    pub fn validate(&self) -> Result<()> {
        let sizes = [
            ("vocab_size", self.vocab_size, 5),
            ("d_model", self.d_model, 1),
            ("num_decoder_layers", self.num_decoder_layers, 1),
            ("max_tokens", self.max_tokens, 4),
        ];
        for (field, size, smallest) in sizes {
            if !(smallest..=LARGEST_SIZE).contains(&size) {
                let allowed = format!("{smallest} to {LARGEST_SIZE}");
                return refuse(field, &size, &allowed);
            }
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return refuse("dropout", &self.dropout, "0 up to, but not including, 1");
        }
        Ok(())
    }

    /// Parameters of the whole model, counted from the sizes alone.
    pub fn num_parameters(&self) -> usize {
        let d = self.d_model;
        let words = 3 * self.vocab_size * d;
        words + self.encoder_parameters() + self.decoder_parameters()
    }

    /// Parameters of both recurrent units of the encoder.
    pub fn encoder_parameters(&self) -> usize {
        2 * self.cell_parameters(self.d_model)
    }

    /// Parameters of first states, recurrent units, alignment model and maxout layer.
    pub fn decoder_parameters(&self) -> usize {
        let d = self.d_model;
        let first_states = self.num_decoder_layers * d * d;
        let cells = self.cell_parameters(3 * d)
            + (self.num_decoder_layers - 1) * self.cell_parameters(self.d_model);
        let attention = d * d + 2 * d * d + d;
        let readout = 4 * d * 2 * d;
        first_states + cells + attention + readout
    }

    /// Three gates, each with a matrix for the input, its bias and a matrix for the state.
    fn cell_parameters(&self, d_input: usize) -> usize {
        let d = self.d_model;
        3 * (d_input * d + d + d * d)
    }
}

fn refuse(field: &'static str, found: &dyn std::fmt::Display, allowed: &str) -> Result<()> {
    Err(Error::Base(BaseError::Config {
        field,
        found: found.to_string(),
        allowed: allowed.to_owned(),
    }))
}
