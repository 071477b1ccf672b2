//! The decoder of RNNSearch: whole target sentences in training, one token at a time in search.
//!
//! Bahdanau, Cho & Bengio, ICLR 2015, §3.1 and appendix A.2.2. The paper has one recurrent layer; of more, the first
//! reads the context, each other one the state below, and the state of the last one aligns and is read out.

use std::ops::Range;

use burn::module::Module;
use burn::tensor::activation::tanh;
use burn::tensor::{Device, Tensor};

use super::super::recorder::{AttentionWeights, Recording, run};
use super::super::rows::select_rows;
use super::additive::{AdditiveAttention, AdditiveAttentionConfig};
use super::recurrent::{GruCell, GruCellConfig};
use super::{RnnEncoded, RnnSearchConfig};
use crate::model::linear::Linear;
use canopy_kernels::{Segment, each_alignment};

/// Recurrent layers, alignment model and maxout layer.
#[derive(Module, Debug)]
pub struct RnnDecoder {
    /// `W_s` of every layer, `[d_model, d_model]`.
    pub first_states: Vec<Linear>,
    /// The alignment model.
    pub attention: AdditiveAttention,
    /// The first reads `[word; context]`.
    pub cells: Vec<GruCell>,
    /// `U_o`, `V_o` and `C_o` above each other, `[4 · d_model, 2 · d_model]`; unit `j` of the maxout layer takes columns
    /// `j` and `d_model + j`.
    pub readout: Linear,
}

/// The decoder's state after some tokens, for a number of hypotheses.
#[derive(Debug, Clone)]
pub struct RnnState {
    /// Tokens decoded so far, the same for all hypotheses.
    len: usize,
    /// State of every layer, `[hypotheses, d_model]`.
    layers: Vec<Tensor<2>>,
    /// The source sentence of every hypothesis.
    encoded: RnnEncoded,
}

impl RnnState {
    /// How many hypotheses there are.
    pub fn num_hypotheses(&self) -> usize {
        self.encoded.sentences.len()
    }

    /// How many tokens every hypothesis has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no token was decoded yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Keeps the named hypotheses, in this order; one may be kept more than once.
    pub fn select(&mut self, hypotheses: &[usize]) {
        if hypotheses.iter().copied().eq(0..self.num_hypotheses()) {
            return;
        }
        self.encoded = self.encoded.select(hypotheses);
        for layer in &mut self.layers {
            *layer = select_rows(layer.clone(), hypotheses);
        }
    }

    /// State of the last layer.
    fn last(&self) -> Tensor<2> {
        self.layers.last().expect("at least one layer").clone()
    }

    /// Keeps the first `count` hypotheses.
    fn truncate(&mut self, count: usize) {
        if count < self.num_hypotheses() {
            self.encoded.sentences.truncate(count);
            for layer in &mut self.layers {
                *layer = layer.clone().narrow(0, 0, count);
            }
        }
    }
}

impl RnnDecoder {
    /// Initialises the layers of a configuration with random weights on `device`.
    pub fn new(config: &RnnSearchConfig, device: &Device) -> Self {
        let d_model = config.d_model;
        let cell = |layer: usize| {
            let d_input = if layer == 0 { 3 * d_model } else { d_model };
            GruCellConfig::new(d_input, d_model).init(device)
        };
        Self {
            first_states: (0..config.num_decoder_layers)
                .map(|_| Linear::without_bias(d_model, d_model, device))
                .collect(),
            attention: AdditiveAttentionConfig::new(d_model, 2 * d_model, d_model).init(device),
            cells: (0..config.num_decoder_layers).map(cell).collect(),
            readout: Linear::without_bias(4 * d_model, 2 * d_model, device),
        }
    }

    /// The maxout layer after all tokens of all target sentences, each seeing the tokens before it and its source
    /// sentence.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`, embedded; each row belongs to one of `sentences`
    /// - output: `[rows, d_model]`
    pub fn forward(
        &self,
        words: Tensor<2>,
        sentences: &[Range<usize>],
        encoded: &RnnEncoded,
    ) -> Tensor<2> {
        assert_eq!(
            sentences.len(),
            encoded.sentences.len(),
            "target and source sentences"
        );
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        order.sort_by_key(|&sentence| std::cmp::Reverse(sentences[sentence].len()));
        let rows = by_time(sentences, &order);
        let flat: Vec<usize> = rows.concat();
        let [num_rows, _] = words.dims();
        assert_eq!(num_rows, flat.len(), "rows of all sentences");
        if flat.is_empty() {
            return words;
        }
        let words = select_rows(words, &flat);
        let mut state = self.start(&encoded.select(&order));
        let (mut states, mut contexts) = (Vec::new(), Vec::new());
        let mut begin = 0;
        for rows in &rows {
            state.truncate(rows.len());
            let now = words.clone().narrow(0, begin, rows.len());
            contexts.push(self.advance(&mut state, now));
            states.push(state.last());
            begin += rows.len();
        }
        let read = self.read(Tensor::cat(states, 0), words, Tensor::cat(contexts, 0));
        let mut positions = vec![0; num_rows];
        for (position, &row) in flat.iter().enumerate() {
            positions[row] = position;
        }
        select_rows(read, &positions)
    }

    /// The weights of [`Self::forward`] for every token of all target sentences.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`, embedded; each row belongs to one of `sentences`
    pub fn attention_weights(
        &self,
        words: Tensor<2>,
        sentences: &[Range<usize>],
        encoded: &RnnEncoded,
        keep: &Recording,
    ) -> AttentionWeights {
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        order.sort_by_key(|&sentence| std::cmp::Reverse(sentences[sentence].len()));
        let mut state = self.start(&encoded.select(&order));
        let (mut queries, mut positions) = (Vec::new(), vec![0; words.dims()[0]]);
        let mut begin = 0;
        for rows in by_time(sentences, &order) {
            state.truncate(rows.len());
            queries.push(self.attention.state.forward(state.last()));
            self.advance(&mut state, select_rows(words.clone(), &rows));
            for &row in &rows {
                positions[row] = begin;
                begin += 1;
            }
        }
        let queries = select_rows(Tensor::cat(queries, 0), &positions);
        let pairs = sentences.iter().zip(&encoded.sentences);
        let segments = pairs.map(|(queries, keys)| Segment {
            queries: queries.clone(),
            keys: keys.clone(),
        });
        let segments: Vec<Segment> = segments.collect();
        let score = self.attention.score.val();
        AttentionWeights {
            num_heads: 1,
            rows: each_alignment(&queries, &encoded.projected, &score, &segments, run(*keep)),
        }
    }

    /// A state before the first token, with one hypothesis for each source sentence: `s_0 = tanh(W_s ←h_1)`.
    pub fn start(&self, encoded: &RnnEncoded) -> RnnState {
        let annotations = encoded.annotations.clone();
        let ([_, width], device) = (annotations.dims(), annotations.device());
        let d_model = width / 2;
        // An empty sentence begins with state 0.
        let zero = Tensor::zeros([1, width], &device);
        let annotations = Tensor::cat(vec![zero, annotations], 0);
        let first = |sentence: &Range<usize>| {
            if sentence.is_empty() {
                0
            } else {
                sentence.start + 1
            }
        };
        let rows: Vec<usize> = encoded.sentences.iter().map(first).collect();
        let backward = select_rows(annotations, &rows).narrow(1, d_model, d_model);
        let layers = self.first_states.iter();
        RnnState {
            len: 0,
            layers: layers
                .map(|layer| tanh(layer.forward(backward.clone())))
                .collect(),
            encoded: encoded.clone(),
        }
    }

    /// Adds one token to every hypothesis.
    ///
    /// # Shapes
    /// - words: `[hypotheses, d_model]`, embedded
    /// - output: the maxout layer, `[hypotheses, d_model]`
    pub fn step(&self, state: &mut RnnState, words: Tensor<2>) -> Tensor<2> {
        let context = self.advance(state, words.clone());
        self.read(state.last(), words, context)
    }

    /// `c_i` from `s_{i-1}`, then `s_i` of every layer; gives the context, `[hypotheses, 2 · d_model]`.
    fn advance(&self, state: &mut RnnState, words: Tensor<2>) -> Tensor<2> {
        let [count, _] = words.dims();
        assert_eq!(
            count,
            state.num_hypotheses(),
            "one word for every hypothesis"
        );
        let RnnEncoded {
            annotations,
            projected,
            sentences,
        } = state.encoded.clone();
        let context = self
            .attention
            .context(state.last(), annotations, projected, &sentences);
        let mut input = Tensor::cat(vec![words, context.clone()], 1);
        for (cell, layer) in self.cells.iter().zip(&mut state.layers) {
            input = cell.forward(input, layer.clone());
            *layer = input.clone();
        }
        state.len += 1;
        context
    }

    /// `t̃ = s_i U_o + y_{i-1} V_o + c_i C_o`, then the larger of each pair. A.2.2 prints `s_{i-1}`; with Eq. 4 it is
    /// `s_i`, without which `y_{i-1}` and `c_i` would reach the next token through one linear layer only.
    fn read(&self, state: Tensor<2>, words: Tensor<2>, context: Tensor<2>) -> Tensor<2> {
        let pairs = self
            .readout
            .forward(Tensor::cat(vec![state, words, context], 1));
        let [left, right]: [Tensor<2>; 2] = pairs
            .chunk(2, 1)
            .try_into()
            .expect("an even number of columns");
        left.max_pair(right)
    }
}

/// For each time the rows of its tokens; `order` names the sentences from the longest to the shortest.
fn by_time(sentences: &[Range<usize>], order: &[usize]) -> Vec<Vec<usize>> {
    let longest = order.first().map_or(0, |&first| sentences[first].len());
    let rows = |time| {
        let sentences = order.iter().map(|&sentence| &sentences[sentence]);
        let present = sentences.take_while(move |sentence| sentence.len() > time);
        present.map(|sentence| sentence.start + time).collect()
    };
    (0..longest).map(rows).collect()
}
