//! One head reads one list of sentences, and back.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::{SelectedAttention, SelectedWeights, Weighting, WordNormaliser};
use crate::sparsemax::{sparsemax_in, sparsemax_row_gradient};
use crate::vectors::{dot, dot_in, softmax_in, sum, sum_in};

/// The columns of one head: word queries, word keys, values, sentence queries, sentence keys.
pub(super) struct Head<'a> {
    spec: &'a SelectedAttention,
    /// Inputs of all heads; nothing is copied, for a search reads a whole document's keys at every word.
    inputs: [&'a [f32]; 5],
    number: usize,
    /// Columns of queries and keys, and of values.
    widths: [usize; 2],
}

/// Which input is which.
const WORD_QUERIES: usize = 0;
const WORD_KEYS: usize = 1;
const VALUES: usize = 2;
const SENTENCE_QUERIES: usize = 3;
const SENTENCE_KEYS: usize = 4;

/// Number of the weight of a sentence's first word in a list, among the elements of a dropout mask.
pub(super) fn first_weight(list: usize, words: &Range<usize>, key_rows: usize) -> usize {
    list.wrapping_mul(key_rows).wrapping_add(words.start)
}

impl SelectedAttention {
    /// Columns of the inputs in one head, in the order of [`Head`].
    pub(super) fn head_widths(&self, [d_k, d_v]: [usize; 2]) -> [usize; 5] {
        let (key, value) = (d_k / self.num_heads, d_v / self.num_heads);
        [key, key, value, key, key]
    }

    pub(super) fn head<'a>(&'a self, head: usize, inputs: [&'a [f32]; 5]) -> Head<'a> {
        let rows = self.chosen.len() / self.num_heads;
        let d_k = inputs[WORD_QUERIES].len() / rows.max(1);
        let d_v = (inputs[VALUES].len() * d_k)
            .checked_div(inputs[WORD_KEYS].len())
            .unwrap_or(0);
        let widths = self.head_widths([d_k, d_v]);
        Head {
            spec: self,
            inputs,
            number: head,
            widths: [widths[WORD_QUERIES], widths[VALUES]],
        }
    }
}

impl Head<'_> {
    #[inline(always)]
    fn row(&self, input: usize, row: usize) -> &[f32] {
        let width = self.widths[usize::from(input == VALUES)];
        &self.inputs[input][(row * self.spec.num_heads + self.number) * width..][..width]
    }

    fn scale(&self) -> f32 {
        1.0 / (self.widths[0] as f32).sqrt()
    }

    /// The sentences of a list with the places of their words in it.
    fn words<'a>(
        &'a self,
        chosen: &'a [usize],
    ) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + 'a {
        chosen.iter().scan(0, |first, &sentence| {
            let rows = self.spec.sentences[sentence].clone();
            let places = *first..*first + rows.len();
            *first = places.end;
            Some((rows, places))
        })
    }

    /// Weights of the list `chosen` for the query `row`.
    pub(super) fn read(&self, row: usize, chosen: &[usize]) -> SelectedWeights {
        Arch::new().dispatch(Read {
            head: self,
            row,
            chosen,
        })
    }

    /// The sum of the values by the weights of the words, without those that are dropped.
    pub(super) fn context(
        &self,
        row: usize,
        chosen: &[usize],
        weights: &SelectedWeights,
        output: &mut [f32],
    ) {
        let dropped = self.dropped(row, chosen, &weights.words);
        Arch::new().dispatch(Context {
            head: self,
            chosen,
            weights: dropped.as_deref().unwrap_or(&weights.words),
            output,
        });
    }

    /// Numbers for the words of a list times the dropout mask of their weights; none where nothing is dropped.
    fn dropped(&self, row: usize, chosen: &[usize], words: &[f32]) -> Option<Vec<f32>> {
        let dropout = self.spec.dropout?;
        let mut dropped = words.to_vec();
        let list = row * self.spec.num_heads + self.number;
        let columns = self.widths[0] * self.spec.num_heads;
        let key_rows = self.inputs[WORD_KEYS].len() / columns.max(1);
        for (rows, places) in self.words(chosen) {
            let first = first_weight(list, &rows, key_rows);
            dropout.apply(&mut dropped[places], first);
        }
        Some(dropped)
    }

    /// Adds to the gradients of the head's inputs what comes from the gradient of one row's output.
    #[inline(always)]
    pub(super) fn backward(
        &self,
        row: usize,
        chosen: &[usize],
        weights: &SelectedWeights,
        gradient: &[f32],
        inputs: &mut [Vec<f32>; 5],
    ) {
        let [width, value_width] = self.widths;
        let mut words = vec![0.0_f32; weights.words.len()];
        let dropped = self.dropped(row, chosen, &weights.words);
        let read = dropped.as_deref().unwrap_or(&weights.words);
        for (rows, places) in self.words(chosen) {
            for ((key, word), &weight) in rows.zip(&mut words[places.clone()]).zip(&read[places]) {
                *word = dot(gradient, self.row(VALUES, key));
                if weight > 0.0 {
                    add_scaled(
                        &mut inputs[VALUES][key * value_width..][..value_width],
                        gradient,
                        weight,
                    );
                }
            }
        }
        if let Some(dropped) = self.dropped(row, chosen, &words) {
            words = dropped;
        }
        let mut sentences = self.score_gradients(chosen, weights, &mut words);
        let scale = self.scale();
        let (word_query, sentence_query) =
            (self.row(WORD_QUERIES, row), self.row(SENTENCE_QUERIES, row));
        for (((rows, places), sentence), &number) in
            self.words(chosen).zip(&mut sentences).zip(chosen)
        {
            for (key, word) in rows.zip(&words[places]).filter(|(_, word)| **word != 0.0) {
                let word = word * scale;
                add_scaled(
                    &mut inputs[WORD_QUERIES][row * width..][..width],
                    self.row(WORD_KEYS, key),
                    word,
                );
                add_scaled(
                    &mut inputs[WORD_KEYS][key * width..][..width],
                    word_query,
                    word,
                );
            }
            *sentence *= scale;
            let key = self.row(SENTENCE_KEYS, number);
            add_scaled(
                &mut inputs[SENTENCE_QUERIES][row * width..][..width],
                key,
                *sentence,
            );
            add_scaled(
                &mut inputs[SENTENCE_KEYS][number * width..][..width],
                sentence_query,
                *sentence,
            );
        }
    }

    /// Turns the gradients of the words' weights into those of their scores; gives those of the sentences' scores.
    #[inline(always)]
    fn score_gradients(
        &self,
        chosen: &[usize],
        weights: &SelectedWeights,
        words: &mut [f32],
    ) -> Vec<f32> {
        let Weighting::Product(normaliser) = self.spec.weighting else {
            softmax_gradient(&weights.words, words);
            return self
                .words(chosen)
                .map(|(_, places)| sum(&words[places]))
                .collect();
        };
        let mut sentences = Vec::with_capacity(chosen.len());
        for ((_, places), &weight) in self.words(chosen).zip(&weights.sentences) {
            let words = &mut words[places.clone()];
            if weight == 0.0 {
                words.fill(0.0);
                sentences.push(0.0);
                continue;
            }
            // The weights within the sentence.
            let within: Vec<f32> = weights.words[places]
                .iter()
                .map(|word| word / weight)
                .collect();
            sentences.push(dot(&within, words));
            scale_all(words, weight);
            match normaliser {
                WordNormaliser::Softmax => softmax_gradient(&within, words),
                WordNormaliser::Sparsemax => sparsemax_row_gradient(&within, words),
            }
        }
        sparsemax_row_gradient(&weights.sentences, &mut sentences);
        sentences
    }
}

struct Read<'a> {
    head: &'a Head<'a>,
    row: usize,
    chosen: &'a [usize],
}

impl WithSimd for Read<'_> {
    type Output = SelectedWeights;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> SelectedWeights {
        let Self { head, row, chosen } = self;
        let all = &head.spec.sentences;
        let scale = head.scale();
        let (word_query, sentence_query) =
            (head.row(WORD_QUERIES, row), head.row(SENTENCE_QUERIES, row));
        let mut sentences = vec![0.0; chosen.len()];
        let mut count = 0;
        for place in 0..chosen.len() {
            let key = head.row(SENTENCE_KEYS, chosen[place]);
            sentences[place] = dot_in(simd, sentence_query, key) * scale;
            count += all[chosen[place]].len();
        }
        let mut words = vec![0.0; count];
        let mut at = 0;
        for place in 0..chosen.len() {
            for key in all[chosen[place]].start..all[chosen[place]].end {
                words[at] = dot_in(simd, word_query, head.row(WORD_KEYS, key)) * scale;
                at += 1;
            }
        }
        match head.spec.weighting {
            Weighting::Joint => {
                let mut at = 0;
                for place in 0..chosen.len() {
                    for _ in 0..all[chosen[place]].len() {
                        words[at] += sentences[place];
                        at += 1;
                    }
                }
                if count > 0 {
                    softmax_in(simd, &mut words, 1.0);
                }
                let mut at = 0;
                for place in 0..chosen.len() {
                    let len = all[chosen[place]].len();
                    sentences[place] = sum_in(simd, &words[at..at + len]);
                    at += len;
                }
            }
            Weighting::Product(normaliser) => {
                sparsemax_in(simd, &mut sentences);
                let mut at = 0;
                for place in 0..chosen.len() {
                    let len = all[chosen[place]].len();
                    let words = &mut words[at..at + len];
                    match normaliser {
                        WordNormaliser::Softmax => softmax_in(simd, words, 1.0),
                        WordNormaliser::Sparsemax => sparsemax_in(simd, words),
                    }
                    for word in 0..len {
                        words[word] *= sentences[place];
                    }
                    at += len;
                }
            }
        }
        SelectedWeights { sentences, words }
    }
}

struct Context<'a> {
    head: &'a Head<'a>,
    chosen: &'a [usize],
    /// Weights of the words of all chosen sentences.
    weights: &'a [f32],
    output: &'a mut [f32],
}

impl WithSimd for Context<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        /// Registers of sums at a time.
        const SUMS: usize = 4;
        let (mut column, width) = (0, self.output.len());
        while column + SUMS * S::F32_LANES <= width {
            self.columns::<S, SUMS>(simd, column);
            column += SUMS * S::F32_LANES;
        }
        while column + S::F32_LANES <= width {
            self.columns::<S, 1>(simd, column);
            column += S::F32_LANES;
        }
        if column < width {
            // Fewer columns than a register holds.
            let mut sum = simd.splat_f32s(0.0);
            self.each(
                #[inline(always)]
                |values, weight| {
                    let values = simd.partial_load_f32s(&values[column..]);
                    sum = simd.mul_add_f32s(simd.splat_f32s(weight), values, sum);
                },
            );
            simd.partial_store_f32s(&mut self.output[column..], sum);
        }
    }
}

impl Context<'_> {
    /// `V` registers of columns from `column` on.
    #[inline(always)]
    fn columns<S: Simd, const V: usize>(&mut self, simd: S, column: usize) {
        let mut sums = [simd.splat_f32s(0.0); V];
        self.each(
            #[inline(always)]
            |values, weight| {
                let (values, _) = S::as_simd_f32s(&values[column..]);
                let weight = simd.splat_f32s(weight);
                for number in 0..V {
                    sums[number] = simd.mul_add_f32s(weight, values[number], sums[number]);
                }
            },
        );
        let (output, _) = S::as_mut_simd_f32s(&mut self.output[column..]);
        for number in 0..V {
            output[number] = sums[number];
        }
    }

    /// The values of all words with some weight.
    #[inline(always)]
    fn each(&self, mut add: impl FnMut(&[f32], f32)) {
        let mut at = 0;
        for place in 0..self.chosen.len() {
            let rows = &self.head.spec.sentences[self.chosen[place]];
            for key in rows.start..rows.end {
                let weight = self.weights[at];
                at += 1;
                if weight > 0.0 {
                    add(self.head.row(VALUES, key), weight);
                }
            }
        }
    }
}

#[inline(always)]
fn softmax_gradient(weights: &[f32], gradient: &mut [f32]) {
    let mean = dot(weights, gradient);
    for (weight, gradient) in weights.iter().zip(gradient) {
        *gradient = weight * (*gradient - mean);
    }
}

#[inline(always)]
fn scale_all(numbers: &mut [f32], factor: f32) {
    for x in numbers {
        *x *= factor;
    }
}

#[inline(always)]
fn add_scaled(to: &mut [f32], from: &[f32], factor: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from * factor;
    }
}
