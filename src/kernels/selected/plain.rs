//! The operation from tensor operations, as on any device without our kernel: the words of the chosen sentences are
//! gathered, lists padded to the longest one and sentences to the longest one in a list.

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};

use super::reading::first_weight;
use super::{Projected, SelectedAttention, Weighting, WordNormaliser};
use crate::dropout::Dropout;
use crate::row_selection::row_number;
use crate::{is_cpu, product, sparsemax};

/// Gathered numbers of one block of rows: bounds the memory of a block, not its result.
const BLOCK: usize = 1 << 25;

pub(super) fn attention(inputs: &Projected, spec: &SelectedAttention) -> Tensor<2> {
    let ([rows, d_k], [_, d_v]) = (inputs.word_queries.dims(), inputs.values.dims());
    let lists = Lists::new(spec);
    if lists.longest * lists.words == 0 {
        return Tensor::zeros([rows, d_v], &inputs.values.device());
    }
    let block = (BLOCK / (lists.longest * lists.words * d_k.max(d_v))).clamp(1, rows);
    let blocks = (0..rows)
        .step_by(block)
        .map(|first| lists.read(inputs, first, block.min(rows - first)));
    Tensor::cat(blocks.collect(), 0)
}

struct Lists<'a> {
    spec: &'a SelectedAttention,
    /// Sentences in the longest list.
    longest: usize,
    /// Words of the longest sentence in any list.
    words: usize,
}

/// Numbers and masks of one block.
struct Gathered {
    sentences: Tensor<1, Int>,
    words: Tensor<1, Int>,
    /// `[lists, longest, words]`
    mask: Tensor<3>,
}

impl<'a> Lists<'a> {
    fn new(spec: &'a SelectedAttention) -> Self {
        let longest = spec.chosen.iter().map(Vec::len).max().unwrap_or(0);
        let chosen = spec.chosen.iter().flatten();
        let words = chosen
            .map(|&sentence| spec.sentences[sentence].len())
            .max()
            .unwrap_or(0);
        Self {
            spec,
            longest,
            words,
        }
    }

    /// Attention of the rows `first..first + rows`.
    fn read(&self, inputs: &Projected, first: usize, rows: usize) -> Tensor<2> {
        let heads = self.spec.num_heads;
        let (lists, longest, words) = (rows * heads, self.longest, self.words);
        let ([_, d_k], [_, d_v]) = (inputs.word_queries.dims(), inputs.values.dims());
        let gathered = self.gather(
            first * heads..(first + rows) * heads,
            &inputs.values.device(),
        );
        let scale = 1.0 / ((d_k / heads) as f32).sqrt();
        let scores = |queries: &Tensor<2>, keys: &Tensor<2>, ids: &Tensor<1, Int>, len: usize| {
            let queries = queries
                .clone()
                .narrow(0, first, rows)
                .reshape([lists, 1, d_k / heads]);
            let keys =
                by_head(keys, heads)
                    .select(0, ids.clone())
                    .reshape([lists, len, d_k / heads]);
            (keys * queries).sum_dim(2).reshape([lists, len]) * scale
        };
        let of_sentences = scores(
            &inputs.sentence_queries,
            &inputs.sentence_keys,
            &gathered.sentences,
            longest,
        );
        let of_words = scores(
            &inputs.word_queries,
            &inputs.word_keys,
            &gathered.words,
            longest * words,
        );
        let weights = self.weights(
            of_sentences,
            of_words.reshape([lists, longest, words]),
            gathered.mask,
        );
        let values = by_head(&inputs.values, heads).select(0, gathered.words);
        let values = values.reshape([lists, longest * words, d_v / heads]);
        let weights = match self.spec.dropout {
            Some(dropout) => {
                let key_rows = inputs.values.dims()[0];
                weights.clone() * self.kept(&weights, first * heads, dropout, key_rows)
            }
            None => weights,
        };
        let weights = weights.reshape([lists, 1, longest * words]);
        product(weights, values).reshape([rows, d_v])
    }

    /// # Shapes
    /// - sentences: `[lists, longest]`; words, mask, output: `[lists, longest, words]`
    fn weights(&self, sentences: Tensor<2>, words: Tensor<3>, mask: Tensor<3>) -> Tensor<3> {
        let [lists, longest, len] = mask.dims();
        let hidden = (mask.clone() - 1.0) * 1e9;
        match self.spec.weighting {
            Weighting::Joint => {
                let scores = words + sentences.unsqueeze_dim(2) + hidden;
                softmax(scores.reshape([lists, longest * len]), 1).reshape([lists, longest, len])
                    * mask
            }
            Weighting::Product(normaliser) => {
                let missing = mask.clone().max_dim(2).squeeze_dim::<2>(2).lower_elem(0.5);
                let sentences = sparsemax(sentences.mask_fill(missing, f32::NEG_INFINITY));
                let within = match normaliser {
                    WordNormaliser::Softmax => softmax(words + hidden, 2) * mask,
                    WordNormaliser::Sparsemax => {
                        let scores = words.mask_fill(mask.lower_elem(0.5), f32::NEG_INFINITY);
                        sparsemax(scores.reshape([lists * longest, len]))
                            .reshape([lists, longest, len])
                    }
                };
                within * sentences.unsqueeze_dim(2)
            }
        }
    }

    /// The factors of the weights that are kept, 0 for those that are dropped, for the lists from `first` on; devices
    /// without our kernels draw them.
    ///
    /// # Shapes
    /// - weights, output: `[lists, longest, words]`
    fn kept(
        &self,
        weights: &Tensor<3>,
        first: usize,
        dropout: Dropout,
        key_rows: usize,
    ) -> Tensor<3> {
        let ([lists, longest, words], device) = (weights.dims(), weights.device());
        if !is_cpu(&device) {
            return dropout.drawn(weights);
        }
        let mut factors = vec![1.0_f32; lists * longest * words];
        let by_list = factors.chunks_exact_mut(longest * words);
        for (list, factors) in (first..).zip(by_list) {
            let chosen = self.spec.chosen[list].iter();
            for (&sentence, factors) in chosen.zip(factors.chunks_exact_mut(words)) {
                let rows = &self.spec.sentences[sentence];
                let number = first_weight(list, rows, key_rows);
                dropout.apply(&mut factors[..rows.len()], number);
            }
        }
        Tensor::from_data(TensorData::new(factors, [lists, longest, words]), &device)
    }

    /// Gathers the words that the lists `range` read, as numbers of the rows of [`by_head`].
    fn gather(&self, range: std::ops::Range<usize>, device: &Device) -> Gathered {
        let (heads, lists) = (self.spec.num_heads, range.len());
        let mut sentences = Vec::with_capacity(lists * self.longest);
        let mut words = vec![0_i32; lists * self.longest * self.words];
        let mut mask = vec![0.0_f32; words.len()];
        let mut places = words
            .chunks_exact_mut(self.words)
            .zip(mask.chunks_exact_mut(self.words));
        for list in range {
            let chosen = &self.spec.chosen[list];
            let padded = chosen
                .iter()
                .map(Some)
                .chain(std::iter::repeat(None))
                .take(self.longest);
            for (sentence, (words, mask)) in padded.zip(&mut places) {
                sentences.push(row_number(
                    sentence.copied().unwrap_or(0) * heads + list % heads,
                ));
                let rows = sentence.map_or(0..0, |&sentence| self.spec.sentences[sentence].clone());
                mask[..rows.len()].fill(1.0);
                for (word, row) in words.iter_mut().zip(rows) {
                    *word = row_number(row * heads + list % heads);
                }
            }
        }
        let ids = |ids: Vec<i32>| {
            let len = ids.len();
            Tensor::<1, Int>::from_data(TensorData::new(ids, [len]), device)
        };
        let mask = Tensor::from_data(
            TensorData::new(mask, [lists, self.longest, self.words]),
            device,
        );
        Gathered {
            sentences: ids(sentences),
            words: ids(words),
            mask,
        }
    }
}

/// `[rows, heads · width]` as `[rows · heads, width]`: head `h` of row `r` is row `r · heads + h`.
fn by_head(x: &Tensor<2>, heads: usize) -> Tensor<2> {
    let [rows, columns] = x.dims();
    x.clone().reshape([rows * heads, columns / heads])
}
