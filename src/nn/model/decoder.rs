//! The decoder: whole target sentences in training, one token at a time in search.

use std::ops::Range;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::config::{ModelConfig, NormPosition};
use super::context_attention::{ContextSublayer, GatedMemory};
use super::context_config::Context;
use super::counting::{Place, place_after};
use super::encoder::EncoderOutput;
use super::feed_forward::{FeedForward, FeedForwardConfig};
use super::norm::Norm;
use super::packed_batch::PackedBatch;
use super::prepared::{Memory, PreparedMemory};
use super::query_spans::QuerySpan;
use super::recorder::{AttentionKind, AttentionRecorder};
use super::ssru::Ssru;
use super::systems::{BertFusion, GatedContext};
use super::variant::DecoderCell;
use canopy_kernels::{DropoutSource, PaddedRuns, RowNumbers, Segment, is_cpu};

/// Decoder layers.
#[derive(Module, Debug)]
pub struct Decoder {
    /// The layers, the lowest first.
    pub layers: Vec<DecoderLayer>,
    /// Whether norms are before or after their branches.
    #[module(skip)]
    pub norm_position: NormPosition,
    /// With norms before their branches.
    pub final_norm: Option<Norm>,
    /// After the last layer: attention to the translations of other sentences.
    pub gated: Option<GatedContext>,
}

/// Causal self-attention or a recurrent unit, exactly one of the two; attention over the source; feed-forward layer.
#[derive(Module, Debug)]
pub struct DecoderLayer {
    /// Causal self-attention.
    pub self_attention: Option<MultiHeadAttention>,
    /// The recurrent unit.
    pub ssru: Option<Ssru>,
    /// Norm of the first sublayer.
    pub norm_self: Norm,
    /// Attention to the source sentence.
    pub cross_attention: MultiHeadAttention,
    /// Norm of the attention to the source sentence.
    pub norm_cross: Norm,
    /// Attention to other source sentences.
    pub context: Option<ContextSublayer>,
    /// Attention to BERT's states in addition to that over the source.
    pub fusion: Option<BertFusion>,
    /// The feed-forward layer.
    pub feed_forward: FeedForward,
    /// Norm of the feed-forward layer.
    pub norm_ff: Norm,
}

/// The sublayer that reads the tokens before.
#[derive(Debug, Clone, Copy)]
pub(super) enum SelfSublayer<'l> {
    Attention(&'l MultiHeadAttention),
    Ssru(&'l Ssru),
}

impl DecoderLayer {
    /// The one of the two that it has. They are fields, and no enum is, because parameters are named after them in a model's
    /// folder.
    ///
    /// # Panics
    /// If it has neither.
    pub(super) fn self_sublayer(&self) -> SelfSublayer<'_> {
        let attention = self.self_attention.as_ref().map(SelfSublayer::Attention);
        let sublayer = attention.or_else(|| self.ssru.as_ref().map(SelfSublayer::Ssru));
        sublayer.expect("self-attention or a recurrent unit")
    }
}

/// States of the tokens of some target sentences.
#[derive(Debug, Clone)]
pub struct DecoderOutput {
    /// `[rows, d_model]`
    pub states: Tensor<2>,
    /// The input of the last feed-forward sublayer, `[rows, d_model]`: each token's attention to the source in the last layer,
    /// after residual and norm. With it tokens query translations of other sentences, and are keys in them.
    pub fed_forward: Tensor<2>,
}

/// The memory of all hypotheses of some documents beyond their own sentence, prepared once.
#[derive(Debug, Clone)]
pub struct DecoderMemory {
    /// Source sentences as each layer reads them; none where a layer does not.
    pub layers: Vec<Option<PreparedMemory>>,
    /// Translations of other sentences.
    pub translations: Option<GatedMemory>,
}

/// The decoder's state after some tokens, for a number of hypotheses.
#[derive(Debug, Clone)]
pub struct DecoderState {
    /// Tokens decoded so far, the same for all hypotheses.
    len: usize,
    layers: Vec<LayerState>,
    /// Source rows of every hypothesis.
    sources: Vec<Range<usize>>,
    /// Place of the first token of each hypothesis's sentence, as in [`PackedBatch::positions`].
    positions: Vec<Place>,
    /// Number of each hypothesis's sentence among those that were encoded.
    numbers: Vec<usize>,
    memory: DecoderMemory,
    /// The source rows of every hypothesis as other devices than the CPU read them; none until they are read.
    padded: Option<PaddedSource>,
}

/// Keys and values of the source sentence of every hypothesis, side by side.
#[derive(Debug, Clone)]
struct PaddedSource {
    runs: PaddedRuns,
    /// Keys and values of each layer, as [`PaddedRuns::split`] gives them.
    layers: Vec<(Tensor<4>, Tensor<4>)>,
}

#[derive(Debug, Clone)]
struct LayerState {
    /// Keys and values of the tokens so far, each `[hypotheses, len, d_model]`; none before the first token.
    own: Option<[Tensor<3>; 2]>,
    /// The recurrent unit's cell after the words so far, `[hypotheses, d_model]`; none before the first word.
    cell: Option<Tensor<2>>,
    /// Keys and values of the source sentences, each `[rows, d_model]`.
    source: (Tensor<2>, Tensor<2>),
}

impl DecoderState {
    /// How many hypotheses there are.
    pub fn num_hypotheses(&self) -> usize {
        self.sources.len()
    }

    /// How many tokens every hypothesis has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no token was decoded yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Place of the next token of every hypothesis.
    pub fn next_places(&self) -> Vec<Place> {
        self.positions
            .iter()
            .map(|place| place_after(place, self.len))
            .collect()
    }

    /// Keeps the named hypotheses, in this order; one may be kept more than once.
    pub fn select(&mut self, hypotheses: &[usize]) {
        if hypotheses.iter().copied().eq(0..self.sources.len()) {
            return;
        }
        let sources = hypotheses.iter().map(|h| self.sources[*h].clone());
        let sources: Vec<Range<usize>> = sources.collect();
        // Mostly hypotheses of one sentence take each other's places.
        if sources != self.sources {
            (self.sources, self.padded) = (sources, None);
        }
        self.positions = hypotheses.iter().map(|h| self.positions[*h]).collect();
        self.numbers = hypotheses.iter().map(|h| self.numbers[*h]).collect();
        let Some(device) = self.layers.first().map(|layer| layer.source.0.device()) else {
            return;
        };
        let rows: RowNumbers = hypotheses.iter().copied().collect();
        let rows = rows.tensor(&device);
        for layer in &mut self.layers {
            let own = layer.own.take();
            layer.own = own.map(|states| states.map(|it| it.select(0, rows.clone())));
            layer.cell = layer.cell.take().map(|cell| cell.select(0, rows.clone()));
        }
    }
}

impl Decoder {
    /// Initialises the layers of a configuration with random weights on `device`.
    pub fn new(config: &ModelConfig, device: &Device) -> Self {
        let variant = &config.variant;
        let attention = MultiHeadAttentionConfig::new(config.d_model, config.num_heads)
            .with_bias(variant.attention_bias);
        let cell = |kind| variant.decoder_cell == kind;
        let layer = |_| DecoderLayer {
            self_attention: cell(DecoderCell::SelfAttention)
                .then(|| attention.clone().with_causal(true).init(device)),
            ssru: cell(DecoderCell::Ssru).then(|| Ssru::new(config.d_model, device)),
            norm_self: Norm::from_config(config, device),
            cross_attention: attention.init(device),
            norm_cross: Norm::from_config(config, device),
            context: ContextSublayer::in_decoder(config, device),
            fusion: BertFusion::new(config, device),
            feed_forward: FeedForwardConfig::from_model(config).init(device),
            norm_ff: Norm::from_config(config, device),
        };
        let bilingual = config.context.is_some_and(Context::is_bilingual);
        Self {
            layers: (0..config.num_decoder_layers).map(layer).collect(),
            norm_position: config.norm,
            final_norm: (config.norm == NormPosition::Pre)
                .then(|| Norm::from_config(config, device)),
            gated: GatedContext::new(config, device).filter(|_| bilingual),
        }
    }

    /// States of all tokens of all target sentences, each seeing the tokens before it and its source sentence.
    ///
    /// # Shapes
    /// - y: `[rows, d_model]`, the embedded `rows`: translations of the sentences of `encoded`
    pub fn forward(
        &self,
        y: Tensor<2>,
        rows: &PackedBatch,
        encoded: &EncoderOutput,
        drop: &DropoutSource,
    ) -> DecoderOutput {
        self.forward_recorded(y, rows, encoded, drop, &mut AttentionRecorder::off())
    }

    /// [`Self::forward`], with what it attends to.
    pub fn forward_recorded(
        &self,
        mut y: Tensor<2>,
        rows: &PackedBatch,
        encoded: &EncoderOutput,
        drop: &DropoutSource,
        recorder: &mut AttentionRecorder,
    ) -> DecoderOutput {
        let own = rows.own_segments();
        // The keys are the rows of all sentences.
        let (sources, positions) = if recorder.is_on() {
            (encoded.states.clone(), encoded.sentences.clone())
        } else {
            encoded.own_states()
        };
        let cross = rows.segments_over(&positions);
        let query_spans = query_spans(&rows.sentences, &encoded.numbers);
        let mut fed_forward = None;
        for (number, layer) in self.layers.iter().enumerate() {
            let memory = layer.cross_attention.project(sources.clone());
            y = self.residual(y, &layer.norm_self, drop, |y| match layer.self_sublayer() {
                SelfSublayer::Attention(attention) => {
                    attention.forward(y.clone(), y, &own, drop.attention())
                }
                SelfSublayer::Ssru(ssru) => ssru.forward(y, &rows.sentences),
            });
            let context = layer.context.as_ref();
            let reads_first = context.is_some_and(|context| context.before_source);
            let position = (AttentionKind::DecoderContext, number);
            let read_context = |y: Tensor<2>, recorder: &mut AttentionRecorder| {
                let Some(context) = context else { return y };
                let memory = encoded.decoder_memory();
                context.join(self.norm_position, y, drop, |y| {
                    context.attend(y, &query_spans, &memory, drop, position, recorder)
                })
            };
            if reads_first {
                y = read_context(y, recorder);
            }
            if let (Some(fusion), Some(bert)) = (&layer.fusion, &encoded.bert) {
                recorder.add(AttentionKind::Cross, number, |keep| {
                    let attention = &layer.cross_attention;
                    attention.weights_of(y.clone(), &memory.0, &cross, keep)
                });
                let dropout = drop.attention();
                let own = layer
                    .cross_attention
                    .attend(y.clone(), memory, &cross, dropout);
                let dropout = drop.attention();
                let read = fusion
                    .prepare(bert)
                    .attend(y.clone(), &query_spans, dropout);
                y = fusion.join(&layer.norm_cross, y, own, read, drop);
                y = self.residual(y, &layer.norm_ff, drop, |y| {
                    fed_forward = Some(y.clone());
                    layer.feed_forward.forward(y, drop)
                });
                continue;
            }
            y = self.residual(y, &layer.norm_cross, drop, |y| {
                recorder.add(AttentionKind::Cross, number, |keep| {
                    let attention = &layer.cross_attention;
                    attention.weights_of(y.clone(), &memory.0, &cross, keep)
                });
                let dropout = drop.attention();
                layer.cross_attention.attend(y, memory, &cross, dropout)
            });
            if !reads_first {
                y = read_context(y, recorder);
            }
            y = self.residual(y, &layer.norm_ff, drop, |y| {
                fed_forward = Some(y.clone());
                layer.feed_forward.forward(y, drop)
            });
        }
        DecoderOutput {
            states: self.finish(y),
            fed_forward: fed_forward.expect("a decoder has layers"),
        }
    }

    /// The states of [`Self::forward`], joined with what is read of the `translations` of other sentences.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn join(
        &self,
        output: DecoderOutput,
        rows: &PackedBatch,
        encoded: &EncoderOutput,
        translations: Option<&Memory>,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let DecoderOutput {
            states,
            fed_forward,
        } = output;
        match (&self.gated, translations) {
            (Some(gated), Some(memory)) => {
                let query_spans = query_spans(&rows.sentences, &encoded.numbers);
                gated.forward(states, fed_forward, &query_spans, memory, drop)
            }
            _ => states,
        }
    }

    /// Attends as [`Self::join`] does.
    pub fn attend_to_translations(
        &self,
        output: &DecoderOutput,
        rows: &PackedBatch,
        encoded: &EncoderOutput,
        translations: &Memory,
        recorder: &mut AttentionRecorder,
    ) {
        let Some(gated) = &self.gated else { return };
        let query_spans = query_spans(&rows.sentences, &encoded.numbers);
        let position = (AttentionKind::DecoderContext, self.layers.len() - 1);
        let DecoderOutput {
            states,
            fed_forward,
        } = output;
        gated.attend_recorded(
            states,
            fed_forward,
            &query_spans,
            translations,
            position,
            recorder,
        );
    }

    /// Whether hypotheses read more than their own sentence: other sentences, BERT's states or translations.
    pub(super) fn reads_beyond_sentence(&self) -> bool {
        let mut layers = self.layers.iter();
        let reads = layers.any(|layer| layer.context.is_some() || layer.fusion.is_some());
        reads || self.gated.is_some()
    }

    /// Prepares the memory of the documents of `encoded`, whichever of their sentences are translated.
    pub fn prepare(&self, encoded: &EncoderOutput) -> DecoderMemory {
        let of_source = |layer: &DecoderLayer| {
            if let (Some(fusion), Some(bert)) = (&layer.fusion, &encoded.bert) {
                return Some(fusion.prepare(bert));
            }
            let context = layer.context.as_ref()?;
            Some(context.attention.prepare(&encoded.decoder_memory()))
        };
        DecoderMemory {
            layers: self.layers.iter().map(of_source).collect(),
            translations: None,
        }
    }

    /// The memory with translations of other sentences, if the decoder reads some.
    pub fn with_translations(
        &self,
        memory: &DecoderMemory,
        translations: &Memory,
    ) -> DecoderMemory {
        let gated = self.gated.as_ref();
        DecoderMemory {
            layers: memory.layers.clone(),
            translations: gated.map(|gated| gated.prepare(translations)),
        }
    }

    /// A state before the first token, with one hypothesis for each source sentence.
    pub fn start(&self, encoded: &EncoderOutput, memory: DecoderMemory) -> DecoderState {
        let (states, sources) = encoded.own_states();
        let layers = self.layers.iter().map(|layer| LayerState {
            own: None,
            cell: None,
            source: layer.cross_attention.project(states.clone()),
        });
        DecoderState {
            len: 0,
            layers: layers.collect(),
            sources,
            positions: encoded.positions.clone(),
            numbers: encoded.numbers.clone(),
            memory,
            padded: None,
        }
    }

    /// Pads the source rows of every hypothesis where that is worth it: the CPU reads them as they are.
    fn pad_source(&self, state: &mut DecoderState) {
        let rows = state.layers.first().map(|layer| &layer.source.0);
        let Some(rows) = rows.filter(|rows| state.padded.is_none() && !is_cpu(&rows.device()))
        else {
            return;
        };
        let runs = PaddedRuns::new(&state.sources, rows.dims()[0], &rows.device());
        state.padded = runs.map(|runs| {
            let layers = self.layers.iter().zip(&state.layers);
            let layers = layers.map(|(layer, memory)| {
                let (keys, values) = memory.source.clone();
                let split = |it| runs.split(it, layer.cross_attention.num_heads);
                (split(keys), split(values))
            });
            PaddedSource {
                layers: layers.collect(),
                runs,
            }
        });
    }

    /// Adds one token to every hypothesis.
    ///
    /// # Shapes
    /// - y: `[hypotheses, d_model]`, the embedded tokens
    /// - output: a row for each hypothesis
    pub fn step(&self, state: &mut DecoderState, mut y: Tensor<2>) -> DecoderOutput {
        let [hypotheses, d_model] = y.dims();
        assert_eq!(
            hypotheses,
            state.sources.len(),
            "one word for every hypothesis"
        );
        let len = state.len + 1;
        self.pad_source(state);
        let padded = state.padded.as_ref();
        let own = Segment::one_query_each((0..hypotheses).map(|row| row * len..(row + 1) * len));
        let cross = Segment::one_query_each(state.sources.iter().cloned());
        let each: Vec<Range<usize>> = (0..hypotheses).map(|row| row..row + 1).collect();
        let query_spans = query_spans(&each, &state.numbers);
        let none = DropoutSource::none();
        let mut fed_forward = None;
        let documents = &state.memory.layers;
        let layers = self.layers.iter().zip(&mut state.layers).zip(documents);
        for (number, ((layer, memory), document)) in layers.enumerate() {
            y = self.residual(y, &layer.norm_self, &none, |y| {
                let attention = match layer.self_sublayer() {
                    SelfSublayer::Attention(attention) => attention,
                    SelfSublayer::Ssru(ssru) => {
                        let (state, cell) = ssru.step(y, memory.cell.take());
                        memory.cell = Some(cell);
                        return state;
                    }
                };
                let (key, value) = attention.project(y.clone());
                let (key, value) = (key.unsqueeze_dim(1), value.unsqueeze_dim(1));
                let (keys, values) = match memory.own.take() {
                    Some([keys, values]) => (
                        Tensor::cat(vec![keys, key], 1),
                        Tensor::cat(vec![values, value], 1),
                    ),
                    None => (key, value),
                };
                memory.own = Some([keys.clone(), values.clone()]);
                let rows = |x: Tensor<3>| x.reshape([hypotheses * len, d_model]);
                attention.attend(y, (rows(keys), rows(values)), &own, None)
            });
            let context = layer.context.as_ref().zip(document.as_ref());
            let reads_first = context.is_some_and(|(context, _)| context.before_source);
            let read_context = |y: Tensor<2>| match context {
                Some((context, document)) => context.join(self.norm_position, y, &none, |y| {
                    document.attend(y.clone(), &query_spans, None)
                }),
                None => y,
            };
            if reads_first {
                y = read_context(y);
            }
            if let (Some(fusion), Some(bert)) = (&layer.fusion, document) {
                let source = memory.source.clone();
                let own = layer
                    .cross_attention
                    .attend(y.clone(), source, &cross, None);
                let read = bert.attend(y.clone(), &query_spans, None);
                y = fusion.join(&layer.norm_cross, y, own, read, &none);
            } else {
                y = self.residual(y, &layer.norm_cross, &none, |y| {
                    let attention = &layer.cross_attention;
                    match padded {
                        Some(PaddedSource { runs, layers }) => {
                            attention.attend_padded(y, layers[number].clone(), runs)
                        }
                        None => attention.attend(y, memory.source.clone(), &cross, None),
                    }
                });
            }
            if !reads_first {
                y = read_context(y);
            }
            y = self.residual(y, &layer.norm_ff, &none, |y| {
                fed_forward = Some(y.clone());
                layer.feed_forward.forward(y, &none)
            });
        }
        state.len = len;
        let fed_forward = fed_forward.expect("a decoder has layers");
        let states = self.finish(y);
        let states = match &state.memory.translations {
            Some(memory) => memory.attend(states, fed_forward.clone(), &query_spans, &none),
            None => states,
        };
        DecoderOutput {
            states,
            fed_forward,
        }
    }

    fn residual(
        &self,
        y: Tensor<2>,
        norm: &Norm,
        drop: &DropoutSource,
        branch: impl FnOnce(Tensor<2>) -> Tensor<2>,
    ) -> Tensor<2> {
        norm.residual(self.norm_position, y, drop, branch)
    }

    fn finish(&self, y: Tensor<2>) -> Tensor<2> {
        match &self.final_norm {
            Some(norm) => norm.forward(y),
            None => y,
        }
    }
}

/// Runs of rows with the numbers of their sentences.
fn query_spans(rows: &[Range<usize>], numbers: &[usize]) -> Vec<QuerySpan> {
    let pairs = rows.iter().zip(numbers);
    pairs
        .map(|(rows, &sentence)| QuerySpan {
            rows: rows.clone(),
            sentence,
        })
        .collect()
}
