//! Sizes of a BERT, and how a translation model reads it.

use serde::{Deserialize, Serialize};

use crate::error::{BaseError, Error, Result};
use crate::model::pooling::Pooling;

/// Sizes of a [`Bert`](super::Bert).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BertConfig {
    /// Number of word pieces.
    pub vocab_size: usize,
    /// Width of a state.
    pub d_model: usize,
    /// Number of layers.
    pub num_layers: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// Width inside the feed-forward layer.
    pub d_ff: usize,
    /// The longest sequence that has places.
    pub max_tokens: usize,
    /// Number of text segments in a sequence.
    pub num_types: usize,
    /// ε of every layer normalisation.
    pub norm_epsilon: f32,
}

impl BertConfig {
    /// # Errors
    /// [`BaseError::Config`] if a size is 0 or the heads do not divide `d_model`.
    pub fn validate(&self) -> Result<()> {
        let sizes = [
            ("vocab_size", self.vocab_size),
            ("d_model", self.d_model),
            ("num_heads", self.num_heads),
            ("d_ff", self.d_ff),
            ("max_tokens", self.max_tokens),
            ("num_types", self.num_types),
        ];
        let refuse = |field, found: usize, allowed: &str| {
            Error::Base(BaseError::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            })
        };
        if let Some(&(field, found)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(refuse(field, found, "1 or more"));
        }
        if !self.d_model.is_multiple_of(self.num_heads) {
            return Err(refuse("num_heads", self.num_heads, "a divisor of d_model"));
        }
        Ok(())
    }
}

/// The BERT of a model, and what is done with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BertReading {
    /// The longest sequence that it should read, special pieces included.
    pub max_tokens: usize,
    /// Whether it learns with the model.
    pub trained: bool,
    /// How a sentence becomes the vector by which similar ones are found.
    pub pooling: Pooling,
    /// Whether such a vector is brought to length 1.
    pub normalised: bool,
    /// Sizes of the network.
    pub sizes: BertConfig,
}

impl BertReading {
    /// # Errors
    /// [`BaseError::Config`] with the field and the values it may have.
    pub fn validate(&self) -> Result<()> {
        self.sizes.validate()?;
        if self.sizes.num_types < 2 {
            return Err(Error::Base(BaseError::Config {
                field: "bert.sizes.num_types",
                found: self.sizes.num_types.to_string(),
                allowed: "2 or more: a sentence and its context".to_owned(),
            }));
        }
        let most = self.sizes.max_tokens;
        if (5..=most).contains(&self.max_tokens) {
            return Ok(());
        }
        Err(Error::Base(BaseError::Config {
            field: "bert.max_tokens",
            found: self.max_tokens.to_string(),
            allowed: format!("5 to {most}"),
        }))
    }
}
