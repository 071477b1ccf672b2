//! Multi-head attention to the words of chosen sentences, with a score for the sentence and one for the word.
//!
//! Every row and head has its own list of sentences. Only their words are read: the cost of a row is the number of
//! words in its list, not the length of the document. Two ways to make weights of the scores:
//!
//! - [`Weighting::Joint`], Trankova et al., "Hierarchical Encoding and Conditional Attention in NMT", 2024, Eq. 6-7: one
//!   softmax over `word score + sentence score` of all words in the list;
//! - [`Weighting::Product`], Maruf et al., "Selective Attention for Context-aware NMT", NAACL 2019, Eq. 3-6: sparsemax
//!   over the sentences times a normaliser over the words of each.

mod fused;
mod plain;
mod reading;

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::reading::Head;
use super::cpu::{self, Operand};
use super::dropout::Dropout;
use super::gpu_training;

/// Which queries read which sentences, and how scores become weights.
#[derive(Debug, Clone)]
pub struct SelectedAttention {
    /// Heads, side by side in the columns.
    pub num_heads: usize,
    /// Key rows of every sentence.
    pub sentences: Arc<[Range<usize>]>,
    /// Sentences that head `h` of row `r` reads, at `r · num_heads + h`; an empty list gives zeros.
    pub chosen: Arc<[Vec<usize>]>,
    /// The function that makes weights of scores.
    pub weighting: Weighting,
    /// Drops weights of words, as elements of the matrix `[rows · heads, key rows]`; in training alone.
    pub dropout: Option<Dropout>,
}

/// How scores become weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// One softmax over all words of the list.
    Joint,
    /// Sparsemax over the sentences of the list, times a normaliser over the words of each.
    ///
    /// The list must hold all sentences of positive weight among those that could be read: then leaving out the others
    /// changes neither weights nor gradients.
    Product(WordNormaliser),
}

/// The function that makes weights of the scores of one sentence's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordNormaliser {
    /// Exponentials, divided by their sum.
    Softmax,
    /// The projection onto the simplex, with exact zeros.
    Sparsemax,
}

/// Projected queries, keys and values; heads side by side.
///
/// # Shapes
/// - word_queries, sentence_queries: `[rows, d_k]`
/// - word_keys: `[key rows, d_k]`; values: `[key rows, d_v]`
/// - sentence_keys: `[sentences, d_k]`
#[derive(Debug, Clone)]
pub struct Projected {
    /// Queries for words.
    pub word_queries: Tensor<2>,
    /// Keys of words.
    pub word_keys: Tensor<2>,
    /// Values of words.
    pub values: Tensor<2>,
    /// Queries for sentences.
    pub sentence_queries: Tensor<2>,
    /// Keys of sentences.
    pub sentence_keys: Tensor<2>,
}

/// The weights of one head of one row over its list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectedWeights {
    /// Weight of each sentence in the list; with [`Weighting::Joint`] the sum over its words.
    pub sentences: Vec<f32>,
    /// Weights of the words of all sentences in the list, one sentence after the other.
    pub words: Vec<f32>,
}

/// Attention to the words of the chosen sentences; scores are divided by `√d_head`.
///
/// # Shapes
/// - output: `[rows, d_v]`
pub fn selected_attention(inputs: Projected, spec: &SelectedAttention) -> Tensor<2> {
    inputs.check(spec);
    let read = inputs.all();
    let on_gpu = || gpu_training::selected_attention(read, spec);
    cpu::run(spec.clone(), read.map(Operand::from))
        .or_else(|| spec.dropout.is_none().then(on_gpu).flatten())
        .unwrap_or_else(|| plain::attention(&inputs, spec))
}

/// The weights that [`selected_attention`] uses, for each row and head, in the order of [`SelectedAttention::chosen`].
pub fn selected_weights(inputs: &Projected, spec: &SelectedAttention) -> Vec<SelectedWeights> {
    each_selected(inputs, spec, |_, weights| weights)
}

/// Maps the weights of each list by `keep`, with its number, for documents whose weights are too many to keep.
pub fn each_selected<K: Send>(
    inputs: &Projected,
    spec: &SelectedAttention,
    keep: impl Fn(usize, SelectedWeights) -> K + Send + Sync,
) -> Vec<K> {
    inputs.check(spec);
    let on_host = |tensor: &Tensor<2>| tensor.to_data().iter::<f32>().collect::<Vec<f32>>();
    let inputs = inputs.all().map(on_host);
    let heads: Vec<Head> = (0..spec.num_heads)
        .map(|head| spec.head(head, inputs.each_ref().map(Vec::as_slice)))
        .collect();
    let lists = spec.chosen.par_iter().enumerate();
    lists
        .map(|(list, chosen)| {
            let head = &heads[list % spec.num_heads];
            keep(list, head.read(list / spec.num_heads, chosen))
        })
        .collect()
}

impl Projected {
    /// In the order in which the kernels take them.
    fn all(&self) -> [&Tensor<2>; 5] {
        [
            &self.word_queries,
            &self.word_keys,
            &self.values,
            &self.sentence_queries,
            &self.sentence_keys,
        ]
    }

    fn check(&self, spec: &SelectedAttention) {
        let ([rows, d_k], [key_rows, d_keys]) = (self.word_queries.dims(), self.word_keys.dims());
        let (queries, keys) = (self.sentence_queries.dims(), self.sentence_keys.dims());
        let [value_rows, d_v] = self.values.dims();
        let heads = spec.num_heads;
        assert_eq!(d_k, d_keys, "queries have {d_k} columns, keys {d_keys}");
        assert_eq!(
            queries,
            [rows, d_k],
            "sentence queries are {queries:?}, word queries {:?}",
            [rows, d_k]
        );
        assert_eq!(
            keys,
            [spec.sentences.len(), d_k],
            "sentence keys are {keys:?}"
        );
        assert_eq!(
            value_rows, key_rows,
            "{key_rows} keys for {value_rows} values"
        );
        assert!(
            d_k % heads == 0 && d_v % heads == 0,
            "{heads} heads do not divide {d_k} and {d_v}"
        );
        assert_eq!(
            spec.chosen.len(),
            rows * heads,
            "{} lists for {rows} rows and {heads} heads",
            spec.chosen.len()
        );
        assert!(
            spec.sentences.iter().all(|words| words.end <= key_rows),
            "a sentence ends beyond {key_rows} rows"
        );
        let mut chosen = spec.chosen.iter().flatten();
        assert!(
            chosen.all(|&sentence| !spec.sentences[sentence].is_empty()),
            "a chosen sentence has no words"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::assert_same;

    /// Three sentences with rows between them that belong to none; lists of different lengths, one of them empty.
    fn spec(weighting: Weighting) -> SelectedAttention {
        let lists: [&[usize]; 10] = [
            &[0, 2],
            &[1],
            &[],
            &[0, 1, 2],
            &[2],
            &[0],
            &[1, 2],
            &[0, 1],
            &[0, 1, 2],
            &[],
        ];
        SelectedAttention {
            num_heads: 2,
            sentences: [0..3, 4..5, 5..9].into(),
            chosen: lists.into_iter().map(<[usize]>::to_vec).collect(),
            weighting,
            dropout: None,
        }
    }

    fn projected(
        [
            word_queries,
            word_keys,
            values,
            sentence_queries,
            sentence_keys,
        ]: [Tensor<2>; 5],
    ) -> Projected {
        Projected {
            word_queries,
            word_keys,
            values,
            sentence_queries,
            sentence_keys,
        }
    }

    const WEIGHTINGS: [Weighting; 3] = [
        Weighting::Joint,
        Weighting::Product(WordNormaliser::Softmax),
        Weighting::Product(WordNormaliser::Sparsemax),
    ];
    const SHAPES: [[usize; 2]; 5] = [[5, 6], [10, 6], [10, 4], [5, 6], [3, 6]];

    #[test]
    fn fused_selected_attention_equals_the_plain_one() {
        for weighting in WEIGHTINGS {
            let spec = spec(weighting);
            assert_same(
                SHAPES,
                |inputs| selected_attention(projected(inputs), &spec),
                |inputs| plain::attention(&projected(inputs), &spec),
            );
        }
    }

    #[test]
    fn dropped_words_and_their_gradients_equal_the_plain_ones() {
        for weighting in WEIGHTINGS {
            let spec = SelectedAttention {
                dropout: Some(Dropout {
                    prob: 0.4,
                    stream: 5,
                }),
                ..spec(weighting)
            };
            assert_same(
                SHAPES,
                |inputs| selected_attention(projected(inputs), &spec),
                |inputs| plain::attention(&projected(inputs), &spec),
            );
        }
    }

    #[test]
    fn weights_sum_to_one_and_agree_with_those_of_their_sentences() {
        let device = burn::tensor::Device::flex();
        device.seed(5);
        let random = |shape| {
            Tensor::<2>::random(shape, burn::tensor::Distribution::Normal(0.0, 1.0), &device)
        };
        let inputs = projected(SHAPES.map(random));
        for weighting in WEIGHTINGS {
            let spec = spec(weighting);
            for (weights, chosen) in selected_weights(&inputs, &spec)
                .iter()
                .zip(spec.chosen.iter())
            {
                let expected = if chosen.is_empty() { 0.0 } else { 1.0 };
                assert!(
                    (weights.words.iter().sum::<f32>() - expected).abs() < 1e-5,
                    "{weights:?}"
                );
                let mut first = 0;
                for (sentence, weight) in chosen.iter().zip(&weights.sentences) {
                    let len = spec.sentences[*sentence].len();
                    let sum: f32 = weights.words[first..first + len].iter().sum();
                    assert!((sum - weight).abs() < 1e-5, "{weights:?}");
                    first += len;
                }
            }
        }
    }
}
