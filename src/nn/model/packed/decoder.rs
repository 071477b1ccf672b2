//! The packed decoder: whole translations, and one word of every hypothesis at a time.

use std::ops::Range;
use std::sync::Arc;

use super::context::{ContextLayers, Reading};
use super::layers::{
    Buffers, PackedAttention, PackedFeedForward, PackedNorm, PackedReading, Packing, key_and_value,
};
use super::ssru::PackedSsru;
use super::state::{PackedDecoderOutput, PackedEncoderOutput, PackedSource, PackedState};
use super::translations::SharedTranslations;
use crate::model::decoder::{Decoder, DecoderLayer, SelfSublayer};
use crate::model::prepared::Memory;
use crate::model::recorder::{AttentionKind, AttentionRecorder, AttentionWeights, Recording, run};
use canopy_kernels::packed::{
    Columns, RowNorm, Scratch, SharedRows, attend, attend_once, each_attention,
};

/// The layers of a [`Decoder`]; what it reads beyond its own sentence is in [`ContextLayers`].
#[derive(Debug, Clone)]
pub(super) struct PackedDecoder {
    layers: Vec<Layer>,
    context_layers: Option<ContextLayers>,
    final_norm: Option<RowNorm>,
}

#[derive(Debug, Clone)]
struct Layer {
    own: PackedSelfSublayer,
    norm_own: PackedNorm,
    cross: PackedReading,
    norm_cross: PackedNorm,
    feed_forward: PackedFeedForward,
    norm_ff: PackedNorm,
}

/// The sublayer that reads the previous tokens.
#[derive(Debug, Clone)]
enum PackedSelfSublayer {
    Attention(PackedAttention),
    Ssru(PackedSsru),
}

impl PackedDecoder {
    pub(super) fn new(decoder: &Decoder, packing: Packing<'_>) -> Self {
        let position = decoder.norm_position;
        let layer = |layer: &DecoderLayer| Layer {
            own: match layer.self_sublayer() {
                SelfSublayer::Attention(attention) => {
                    PackedSelfSublayer::Attention(PackedAttention::new(attention, packing))
                }
                SelfSublayer::Ssru(ssru) => {
                    PackedSelfSublayer::Ssru(PackedSsru::new(ssru, packing))
                }
            },
            norm_own: PackedNorm::new(&layer.norm_self, position, packing),
            cross: PackedReading::new(&layer.cross_attention, packing),
            norm_cross: PackedNorm::new(&layer.norm_cross, position, packing),
            feed_forward: PackedFeedForward::new(&layer.feed_forward, packing),
            norm_ff: PackedNorm::new(&layer.norm_ff, position, packing),
        };
        Self {
            layers: decoder.layers.iter().map(layer).collect(),
            context_layers: ContextLayers::from_decoder(decoder, packing),
            final_norm: decoder.final_norm.as_ref().map(|norm| packing.norm(norm)),
        }
    }

    /// Whether all layers read their own sentence alone: then [`Self::forward`] computes what burn's do.
    pub(super) fn layers_read_sentences(&self) -> bool {
        let context = self.context_layers.as_ref();
        context.is_none_or(ContextLayers::is_behind_layers)
    }

    /// As [`ContextLayers::prepare`].
    pub(super) fn prepare(&self, translations: &Memory) -> Option<SharedTranslations> {
        self.context_layers.as_ref()?.prepare(translations)
    }

    pub(super) fn num_layers(&self) -> usize {
        self.layers.len()
    }

    /// Bytes of the weights that a word is multiplied with.
    pub(super) fn num_bytes(&self) -> usize {
        let of_layer = |layer: &Layer| {
            let own = match &layer.own {
                PackedSelfSublayer::Attention(attention) => {
                    attention.projections.num_bytes() + attention.output.num_bytes()
                }
                PackedSelfSublayer::Ssru(ssru) => ssru.num_bytes(),
            };
            let cross = layer.cross.query.num_bytes() + layer.cross.output.num_bytes();
            own + cross + layer.feed_forward.num_bytes()
        };
        self.layers.iter().map(of_layer).sum()
    }

    /// Bytes of the keys and values of a token in all layers.
    pub(super) fn bytes_of_token(&self) -> usize {
        let of_layer = |layer: &Layer| layer.cross.memory.outputs() * size_of::<f32>();
        self.layers.iter().map(of_layer).sum()
    }

    /// Projects encoded sentences to what every layer reads of them.
    pub(super) fn source(
        &self,
        encoded: &PackedEncoderOutput,
        scratch: &mut Scratch,
    ) -> PackedSource {
        let memory = |layer: &Layer| {
            let mut memory = Vec::new();
            let projection = &layer.cross.memory;
            projection.multiply(&encoded.states, &mut memory, scratch);
            let d_model = projection.outputs() / 2;
            let columns = [0, d_model].map(|first| Columns {
                values: &memory,
                width: 2 * d_model,
                first,
            });
            SharedRows::new(columns, encoded.sentences.iter().cloned(), d_model)
        };
        PackedSource {
            layers: Arc::new(self.layers.iter().map(memory).collect()),
            positions: encoded.positions.clone(),
            context_memory: encoded.context_memory.clone(),
        }
    }

    /// States of the embedded rows `y`, each sentence seeing the words before and its source rows in
    /// `segments`, and nothing else; with what they attend to of the source.
    ///
    /// # Shapes
    /// - y, states: `[rows, d_model]`
    pub(super) fn forward(
        &self,
        mut y: Vec<f32>,
        segments: &[(Range<usize>, Range<usize>)],
        states: &[f32],
        (scratch, recorder): (Scratch, &mut AttentionRecorder),
    ) -> PackedDecoderOutput {
        let mut buffers = Buffers::new(scratch);
        let (mut memory, mut output) = (Vec::new(), PackedDecoderOutput::default());
        for (number, layer) in self.layers.iter().enumerate() {
            layer.read_own(&mut y, segments, &mut buffers);
            let is_last = number + 1 == self.layers.len();
            let norm = &layer.norm_cross;
            norm.residual(&mut y, &mut buffers, |y, buffers| {
                layer.read_sources(y, segments, (states, &mut memory), buffers);
                recorder.add(AttentionKind::Cross, number, |keep| {
                    layer.source_weights(segments, (&memory, buffers), keep)
                });
            });
            layer.norm_ff.residual(&mut y, &mut buffers, |y, buffers| {
                if is_last {
                    output.fed_forward = y.to_vec();
                }
                layer.feed_forward.forward(y, buffers);
            });
        }
        output.states = self.finished(y);
        output
    }

    /// States after one more word of every hypothesis, `y` `[hypotheses, d_model]`; `output` gets what they are before they are
    /// joined with what is read of other translations.
    pub(super) fn step(
        &self,
        state: &mut PackedState,
        mut y: Vec<f32>,
        mut output: Option<&mut PackedDecoderOutput>,
    ) -> Vec<f32> {
        state.begin_word();
        let mut buffers = std::mem::take(&mut state.buffers);
        let memory = state.source.context_memory.clone();
        let read = memory.as_ref().filter(|_| self.context_layers.is_some());
        let reading = read.map(|it| it.read_by(&state.numbers));
        let context: Option<(&ContextLayers, &Reading<'_>)> =
            self.context_layers.as_ref().zip(reading.as_ref());
        let reads_fed_forward = context.is_some_and(|(layers, _)| layers.reads_fed_forward());
        let mut fed_forward = Vec::new();
        let last = self.layers.len() - 1;
        for (number, layer) in self.layers.iter().enumerate() {
            layer.norm_own.residual(&mut y, &mut buffers, |y, buffers| {
                let own = match &layer.own {
                    PackedSelfSublayer::Attention(attention) => attention,
                    PackedSelfSublayer::Ssru(ssru) => {
                        ssru.step(y, &mut state.cells[number], buffers);
                        return;
                    }
                };
                let d_model = own.output.inputs();
                let Buffers {
                    branch,
                    wide,
                    context,
                    weights,
                    scratch,
                    ..
                } = buffers;
                own.projections.multiply(y, wide, scratch);
                // Keys and values of the new words are kept.
                let mut block = Vec::with_capacity(2 * y.len());
                let new = wide.chunks_exact(3 * d_model);
                new.for_each(|new| block.extend_from_slice(&new[d_model..]));
                state.own[number].push(block);
                let blocks = &state.own[number];
                context.resize(y.len(), 0.0);
                let queries = wide.chunks_exact(3 * d_model).zip(&state.rows);
                for ((new, rows), context) in queries.zip(context.chunks_exact_mut(d_model)) {
                    let row =
                        |place: usize| key_and_value(&blocks[place], rows[place] as usize, d_model);
                    let (q, len) = (&new[..d_model], rows.len());
                    attend_once(q, len, row, own.num_heads, weights, context);
                }
                own.output.multiply(context, branch, scratch);
            });
            if let Some((layers, reading)) = context {
                layers.join_context((number, true), &mut y, reading);
            }
            let bert = context.filter(|(layers, reading)| layers.reads_bert(number, reading));
            let hypotheses = (&state.source, state.numbers.as_slice());
            if let Some((layers, reading)) = bert {
                layer.read_source(number, &y, hypotheses, &mut buffers);
                layers.join_bert(number, &mut y, &buffers.branch, reading);
            } else {
                layer
                    .norm_cross
                    .residual(&mut y, &mut buffers, |y, buffers| {
                        layer.read_source(number, y, hypotheses, buffers);
                    });
            }
            if let Some((layers, reading)) = context {
                layers.join_context((number, false), &mut y, reading);
            }
            layer.norm_ff.residual(&mut y, &mut buffers, |y, buffers| {
                if number == last && (reads_fed_forward || output.is_some()) {
                    fed_forward = y.to_vec();
                }
                layer.feed_forward.forward(y, buffers);
            });
        }
        let states = self.finished(y);
        if let Some(output) = &mut output {
            output.states.clone_from(&states);
        }
        let states = match context {
            Some((layers, reading)) => {
                layers.join_translations(states, &fed_forward, reading, &mut buffers)
            }
            None => states,
        };
        if let Some(output) = output {
            output.fed_forward = fed_forward;
        }
        state.buffers = buffers;
        states
    }

    fn finished(&self, mut y: Vec<f32>) -> Vec<f32> {
        if let Some(norm) = &self.final_norm {
            norm.apply(&mut y);
        }
        y
    }
}

impl Layer {
    /// Reads the rows before, each sentence of `segments` by itself.
    fn read_own(
        &self,
        y: &mut [f32],
        segments: &[(Range<usize>, Range<usize>)],
        buffers: &mut Buffers,
    ) {
        let own = segments.iter().map(|(rows, _)| rows.clone());
        let residual = &self.norm_own;
        residual.residual(y, buffers, |y, buffers| match &self.own {
            PackedSelfSublayer::Attention(attention) => attention.forward(y, own, true, buffers),
            PackedSelfSublayer::Ssru(ssru) => ssru.forward(y, own, buffers),
        });
    }

    /// Attention of the rows `y` to their encoded rows in `segments`; the output is in `buffers.branch`.
    fn read_sources(
        &self,
        y: &[f32],
        segments: &[(Range<usize>, Range<usize>)],
        (states, memory): (&[f32], &mut Vec<f32>),
        buffers: &mut Buffers,
    ) {
        let cross = &self.cross;
        let d_model = cross.query.outputs();
        let Buffers {
            branch,
            wide,
            context,
            scratch,
            ..
        } = buffers;
        cross.memory.multiply(states, memory, scratch);
        cross.query.multiply(y, wide, scratch);
        context.clear();
        context.resize(y.len(), 0.0);
        let columns = |values, width, first| Columns {
            values,
            width,
            first,
        };
        attend(
            [
                columns(wide.as_slice(), d_model, 0),
                columns(memory, 2 * d_model, 0),
                columns(memory, 2 * d_model, d_model),
            ],
            segments.iter().cloned(),
            (cross.num_heads, false),
            (context, d_model),
        );
        cross.output.multiply(context, branch, scratch);
    }

    /// The weights of [`Self::read_sources`], which left these `memory` and `buffers`.
    fn source_weights(
        &self,
        segments: &[(Range<usize>, Range<usize>)],
        (memory, buffers): (&[f32], &Buffers),
        keep: &Recording,
    ) -> AttentionWeights {
        let cross = &self.cross;
        let d_model = cross.query.outputs();
        let columns = |values, width| Columns {
            values,
            width,
            first: 0,
        };
        let columns = [
            columns(buffers.wide.as_slice(), d_model),
            columns(memory, 2 * d_model),
        ];
        let segments = segments.iter().cloned();
        AttentionWeights {
            num_heads: cross.num_heads,
            rows: each_attention(columns, segments, cross.num_heads, d_model, run(*keep)),
        }
    }

    /// Attention of each hypothesis to its source sentence, by its number; what it reads of it is in `buffers.branch`.
    ///
    /// # Shapes
    /// - y: `[hypotheses, d_model]`
    fn read_source(
        &self,
        layer: usize,
        y: &[f32],
        (source, sentences): (&PackedSource, &[usize]),
        buffers: &mut Buffers,
    ) {
        let cross = &self.cross;
        let d_model = cross.query.outputs();
        let Buffers {
            branch,
            wide,
            context,
            weights,
            scratch,
            ..
        } = buffers;
        cross.query.multiply(y, wide, scratch);
        context.resize(y.len(), 0.0);
        let q = Columns {
            values: wide,
            width: d_model,
            first: 0,
        };
        let mut first = 0;
        for hypotheses in sentences.chunk_by(|a, b| a == b) {
            let queries = first..first + hypotheses.len();
            let context = &mut context[queries.start * d_model..];
            first = queries.end;
            source.layers[layer].attend(
                hypotheses[0],
                (q, queries),
                cross.num_heads,
                weights,
                (context, d_model),
            );
        }
        cross.output.multiply(context, branch, scratch);
    }
}
