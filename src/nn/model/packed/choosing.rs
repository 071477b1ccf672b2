//! The context layer after a packed encoder, whose attention chooses sentences: as [`GatedContext`] over tensors.
//!
//! The choice is burn's layers'; what is computed of every word is packed, and divided among all cores.

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use super::gate::PackedGate;
use super::layers::{Buffers, PackedFeedForward, Packing};
use crate::model::conditional::{ConditionalAttention, ConditionalHeads};
use crate::model::context_attention::{GatedContext, LayeredContext};
use crate::model::documents::Documents;
use crate::model::hierarchical_conditional::HierarchicalConditionalAttention;
use crate::model::prepared::{Memory, SelectedMemory};
use crate::model::query_spans::QuerySpan;
use crate::model::source2token::Source2Token;
use crate::model::systems::ContextAttention;
use canopy_kernels::Projected;
use canopy_kernels::packed::{PackedMatrix, RowNorm, Scratch, Table};

/// Rows that a core computes at a time.
const ROWS: usize = 256;

/// A context layer that reads the words of the sentences that matter most.
#[derive(Debug, Clone)]
pub struct PackedChoice {
    chooser: Chooser,
    word_query: PackedMatrix,
    sentence_query: PackedMatrix,
    word_key: PackedMatrix,
    value: PackedMatrix,
    output: PackedMatrix,
    norm_attention: RowNorm,
    feed_forward: PackedFeedForward,
    norm_ff: RowNorm,
    gate: PackedGate,
}

/// The attention that chooses.
#[derive(Debug, Clone)]
enum Chooser {
    Sentences(Box<ConditionalAttention>),
    Tree(Box<HierarchicalConditionalAttention>),
}

impl Chooser {
    fn heads(&self) -> &ConditionalHeads {
        match self {
            Self::Sentences(attention) => &attention.heads,
            Self::Tree(attention) => &attention.tree.heads,
        }
    }

    fn source2token(&self) -> &Source2Token {
        match self {
            Self::Sentences(attention) => &attention.source2token,
            Self::Tree(attention) => &attention.source2token,
        }
    }

    /// What rows of `spans` read of the chosen sentences, before its projection.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    fn attend(
        &self,
        [word_queries, sentence_queries]: [Tensor<2>; 2],
        [word_keys, values]: [Tensor<2>; 2],
        spans: &[QuerySpan],
        (encodings, documents): (Tensor<2>, &Documents),
    ) -> Tensor<2> {
        let projected = |memory: &SelectedMemory| -> Projected {
            memory.read_by(word_queries.clone(), sentence_queries.clone())
        };
        let memory = |sentence_keys| SelectedMemory {
            sentence_keys,
            word_keys,
            values,
        };
        let heads = self.heads();
        match self {
            Self::Sentences(_) => {
                let projected = projected(&memory(heads.key_sentence.forward(encodings)));
                let choice = heads.choose(&projected, spans, documents);
                heads.attend(projected, &documents.sentences, &choice, None)
            }
            Self::Tree(attention) => {
                let keys = encodings.zeros_like();
                let trees = &attention.tree;
                let memory = trees.grown(memory(keys), &encodings, documents);
                let projected = projected(&memory.selected);
                let choice = trees.survivors(&projected, spans, &memory, documents);
                heads.attend(projected, &documents.sentences, &choice, None)
            }
        }
    }
}

impl PackedChoice {
    /// None for a context of another kind.
    pub(super) fn new(gated: &GatedContext, packing: Packing<'_>) -> Option<Self> {
        let GatedContext::Layer(LayeredContext { attention, layer }) = gated else {
            return None;
        };
        let (chooser, output) = match attention {
            ContextAttention::Conditional(attention) => {
                let output = &attention.output;
                (Chooser::Sentences(Box::new(attention.clone())), output)
            }
            ContextAttention::Tree(attention) => {
                let output = &attention.output;
                (Chooser::Tree(Box::new(attention.clone())), output)
            }
            _ => return None,
        };
        let heads = chooser.heads();
        Some(Self {
            word_query: packing.linears(&[&heads.query_word]),
            sentence_query: packing.linears(&[&heads.query_sentence]),
            word_key: packing.linears(&[&heads.key_word]),
            value: packing.linears(&[&heads.value]),
            output: packing.linears(&[output]),
            norm_attention: packing.norm(&layer.norm_attention),
            feed_forward: PackedFeedForward::new(&layer.feed_forward, packing),
            norm_ff: packing.norm(&layer.norm_ff),
            gate: PackedGate::new(&layer.gate, packing),
            chooser,
        })
    }

    /// The states `own`, joined with what their words read of `memory`; as
    /// [`GatedContext::forward`] with `own` as its queries.
    ///
    /// # Shapes
    /// - own, output: `[query rows, d_model]`
    pub fn join(&self, own: &Tensor<2>, spans: &[QuerySpan], memory: &Memory) -> Tensor<2> {
        let _entered = tracing::debug_span!("read the document", rows = own.dims()[0]).entered();
        let encodings = memory.encoded_by(self.chooser.source2token());
        let (own, words) = (Table::new(own.clone()), Table::new(memory.values.clone()));
        let (own, words) = (own.values(), words.values());
        let queries = [&self.word_query, &self.sentence_query].map(|map| product(map, &own));
        let keys = [&self.word_key, &self.value].map(|map| product(map, &words));
        let documents = &memory.documents;
        let chooser = &self.chooser;
        let read = chooser.attend(queries, keys, spans, (encodings, documents));
        let read = Table::new(read);
        let read = read.values();
        let d_model = self.output.inputs();
        let parts = read.par_chunks(ROWS * d_model);
        let parts = parts.zip(own.par_chunks(ROWS * self.output.outputs()));
        let joined = parts.map(|(read, own)| {
            let (mut own, mut buffers) = (own.to_vec(), Buffers::default());
            let mut given = Vec::new();
            self.output.multiply(read, &mut given, &mut buffers.scratch);
            self.norm_attention.apply(&mut given);
            self.feed_forward.forward(&given, &mut buffers);
            self.norm_ff.apply(&mut buffers.branch);
            self.gate.join(&mut own, &mut buffers);
            own
        });
        matrix(joined.collect::<Vec<_>>().concat(), self.output.outputs())
    }
}

/// A product on all cores.
///
/// # Shapes
/// - rows: `[rows, inputs]`; output: `[rows, outputs]`
fn product(map: &PackedMatrix, rows: &[f32]) -> Tensor<2> {
    let parts = rows.par_chunks(ROWS * map.inputs()).map(|rows| {
        let mut projected = Vec::new();
        map.multiply(rows, &mut projected, &mut Scratch::default());
        projected
    });
    matrix(parts.collect::<Vec<_>>().concat(), map.outputs())
}

fn matrix(values: Vec<f32>, columns: usize) -> Tensor<2> {
    let rows = values.len() / columns.max(1);
    Tensor::from_data(TensorData::new(values, [rows, columns]), &Device::flex())
}
