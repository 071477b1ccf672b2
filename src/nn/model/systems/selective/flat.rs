//! Flat attention: softmax over all other sentences of the document, or over all their tokens.
//!
//! Maruf, Martins & Haffari, "Selective Attention for Context-aware Neural Machine Translation", NAACL 2019, Eq. 7: the
//! baseline of its hierarchical attention.

use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::model::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use crate::model::context_config::{FlatLevel, Reach};
use crate::model::documents::Documents;
use crate::model::prepared::VisibleMemory;
use crate::model::query_spans::{QuerySpan, Visible};
use crate::model::rows::select_rows;
use canopy_kernels::Segment;

/// Sizes of a [`FlatAttention`] layer.
#[derive(Config, Debug)]
pub struct FlatAttentionConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// Sentences or tokens.
    pub level: FlatLevel,
    /// The sentences that are read.
    pub reach: Reach,
}

impl FlatAttentionConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> FlatAttention {
        FlatAttention {
            attention: MultiHeadAttentionConfig::new(self.d_model, self.num_heads).init(device),
            level: self.level,
            reach: self.reach,
        }
    }
}

/// Multi-head attention to the context of a sentence.
#[derive(Module, Debug)]
pub struct FlatAttention {
    /// The attention.
    pub attention: MultiHeadAttention,
    /// Sentences or tokens.
    #[module(skip)]
    pub level: FlatLevel,
    /// The sentences that are read.
    #[module(skip)]
    pub reach: Reach,
}

impl FlatAttention {
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`; word_keys, word_values: `[rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        word_keys: Tensor<2>,
        word_values: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<2> {
        let memory = self.prepare(word_keys, word_values, documents);
        memory.read_by(&self.attention, queries, query_spans, None)
    }

    /// Keys and values of all units, as often as there is an order to read them in.
    ///
    /// # Shapes
    /// - word_keys, word_values: `[rows, d_model]`
    pub fn prepare(
        &self,
        word_keys: Tensor<2>,
        word_values: Tensor<2>,
        documents: &Documents,
    ) -> VisibleMemory {
        let (keys, values) = (
            self.units(word_keys, documents),
            self.units(word_values, documents),
        );
        let visible = self.visible(documents);
        VisibleMemory {
            keys: select_rows(self.attention.key.forward(keys), &visible.keys),
            values: select_rows(self.attention.value.forward(values), &visible.keys),
            visible,
        }
    }

    /// The weights of [`Self::forward`]; the segments say which keys a reader reads, the numbers which row of tokens or
    /// which sentence each key is.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; word_keys: `[rows, d_model]`
    /// - output: `[query_spans, heads, words, keys]`, padded with zeros
    pub fn weights(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        word_keys: Tensor<2>,
        documents: &Documents,
    ) -> (Tensor<4>, Vec<usize>, Arc<[Segment]>) {
        let visible = self.visible(documents);
        let segments = visible.segments(query_spans);
        let memory = select_rows(self.units(word_keys, documents), &visible.keys);
        (
            self.attention.weights(queries, memory, &segments),
            visible.keys,
            segments,
        )
    }

    /// Tokens, or the means of the tokens of each sentence.
    fn units(&self, words: Tensor<2>, documents: &Documents) -> Tensor<2> {
        match self.level {
            FlatLevel::Word => words,
            FlatLevel::Sentence => documents.means(&words),
        }
    }

    fn visible(&self, documents: &Documents) -> Visible {
        documents.visible_others(self.reach, |sentence| {
            let words = documents.sentences[sentence].clone();
            match self.level {
                FlatLevel::Word => words,
                FlatLevel::Sentence if words.is_empty() => sentence..sentence,
                FlatLevel::Sentence => sentence..sentence + 1,
            }
        })
    }
}
