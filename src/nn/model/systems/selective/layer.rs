//! Selective attention: sparse over the other sentences of the document, then over the tokens of those that are left.
//!
//! Maruf, Martins & Haffari, "Selective Attention for Context-aware Neural Machine Translation", NAACL 2019, Eq. 3-6.
//! Tokens of sentences with zero weight are never read. Unlike the authors' program, which adds a large negative number to
//! every score of the first sentence online, that sentence sees nothing: its context is 0.

use std::ops::Range;
use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::model::context_config::Reach;
use crate::model::documents::Documents;
use crate::model::linear::Linear;
use crate::model::prepared::SelectedMemory;
use crate::model::query_spans::QuerySpan;
use crate::model::sentence_selection::{SelectedSentences, SentenceSelector, lists};
use canopy_kernels::{
    Dropout, Projected, SelectedAttention, SelectedWeights, Weighting, WordNormaliser,
    selected_attention, selected_weights, sparsemax_row,
};

/// Sizes of a [`SelectiveAttention`] layer.
#[derive(Config, Debug)]
pub struct SelectiveAttentionConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// The sentences that are read.
    pub reach: Reach,
    /// Sparsemax for sparse-sparse, softmax for sparse-soft.
    pub words: WordNormaliser,
}

impl SelectiveAttentionConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> SelectiveAttention {
        assert_eq!(
            self.d_model % self.num_heads,
            0,
            "{} heads for d_model {}",
            self.num_heads,
            self.d_model
        );
        let projection = || Linear::without_bias(self.d_model, self.d_model, device);
        SelectiveAttention {
            query_sentence: projection(),
            key_sentence: projection(),
            query_word: projection(),
            key_word: projection(),
            value: projection(),
            output: projection(),
            num_heads: self.num_heads,
            reach: self.reach,
            words: self.words,
        }
    }
}

/// Hierarchical attention to the tokens of the other sentences; every projection is `[d_model, d_model]`.
#[derive(Module, Debug)]
pub struct SelectiveAttention {
    /// Queries for sentences.
    pub query_sentence: Linear,
    /// Keys of sentences.
    pub key_sentence: Linear,
    /// Queries for tokens.
    pub query_word: Linear,
    /// Keys of tokens.
    pub key_word: Linear,
    /// Values of tokens.
    pub value: Linear,
    /// Projects the joined heads.
    pub output: Linear,
    /// Number of attention heads.
    pub num_heads: usize,
    /// The sentences that are read.
    #[module(skip)]
    pub reach: Reach,
    /// Normaliser of the tokens of a sentence.
    #[module(skip)]
    pub words: WordNormaliser,
}

impl SelectiveAttention {
    /// Projects queries, keys and values; the key of a sentence is the mean of the keys of its tokens.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; word_keys, word_values: `[rows, d_model]`
    pub fn project(
        &self,
        queries: Tensor<2>,
        word_keys: Tensor<2>,
        word_values: Tensor<2>,
        documents: &Documents,
    ) -> Projected {
        self.project_queries(queries, &self.prepare(word_keys, word_values, documents))
    }

    /// Keys and values; the key of a sentence is the mean of the keys of its tokens.
    ///
    /// # Shapes
    /// - word_keys, word_values: `[rows, d_model]`
    pub fn prepare(
        &self,
        word_keys: Tensor<2>,
        word_values: Tensor<2>,
        documents: &Documents,
    ) -> SelectedMemory {
        SelectedMemory {
            sentence_keys: self.key_sentence.forward(documents.means(&word_keys)),
            word_keys: self.key_word.forward(word_keys),
            values: self.value.forward(word_values),
        }
    }

    pub(super) fn project_queries(&self, queries: Tensor<2>, memory: &SelectedMemory) -> Projected {
        memory.read_by(
            self.query_word.forward(queries.clone()),
            self.query_sentence.forward(queries),
        )
    }

    /// The sentences of positive weight for each head of each query, Eq. 3, with their weights.
    pub fn choose(
        &self,
        projected: &Projected,
        query_spans: &[QuerySpan],
        documents: &Documents,
    ) -> Vec<SelectedSentences> {
        let chooser = SentenceSelector {
            num_heads: self.num_heads,
            visible: |own, other| self.reach.sees(own, other),
            normalise: sparsemax_row,
            pick: |weights: &[f32]| {
                (0..weights.len())
                    .filter(|&position| weights[position] > 0.0)
                    .collect()
            },
        };
        chooser.choose(
            &projected.sentence_queries,
            &projected.sentence_keys,
            query_spans,
            documents,
        )
    }

    /// Eq. 3-6: `a_s = sparsemax(Q_s K_sᵀ / √d_k)`, `a_w` over the tokens of each sentence, and their product over `V_w`.
    ///
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
        self.attend(queries, query_spans, &memory, documents, None)
    }

    /// [`Self::forward`] over a memory that was prepared before.
    pub fn attend(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        memory: &SelectedMemory,
        documents: &Documents,
        dropout: Option<Dropout>,
    ) -> Tensor<2> {
        let projected = self.project_queries(queries, memory);
        let choice = self.choose(&projected, query_spans, documents);
        let spec = SelectedAttention {
            dropout,
            ..self.spec(&documents.sentences, &choice)
        };
        self.output.forward(selected_attention(projected, &spec))
    }

    /// The weights of [`Self::forward`]: one entry for each query and head, in the order of the choice.
    pub fn weights(
        &self,
        projected: &Projected,
        sentences: &[Range<usize>],
        choice: &[SelectedSentences],
    ) -> Vec<SelectedWeights> {
        selected_weights(projected, &self.spec(sentences, choice))
    }

    pub(super) fn spec(
        &self,
        sentences: &[Range<usize>],
        choice: &[SelectedSentences],
    ) -> SelectedAttention {
        SelectedAttention {
            num_heads: self.num_heads,
            sentences: Arc::from(sentences),
            chosen: lists(choice),
            weighting: Weighting::Product(self.words),
            dropout: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Distribution;

    use super::*;

    #[test]
    fn the_first_sentence_online_gets_a_context_of_zeros() {
        let device = Device::flex();
        device.seed(21);
        let attention = SelectiveAttentionConfig::new(8, 2, Reach::Online, WordNormaliser::Softmax)
            .init(&device);
        let words = Tensor::<2>::random([9, 8], Distribution::Normal(0.0, 1.0), &device);
        let documents = Documents::one(vec![0..3, 3..5, 5..9]);
        let context = attention.forward(
            words.clone(),
            &documents.query_spans(),
            words.clone(),
            words,
            &documents,
        );
        let first = context
            .clone()
            .narrow(0, 0, 3)
            .abs()
            .max()
            .into_scalar::<f32>();
        let rest = context.narrow(0, 3, 6).abs().min().into_scalar::<f32>();
        assert!(first == 0.0 && rest > 0.0, "first {first}, rest {rest}");
    }
}
