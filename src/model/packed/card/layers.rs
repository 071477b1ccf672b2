//! The layers of encoder and decoder on a graphics card.

use std::ops::Range;
use std::sync::Arc;

use burn::module::Param;
use burn::tensor::Tensor;
use wgpu::Buffer;

use super::state::{CardSource, OwnKeys, Work, small};
use crate::kernels::card::{Attended, Bound, Card, CardMatrix, Keys, Run};
use crate::kernels::packed::{Activation, Quantization, Table, Weights};
use crate::model::attention::MultiHeadAttention;
use crate::model::config::NormPosition;
use crate::model::decoder::{Decoder, DecoderLayer};
use crate::model::encoder::Encoder;
use crate::model::encoder_sublayer::EncoderSublayer;
use crate::model::feed_forward::FeedForward;
use crate::model::linear::Linear;
use crate::model::norm::Norm;
use crate::model::packed::layers::Packing;

/// How weights are brought to a card.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnCard<'a> {
    pub card: &'a Arc<Card>,
    pub packing: Packing<'a>,
}

impl OnCard<'_> {
    pub fn in_halves(&self) -> bool {
        self.packing.quantization == Quantization::Float16
    }

    /// Linear maps of the same input, side by side.
    fn linears(&self, linears: &[&Linear]) -> CardMatrix {
        let tables: Vec<Table> = linears
            .iter()
            .map(|linear| self.packing.table(&linear.weight))
            .collect();
        let inputs = tables.first().map_or(0, Table::rows);
        let outputs: usize = tables.iter().map(Table::columns).sum();
        let (mut values, mut row) = (Vec::with_capacity(inputs * outputs), Vec::new());
        for number in 0..inputs {
            for table in &tables {
                values.extend_from_slice(table.row(number, &mut row));
            }
        }
        let bias: Vec<f32> = { linears.iter().zip(&tables) }
            .flat_map(|(linear, table)| {
                let bias = linear.bias.as_ref();
                bias.map_or_else(
                    || vec![0.0; table.columns()],
                    |bias| self.packing.vector(bias),
                )
            })
            .collect();
        let has_bias = linears.iter().any(|linear| linear.bias.is_some());
        CardMatrix::new(
            self.card,
            [inputs, outputs],
            Weights::by_rows(&values, outputs),
            has_bias.then_some(&*bias),
            self.in_halves(),
        )
    }

    fn norm(&self, norm: &Norm) -> CardNorm {
        let vector = |param: &Param<Tensor<1>>| self.packing.vector(param);
        let parameters = [vector(&norm.gamma), vector(&norm.beta)].concat();
        CardNorm {
            columns: parameters.len() / 2,
            parameters: self.card.filled(&parameters),
            epsilon: norm.epsilon,
        }
    }
}

#[derive(Debug, Clone)]
struct CardNorm {
    /// `[2, d_model]`
    parameters: Buffer,
    columns: usize,
    epsilon: f32,
}

impl CardNorm {
    /// `norm(branch)` to `y`, or, if it `adds`, `norm(y + branch)`.
    fn apply(&self, run: &mut Run<'_>, branch: &Buffer, y: (&Buffer, bool), rows: usize) {
        let parameters = (&self.parameters, self.epsilon);
        run.norm(parameters, branch, y, [rows, self.columns]);
    }
}

/// A sublayer between its norm and the sum: what goes in, and the map that comes last.
#[derive(Debug, Clone)]
struct Residual {
    norm: CardNorm,
    position: NormPosition,
}

/// Rows that go through layers, and the space beside them.
#[derive(Debug, Clone, Copy)]
struct Rows<'w> {
    y: &'w Buffer,
    normed: &'w Buffer,
    branch: &'w Buffer,
    count: usize,
}

impl Residual {
    fn new(norm: &Norm, position: NormPosition, on_card: OnCard<'_>) -> Self {
        Self {
            norm: on_card.norm(norm),
            position,
        }
    }

    /// `norm(y + last(branch(y)))` or `y + last(branch(norm(y)))`; `branch` gives the rows that it leaves. Without a map that
    /// comes last the norm comes behind.
    fn apply<'w>(
        &self,
        run: &mut Run<'_>,
        rows: Rows<'w>,
        last: Option<&CardMatrix>,
        branch: impl FnOnce(&mut Run<'_>, &'w Buffer) -> &'w Buffer,
    ) {
        let Rows {
            y,
            normed,
            branch: output,
            count,
        } = rows;
        match self.position {
            NormPosition::Post => {
                let before = branch(run, y);
                let Some(last) = last else {
                    self.norm.apply(run, before, (y, true), count);
                    return;
                };
                run.product(last, before, (output, 0), count, None);
                self.norm.apply(run, output, (y, true), count);
            }
            NormPosition::Pre => {
                self.norm.apply(run, y, (normed, false), count);
                let before = branch(run, normed);
                let last = last.expect("units without one are normed behind");
                run.add_product(last, before, y, count);
            }
        }
    }
}

#[derive(Debug, Clone)]
struct CardAttention {
    /// Each `[d_model, d_model]`.
    query: CardMatrix,
    output: CardMatrix,
    /// To keys and values, `[d_model, 2 · d_model]`.
    memory: CardMatrix,
    num_heads: usize,
}

impl CardAttention {
    fn new(attention: &MultiHeadAttention, on_card: OnCard<'_>) -> Self {
        Self {
            query: on_card.linears(&[&attention.query]),
            memory: on_card.linears(&[&attention.key, &attention.value]),
            output: on_card.linears(&[&attention.output]),
            num_heads: attention.num_heads,
        }
    }

    /// What `count` rows read of a memory that has been projected.
    fn read<'w>(
        &self,
        run: &mut Run<'_>,
        x: &Buffer,
        (memory, places, keys): (&Buffer, &Buffer, Keys),
        (queries, context): (&Buffer, &'w Buffer),
        count: usize,
    ) -> &'w Buffer {
        run.product(&self.query, x, (queries, 0), count, None);
        let attended = Attended {
            queries,
            memory,
            places,
            keys,
            num_heads: self.num_heads,
            columns: self.query.outputs(),
        };
        run.attend(attended, context, count);
        context
    }
}

#[derive(Debug, Clone)]
struct CardFeedForward {
    inner: CardMatrix,
    outer: CardMatrix,
    activation: Activation,
}

impl CardFeedForward {
    fn new(layer: &FeedForward, on_card: OnCard<'_>) -> Self {
        Self {
            inner: on_card.linears(&[&layer.inner]),
            outer: on_card.linears(&[&layer.outer]),
            activation: layer.activation.into(),
        }
    }
}

/// The sublayers of an [`Encoder`] that reads sentences by themselves.
#[derive(Debug, Clone)]
pub(super) struct CardEncoder {
    sublayers: Vec<(Sublayer, Residual)>,
    final_norm: Option<CardNorm>,
}

#[derive(Debug, Clone)]
enum Sublayer {
    Attention(CardAttention),
    FeedForward(CardFeedForward),
}

impl CardEncoder {
    pub fn new(encoder: &Encoder, on_card: OnCard<'_>) -> Self {
        let sublayer = |sublayer: &EncoderSublayer| {
            let kind = match (&sublayer.attention, &sublayer.feed_forward) {
                (Some(attention), _) => Sublayer::Attention(CardAttention::new(attention, on_card)),
                (None, Some(feed_forward)) => {
                    Sublayer::FeedForward(CardFeedForward::new(feed_forward, on_card))
                }
                (None, None) => unreachable!("a sublayer is attention or feed-forward"),
            };
            let residual = Residual::new(&sublayer.norm, encoder.norm_position, on_card);
            (kind, residual)
        };
        Self {
            sublayers: encoder.sublayers.iter().map(sublayer).collect(),
            final_norm: encoder.final_norm.as_ref().map(|norm| on_card.norm(norm)),
        }
    }

    /// States of the embedded rows `x` `[rows, d_model]`, each sentence by itself.
    pub fn forward(
        &self,
        card: &Card,
        bound: &mut Bound,
        x: &[f32],
        sentences: &[Range<usize>],
    ) -> Buffer {
        let count = sentences.iter().map(|rows| rows.end).max().unwrap_or(0);
        let spans = sentences.iter().flat_map(|rows| {
            let span = [rows.start, rows.len()].map(small);
            std::iter::repeat_n(span, rows.len())
        });
        let places = card.filled(&spans.collect::<Vec<_>>());
        let d_model = x.len() / count.max(1);
        let widest = { self.sublayers.iter() }
            .map(|(kind, _)| match kind {
                Sublayer::Attention(_) => 2 * d_model,
                Sublayer::FeedForward(feed_forward) => feed_forward.inner.outputs(),
            })
            .max()
            .unwrap_or(0);
        let y = card.filled(x);
        let room = || card.room(x.len());
        let (normed, branch, queries, context) = (room(), room(), room(), room());
        let wide = card.room(count * widest);
        let rows = Rows {
            y: &y,
            normed: &normed,
            branch: &branch,
            count,
        };
        for (kind, residual) in &self.sublayers {
            let mut run = Run::new(card, bound);
            match kind {
                Sublayer::Attention(attention) => {
                    let read = |run: &mut Run<'_>, x| {
                        run.product(&attention.memory, x, (&wide, 0), count, None);
                        let memory = (&wide, &places, Keys::Rows { first: 0 });
                        attention.read(run, x, memory, (&queries, &context), count)
                    };
                    residual.apply(&mut run, rows, Some(&attention.output), read);
                }
                Sublayer::FeedForward(CardFeedForward {
                    inner,
                    outer,
                    activation,
                }) => {
                    let feed = |run: &mut Run<'_>, x| {
                        run.product(inner, x, (&wide, 0), count, Some(*activation));
                        &wide
                    };
                    residual.apply(&mut run, rows, Some(outer), feed);
                }
            }
            // One by one, so that no card works on them longer than a driver lets it.
            run.start();
        }
        let Some(norm) = &self.final_norm else {
            return y;
        };
        let mut run = Run::new(card, bound);
        norm.apply(&mut run, &y, (&normed, false), count);
        run.start();
        normed
    }
}

/// The layers of a [`Decoder`] that reads its own sentence alone.
#[derive(Debug, Clone)]
pub(super) struct CardDecoder {
    layers: Vec<Layer>,
    final_norm: Option<CardNorm>,
}

#[derive(Debug, Clone)]
struct Layer {
    own: (Own, Residual),
    cross: (CardAttention, Residual),
    feed_forward: (CardFeedForward, Residual),
}

/// The sublayer that reads the previous tokens.
#[derive(Debug, Clone)]
enum Own {
    Attention(CardAttention),
    /// A recurrent unit: to what is kept of the cell, and to what is added, `[d_model, 2 · d_model]`.
    Ssru(CardMatrix),
}

impl CardDecoder {
    pub fn new(decoder: &Decoder, on_card: OnCard<'_>) -> Self {
        let residual = |norm: &Norm| Residual::new(norm, decoder.norm_position, on_card);
        let layer = |layer: &DecoderLayer| {
            let own = match (&layer.self_attention, &layer.ssru) {
                (Some(attention), _) => Own::Attention(CardAttention::new(attention, on_card)),
                (None, Some(ssru)) => Own::Ssru(on_card.linears(&[&ssru.forget, &ssru.input])),
                (None, None) => unreachable!("a layer has one of the two"),
            };
            Layer {
                own: (own, residual(&layer.norm_self)),
                cross: (
                    CardAttention::new(&layer.cross_attention, on_card),
                    residual(&layer.norm_cross),
                ),
                feed_forward: (
                    CardFeedForward::new(&layer.feed_forward, on_card),
                    residual(&layer.norm_ff),
                ),
            }
        };
        Self {
            layers: decoder.layers.iter().map(layer).collect(),
            final_norm: decoder.final_norm.as_ref().map(|norm| on_card.norm(norm)),
        }
    }

    pub fn num_layers(&self) -> usize {
        self.layers.len()
    }

    /// The most numbers that a row has between two products.
    pub fn widest(&self) -> usize {
        let width = |layer: &Layer| {
            let inner = layer.feed_forward.0.inner.outputs();
            match &layer.own.0 {
                Own::Attention(_) => inner,
                Own::Ssru(gates) => inner.max(gates.outputs()),
            }
        };
        self.layers.iter().map(width).max().unwrap_or(0)
    }

    /// Projects `rows` encoded rows to what each layer reads of them, `[rows, 2 · d_model]`.
    pub fn memory(
        &self,
        card: &Card,
        bound: &mut Bound,
        states: &Buffer,
        rows: usize,
    ) -> Vec<Buffer> {
        let memory = |layer: &Layer| {
            let projection = &layer.cross.0.memory;
            let memory = card.room(rows * projection.outputs());
            let mut run = Run::new(card, bound);
            run.product(projection, states, (&memory, 0), rows, None);
            run.start();
            memory
        };
        self.layers.iter().map(memory).collect()
    }

    /// Whether whole translations can be decoded: a recurrent unit goes word by word.
    pub fn decodes_whole(&self) -> bool {
        let is_attention = |layer: &Layer| matches!(layer.own.0, Own::Attention(_));
        self.layers.iter().all(is_attention)
    }

    /// States of the embedded rows in `work.y`; what enters the last feed-forward sublayer comes to `work.fed` if `keeps`.
    /// Layer by layer, if asked for, so that no card works on many rows longer than a driver lets it.
    pub fn forward<'w>(
        &self,
        run: &mut Run<'_>,
        work: &'w Work,
        (source, own): (&CardSource, &OwnKeys),
        reads: Reads,
        (keeps, by_layer): (bool, bool),
    ) -> &'w Buffer {
        let Work {
            y,
            normed,
            branch,
            queries,
            context,
            wide,
            places,
            fed,
            ..
        } = work;
        let Reads {
            own: own_rows,
            source: source_rows,
            first,
            before,
            count,
        } = reads;
        let rows = Rows {
            y,
            normed,
            branch,
            count,
        };
        let scratch = (queries, context);
        let layers = self.layers.iter().zip(&own.layers).zip(&source.layers);
        for (number, ((layer, own), memory)) in layers.enumerate() {
            match &layer.own {
                (Own::Attention(attention), residual) => {
                    residual.apply(run, rows, Some(&attention.output), |run, x| {
                        run.product(&attention.memory, x, (own, first), count, None);
                        attention.read(run, x, (own, places, own_rows), scratch, count)
                    });
                }
                (Own::Ssru(gates), residual) => residual.apply(run, rows, None, |run, x| {
                    run.product(gates, x, (wide, 0), count, None);
                    let shape = [count, gates.inputs()];
                    run.ssru(wide, (own, first, places), context, before, shape);
                    context
                }),
            }
            let (attention, residual) = &layer.cross;
            residual.apply(run, rows, Some(&attention.output), |run, x| {
                attention.read(run, x, (memory, places, source_rows), scratch, count)
            });
            let (feed_forward, residual) = &layer.feed_forward;
            let CardFeedForward {
                inner,
                outer,
                activation,
            } = feed_forward;
            residual.apply(run, rows, Some(outer), |run, x| {
                if keeps && number + 1 == self.layers.len() {
                    run.copy(x, fed, count * inner.inputs());
                }
                run.product(inner, x, (wide, 0), count, Some(*activation));
                wide
            });
            if by_layer {
                run.start();
            }
        }
        match &self.final_norm {
            Some(norm) => {
                norm.apply(run, y, (normed, false), count);
                normed
            }
            None => y,
        }
    }
}

/// What some rows of a decoder read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reads {
    /// Which of the own keys, and which of the source's.
    pub own: Keys,
    pub source: Keys,
    /// Rows of own keys before those of these rows.
    pub first: usize,
    /// Words before them.
    pub before: usize,
    pub count: usize,
}
