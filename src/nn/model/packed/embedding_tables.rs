//! The tables by which words are embedded and scored.

use std::sync::Arc;

use super::embedding::PackedEmbedding;
use super::layers::Packing;
use crate::model::transformer::Transformer;
use canopy_kernels::packed::{PackedMatrix, Table};

/// The embeddings of a network, and what gives its scores; one table may be several of them.
pub(super) struct EmbeddingTables {
    pub source: PackedEmbedding,
    pub target: PackedEmbedding,
    /// `[vocab, d_model]`
    pub words: Arc<Table>,
    /// `[vocab]`
    pub bias: Option<Vec<f32>>,
}

impl EmbeddingTables {
    pub(super) fn from_network(network: &Transformer, packing: Packing<'_>) -> Self {
        let source = Arc::new(packing.words(&network.embedding.words));
        let own = network.target_embedding.as_ref();
        let target = own.map_or_else(
            || Arc::clone(&source),
            |own| Arc::new(packing.words(&own.words)),
        );
        let words = network.logits.as_ref();
        let words = words.map_or_else(
            || Arc::clone(&target),
            |words| Arc::new(packing.words(words)),
        );
        let bias = network.output_bias.as_ref();
        let of_source = (network.embedding.input.as_ref(), false);
        let of_target = (network.before_decoder(), network.tokens.zero_start);
        let target_embedding = network.target_embedding();
        Self {
            source: PackedEmbedding::new(&network.embedding, source, of_source, packing),
            target: PackedEmbedding::new(target_embedding, target, of_target, packing),
            words,
            bias: bias.map(|bias| packing.vector(bias)),
        }
    }

    /// Lets those of its tables that give the scores be the weights of `logits`, which are packed of them unrounded, unless burn's
    /// layers have them anyway.
    pub(super) fn share(&mut self, logits: &Arc<PackedMatrix>) {
        let shared = Table::from_outputs(logits).filter(|_| !self.words.is_of_tensor());
        let Some(shared) = shared.map(Arc::new) else {
            return;
        };
        for embedding in [&mut self.source, &mut self.target] {
            embedding.replace_words(&self.words, &shared);
        }
        self.words = shared;
    }
}
