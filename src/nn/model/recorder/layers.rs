//! Weights of plain attention layers.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::super::attention::MultiHeadAttention;
use super::super::documents::Documents;
use super::super::han::{HanContext, previous};
use super::super::query_capsules::{Capsules, QueryCapsules};
use super::super::query_spans::QuerySpan;
use super::super::source2token::{Source2Token, spec};
use super::weights::{AttentionWeights, HeadWeights, Recording, SentenceWeights};
use canopy_kernels::{Segment, each_attention};

/// Keeps the weights of keys that stand one after the other.
pub(in super::super) fn run(
    keep: Recording,
) -> impl Fn(usize, &[f32]) -> HeadWeights + Send + Sync {
    move |first, weights| {
        let keys = first..first + weights.len();
        HeadWeights::new(keys.zip(weights.iter().copied()), keep.least)
    }
}

impl MultiHeadAttention {
    /// The weights of [`Self::forward`].
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`; memory: `[key rows, d_model]`
    pub fn attention_weights(
        &self,
        x: Tensor<2>,
        memory: Tensor<2>,
        segments: &Arc<[Segment]>,
        keep: &Recording,
    ) -> AttentionWeights {
        self.weights_of(x, &self.key.forward(memory), segments, keep)
    }

    /// The weights of [`Self::attend`].
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`; keys: projected, `[key rows, d_model]`
    pub fn weights_of(
        &self,
        x: Tensor<2>,
        keys: &Tensor<2>,
        segments: &Arc<[Segment]>,
        keep: &Recording,
    ) -> AttentionWeights {
        let queries = self.query.forward(x);
        AttentionWeights {
            num_heads: self.num_heads,
            rows: each_attention(&queries, keys, &self.spec(segments), run(*keep)),
        }
    }
}

impl QueryCapsules {
    /// The weights of the tokens of which capsules were made: those of the capsules, spread over each one's tokens by their
    /// share in it. A token may count against a capsule: its share is the size of that.
    pub fn weights_of_tokens(
        &self,
        queries: Tensor<2>,
        read: &Capsules,
        keep: &Recording,
    ) -> AttentionWeights {
        let [_, longest, capsules] = read.coupling.dims();
        let coupling = read.coupling.clone().abs();
        let coupling = coupling.clone() / (coupling.sum_dim(1) + 1e-9);
        let shares: Vec<f32> = (coupling.into_data().try_into_vec()).expect("coupling is f32");
        let spread = |first: usize, weights: &[f32]| {
            if weights.is_empty() {
                return HeadWeights::default();
            }
            let reader = first / capsules;
            let tokens = &shares[reader * longest * capsules..][..longest * capsules];
            let tokens = tokens.chunks_exact(capsules).map(|shares| {
                let pairs = shares.iter().zip(weights);
                pairs.map(|(share, weight)| share * weight).sum()
            });
            HeadWeights::new(read.contexts[reader].clone().zip(tokens), keep.least)
        };
        let queries = self.attention.query.forward(queries);
        AttentionWeights {
            num_heads: self.attention.num_heads,
            rows: each_attention(
                &queries,
                &read.keys,
                &self.attention.spec(&read.segments),
                spread,
            ),
        }
    }
}

impl Source2Token {
    /// The weights of the tokens in each sentence's encoding.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`
    pub fn attention_weights(
        &self,
        words: Tensor<2>,
        sentences: &[Range<usize>],
        keep: &Recording,
    ) -> AttentionWeights {
        let (queries, keys) = (self.queries(sentences.len()), self.key.forward(words));
        AttentionWeights {
            num_heads: 1,
            rows: each_attention(&queries, &keys, &spec(sentences), run(*keep)),
        }
    }
}

impl HanContext {
    /// Weights of tokens, each that of its sentence times its own in there. Heads of the attention to sentences are paired
    /// with those to tokens of the same number: between them the model mixes all heads.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_model]`; memory: `[rows, d_model]`
    pub fn attention_weights(
        &self,
        queries: &Tensor<2>,
        summaries: &Tensor<3>,
        query_spans: &[QuerySpan],
        memory: &Tensor<2>,
        documents: &Documents,
        keep: &Recording,
    ) -> AttentionWeights {
        let slots = self.context_size;
        let summed = (queries.clone(), summaries.clone());
        let mut attention_weights = self.slot_weights(summed, query_spans, documents);
        let own = own_sentences(queries.dims()[0], query_spans);
        // From slots to sentences: the nearest one stands last.
        for (index, reading) in attention_weights.rows.iter_mut().enumerate() {
            let (row, keys) = (
                index / attention_weights.num_heads,
                std::mem::take(&mut reading.keys),
            );
            let sentence = |key: u32| own[row] + key as usize % slots - slots;
            let sentences = keys.into_iter().map(|(key, weight)| SentenceWeights {
                sentence: sentence(key),
                weight,
                relevance: None,
                cumulative: None,
            });
            reading.sentences = sentences.collect();
        }
        let word_queries = self.word_query.forward(queries.clone());
        let word_keys = self.word_attention.key.forward(memory.clone());
        for distance in (1..=slots).rev() {
            let segments = previous(query_spans, documents, distance);
            let attention = &self.word_attention;
            let words = attention.weights_of(word_queries.clone(), &word_keys, &segments, keep);
            for ((index, reading), words) in attention_weights
                .rows
                .iter_mut()
                .enumerate()
                .zip(words.rows)
            {
                let row = index / attention_weights.num_heads;
                let read = |read: &&SentenceWeights| read.sentence + distance == own[row];
                let Some(weight) = reading.sentences.iter().find(read).map(|read| read.weight)
                else {
                    continue;
                };
                let words = words.keys.into_iter();
                let words = words.map(|(word, share)| (word, share * weight));
                reading
                    .keys
                    .extend(words.filter(|&(_, share)| share >= keep.least && share != 0.0));
            }
        }
        for reading in &mut attention_weights.rows {
            let mass: f32 = reading.sentences.iter().map(|read| read.weight).sum();
            let kept: f32 = reading.keys.iter().map(|&(_, weight)| weight).sum();
            reading.rest = (mass - kept).max(0.0);
        }
        attention_weights
    }

    /// Keys are slots of the summaries.
    fn slot_weights(
        &self,
        (queries, summaries): (Tensor<2>, Tensor<3>),
        query_spans: &[QuerySpan],
        documents: &Documents,
    ) -> AttentionWeights {
        let [rows, slots, d_model] = summaries.dims();
        let memory = summaries.reshape([rows * slots, d_model]);
        self.sentence_attention.attention_weights(
            self.sentence_query.forward(queries),
            memory,
            &self.slots(query_spans, documents),
            &Recording::all(),
        )
    }
}

/// Sentence of each query row; 0 for none, which reads nothing.
fn own_sentences(rows: usize, query_spans: &[QuerySpan]) -> Vec<usize> {
    let mut own = vec![0; rows];
    for span in query_spans {
        own[span.rows.clone()].fill(span.sentence);
    }
    own
}
