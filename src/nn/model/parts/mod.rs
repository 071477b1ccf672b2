//! The parts of a model: each with its parameters, what it may read, its cost and where it is published.
//!
//! Counted from sizes alone, without building anything.

mod attention;
mod auxiliary;
mod cost;
mod layers;

use serde::Serialize;

use super::config::{Architecture, ModelConfig};
use super::context_config::MemorySource;
use super::variant::DecoderCell;

pub(super) use attention::AttentionPart;
pub use cost::Cost;
pub(super) use cost::Widths;

/// One layer or table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Name of the part.
    pub name: String,
    /// Where the part belongs.
    pub group: PartGroup,
    /// Number of weights.
    pub parameters: usize,
    /// The units that a token may read here.
    pub reads: String,
    /// Paper and place in it.
    pub source: &'static str,
    /// Operations and memory.
    pub cost: Cost,
}

/// Where a part belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartGroup {
    /// Tables of tokens and places.
    Embeddings,
    /// The encoder without its context.
    Encoder,
    /// Layers that read beyond the sentence.
    Context,
    /// The decoder without its context.
    Decoder,
    /// The frozen sentence-level model.
    StageOne,
}

const TRANSFORMER: &str = "Vaswani et al. 2017, §3.2-3.3";
const OWN: &str = "words of its sentence";

impl ModelConfig {
    /// All parts, in the order in which they compute.
    pub fn parts(&self) -> Vec<Part> {
        if self.architecture == Architecture::RnnSearch {
            return self.rnn_search_parts();
        }
        let mut parts = self.embedding_parts();
        if self.memory == MemorySource::StageOne {
            parts.push(self.stage_one_part());
        }
        parts.extend(self.encoder_parts());
        parts.extend(self.decoder_parts());
        parts
    }

    /// Parameters of the whole model.
    pub fn num_parameters(&self) -> usize {
        self.parts().iter().map(|part| part.parameters).sum()
    }

    /// Parameters of all encoder sublayers with their norms, without those of a context.
    pub fn encoder_parameters(&self) -> usize {
        self.parameters_of(PartGroup::Encoder)
    }

    /// Parameters of one decoder layer with its norms, without those of a context.
    pub fn decoder_layer_parameters(&self) -> usize {
        let w = self.widths();
        let attention = 4 * w.square() + w.attention_bias;
        let before = match self.variant.decoder_cell {
            DecoderCell::SelfAttention => attention,
            DecoderCell::Ssru => 2 * w.square() + w.d,
        };
        before + attention + w.feed_forward() + 3 * w.norm
    }

    /// Parameters of a group of parts.
    pub fn parameters_of(&self, group: PartGroup) -> usize {
        let parts = self.parts();
        let of_group = parts.iter().filter(|part| part.group == group);
        of_group.map(|part| part.parameters).sum()
    }

    /// Approximate bytes that translating a document takes in addition to the weights: the widest part for all its tokens
    /// at once, and the encoder's states.
    pub fn document_bytes(&self, sentences: usize, words: usize) -> u64 {
        let parts = self.parts();
        let widest = parts.iter().map(|part| part.cost.floats_per_word).max();
        4 * (widest.unwrap_or(0) + 2 * self.d_model as u64) * (sentences * words) as u64
    }

    fn widths(&self) -> Widths {
        let d = self.d_model;
        Widths {
            d,
            d_ff: self.d_ff,
            norm: 2 * d,
            attention_bias: if self.variant.attention_bias {
                4 * d
            } else {
                0
            },
            gate: 2 * d * d + if self.warm_gate { d } else { 0 },
        }
    }
}

/// `sentence` or `4 sentences`.
pub(super) fn sentences(count: usize) -> String {
    if count == 1 {
        "sentence".to_owned()
    } else {
        format!("{count} sentences")
    }
}
