//! The systems by name.

use super::config::{ModelConfig, NormPosition, Positions};
use super::layout::Layout;
use crate::error::{Error, Result};

/// A named system at a named size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    pub name: &'static str,
    /// Author, year and title of the paper.
    pub paper: &'static str,
    /// What it is, in one sentence for the user who chooses.
    pub description: &'static str,
    encoder: &'static str,
    num_decoder_layers: usize,
}

const PRESETS: &[Preset] = &[
    Preset {
        name: "x-transformer-small",
        paper: "Liu & Chen 2022, X-Transformer",
        description: "Fewer feed-forward layers and a shallow decoder: fast to train and to translate with",
        encoder: "s-sf-sf",
        num_decoder_layers: 2,
    },
    Preset {
        name: "transformer-small",
        paper: "Vaswani et al. 2017, Attention Is All You Need",
        description: "The classic Transformer with four layers on either side: the baseline of every comparison",
        encoder: "sf-sf-sf-sf",
        num_decoder_layers: 4,
    },
];

/// All presets, in the order in which they should be offered.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

impl Preset {
    /// Finds a preset.
    ///
    /// # Errors
    /// [`Error::Config`] with the names there are.
    pub fn named(name: &str) -> Result<Self> {
        PRESETS
            .iter()
            .find(|preset| preset.name == name)
            .copied()
            .ok_or_else(|| Error::Config {
                field: "preset",
                found: name.to_owned(),
                allowed: PRESETS
                    .iter()
                    .map(|preset| preset.name)
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }

    /// The preset's configuration for a vocabulary of `vocab_size` tokens.
    pub fn config(&self, vocab_size: usize) -> ModelConfig {
        ModelConfig {
            vocab_size,
            d_model: 256,
            d_ff: 1024,
            num_heads: 4,
            encoder: self.encoder.parse::<Layout>().expect("presets are tested"),
            num_decoder_layers: self.num_decoder_layers,
            dropout: 0.1,
            positions: Positions::Sinusoidal,
            norm: NormPosition::Post,
            tied_embeddings: true,
            max_tokens: 160,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_built() {
        for preset in presets() {
            preset.config(8_000).validate().expect(preset.name);
        }
    }
}
