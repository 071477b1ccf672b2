//! Layers of a Transformer, one behind the other: those of a decoder, and those of an encoder whose states it reads.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::cache::{Cache, HeadPart, Sequence};
use super::layer::{Cross, Layer, Linear};
use super::positions::{Placed, Positions};
use super::sizes::Sizes;
use super::{Attention, Recorder};
use crate::product::{attend, gate, products, rms_norm};
use crate::weights::{Tensor, Weights};

/// Products of scores below which attention is not worth a second thread.
const LEAST_PRODUCTS: usize = 1 << 17;

/// Layers, and the norm behind the last one.
#[derive(Debug)]
pub(super) struct Stack {
    pub weights: Arc<Weights>,
    pub sizes: Sizes,
    pub positions: Positions,
    pub layers: Vec<Layer>,
    pub output_norm: Vec<f32>,
    /// Whether each token sees those behind it, too: all that are read at once.
    pub reads_on: bool,
}

/// Queries of a layer: `[tokens, heads, d_head]`, and where they stand.
struct Queries<'q> {
    layer: usize,
    numbers: &'q [f32],
    /// Position of the first one.
    first: usize,
    placed: Option<&'q Placed<'q>>,
}

impl Stack {
    /// A cache without positions.
    pub(crate) fn new_cache(&self) -> Cache {
        let Sizes {
            num_layers,
            kv_heads,
            in_halves,
            ..
        } = self.sizes;
        let d_head = self.sizes.attention.d_head;
        Cache::new(num_layers, kv_heads, d_head, in_halves)
    }

    /// States behind the last layer: `[tokens, d_model]`, as `x`, the tokens of one sequence after those of the other. The attention
    /// that is recorded is that to the states of an encoder, if there is one.
    pub(crate) fn states(
        &self,
        mut x: Vec<f32>,
        sequences: &mut [Sequence<'_>],
        mut recorder: Option<&mut Recorder<'_>>,
    ) -> Vec<f32> {
        let tokens = x.len() / self.sizes.d_model;
        let placed = sequences.iter();
        let placed = placed.map(|it| self.positions.placed(it.first(), it.tokens));
        let placed: Vec<Placed<'_>> = placed.collect();
        for (number, layer) in self.layers.iter().enumerate() {
            let recorder = &mut recorder;
            let of_self = recorder.as_deref_mut().filter(|_| layer.cross.is_none());
            let attended = self.attended(number, &x, (sequences, &placed), of_self);
            self.add(&mut x, attended, layer.attention_post_norm.as_deref());
            if let Some(cross) = &layer.cross {
                let read = self.read((number, cross), &x, sequences, recorder.as_deref_mut());
                self.add(&mut x, read, None);
            }
            let fed = self.fed_forward(layer, &x, tokens);
            self.add(&mut x, fed, layer.feed_forward_post_norm.as_deref());
        }
        for sequence in sequences {
            sequence.cache.length += sequence.tokens;
        }
        x
    }

    /// States behind the norm that follows the last layer.
    pub(crate) fn normed(&self, states: &[f32]) -> Vec<f32> {
        let mut states = states.to_vec();
        self.norm(&mut states, &self.output_norm);
        states
    }

    /// Gives the cache keys and values of an encoder's states `[tokens, d_model]`, in place of all that it has.
    pub(crate) fn begin(&self, states: &[f32], cache: &mut Cache) {
        let tokens = states.len() / self.sizes.d_model;
        cache.clear();
        for (number, layer) in self.layers.iter().enumerate() {
            let Some(cross) = &layer.cross else { continue };
            let parts = self.linear(&[&cross.keys, &cross.values], states, tokens);
            if let [keys, values] = &parts[..] {
                cache.push_source(number, keys, values);
            }
        }
    }

    /// Adds what a part of a layer computes to what went into it.
    fn add(&self, x: &mut [f32], mut part: Vec<f32>, post_norm: Option<&[f32]>) {
        if let Some(norm) = post_norm {
            self.norm(&mut part, norm);
        }
        for (x, part) in x.iter_mut().zip(part) {
            *x += part;
        }
    }

    /// Normalises rows as long as `weights`.
    fn norm(&self, x: &mut [f32], weights: &[f32]) {
        let epsilon = self.sizes.epsilon;
        let rows = x.par_chunks_exact_mut(weights.len()).with_min_len(16);
        rows.for_each(|row| rms_norm(row, weights, epsilon));
    }

    /// Products with matrices of a layer, each with its bias.
    fn linear(&self, parts: &[&Linear], x: &[f32], rows: usize) -> Vec<Vec<f32>> {
        let weights: Vec<&Tensor> = parts.iter().map(|it| &it.weights).collect();
        let mut outputs = products(&self.weights, &weights, x, rows);
        for (output, part) in outputs.iter_mut().zip(parts) {
            let Some(bias) = &part.bias else { continue };
            for row in output.chunks_exact_mut(bias.len()) {
                row.iter_mut().zip(bias).for_each(|(it, bias)| *it += bias);
            }
        }
        outputs
    }

    /// The product with one matrix.
    fn product(&self, part: &Linear, x: &[f32], rows: usize) -> Vec<f32> {
        self.linear(&[part], x, rows).pop().unwrap_or_default()
    }

    /// Attention of a layer to its own tokens: `[tokens, d_model]`.
    fn attended(
        &self,
        number: usize,
        x: &[f32],
        (sequences, placed): (&mut [Sequence<'_>], &[Placed<'_>]),
        mut recorder: Option<&mut Recorder<'_>>,
    ) -> Vec<f32> {
        let (layer, sizes) = (&self.layers[number], &self.sizes);
        let d_head = sizes.attention.d_head;
        let tokens = x.len() / sizes.d_model;
        let mut normed = x.to_vec();
        self.norm(&mut normed, &layer.attention_norm);
        let parts = [&layer.queries, &layer.keys, &layer.values];
        let parts = self.linear(&parts, &normed, tokens);
        let [mut queries, mut keys, values] = <[Vec<f32>; 3]>::try_from(parts).unwrap_or_default();
        let [queries_width, width] = [sizes.heads, sizes.kv_heads].map(|heads| heads * d_head);
        for (heads, norm, width) in [
            (&mut queries, &layer.query_norm, queries_width),
            (&mut keys, &layer.key_norm, width),
        ] {
            let norm = norm.as_deref();
            let [before, after] = if sizes.family.rotates_first {
                [None, norm]
            } else {
                [norm, None]
            };
            if let Some(norm) = before {
                self.norm(heads, norm);
            }
            let mut rest = &mut heads[..];
            for (sequence, placed) in sequences.iter().zip(placed) {
                let (own, others) = rest.split_at_mut(sequence.tokens * width);
                placed.rotate(sizes.slides(number), own, sequence.tokens, d_head);
                rest = others;
            }
            if let Some(norm) = after {
                self.norm(heads, norm);
            }
        }
        let (mut attended, mut row) = (vec![0.0; queries.len()], 0);
        for (sequence, placed) in sequences.iter_mut().zip(placed) {
            let rows = row..row + sequence.tokens;
            row = rows.end;
            let own = |width: usize| rows.start * width..rows.end * width;
            let cached = own(width);
            sequence
                .cache
                .push(number, &keys[cached.clone()], &values[cached]);
            let first = sequence.first();
            let end = first + sequence.tokens;
            let visible = |position: usize| {
                if self.reads_on {
                    return 0..end;
                }
                sizes.visible(number, position)
            };
            let queries = Queries {
                layer: number,
                numbers: &queries[own(queries_width)],
                first,
                placed: Some(placed),
            };
            let sequence = &*sequence;
            let part = |head: usize, visible| sequence.part(number, head, visible);
            let output = &mut attended[own(queries_width)];
            let recorder = recorder.as_deref_mut();
            self.weigh_values(&queries, &part, &visible, (output, recorder));
        }
        self.product(&layer.attention_output, &attended, tokens)
    }

    /// Attention of a layer to the states of an encoder: `[tokens, d_model]`.
    fn read(
        &self,
        (number, cross): (usize, &Cross),
        x: &[f32],
        sequences: &[Sequence<'_>],
        mut recorder: Option<&mut Recorder<'_>>,
    ) -> Vec<f32> {
        let d_head = self.sizes.attention.d_head;
        let tokens = x.len() / self.sizes.d_model;
        let mut normed = x.to_vec();
        self.norm(&mut normed, &cross.norm);
        let queries = self.product(&cross.queries, &normed, tokens);
        let width = self.sizes.heads * d_head;
        let (mut read, mut row) = (vec![0.0; queries.len()], 0);
        for sequence in sequences {
            let own = row * width..(row + sequence.tokens) * width;
            row += sequence.tokens;
            let queries = Queries {
                layer: number,
                numbers: &queries[own.clone()],
                first: sequence.first(),
                placed: None,
            };
            let source = sequence.source();
            let (all, heads) = (source.source_length, &source.source[number]);
            let part = |head: usize, _| heads[head].whole(all * d_head);
            let recorder = recorder.as_deref_mut();
            self.weigh_values(&queries, &part, &|_| 0..all, (&mut read[own], recorder));
        }
        self.product(&cross.output, &read, tokens)
    }

    /// Values weighted by attention, to `output`: `[tokens, heads, d_head]`, as the queries.
    fn weigh_values<'h>(
        &self,
        queries: &Queries<'_>,
        part: &(dyn Fn(usize, Range<usize>) -> HeadPart<'h> + Sync),
        visible: &(dyn Fn(usize) -> Range<usize> + Sync),
        (output, recorder): (&mut [f32], Option<&mut Recorder<'_>>),
    ) {
        let sizes = &self.sizes;
        let (d_head, kv_heads) = (sizes.attention.d_head, sizes.kv_heads);
        let group = sizes.heads / kv_heads * d_head;
        let numbers = queries.numbers;
        let position = |index: usize| queries.first + index / kv_heads;
        let attend_one = |(index, output): (usize, &mut [f32])| {
            let (position, head) = (position(index), index % kv_heads);
            let visible = visible(position);
            let pair = part(head, visible.clone());
            let placed = queries.placed;
            let biases = placed.map(|it| it.biases(queries.layer, head, position, visible));
            let own = &numbers[index * group..][..group];
            attend(
                &sizes.attention,
                own,
                pair,
                biases.unwrap_or_default(),
                output,
            )
        };
        if let Some(recorder) = recorder {
            let parts = output.par_chunks_exact_mut(group).enumerate();
            let weights: Vec<Vec<f32>> = parts.map(attend_one).collect();
            for (index, weights) in weights.iter().enumerate() {
                let position = position(index);
                let visible = visible(position);
                for (query, weights) in weights.chunks_exact(visible.len()).enumerate() {
                    recorder(Attention {
                        layer: queries.layer,
                        head: index % kv_heads * (group / d_head) + query,
                        position,
                        first: visible.start,
                        weights,
                    });
                }
            }
            return;
        }
        let tokens = numbers.len() / (sizes.heads * d_head);
        let seen = visible(queries.first + tokens - 1).end * d_head;
        if numbers.len() / d_head * seen < LEAST_PRODUCTS {
            let parts = output.chunks_exact_mut(group).enumerate();
            parts.for_each(|part| drop(attend_one(part)));
        } else {
            let parts = output.par_chunks_exact_mut(group).enumerate();
            parts.for_each(|part| drop(attend_one(part)));
        }
    }

    /// The layer behind attention, gated or with ReLU: `[tokens, d_model]`.
    fn fed_forward(&self, layer: &Layer, x: &[f32], tokens: usize) -> Vec<f32> {
        let mut normed = x.to_vec();
        self.norm(&mut normed, &layer.feed_forward_norm);
        let hidden = if let Some(gates) = &layer.gate {
            self.gated(gates, &layer.up, &normed, tokens)
        } else {
            let mut hidden = self.product(&layer.up, &normed, tokens);
            for number in &mut hidden {
                *number = number.max(0.0);
            }
            hidden
        };
        self.product(&layer.down, &hidden, tokens)
    }

    fn gated(&self, gates: &Linear, up: &Linear, x: &[f32], tokens: usize) -> Vec<f32> {
        let parts = self.linear(&[gates, up], x, tokens);
        let [mut gates, values] = <[Vec<f32>; 2]>::try_from(parts).unwrap_or_default();
        let width = gates.len() / tokens;
        let rows = gates.par_chunks_mut(width).zip(values.par_chunks(width));
        rows.for_each(|(gates, values)| gate(self.sizes.gate, gates, values));
        gates
    }
}
