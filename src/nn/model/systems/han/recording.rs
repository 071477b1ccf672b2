//! The weights of the tokens of the previous sentences.

use burn::tensor::Tensor;

use super::layer::{HanContext, previous};
use crate::model::documents::Documents;
use crate::model::query_spans::QuerySpan;
use crate::model::recorder::{AttentionWeights, Recording, SentenceWeights};

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
        // From slots to sentences: the nearest one is last.
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
