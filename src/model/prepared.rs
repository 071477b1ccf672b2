//! Memories whose projections are made once for all words that read them: a search reads the same one at every word.

use burn::tensor::Tensor;

use super::documents::Documents;
use super::hierarchical_conditional::TreeMemory;
use super::query_spans::Visible;
use crate::kernels::Projected;

/// A memory as one attention to the document reads it.
#[derive(Debug, Clone)]
pub struct PreparedMemory {
    pub projected: ProjectedMemory,
    pub documents: Documents,
}

/// Keys and values by the mechanism that made them.
#[derive(Debug, Clone)]
pub enum ProjectedMemory {
    /// Of attention to sentence encodings, and of flat attention.
    Visible(VisibleMemory),
    /// Of selective and conditional attention.
    Selected(SelectedMemory),
    /// Of hierarchical conditional attention.
    Tree(TreeMemory),
    /// Of plain attention to other sentences, and of the hierarchical attention network.
    Words(WordMemory),
}

/// Keys and values of sentences or words, and which of them a sentence sees.
#[derive(Debug, Clone)]
pub struct VisibleMemory {
    /// Each `[keys, d_model]`.
    pub keys: Tensor<2>,
    pub values: Tensor<2>,
    pub visible: Visible,
}

/// Keys of sentences, keys and values of their words.
#[derive(Debug, Clone)]
pub struct SelectedMemory {
    /// `[sentences, d_k]`
    pub sentence_keys: Tensor<2>,
    /// `[rows, d_k]`
    pub word_keys: Tensor<2>,
    /// `[rows, d_v]`
    pub values: Tensor<2>,
}

/// Keys and values of words, each `[rows, d_model]`.
#[derive(Debug, Clone)]
pub struct WordMemory {
    pub keys: Tensor<2>,
    pub values: Tensor<2>,
}

impl SelectedMemory {
    /// The memory and the projected queries that read it.
    pub fn read_by(&self, word_queries: Tensor<2>, sentence_queries: Tensor<2>) -> Projected {
        Projected {
            word_queries,
            word_keys: self.word_keys.clone(),
            values: self.values.clone(),
            sentence_queries,
            sentence_keys: self.sentence_keys.clone(),
        }
    }
}
