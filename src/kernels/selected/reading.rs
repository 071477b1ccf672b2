//! One head reads one list of sentences, and back.

use std::ops::Range;

use super::{SelectedAttention, SelectedWeights, Weighting, WordNormaliser};
use crate::kernels::sparsemax::{sparsemax_row, sparsemax_row_gradient};
use crate::kernels::vectors::{dot, softmax, sum};

/// The columns of one head: word queries, word keys, values, sentence queries, sentence keys.
pub(super) struct Head<'a> {
    spec: &'a SelectedAttention,
    /// Of all heads; nothing is copied, for a search reads a whole document's keys at every word.
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

    #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
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
    #[inline(always)]
    pub(super) fn read(&self, row: usize, chosen: &[usize]) -> SelectedWeights {
        let scale = self.scale();
        let (word_query, sentence_query) =
            (self.row(WORD_QUERIES, row), self.row(SENTENCE_QUERIES, row));
        let score =
            |&sentence: &usize| dot(sentence_query, self.row(SENTENCE_KEYS, sentence)) * scale;
        let mut sentences: Vec<f32> = chosen.iter().map(score).collect();
        let rows = self.words(chosen).flat_map(|(rows, _)| rows);
        let mut words: Vec<f32> = rows
            .map(|key| dot(word_query, self.row(WORD_KEYS, key)) * scale)
            .collect();
        match self.spec.weighting {
            Weighting::Joint => {
                for ((_, places), score) in self.words(chosen).zip(&sentences) {
                    for word in &mut words[places] {
                        *word += score;
                    }
                }
                softmax(&mut words, 1.0);
                for ((_, places), weight) in self.words(chosen).zip(&mut sentences) {
                    *weight = sum(&words[places]);
                }
            }
            Weighting::Product(normaliser) => {
                sparsemax_row(&mut sentences);
                for ((_, places), weight) in self.words(chosen).zip(&sentences) {
                    let words = &mut words[places];
                    normaliser.normalise(words);
                    scale_all(words, *weight);
                }
            }
        }
        SelectedWeights { sentences, words }
    }

    /// The weighted sum of the values.
    #[inline(always)]
    pub(super) fn context(&self, chosen: &[usize], weights: &SelectedWeights, output: &mut [f32]) {
        output.fill(0.0);
        for (rows, places) in self.words(chosen) {
            for (key, &weight) in rows.zip(&weights.words[places]) {
                if weight > 0.0 {
                    add_scaled(output, self.row(VALUES, key), weight);
                }
            }
        }
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
        for (rows, places) in self.words(chosen) {
            for ((key, word), &weight) in rows
                .zip(&mut words[places.clone()])
                .zip(&weights.words[places])
            {
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

impl WordNormaliser {
    #[inline(always)]
    fn normalise(self, scores: &mut [f32]) {
        match self {
            Self::Softmax => softmax(scores, 1.0),
            Self::Sparsemax => sparsemax_row(scores),
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
