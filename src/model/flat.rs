//! Flat attention: softmax over all other sentences of the document, or over all their words.
//!
//! Maruf, Martins & Haffari, "Selective Attention for Context-aware Neural Machine Translation", NAACL 2019, Eq. 7: the
//! baseline of its hierarchical attention.

use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::documents::{Documents, Reach, select_rows};
use crate::kernels::Segment;

/// What is attended to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlatLevel {
    /// Means of the keys and values of each sentence.
    Sentence,
    Word,
}

/// Sizes of a [`FlatAttention`] layer.
#[derive(Config, Debug)]
pub struct FlatAttentionConfig {
    pub d_model: usize,
    pub num_heads: usize,
    pub level: FlatLevel,
    pub reach: Reach,
}

impl FlatAttentionConfig {
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
    pub attention: MultiHeadAttention,
    #[module(skip)]
    pub level: FlatLevel,
    #[module(skip)]
    pub reach: Reach,
}

impl FlatAttention {
    /// # Shapes
    /// - queries, word_keys, word_values, output: `[rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        word_keys: Tensor<2>,
        word_values: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<2> {
        let (keys, values) = (
            self.units(word_keys, documents),
            self.units(word_values, documents),
        );
        let (rows, segments) = self.segments(documents);
        let (keys, values) = (
            self.attention.key.forward(keys),
            self.attention.value.forward(values),
        );
        let memory = (select_rows(keys, &rows), select_rows(values, &rows));
        self.attention.attend(queries, memory, &segments)
    }

    /// What [`Self::forward`] attends to; the segments say which keys a sentence reads, the numbers which row of words or
    /// which sentence each key is.
    ///
    /// # Shapes
    /// - queries, word_keys: `[rows, d_model]`
    /// - output: `[sentences, heads, words, keys]`, padded with zeros
    pub fn weights(
        &self,
        queries: Tensor<2>,
        word_keys: Tensor<2>,
        documents: &Documents,
    ) -> (Tensor<4>, Vec<usize>, Arc<[Segment]>) {
        let (rows, segments) = self.segments(documents);
        let memory = select_rows(self.units(word_keys, documents), &rows);
        (
            self.attention.weights(queries, memory, &segments),
            rows,
            segments,
        )
    }

    /// Words, or the means of the words of each sentence.
    fn units(&self, words: Tensor<2>, documents: &Documents) -> Tensor<2> {
        match self.level {
            FlatLevel::Word => words,
            FlatLevel::Sentence => documents.means(&words),
        }
    }

    fn segments(&self, documents: &Documents) -> (Vec<usize>, Arc<[Segment]>) {
        documents.segments_over_others(self.reach, |sentence| {
            let words = documents.sentences[sentence].clone();
            match self.level {
                FlatLevel::Word => words,
                FlatLevel::Sentence if words.is_empty() => sentence..sentence,
                FlatLevel::Sentence => sentence..sentence + 1,
            }
        })
    }
}
