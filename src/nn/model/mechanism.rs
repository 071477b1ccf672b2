//! The interface of a document-level mechanism: all that the rest of the program needs of one.
//!
//! A file of [`systems`](super::systems) answers for each mechanism.

use super::config::ModelConfig;
use super::context_config::{ContextReach, FlatLevel, Placement, Reach, Side};
use super::linear::Linear;
use super::parts::{AttentionPart, Part, Widths};
use super::source2token::Source2Token;
use crate::error::Result;
use canopy_kernels::WordNormaliser;

/// The facts of a mechanism with its settings.
pub(super) trait Mechanism {
    /// The sentences of its document that a sentence reads.
    fn reach(&self) -> ContextReach;

    /// The place of its attention in the encoder; none where it has no attention of its own there.
    fn placement(&self) -> Option<Placement>;

    /// The place of its attention in every decoder layer, where it has one.
    fn decoder_placement(&self) -> Option<Placement> {
        None
    }

    /// Whether its attention in the decoder stands before the attention to the source sentence.
    fn reads_before_source(&self) -> bool {
        false
    }

    /// The states that its context layer stands on.
    fn side(&self) -> Side {
        Side::Encoder
    }

    /// How many previous sentences the encoder reads in one sequence with each sentence.
    fn concatenated(&self) -> usize {
        0
    }

    /// How many previous sentences the last self-attention of the encoder reads.
    fn in_self_attention(&self) -> usize {
        0
    }

    /// Whether other sentences have to be encoded with each one.
    fn encodes_documents(&self) -> bool {
        true
    }

    /// Whether the end of a sentence is read like its words, where the context stands after the encoder's last layer.
    fn reads_ends(&self) -> bool {
        true
    }

    /// Whether a gate stands in place of the residual of its sublayer.
    fn has_gated_sublayers(&self) -> bool {
        false
    }

    /// Whether its sublayers need their norm after them.
    fn needs_post_norm(&self) -> bool {
        false
    }

    /// Refuses a model that it cannot stand in, for reasons of its own.
    fn validate(&self, _: &ModelConfig) -> Result<()> {
        Ok(())
    }

    /// Name, citation, parameters and cost of its attention.
    fn attention_part(&self, _: &ModelConfig, _: &Widths) -> Option<AttentionPart> {
        None
    }

    /// A part that it has in addition to its attention.
    fn auxiliary_part(&self, _: &ModelConfig, _: &Widths) -> Option<Part> {
        None
    }

    /// How many norms stand in its context layer after the last layer.
    fn num_gated_norms(&self) -> usize {
        2
    }

    /// The meaning of its weights in a trace.
    fn weights(&self) -> ContextWeights {
        ContextWeights::default()
    }
}

/// The meaning of the weights of an attention to the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextWeights {
    pub keys: FlatLevel,
    pub read: ReadSentences,
    pub normaliser: WordNormaliser,
    /// Where sentences have weights of their own.
    pub sentence_normaliser: Option<WordNormaliser>,
    /// The gate between a sentence and its context.
    pub gate: &'static str,
}

impl Default for ContextWeights {
    fn default() -> Self {
        Self {
            keys: FlatLevel::Word,
            read: ReadSentences::All,
            normaliser: WordNormaliser::Softmax,
            sentence_normaliser: None,
            gate: "context gate (1: only the sentence itself, 0: only its context)",
        }
    }
}

/// The sentences of a document that may have weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadSentences {
    All,
    /// All but the own one.
    Others,
    /// Sentences before the own one.
    Earlier,
    /// A number of sentences right before the own one.
    Previous(usize),
}

impl From<Reach> for ReadSentences {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::Offline => Self::Others,
            Reach::Online => Self::Earlier,
        }
    }
}

/// Attention of tokens to the other sentences of their document.
pub(super) trait DocumentAttention {
    /// The encoder of sentences that it has.
    fn source2token(&self) -> Option<&Source2Token> {
        None
    }

    /// Whether keys are tokens; else they are sentences.
    fn reads_tokens(&self) -> bool {
        true
    }

    /// Whether it reads the states that enter the layer, and not those that enter the sublayer.
    fn reads_entering_states(&self) -> bool {
        false
    }

    /// Whether it chooses sentences by a tree of them.
    fn has_trees(&self) -> bool {
        false
    }

    /// Reads this many sentences from now on, where there is a choice.
    fn set_top_t(&mut self, _: usize) {}

    /// Begins by likeness: projections become identities.
    fn init_near_identity(&mut self);

    /// The last projection, after which there is nothing but a sum.
    fn output_mut(&mut self) -> &mut Linear;
}
