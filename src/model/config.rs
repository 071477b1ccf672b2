//! One system is one [`ModelConfig`], saved beside its weights.

use serde::{Deserialize, Serialize};

use super::layout::{Layout, Sublayer};
use crate::error::{Error, Result};

/// Sizes and mechanisms of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Tokens of the joint vocabulary.
    pub vocab_size: usize,
    pub d_model: usize,
    /// Width inside a feed-forward layer.
    pub d_ff: usize,
    pub num_heads: usize,
    /// Sublayers of the encoder, such as `s-sf-sf`.
    pub encoder: Layout,
    pub num_decoder_layers: usize,
    /// Share of activations dropped in training.
    pub dropout: f32,
    pub positions: Positions,
    pub norm: NormPosition,
    /// One matrix embeds source and target words and gives the logits; else there are three.
    pub tied_embeddings: bool,
    /// Longest sentence in tokens; longer ones are translated in parts.
    pub max_tokens: usize,
}

/// No size may be larger, so that the number of parameters can always be counted.
const LARGEST_SIZE: usize = 1 << 20;

/// How a word knows its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Positions {
    /// Sines of the word's place in its sentence, Vaswani et al. 2017, §3.5.
    Sinusoidal,
    /// Learned tables for word, sentence and paragraph, summed, Trankova et al. 2024, §1.2: words count within their
    /// sentence, sentences within their paragraph, paragraphs within the document (modulo the size of the table).
    MultiLevel {
        words: usize,
        sentences: usize,
        paragraphs: usize,
    },
}

/// Where layer normalisation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormPosition {
    /// `norm(x + sublayer(x))`, Vaswani et al. 2017.
    Post,
    /// `x + sublayer(norm(x))` with one more norm at the end, Xiong et al. 2020.
    Pre,
}

impl ModelConfig {
    /// Refuses what cannot be built.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and the values it may have.
    pub fn validate(&self) -> Result<()> {
        let refuse = |field, found: &dyn std::fmt::Display, allowed: &str| {
            Err(Error::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            })
        };
        if self.vocab_size < 5 {
            return refuse("vocab_size", &self.vocab_size, "at least 5");
        }
        if self.d_model == 0 || !self.d_model.is_multiple_of(2) {
            return refuse("d_model", &self.d_model, "an even number above 0");
        }
        if self.num_heads == 0 || !self.d_model.is_multiple_of(self.num_heads) {
            return refuse(
                "num_heads",
                &self.num_heads,
                &format!("a divisor of d_model, which is {}", self.d_model),
            );
        }
        if self.d_ff == 0 {
            return refuse("d_ff", &self.d_ff, "at least 1");
        }
        if self.num_decoder_layers == 0 {
            return refuse("num_decoder_layers", &self.num_decoder_layers, "at least 1");
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return refuse("dropout", &self.dropout, "0 up to, but not including, 1");
        }
        let sizes = [
            ("vocab_size", self.vocab_size),
            ("d_model", self.d_model),
            ("d_ff", self.d_ff),
            ("num_decoder_layers", self.num_decoder_layers),
            ("max_tokens", self.max_tokens),
        ];
        if let Some((field, size)) = sizes.into_iter().find(|&(_, size)| size > LARGEST_SIZE) {
            return refuse(field, &size, &format!("at most {LARGEST_SIZE}"));
        }
        if self.max_tokens < 4 {
            return refuse("max_tokens", &self.max_tokens, "at least 4");
        }
        if let Positions::MultiLevel {
            words,
            sentences,
            paragraphs,
        } = self.positions
        {
            if words <= self.max_tokens {
                return refuse(
                    "positions.words",
                    &words,
                    &format!("more than max_tokens, which is {}", self.max_tokens),
                );
            }
            for (field, size) in [
                ("positions.sentences", sentences),
                ("positions.paragraphs", paragraphs),
            ] {
                if size == 0 {
                    return refuse(field, &size, "at least 1");
                }
            }
            if let Some(size) = [words, sentences, paragraphs]
                .into_iter()
                .find(|&size| size > LARGEST_SIZE)
            {
                return refuse(
                    "positions",
                    &size,
                    &format!("tables of at most {LARGEST_SIZE} entries"),
                );
            }
        }
        Ok(())
    }

    /// Parameters of the whole model, counted from the sizes alone.
    pub fn num_parameters(&self) -> usize {
        let (d, ff) = (self.d_model, self.d_ff);
        let norm = 2 * d;
        let attention = 4 * d * d;
        let feed_forward = 2 * d * ff + ff + d;
        let encoder = self.encoder.count(Sublayer::SelfAttention) * (attention + norm)
            + self.encoder.count(Sublayer::FeedForward) * (feed_forward + norm);
        let decoder = self.num_decoder_layers * (2 * attention + feed_forward + 3 * norm);
        let final_norms = if self.norm == NormPosition::Pre {
            2 * norm
        } else {
            0
        };
        let places = match self.positions {
            Positions::Sinusoidal => 0,
            Positions::MultiLevel {
                words,
                sentences,
                paragraphs,
            } => (words + sentences + paragraphs) * d,
        };
        let words = self.vocab_size * d;
        // Without a common matrix the target has an embedding of its own, and the logits have the third.
        let embeddings = if self.tied_embeddings {
            words + places
        } else {
            3 * words + 2 * places
        };
        embeddings + encoder + decoder + final_norms
    }
}
