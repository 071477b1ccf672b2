//! Flat attention: softmax over all other sentences of the document, or over all their words.
//!
//! Maruf, Martins & Haffari, "Selective Attention for Context-aware Neural Machine Translation", NAACL 2019, Eq. 7: the
//! baseline of its hierarchical attention.

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::documents::{Documents, Reach, select_rows};

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
        let (keys, values) = match self.level {
            FlatLevel::Word => (word_keys, word_values),
            FlatLevel::Sentence => (documents.means(&word_keys), documents.means(&word_values)),
        };
        let (rows, segments) = documents.segments_over_others(self.reach, |sentence| {
            let words = documents.sentences[sentence].clone();
            match self.level {
                FlatLevel::Word => words,
                FlatLevel::Sentence if words.is_empty() => sentence..sentence,
                FlatLevel::Sentence => sentence..sentence + 1,
            }
        });
        let (keys, values) = (
            self.attention.key.forward(keys),
            self.attention.value.forward(values),
        );
        self.attention.attend(
            queries,
            (select_rows(keys, &rows), select_rows(values, &rows)),
            &segments,
        )
    }
}
