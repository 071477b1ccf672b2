//! The attentions to sentence encodings, to chosen sentences and through the tree, as attentions to a document.

use burn::tensor::Tensor;

use super::conditional::{ConditionalAttention, ConditionalHeads};
use super::encoding::SentenceAttention;
use super::hierarchical_conditional::HierarchicalConditionalAttention;
use super::tree::TreeMemory;
use crate::model::identity_init::set_to_identity;
use crate::model::linear::Linear;
use crate::model::mechanism::DocumentAttention;
use crate::model::prepared::{Attend, Memory, MemoryQuery, SelectedMemory, VisibleMemory};
use crate::model::recorder::{AttentionWeights, Recording};
use crate::model::source2token::Source2Token;

impl Attend for SentenceAttention {
    type Projected = VisibleMemory;

    fn project_memory(&self, memory: &Memory) -> VisibleMemory {
        let encodings = memory.encoded_by(&self.source2token);
        self.prepare(encodings, &memory.documents)
    }

    fn attend_memory(&self, query: MemoryQuery<'_, VisibleMemory>) -> Tensor<2> {
        query.read_by(&self.attention)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, VisibleMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        query.read_with_weights(&self.attention, keep)
    }
}

impl DocumentAttention for SentenceAttention {
    fn source2token(&self) -> Option<&Source2Token> {
        Some(&self.source2token)
    }

    fn reads_tokens(&self) -> bool {
        false
    }

    /// The encodings of §2 are made of the states that enter the layer.
    fn reads_entering_states(&self) -> bool {
        true
    }

    fn init_near_identity(&mut self) {
        self.source2token.average();
        self.attention.init_identity();
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.attention.output
    }
}

impl Attend for ConditionalAttention {
    type Projected = SelectedMemory;

    fn project_memory(&self, memory: &Memory) -> SelectedMemory {
        let encodings = memory.encoded_by(&self.source2token);
        self.heads.prepare(memory.values.clone(), encodings)
    }

    fn attend_memory(&self, query: MemoryQuery<'_, SelectedMemory>) -> Tensor<2> {
        let MemoryQuery {
            memory, dropout, ..
        } = query;
        self.attend(query.rows, query.spans, memory, query.documents, dropout)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, SelectedMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let (read, weights) = self.heads.attention_weights(query, keep);
        (self.output.forward(read), weights)
    }
}

impl DocumentAttention for ConditionalAttention {
    fn source2token(&self) -> Option<&Source2Token> {
        Some(&self.source2token)
    }

    fn set_top_t(&mut self, top_t: usize) {
        self.heads.top_t = top_t;
    }

    fn init_near_identity(&mut self) {
        self.source2token.average();
        self.heads.init_identity();
        set_to_identity(&mut self.output);
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.output
    }
}

impl Attend for HierarchicalConditionalAttention {
    type Projected = TreeMemory;

    fn project_memory(&self, memory: &Memory) -> TreeMemory {
        let encodings = memory.encoded_by(&self.source2token);
        let words = memory.values.clone();
        self.tree.prepare(words, encodings, &memory.documents)
    }

    fn attend_memory(&self, query: MemoryQuery<'_, TreeMemory>) -> Tensor<2> {
        let MemoryQuery {
            memory, dropout, ..
        } = query;
        self.attend(query.rows, query.spans, memory, query.documents, dropout)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, TreeMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let (read, weights) = self.tree.attention_weights(query, keep);
        (self.output.forward(read), weights)
    }
}

impl DocumentAttention for HierarchicalConditionalAttention {
    fn source2token(&self) -> Option<&Source2Token> {
        Some(&self.source2token)
    }

    fn has_trees(&self) -> bool {
        true
    }

    fn set_top_t(&mut self, top_t: usize) {
        self.tree.heads.top_t = top_t;
    }

    fn init_near_identity(&mut self) {
        self.source2token.average();
        self.tree.heads.init_identity();
        self.tree.merge.average();
        set_to_identity(&mut self.output);
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.output
    }
}

impl ConditionalHeads {
    /// Begins by likeness: projections become identities.
    fn init_identity(&mut self) {
        for projection in [
            &mut self.query_word,
            &mut self.key_word,
            &mut self.query_sentence,
            &mut self.key_sentence,
            &mut self.value,
        ] {
            set_to_identity(projection);
        }
    }
}
