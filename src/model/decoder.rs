//! The decoder: whole target sentences in training, one word at a time in search.

use std::ops::Range;
use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use super::config::{ModelConfig, NormPosition};
use super::embedding::{Rows, indices};
use super::encoder::EncoderOutput;
use super::feed_forward::{FeedForward, FeedForwardConfig};
use super::norm::Norm;
use crate::kernels::{DropoutSource, Segment, dropout};

/// Decoder layers.
#[derive(Module, Debug)]
pub struct Decoder {
    pub layers: Vec<DecoderLayer>,
    final_norm: Option<Norm>,
}

/// Causal self-attention, attention over the source, feed-forward layer.
#[derive(Module, Debug)]
pub struct DecoderLayer {
    pub self_attention: MultiHeadAttention,
    pub norm_self: Norm,
    pub cross_attention: MultiHeadAttention,
    pub norm_cross: Norm,
    pub feed_forward: FeedForward,
    pub norm_ff: Norm,
}

/// What the decoder remembers of the words so far, for a number of hypotheses.
#[derive(Debug, Clone)]
pub struct DecoderState {
    /// Words decoded so far, the same for all hypotheses.
    len: usize,
    layers: Vec<LayerState>,
    /// Source rows of every hypothesis.
    sources: Vec<Range<usize>>,
    /// Where each hypothesis's sentence stands, as in [`Rows::places`].
    places: Vec<(usize, usize)>,
}

#[derive(Debug, Clone)]
struct LayerState {
    /// Keys and values of the words so far, each `[hypotheses, len, d_model]`; none before the first word.
    own: Option<(Tensor<3>, Tensor<3>)>,
    /// Keys and values of the source, each `[source rows, d_model]`.
    source: (Tensor<2>, Tensor<2>),
}

impl DecoderState {
    /// How many hypotheses there are.
    pub fn num_hypotheses(&self) -> usize {
        self.sources.len()
    }

    /// How many words every hypothesis has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no word was decoded yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Place of the next word of every hypothesis: word, sentence, paragraph.
    pub fn next_places(&self) -> Vec<[usize; 3]> {
        self.places
            .iter()
            .map(|&(sentence, paragraph)| [self.len, sentence, paragraph])
            .collect()
    }

    /// Keeps the named hypotheses, in this order; one may be kept more than once.
    pub fn select(&mut self, hypotheses: &[usize]) {
        if hypotheses.iter().copied().eq(0..self.sources.len()) {
            return;
        }
        self.sources = hypotheses
            .iter()
            .map(|&hypothesis| self.sources[hypothesis].clone())
            .collect();
        self.places = hypotheses
            .iter()
            .map(|&hypothesis| self.places[hypothesis])
            .collect();
        for layer in &mut self.layers {
            layer.own = layer.own.take().map(|(keys, values)| {
                let rows = indices(hypotheses.iter().copied(), &keys.device());
                (keys.select(0, rows.clone()), values.select(0, rows))
            });
        }
    }
}

impl Decoder {
    pub fn new(config: &ModelConfig, device: &Device) -> Self {
        let attention = MultiHeadAttentionConfig::new(config.d_model, config.num_heads);
        let layer = |_| DecoderLayer {
            self_attention: attention.clone().with_causal(true).init(device),
            norm_self: Norm::new(config.d_model, device),
            cross_attention: attention.init(device),
            norm_cross: Norm::new(config.d_model, device),
            feed_forward: FeedForwardConfig::new(config.d_model, config.d_ff).init(device),
            norm_ff: Norm::new(config.d_model, device),
        };
        Self {
            layers: (0..config.num_decoder_layers).map(layer).collect(),
            final_norm: (config.norm == NormPosition::Pre)
                .then(|| Norm::new(config.d_model, device)),
        }
    }

    /// States of all words of all target sentences, each seeing the words before it and its source sentence.
    ///
    /// # Shapes
    /// - y: `[rows, d_model]`, the embedded `rows`
    /// - output: `[rows, d_model]`
    pub fn forward(
        &self,
        mut y: Tensor<2>,
        rows: &Rows,
        encoded: &EncoderOutput,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let own = rows.own_segments();
        let cross = rows.segments_over(&encoded.sentences);
        for layer in &self.layers {
            let memory = layer.cross_attention.project(encoded.states.clone());
            y = self.residual(y, &layer.norm_self, drop, |y| {
                layer.self_attention.forward(y.clone(), y, &own)
            });
            y = self.residual(y, &layer.norm_cross, drop, |y| {
                layer.cross_attention.attend(y, memory, &cross)
            });
            y = self.residual(y, &layer.norm_ff, drop, |y| {
                layer.feed_forward.forward(y, drop)
            });
        }
        self.finish(y)
    }

    /// A state before the first word, with one hypothesis for each source sentence.
    pub fn start(&self, encoded: &EncoderOutput) -> DecoderState {
        let layers = self.layers.iter().map(|layer| LayerState {
            own: None,
            source: layer.cross_attention.project(encoded.states.clone()),
        });
        let (sources, places) = (encoded.sentences.clone(), encoded.places.clone());
        DecoderState {
            len: 0,
            layers: layers.collect(),
            sources,
            places,
        }
    }

    /// Adds one word to every hypothesis.
    ///
    /// # Shapes
    /// - y: `[hypotheses, d_model]`, the embedded words
    /// - output: `[hypotheses, d_model]`
    pub fn step(&self, state: &mut DecoderState, mut y: Tensor<2>) -> Tensor<2> {
        let [hypotheses, d_model] = y.dims();
        assert_eq!(
            hypotheses,
            state.sources.len(),
            "one word for every hypothesis"
        );
        let len = state.len + 1;
        let keys_of = |hypothesis: usize| hypothesis * len..(hypothesis + 1) * len;
        let own: Arc<[Segment]> = (0..hypotheses)
            .map(|row| Segment {
                queries: row..row + 1,
                keys: keys_of(row),
            })
            .collect();
        let cross: Arc<[Segment]> = state
            .sources
            .iter()
            .enumerate()
            .map(|(row, keys)| Segment {
                queries: row..row + 1,
                keys: keys.clone(),
            })
            .collect();
        let none = DropoutSource::none();
        for (layer, memory) in self.layers.iter().zip(&mut state.layers) {
            y = self.residual(y, &layer.norm_self, &none, |y| {
                let (key, value) = layer.self_attention.project(y.clone());
                let (key, value) = (key.unsqueeze_dim(1), value.unsqueeze_dim(1));
                let (keys, values) = match memory.own.take() {
                    Some((keys, values)) => (
                        Tensor::cat(vec![keys, key], 1),
                        Tensor::cat(vec![values, value], 1),
                    ),
                    None => (key, value),
                };
                memory.own = Some((keys.clone(), values.clone()));
                let rows = |x: Tensor<3>| x.reshape([hypotheses * len, d_model]);
                layer
                    .self_attention
                    .attend(y, (rows(keys), rows(values)), &own)
            });
            y = self.residual(y, &layer.norm_cross, &none, |y| {
                layer
                    .cross_attention
                    .attend(y, memory.source.clone(), &cross)
            });
            y = self.residual(y, &layer.norm_ff, &none, |y| {
                layer.feed_forward.forward(y, &none)
            });
        }
        state.len = len;
        self.finish(y)
    }

    fn residual(
        &self,
        y: Tensor<2>,
        norm: &Norm,
        drop: &DropoutSource,
        branch: impl FnOnce(Tensor<2>) -> Tensor<2>,
    ) -> Tensor<2> {
        if self.final_norm.is_some() {
            let branch = branch(norm.forward(y.clone()));
            return y + dropout(branch, drop.next());
        }
        let branch = branch(y.clone());
        norm.add(y, branch, drop.next())
    }

    fn finish(&self, y: Tensor<2>) -> Tensor<2> {
        match &self.final_norm {
            Some(norm) => norm.forward(y),
            None => y,
        }
    }
}
