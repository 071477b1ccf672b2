//! Sentence encodings by attention with one learned query.
//!
//! Trankova et al., "Hierarchical Encoding and Conditional Attention in Neural Machine Translation", 2024, Eq. 1-2; the
//! idea is Lin et al., "A Structured Self-attentive Sentence Embedding", ICLR 2017. Unlike the text around Eq. 2, which
//! declares `W^K` as `d_model × d_v`, keys have the width of the query.

#![expect(
    clippy::struct_field_names,
    reason = "Config copies the fields of a struct of widths into a private one"
)]

use std::ops::Range;

use burn::config::Config;
use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor};

use super::linear::Linear;
use canopy_kernels::{Attention, Segment, attention, attention_weights};

/// Sizes of a [`Source2Token`] layer.
#[derive(Config, Debug)]
pub struct Source2TokenConfig {
    /// Width of a state.
    pub d_model: usize,
    /// Width of the query and the keys.
    pub d_k: usize,
    /// Width of the values.
    pub d_v: usize,
}

impl Source2TokenConfig {
    /// Initialises the layer with random weights on `device`.
    pub fn init(&self, device: &Device) -> Source2Token {
        assert!(
            self.d_k > 0 && self.d_v > 0,
            "widths {} and {} of source2token",
            self.d_k,
            self.d_v
        );
        Source2Token {
            query: Param::from_tensor(Tensor::random(
                [self.d_k],
                Distribution::Normal(0.0, 1.0),
                device,
            )),
            key: Linear::without_bias(self.d_model, self.d_k, device),
            value: Linear::without_bias(self.d_model, self.d_v, device),
            output: Linear::without_bias(self.d_v, self.d_model, device),
        }
    }
}

/// One query for all sentences, and projections of the tokens.
#[derive(Module, Debug)]
pub struct Source2Token {
    /// `[d_k]`
    pub query: Param<Tensor<1>>,
    /// `[d_model, d_k]`
    pub key: Linear,
    /// `[d_model, d_v]`
    pub value: Linear,
    /// `[d_v, d_model]`
    pub output: Linear,
}

impl Source2Token {
    /// `softmax(q (S W^K)ᵀ / √d_k) (S W^V) W^O` for the tokens `S` of every sentence, Eq. 2; zeros for an empty one.
    ///
    /// # Shapes
    /// - tokens: `[rows, d_model]`
    /// - output: `[sentences, d_model]`
    pub fn forward(&self, tokens: Tensor<2>, sentences: &[Range<usize>]) -> Tensor<2> {
        let (keys, values) = (self.key.forward(tokens.clone()), self.value.forward(tokens));
        let context = attention(
            self.queries(sentences.len()),
            keys,
            values,
            &spec(sentences),
        );
        self.output.forward(context)
    }

    /// The weights of the tokens in the encoding of their sentence.
    ///
    /// # Shapes
    /// - tokens: `[rows, d_model]`
    /// - output: `[sentences, longest sentence]`, padded with zeros
    pub fn weights(&self, tokens: Tensor<2>, sentences: &[Range<usize>]) -> Tensor<2> {
        let weights = attention_weights(
            &self.queries(sentences.len()),
            &self.key.forward(tokens),
            &spec(sentences),
        );
        let [sentences, _, _, longest] = weights.dims();
        weights.reshape([sentences, longest])
    }

    /// The query once for each sentence.
    pub(super) fn queries(&self, sentences: usize) -> Tensor<2> {
        self.query.val().unsqueeze::<2>().repeat_dim(0, sentences)
    }
}

/// Query number `j` reads the tokens of sentence `j`.
pub(super) fn spec(sentences: &[Range<usize>]) -> Attention {
    let segments = sentences.iter().enumerate();
    let segments = segments.map(|(query, tokens)| Segment {
        queries: query..query + 1,
        keys: tokens.clone(),
    });
    Attention {
        num_heads: 1,
        causal: false,
        segments: segments.collect(),
        dropout: None,
    }
}
