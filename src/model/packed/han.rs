//! The hierarchical attention network behind a packed decoder, as [`HanContext`] over tensors.
//!
//! Two linear maps of which one follows the other are one matrix here: `f_w` and `f_s` with the projections of their
//! queries, and what the heads read of words with the projections of keys and values of sentences. These two are not
//! applied to every sentence that is read but, head by head, to the query and to the mean of the sentences: `(s K) · q = s ·
//! (K q)`, and the weights of a mean sum up to one.

use rayon::prelude::*;

use super::layers::{Buffers, PackedFeedForward, Packing};
use crate::kernels::multiply;
use crate::kernels::packed::{
    Activation, Columns, PackedMatrix, Scratch, SharedRows, Weights, attend_once,
};
use crate::model::documents::Documents;
use crate::model::han::HanContext;
use crate::model::linear::Linear;
use crate::model::query_spans::QuerySpan;

#[derive(Debug, Clone)]
pub(super) struct PackedHan {
    /// To keys and values of words, `[d_model, 2 · d_model]`.
    words: PackedMatrix,
    /// To the queries of words and of sentences, `[d_model, 2 · d_model]`.
    queries: PackedMatrix,
    /// For each head from its query to what a sentence is compared with, `[d_model / heads, d_model]`.
    asked: Vec<PackedMatrix>,
    /// For each head from the mean of what is read of words to its part of the context, `[d_model, d_model / heads]`.
    read: Vec<PackedMatrix>,
    /// Behind the attention to sentences, with its map.
    feed_forward: PackedFeedForward,
    /// Of own states beside what is read, `[2 · d_model, d_model]`.
    gate: PackedMatrix,
    num_heads: usize,
    context_size: usize,
}

/// The words of all translations of some documents, as the network reads them.
#[derive(Debug)]
pub struct SharedWords {
    /// Keys and values of every sentence.
    rows: SharedRows,
    documents: Documents,
}

/// A linear map as plain numbers: weights `[inputs, outputs]` and bias `[outputs]`.
struct Map {
    weights: Vec<f32>,
    bias: Option<Vec<f32>>,
    outputs: usize,
}

impl Map {
    fn of(linear: &Linear, packing: Packing<'_>) -> Self {
        let weights = packing.table(&linear.weight);
        Self {
            weights: weights.values().into_owned(),
            bias: linear.bias.as_ref().map(|bias| packing.vector(bias)),
            outputs: weights.columns(),
        }
    }

    /// This one, and `next` behind it.
    fn then(&self, next: &Self) -> Self {
        let (through, outputs) = (self.outputs, next.outputs);
        let product = |rows: &[f32]| {
            let count = rows.len() / through;
            let mut found = vec![0.0; count * outputs];
            multiply(rows, &next.weights, &mut found, [count, through, outputs]);
            found
        };
        let bias = match (self.bias.as_deref().map(product), &next.bias) {
            (Some(own), Some(more)) => Some(own.iter().zip(more).map(|(a, b)| a + b).collect()),
            (own, more) => own.or_else(|| more.clone()),
        };
        Self {
            weights: product(&self.weights),
            bias,
            outputs,
        }
    }

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
    fn asked(&self, num_heads: usize, packing: Packing<'_>) -> PackedMatrix {
        let longer = (num_heads as f32).sqrt();
        let weights: Vec<f32> = self.weights.iter().map(|weight| longer * weight).collect();
        let columns = self.weights.len() / self.outputs;
        let parts = [(Weights::transposed(&weights, self.outputs), columns, None)];
        PackedMatrix::new(self.outputs, &parts, packing.quantization)
    }
}

/// Packs maps of the same input, side by side.
fn packed(maps: &[Map], packing: Packing<'_>) -> PackedMatrix {
    let parts = maps.iter().map(|map| {
        let weights = Weights::by_rows(&map.weights, map.outputs);
        (weights, map.outputs, map.bias.as_deref())
    });
    let inputs = maps[0].weights.len() / maps[0].outputs;
    PackedMatrix::new(inputs, &parts.collect::<Vec<_>>(), packing.quantization)
}

impl PackedHan {
    pub fn new(han: &HanContext, packing: Packing<'_>) -> Self {
        let map = |linear: &Linear| Map::of(linear, packing);
        let (words, sentences) = (&han.word_attention, &han.sentence_attention);
        let read = map(&words.output);
        let (own, context) = (map(&han.gate.own), map(&han.gate.context));
        let gate = Map {
            weights: [own.weights, context.weights].concat(),
            bias: own.bias,
            outputs: own.outputs,
        };
        let (inner, outer) = (&han.feed_forward.inner, &han.feed_forward.outer);
        let inner = map(&sentences.output).then(&map(inner));
        Self {
            words: packing.linears(&[&words.key, &words.value]),
            queries: packed(
                &[
                    map(&han.word_query).then(&map(&words.query)),
                    map(&han.sentence_query).then(&map(&sentences.query)),
                ],
                packing,
            ),
            asked: read
                .then(&map(&sentences.key))
                .heads(words.num_heads)
                .map(|key| key.asked(words.num_heads, packing))
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
            gate: packed(&[gate], packing),
            num_heads: words.num_heads,
            context_size: han.context_size,
        }
    }

    /// The words of all sentences, prepared.
    ///
    /// # Shapes
    /// - states: `[rows of documents, d_model]`
    pub fn words(&self, states: &[f32], documents: &Documents) -> SharedWords {
        /// Sentences that a core projects at a time.
        const SENTENCES: usize = 16;
        let d_model = self.words.inputs();
        let parts = documents.sentences.par_chunks(SENTENCES).map(|sentences| {
            let (first, end) = match sentences {
                [first, .., last] => (first.start, last.end),
                [one] => (one.start, one.end),
                [] => (0, 0),
            };
            let states = &states[first * d_model..end * d_model];
            let mut projected = Vec::new();
            self.words
                .multiply(states, &mut projected, &mut Scratch::default());
            let columns = [0, d_model].map(|first| Columns {
                values: &projected,
                width: 2 * d_model,
                first,
            });
            let own = sentences
                .iter()
                .map(|rows| rows.start - first..rows.end - first);
            SharedRows::new(columns, own, d_model)
        });
        SharedWords {
            rows: SharedRows::joined(parts.collect::<Vec<_>>(), d_model),
            documents: documents.clone(),
        }
    }

    /// The states `own`, joined with what they read of the sentences before theirs, Eq. 2-7.
    ///
    /// # Shapes
    /// - own: `[hypotheses, d_model]`, a row for each of `spans`
    pub fn join(
        &self,
        own: &mut [f32],
        words: &SharedWords,
        spans: &[QuerySpan],
        buffers: &mut Buffers,
    ) {
        let d_model = self.words.inputs();
        let SharedWords {
            rows: words,
            documents,
        } = words;
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
        let (mut queries_of, mut asked) = (Vec::new(), Vec::new());
        let (mut mean, mut read) = (vec![0.0; own.len()], Vec::new());
        for head in 0..self.num_heads {
            let columns = head * d_head..(head + 1) * d_head;
            queries_of.clear();
            let own = queries(d_model + columns.start);
            for row in 0..slots.len() {
                queries_of.extend_from_slice(own.row(row, d_head));
            }
            self.asked[head].multiply(&queries_of, &mut asked, scratch);
            let rows = asked.chunks_exact(d_model).zip(&slots);
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
        let Buffers {
            branch,
            wide,
            scratch,
            ..
        } = buffers;
        let mut both = Vec::with_capacity(2 * own.len());
        for (own, read) in own.chunks_exact(d_model).zip(branch.chunks_exact(d_model)) {
            both.extend_from_slice(own);
            both.extend_from_slice(read);
        }
        self.gate.multiply(&both, wide, scratch);
        Activation::Sigmoid.apply(wide);
        for ((own, read), passes) in own.iter_mut().zip(&*branch).zip(&*wide) {
            *own = passes * (*own - read) + read;
        }
    }
}
