//! The interface of a document-level mechanism: all that the rest of the program needs of one.
//!
//! A folder of [`systems`](super::systems) answers for each mechanism.

use burn::tensor::{Device, Tensor};

use super::config::ModelConfig;
use super::context::{ContextGate, ContextLayer};
use super::context_attention::{GatedMemory, LayeredContext};
use super::context_config::{
    Context, ContextReach, ContextSentence, FlatLevel, Fusion, Placement, Reach, Side,
};
use super::linear::Linear;
use super::norm::Norm;
use super::packed::Pack;
use super::parts::{AttentionPart, Part, Widths};
use super::prepared::{Memory, PrepareMemory};
use super::query_spans::QuerySpan;
use super::recorder::{AttentionKind, AttentionRecorder};
use super::source2token::Source2Token;
use super::systems::{ContextAttention, GatedContext, MemoryEncoder};
use crate::error::Result;
use canopy_kernels::WordNormaliser;

/// The facts of a mechanism with its settings, and its layers.
pub(super) trait Mechanism {
    /// The sentences of its document that a sentence reads.
    fn reach(&self) -> ContextReach;

    /// The place of its attention in the encoder; none where it has no attention of its own there.
    fn placement(&self) -> Option<Placement>;

    /// The place of its attention in every decoder layer, where it has one.
    fn decoder_placement(&self) -> Option<Placement> {
        None
    }

    /// Its attention to the document, drawn at random; none if it has another kind of layer.
    fn attention(&self, _: &ModelConfig, _: &Device) -> Option<ContextAttention> {
        None
    }

    /// Its layer after the last one of encoder or decoder, drawn at random: its attention with a feed-forward layer and a
    /// gate. None if it is in another place.
    fn gated_layer(&self, config: &ModelConfig, device: &Device) -> Option<GatedContext> {
        if self.placement() != Some(Placement::Gate) {
            return None;
        }
        let attention = self.attention(config, device)?;
        let layer = LayeredContext::new(attention, config, device);
        Some(GatedContext::Layer(layer))
    }

    /// The encoder of the memory that its attentions read, drawn at random; none if that is the encoder itself.
    fn memory_encoder(&self, _: &ModelConfig, _: &Device) -> Option<MemoryEncoder> {
        None
    }

    /// How layers read BERT, and what it reads after each sentence; none where no BERT is read.
    fn bert(&self) -> Option<(Fusion, ContextSentence)> {
        None
    }

    /// How many sentences a token reads in each head, where there is a choice.
    fn top_t(&self) -> Option<usize> {
        None
    }

    /// These settings with another number of sentences to read in each head, where there is a choice.
    fn with_top_t(&self, _: usize) -> Option<Context> {
        None
    }

    /// These settings with those that may be changed for a run as `base` has them; none where there are no such ones, or
    /// where `base` is another mechanism.
    fn set_like(&self, _: Context) -> Option<Context> {
        None
    }

    /// Whether its attention in the decoder is before the attention to the source sentence.
    fn reads_before_source(&self) -> bool {
        false
    }

    /// The states that its context layer reads.
    fn side(&self) -> Side {
        Side::Encoder
    }

    /// How many previous sentences the encoder reads in one sequence with each sentence.
    fn concatenated(&self) -> usize {
        0
    }

    /// How many self-attentions, the last ones of an encoder that reads sentences in one sequence, see the own sentence
    /// alone; none where all see the whole sequence.
    fn num_own_attentions(&self) -> Option<usize> {
        None
    }

    /// How many previous sentences the last self-attention of the encoder reads.
    fn in_self_attention(&self) -> usize {
        0
    }

    /// Whether other sentences have to be encoded with each one.
    fn encodes_documents(&self) -> bool {
        true
    }

    /// Whether the end of a sentence is read like its words, where the context is after the encoder's last layer.
    fn reads_ends(&self) -> bool {
        true
    }

    /// Whether a gate is in place of the residual of its sublayer.
    fn has_gated_sublayers(&self) -> bool {
        false
    }

    /// Whether its sublayers need their norm after them.
    fn needs_post_norm(&self) -> bool {
        false
    }

    /// Refuses a model that cannot have it, for reasons of its own.
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

    /// Number of norms in its context layer after the last layer.
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
    /// The units that have weight.
    pub keys: FlatLevel,
    /// The sentences that may have weight.
    pub read: ReadSentences,
    /// Normaliser of the units.
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
    /// All sentences.
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
pub(super) trait DocumentAttention: PrepareMemory {
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

    /// Its form on the CPU with the `layer` that follows it after the last layer of a decoder; none where burn's layers
    /// compute the two.
    fn pack<'a>(&'a self, layer: &'a ContextLayer) -> Option<Pack<'a>> {
        let _ = layer;
        None
    }
}

/// A layer after the last one of encoder or decoder, which joins states by a gate with what they read of other sentences.
pub(super) trait GatedLayer {
    /// Projects all that does not depend on who reads.
    fn prepared(&self, memory: &Memory) -> GatedMemory;

    /// Begins by likeness; `norm` gives what the layer is to give in size.
    fn init_near_identity(&mut self, norm: Norm);

    fn gate(&self) -> &ContextGate;

    /// The context that `own` states read with `queries`, before the gate and without dropout; adds what is read to the
    /// recorder.
    ///
    /// # Shapes
    /// - own, queries, output: `[query rows, d_model]`
    fn read_recorded(
        &self,
        own_and_queries: [&Tensor<2>; 2],
        query_spans: &[QuerySpan],
        memory: &Memory,
        position: (AttentionKind, usize),
        recorder: &mut AttentionRecorder,
    ) -> Tensor<2>;

    /// The attention that it has, if it is one of those of layers, too.
    fn attention(&self) -> Option<&ContextAttention> {
        None
    }

    fn attention_mut(&mut self) -> Option<&mut ContextAttention> {
        None
    }

    /// Its form on the CPU after the last layer of a decoder; none where burn's layers compute it.
    fn pack(&self) -> Option<Pack<'_>> {
        None
    }
}
