//! The hierarchical attention network after a packed decoder, as [`HanContext`] over tensors.
//!
//! Two linear maps of which one follows the other are one matrix here: `f_w` and `f_s` with the projections of their
//! queries, what the heads read of words with the projections of keys and values of sentences, and what is read of sentences with
//! the feed-forward layer after it. The projections of keys and values are not
//! applied to every sentence that is read but, head by head, to the query and to the mean of the sentences: `(s K) · q = s ·
//! (K q)`, and the weights of a mean sum up to one.

use std::sync::Arc;

use super::layer::HanContext;
use crate::model::linear::Linear;
use crate::model::packed::{
    Buffers, Map, Pack, PackedContext, PackedFeedForward, PackedGate, Packing, SharedTranslations,
    packed, shared_words,
};
use crate::model::prepared::Memory;
use crate::model::query_spans::QuerySpan;
use canopy_kernels::packed::{Columns, PackedMatrix, Table, Weights, attend_once};

/// Packs the network.
pub(super) fn pack(han: &HanContext) -> Pack<'_> {
    Box::new(move |packing| Arc::new(PackedHan::new(han, packing)))
}

#[derive(Debug, Clone)]
struct PackedHan {
    /// To keys and values of words, each `[d_model, d_model]`.
    words: [PackedMatrix; 2],
    /// To the queries of words and of sentences, `[d_model, 2 · d_model]`.
    queries: PackedMatrix,
    /// For each head from its query to what a sentence is compared with, `[d_model / heads, d_model]`.
    keys: Vec<PackedMatrix>,
    /// For each head from the mean of what is read of words to its part of the context, `[d_model, d_model / heads]`.
    read: Vec<PackedMatrix>,
    /// With the map after the attention to sentences.
    feed_forward: PackedFeedForward,
    gate: PackedGate,
    num_heads: usize,
    context_size: usize,
}

impl Map {
    /// The part of each head.
    fn heads(&self, num_heads: usize) -> impl Iterator<Item = Self> {
        let outputs = self.outputs / num_heads;
        (0..num_heads).map(move |head| {
            let own = head * outputs..(head + 1) * outputs;
            let rows = self.weights.chunks_exact(self.outputs);
            Self {
                weights: rows.flat_map(|row| &row[own.clone()]).copied().collect(),
                bias: self.bias.as_ref().map(|bias| bias[own.clone()].to_vec()),
                outputs,
            }
        })
    }

    /// Packs the transpose of a head's map to keys, with which its queries are multiplied. The bias would add the same to the
    /// scores of all keys. An attention of one head takes them for longer than they are by the square root of the heads.
    #[expect(clippy::cast_precision_loss, reason = "a few heads")]
    fn packed_keys(&self, num_heads: usize, packing: Packing<'_>) -> PackedMatrix {
        let longer = (num_heads as f32).sqrt();
        let weights: Vec<f32> = self.weights.iter().map(|weight| longer * weight).collect();
        let columns = self.weights.len() / self.outputs;
        let parts = [(Weights::transposed(&weights, self.outputs), columns, None)];
        PackedMatrix::new(self.outputs, &parts, packing.quantization)
    }
}

impl PackedHan {
    fn new(han: &HanContext, packing: Packing<'_>) -> Self {
        let map = |linear: &Linear| Map::from_linear(linear, packing);
        let (words, sentences) = (&han.word_attention, &han.sentence_attention);
        let read = map(&words.output);
        let (inner, outer) = (&han.feed_forward.inner, &han.feed_forward.outer);
        let inner = map(&sentences.output).then(&map(inner));
        Self {
            words: [&words.key, &words.value].map(|linear| packing.linears(&[linear])),
            queries: packed(
                &[
                    map(&han.word_query).then(&map(&words.query)),
                    map(&han.sentence_query).then(&map(&sentences.query)),
                ],
                packing,
            ),
            keys: read
                .then(&map(&sentences.key))
                .heads(words.num_heads)
                .map(|key| key.packed_keys(words.num_heads, packing))
                .collect(),
            read: read
                .then(&map(&sentences.value))
                .heads(words.num_heads)
                .map(|value| packed(&[value], packing))
                .collect(),
            feed_forward: PackedFeedForward {
                inner: packed(&[inner], packing),
                outer: packing.linears(&[outer]),
                activation: han.feed_forward.activation.into(),
            },
            gate: PackedGate::new(&han.gate, packing),
            num_heads: words.num_heads,
            context_size: han.context_size,
        }
    }
}

impl PackedContext for PackedHan {
    fn reads_fed_forward(&self) -> bool {
        false
    }

    fn prepare(&self, translations: &Memory) -> SharedTranslations {
        let states = Table::new(translations.values.clone());
        let (states, documents) = (states.values(), &translations.documents);
        let maps = self.words.each_ref().map(|map| (map, &*states));
        SharedTranslations {
            documents: documents.clone(),
            words: shared_words(maps, documents),
            sentences: None,
        }
    }

    /// Eq. 2-7.
    fn join(
        &self,
        (own, _): (&mut [f32], &[f32]),
        translations: &SharedTranslations,
        spans: &[QuerySpan],
        buffers: &mut Buffers,
    ) {
        let d_model = self.words[0].inputs();
        let SharedTranslations {
            documents, words, ..
        } = translations;
        let Buffers {
            wide,
            context,
            weights,
            scratch,
            ..
        } = buffers;
        self.queries.multiply(own, wide, scratch);
        let queries = |first| Columns {
            values: wide,
            width: 2 * d_model,
            first,
        };
        context.clear();
        let mut slots = Vec::with_capacity(spans.len());
        for spans in spans.chunk_by(|a, b| a.sentence == b.sentence) {
            let (hypotheses, sentence) =
                (slots.len()..slots.len() + spans.len(), spans[0].sentence);
            let first = context.len() / d_model;
            let before = documents.position(sentence).min(self.context_size);
            context.resize(context.len() + hypotheses.len() * before * d_model, 0.0);
            for slot in 0..before {
                let read = &mut context[(first + slot) * d_model..];
                words.attend(
                    sentence - before + slot,
                    (queries(0), hypotheses.clone()),
                    self.num_heads,
                    weights,
                    (read, before * d_model),
                );
            }
            let of_hypothesis = (0..spans.len()).map(|number| first + number * before);
            slots.extend(of_hypothesis.map(|first| first..first + before));
        }
        let d_head = d_model / self.num_heads;
        let mut attended = vec![0.0; own.len()];
        let (mut queries_of, mut projected) = (Vec::new(), Vec::new());
        let (mut mean, mut read) = (vec![0.0; own.len()], Vec::new());
        for head in 0..self.num_heads {
            let columns = head * d_head..(head + 1) * d_head;
            queries_of.clear();
            let own = queries(d_model + columns.start);
            for row in 0..slots.len() {
                queries_of.extend_from_slice(own.row(row, d_head));
            }
            self.keys[head].multiply(&queries_of, &mut projected, scratch);
            let rows = projected.chunks_exact(d_model).zip(&slots);
            for ((query, slots), mean) in rows.zip(mean.chunks_exact_mut(d_model)) {
                let row =
                    |place: usize| [&context[(slots.start + place) * d_model..][..d_model]; 2];
                if !slots.is_empty() {
                    attend_once(query, slots.len(), row, 1, weights, mean);
                }
            }
            self.read[head].multiply(&mean, &mut read, scratch);
            let rows = read.chunks_exact(d_head).zip(&slots);
            for ((read, slots), attended) in rows.zip(attended.chunks_exact_mut(d_model)) {
                if !slots.is_empty() {
                    attended[columns.clone()].copy_from_slice(read);
                }
            }
        }
        self.feed_forward.forward(&attended, buffers);
        self.gate.join(own, buffers);
    }
}
