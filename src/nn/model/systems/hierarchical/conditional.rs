//! Conditional attention: every token reads the tokens of the T sentences that are most relevant to it.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, §3.2, Eq. 3-7.
//! Attention scores are computed for the tokens of the chosen sentences only; the product with the sentence-to-word map
//! `M` of Eq. 6 is a lookup: each token gets the score of its sentence.

use std::ops::Range;
use std::sync::Arc;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::top_t::top_t;
use crate::model::documents::Documents;
use crate::model::linear::Linear;
use crate::model::prepared::SelectedMemory;
use crate::model::query_spans::QuerySpan;
use crate::model::sentence_selection::{SelectedSentences, SentenceSelector, lists};
use crate::model::source2token::{Source2Token, Source2TokenConfig};
use canopy_kernels::{
    Dropout, Projected, SelectedAttention, SelectedWeights, Weighting, selected_attention,
    selected_weights,
};

/// Sizes of [`ConditionalHeads`].
#[derive(Config, Debug)]
pub struct ConditionalHeadsConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Width of queries and keys of all heads together.
    pub d_k: usize,
    /// Width of the values of all heads together.
    pub d_v: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// T: how many sentences a token reads in each head.
    pub top_t: usize,
}

impl ConditionalHeadsConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> ConditionalHeads {
        assert_eq!(
            self.d_k % self.num_heads,
            0,
            "{} heads for d_k {}",
            self.num_heads,
            self.d_k
        );
        assert_eq!(
            self.d_v % self.num_heads,
            0,
            "{} heads for d_v {}",
            self.num_heads,
            self.d_v
        );
        assert!(self.top_t > 0, "a word reads at least one sentence");
        let key = || Linear::without_bias(self.d_model, self.d_k, device);
        ConditionalHeads {
            query_word: key(),
            key_word: key(),
            query_sentence: key(),
            key_sentence: key(),
            value: Linear::without_bias(self.d_model, self.d_v, device),
            num_heads: self.num_heads,
            top_t: self.top_t,
        }
    }
}

/// The heads of a conditional attention, before their output is projected.
#[derive(Module, Debug)]
pub struct ConditionalHeads {
    /// `W^Q_X` and `W^K_X`, `[d_model, d_k]`: tokens to tokens.
    pub query_word: Linear,
    /// `W^K_X`, `[d_model, d_k]`.
    pub key_word: Linear,
    /// `W^Q_S` and `W^K_S`, `[d_model, d_k]`: tokens to sentences.
    pub query_sentence: Linear,
    /// `W^K_S`, `[d_model, d_k]`.
    pub key_sentence: Linear,
    /// `W^V_X`, `[d_model, d_v]`
    pub value: Linear,
    /// Number of attention heads.
    pub num_heads: usize,
    /// T: how many sentences a token reads in each head.
    pub top_t: usize,
}

impl ConditionalHeads {
    /// The terms of Eq. 7.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; tokens: `[rows, d_model]`; encodings: `[sentences, d_model]`
    pub fn project(
        &self,
        queries: Tensor<2>,
        tokens: Tensor<2>,
        encodings: Tensor<2>,
    ) -> Projected {
        self.project_queries(queries, &self.prepare(tokens, encodings))
    }

    /// Projections of the memory.
    ///
    /// # Shapes
    /// - tokens: `[rows, d_model]`; encodings: `[sentences, d_model]`
    pub fn prepare(&self, tokens: Tensor<2>, encodings: Tensor<2>) -> SelectedMemory {
        SelectedMemory {
            sentence_keys: self.key_sentence.forward(encodings),
            word_keys: self.key_word.forward(tokens.clone()),
            values: self.value.forward(tokens),
        }
    }

    /// Projections of the queries, in addition to those of the memory.
    pub(super) fn project_queries(&self, queries: Tensor<2>, memory: &SelectedMemory) -> Projected {
        memory.read_by(
            self.query_word.forward(queries.clone()),
            self.query_sentence.forward(queries),
        )
    }

    /// The T sentences that are most relevant to each head of each query, Eq. 3-5, with their relevance.
    pub fn choose(
        &self,
        projected: &Projected,
        query_spans: &[QuerySpan],
        documents: &Documents,
    ) -> Vec<SelectedSentences> {
        let chooser = SentenceSelector {
            num_heads: self.num_heads,
            visible: |_, _| true,
            normalise: |_| (),
            pick: |scores: &[f32]| top_t(scores, self.top_t),
        };
        chooser.choose(
            &projected.sentence_queries,
            &projected.sentence_keys,
            query_spans,
            documents,
        )
    }

    /// Eq. 7 over the chosen sentences.
    ///
    /// # Shapes
    /// - output: `[query rows, d_v]`
    pub fn attend(
        &self,
        projected: Projected,
        sentences: &[Range<usize>],
        choice: &[SelectedSentences],
        dropout: Option<Dropout>,
    ) -> Tensor<2> {
        let spec = SelectedAttention {
            dropout,
            ..self.spec(sentences, choice)
        };
        selected_attention(projected, &spec)
    }

    /// The weights of [`Self::attend`]: one entry for each query and head, its tokens in the order of the choice.
    pub fn weights(
        &self,
        projected: &Projected,
        sentences: &[Range<usize>],
        choice: &[SelectedSentences],
    ) -> Vec<SelectedWeights> {
        selected_weights(projected, &self.spec(sentences, choice))
    }

    /// Chooses and attends.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; tokens: `[rows, d_model]`; encodings: `[sentences, d_model]`
    /// - output: `[query rows, d_v]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        tokens: Tensor<2>,
        encodings: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<2> {
        let projected = self.project(queries, tokens, encodings);
        let choice = self.choose(&projected, query_spans, documents);
        self.attend(projected, &documents.sentences, &choice, None)
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
            weighting: Weighting::Joint,
            dropout: None,
        }
    }
}

/// Sizes of a [`ConditionalAttention`] layer.
#[derive(Config, Debug)]
pub struct ConditionalAttentionConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Number of attention heads.
    pub num_heads: usize,
    /// T: how many sentences a token reads in each head.
    pub top_t: usize,
}

impl ConditionalAttentionConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> ConditionalAttention {
        let d = self.d_model;
        ConditionalAttention {
            source2token: Source2TokenConfig::new(d, d, d).init(device),
            heads: ConditionalHeadsConfig::new(d, d, d, self.num_heads, self.top_t).init(device),
            output: Linear::without_bias(d, d, device),
        }
    }
}

/// Conditional attention in the multi-head block: heads share the sentence encodings and choose each for itself.
#[derive(Module, Debug)]
pub struct ConditionalAttention {
    /// Encodes the sentences.
    pub source2token: Source2Token,
    /// The heads.
    pub heads: ConditionalHeads,
    /// `[d_model, d_model]`
    pub output: Linear,
}

impl ConditionalAttention {
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`; tokens: `[rows, d_model]`
    pub fn forward(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        tokens: Tensor<2>,
        documents: &Documents,
    ) -> Tensor<2> {
        let memory = self.prepare(tokens, documents);
        self.attend(queries, query_spans, &memory, documents, None)
    }

    /// Sentence encodings and tokens, projected.
    ///
    /// # Shapes
    /// - tokens: `[rows, d_model]`
    pub fn prepare(&self, tokens: Tensor<2>, documents: &Documents) -> SelectedMemory {
        let encodings = self
            .source2token
            .forward(tokens.clone(), &documents.sentences);
        self.heads.prepare(tokens, encodings)
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
        let projected = self.heads.project_queries(queries, memory);
        let choice = self.heads.choose(&projected, query_spans, documents);
        let read = self
            .heads
            .attend(projected, &documents.sentences, &choice, dropout);
        self.output.forward(read)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::activation::softmax;
    use burn::tensor::{Distribution, TensorData};

    use super::super::top_t::keep_top_t;
    use super::*;
    use crate::model::sentence_selection::relevance;

    /// Eq. 7 as printed: scores over the whole document, masked.
    fn masked(
        heads: &ConditionalHeads,
        tokens: Tensor<2>,
        encodings: Tensor<2>,
        sentences: &[Range<usize>],
    ) -> Tensor<2> {
        let ([rows, _], device) = (tokens.dims(), tokens.device());
        let Projected {
            word_queries,
            word_keys,
            values,
            sentence_queries,
            sentence_keys,
        } = heads.project(tokens.clone(), tokens, encodings);
        let num_heads = heads.num_heads;
        let words_to_words = relevance(word_queries, word_keys, num_heads);
        let to_sentences = relevance(sentence_queries, sentence_keys, num_heads);
        let [_, _, num_sentences] = to_sentences.dims();
        let kept = keep_top_t(
            to_sentences.reshape([num_heads * rows, num_sentences]),
            heads.top_t,
        );
        let sentence_of = |row: usize| {
            let sentence = sentences.iter().position(|tokens| tokens.contains(&row));
            i32::try_from(sentence.expect("a sentence")).expect("few sentences")
        };
        let of_word: Vec<i32> = (0..rows).map(sentence_of).collect();
        let of_word = Tensor::from_data(TensorData::new(of_word, [rows]), &device);
        let kept = kept.select(1, of_word).reshape([num_heads, rows, rows]);
        let weights = softmax(words_to_words + kept, 2);
        let [_, d_v] = values.dims();
        let values = values
            .reshape([rows, num_heads, d_v / num_heads])
            .swap_dims(0, 1);
        weights.matmul(values).swap_dims(0, 1).reshape([rows, d_v])
    }

    #[test]
    fn gathering_the_chosen_sentences_equals_masking_the_others() {
        let device = Device::flex();
        device.seed(11);
        let documents = Documents::one(vec![0..4, 4..5, 5..11, 11..13, 13..16]);
        let attention = ConditionalAttentionConfig::new(8, 2, 2).init(&device);
        let tokens = Tensor::<2>::random([16, 8], Distribution::Normal(0.0, 1.0), &device);
        let encodings = attention
            .source2token
            .forward(tokens.clone(), &documents.sentences);
        let gathered = attention.heads.forward(
            tokens.clone(),
            &documents.query_spans(),
            tokens.clone(),
            encodings.clone(),
            &documents,
        );
        let masked = masked(&attention.heads, tokens, encodings, &documents.sentences);
        let difference = (gathered - masked).abs().max().into_scalar::<f32>();
        assert!(difference < 1e-5, "differs by {difference}");
    }

    #[test]
    fn rows_of_no_sentence_and_other_documents_change_nothing() {
        let device = Device::flex();
        device.seed(12);
        let attention = ConditionalAttentionConfig::new(8, 2, 2).init(&device);
        let tokens = Tensor::<2>::random([12, 8], Distribution::Normal(0.0, 1.0), &device);
        let junk = Tensor::<2>::random([3, 8], Distribution::Normal(0.0, 9.0), &device);
        let read = |tokens: Tensor<2>, documents: &Documents| {
            attention.forward(tokens.clone(), &documents.query_spans(), tokens, documents)
        };
        let alone = read(tokens.clone(), &Documents::one(vec![0..4, 4..5, 5..12]));
        let padded = Tensor::cat(
            vec![
                tokens.clone().narrow(0, 0, 5),
                junk.clone(),
                tokens.narrow(0, 5, 7),
                junk,
            ],
            0,
        );
        let documents = Documents {
            sentences: vec![0..4, 4..5, 8..15, 15..18],
            documents: vec![0..3, 3..4],
        };
        let among = read(padded, &documents);
        let among = Tensor::cat(
            vec![among.clone().narrow(0, 0, 5), among.narrow(0, 8, 7)],
            0,
        );
        let difference = (alone - among).abs().max().into_scalar::<f32>();
        assert!(difference < 1e-5, "differs by {difference}");
    }

    #[test]
    fn more_sentences_to_keep_than_there_are_keep_all() {
        let device = Device::flex();
        let attention = ConditionalAttentionConfig::new(8, 2, 50).init(&device);
        let tokens = Tensor::<2>::random([5, 8], Distribution::Normal(0.0, 1.0), &device);
        let documents = Documents::one(vec![0..3, 3..3, 3..5]);
        let encodings = attention
            .source2token
            .forward(tokens.clone(), &documents.sentences);
        let projected = attention.heads.project(tokens.clone(), tokens, encodings);
        let choice = attention
            .heads
            .choose(&projected, &documents.query_spans(), &documents);
        assert!(
            choice.iter().all(|kept| kept.sentences == [0, 2]),
            "{choice:?}"
        );
    }
}
