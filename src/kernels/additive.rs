//! Additive attention of one state a sentence, as a recurrent decoder needs it at every word.
//!
//! Bahdanau, Cho & Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015, Eq. 5-6 and
//! appendix A.1.2, after the projections: `e_j = v · tanh(q + k_j)`, `α = softmax(e)`, context `Σ α_j h_j`.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::activation::{softmax, tanh};
use burn::tensor::{Int, Tensor, TensorData};
use pulp::Arch;
use rayon::prelude::*;

use super::cpu::{self, CpuOperation, Matrix, Operand};
use super::product;
use super::row_selection::row_number;
use super::vectors::{self, dot, exp};

/// Sequences for one state per sentence to attend to; sentences are padded to the longest one.
#[derive(Debug, Clone)]
pub struct Alignment {
    /// `[sentences, longest]`, below -1e8 where there is no word.
    pub scores: Tensor<2>,
    /// `[sentences, longest]`, 0 where there is no word.
    pub weights: Tensor<2>,
    /// `[sentences, d_annotation]`
    pub context: Tensor<2>,
}

/// The context of every query over its sentence; without words it is 0.
///
/// # Shapes
/// - queries: `[queries, d_attention]`; keys: `[rows, d_attention]`; values: `[rows, d_annotation]`; score: `[d_attention]`
/// - sentences: one for each query; two are the same or share no row
/// - output: `[queries, d_annotation]`
pub fn additive_context(
    queries: Tensor<2>,
    keys: Tensor<2>,
    values: Tensor<2>,
    score: Tensor<1>,
    sentences: &[Range<usize>],
) -> Tensor<2> {
    let operands = [
        Operand::from(&queries),
        Operand::from(&keys),
        Operand::from(&values),
        Operand::from(&score),
    ];
    assert_eq!(queries.dims()[0], sentences.len(), "queries and sentences");
    let operation = Context(sentences.into());
    cpu::run(operation, operands)
        .unwrap_or_else(|| additive_alignment(queries, keys, values, score, sentences).context)
}

/// [`additive_context`] by tensor operations, with the scores and weights on the way.
pub fn additive_alignment(
    queries: Tensor<2>,
    keys: Tensor<2>,
    values: Tensor<2>,
    score: Tensor<1>,
    sentences: &[Range<usize>],
) -> Alignment {
    let ([count, d_attention], [_, d_annotation], device) =
        (queries.dims(), values.dims(), queries.device());
    let longest = sentences.iter().map(Range::len).max().unwrap_or(0).max(1);
    let (rows, mask) = padded(sentences, longest);
    let rows = Tensor::<1, Int>::from_data(TensorData::new(rows, [count * longest]), &device);
    let mask = Tensor::<2>::from_data(TensorData::new(mask, [count, longest]), &device);
    let keys = keys
        .select(0, rows.clone())
        .reshape([count, longest, d_attention]);
    let hidden = tanh(keys + queries.unsqueeze_dim(1));
    let scores = (hidden * score.unsqueeze::<3>())
        .sum_dim(2)
        .squeeze_dim::<2>(2);
    let scores = scores + (mask.clone() - 1.0) * 1e9;
    let weights = softmax(scores.clone(), 1) * mask;
    let values = values
        .select(0, rows)
        .reshape([count, longest, d_annotation]);
    let context = product(weights.clone().unsqueeze_dim::<3>(1), values).squeeze_dim(1);
    Alignment {
        scores,
        weights,
        context,
    }
}

/// Rows of all sentences padded to the longest one, and which of them are words.
fn padded(sentences: &[Range<usize>], longest: usize) -> (Vec<i32>, Vec<f32>) {
    let padded = sentences.iter().flat_map(|sentence| {
        // Any row serves as padding; an empty sentence may begin where the matrix ends.
        let filler = if sentence.is_empty() {
            0
        } else {
            sentence.start
        };
        let words = sentence.clone().map(|row| (row, 1.0));
        words.chain(std::iter::repeat((filler, 0.0))).take(longest)
    });
    padded.map(|(row, mask)| (row_number(row), mask)).unzip()
}

/// The sentence of every query.
#[derive(Clone, Debug)]
struct Context(Arc<[Range<usize>]>);

#[derive(Clone, Debug)]
struct Saved {
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    score: Matrix,
    /// For each query those of the words of its sentence.
    weights: Vec<Vec<f32>>,
}

impl CpuOperation<4> for Context {
    type Saved = Saved;

    fn forward(&self, [queries, keys, values, score]: [Matrix; 4]) -> (Matrix, Saved) {
        let (d_attention, d_annotation) = (keys.columns(), values.columns());
        let mut contexts = vec![0.0; self.0.len() * d_annotation];
        let weights = contexts
            .par_chunks_mut(d_annotation)
            .zip(queries.values().par_chunks(d_attention))
            .zip(&*self.0)
            .map(|((context, query), sentence)| {
                let keys = rows(&keys, sentence);
                let values = rows(&values, sentence);
                Arch::new().dispatch(
                    #[inline(always)]
                    || attend(query, keys, values, score.values(), context),
                )
            })
            .collect();
        let contexts = Matrix::from_rows(contexts, self.0.len());
        let saved = Saved {
            queries,
            keys,
            values,
            score,
            weights,
        };
        (contexts, saved)
    }

    fn backward(&self, saved: Saved, gradient: Matrix) -> [Matrix; 4] {
        let (d_attention, d_annotation) = (saved.keys.columns(), saved.values.columns());
        let mut keys = vec![0.0; saved.keys.values().len()];
        let mut values = vec![0.0; saved.values.values().len()];
        let sentences = by_sentence(&self.0);
        let parts = parts(&mut keys, d_attention, &sentences)
            .into_iter()
            .zip(parts(&mut values, d_annotation, &sentences));
        let work: Vec<_> = sentences.iter().zip(parts).collect();
        let done: Vec<_> = work
            .into_par_iter()
            .map(|((sentence, numbers), (keys, values))| {
                let mut score = vec![0.0; d_attention];
                let queries: Vec<Vec<f32>> = numbers
                    .iter()
                    .map(|&number| {
                        let mut query = vec![0.0; d_attention];
                        let gradients = Gradients {
                            query: &mut query,
                            keys,
                            values,
                            score: &mut score,
                        };
                        let context = rows(&gradient, &(number..number + 1));
                        Arch::new().dispatch(
                            #[inline(always)]
                            || gradients.add(&saved, number, sentence, context),
                        );
                        query
                    })
                    .collect();
                (numbers, queries, score)
            })
            .collect();
        let mut queries = vec![0.0; saved.queries.values().len()];
        let mut score = vec![0.0; d_attention];
        for (numbers, of_queries, of_score) in done {
            for (&number, query) in numbers.iter().zip(of_queries) {
                queries[number * d_attention..][..d_attention].copy_from_slice(&query);
            }
            for (score, part) in score.iter_mut().zip(of_score) {
                *score += part;
            }
        }
        [
            Matrix::from_rows(queries, saved.queries.rows()),
            Matrix::from_rows(keys, saved.keys.rows()),
            Matrix::from_rows(values, saved.values.rows()),
            Matrix::from_vector(score),
        ]
    }
}

fn rows<'a>(matrix: &'a Matrix, range: &Range<usize>) -> &'a [f32] {
    let columns = matrix.columns();
    &matrix.values()[range.start * columns..range.end * columns]
}

/// Sentences with words, in the order of their rows, each with the numbers of its queries.
fn by_sentence(sentences: &[Range<usize>]) -> Vec<(Range<usize>, Vec<usize>)> {
    let mut numbers: Vec<usize> = (0..sentences.len())
        .filter(|&number| !sentences[number].is_empty())
        .collect();
    numbers.sort_by_key(|&number| sentences[number].start);
    numbers
        .chunk_by(|&a, &b| sentences[a] == sentences[b])
        .map(|same| (sentences[same[0]].clone(), same.to_vec()))
        .collect()
}

/// The rows of every sentence, for writing.
fn parts<'a>(
    mut matrix: &'a mut [f32],
    columns: usize,
    sentences: &[(Range<usize>, Vec<usize>)],
) -> Vec<&'a mut [f32]> {
    let mut begin = 0;
    let parts = sentences.iter().map(|(sentence, _)| {
        assert!(
            begin <= sentence.start,
            "sentences share rows: {sentence:?}"
        );
        let rest = std::mem::take(&mut matrix);
        let rest = &mut rest[(sentence.start - begin) * columns..];
        let (part, rest) = rest.split_at_mut(sentence.len() * columns);
        matrix = rest;
        begin = sentence.end;
        part
    });
    parts.collect()
}

/// Adds the context of `query` to `context`; gives the weights.
#[inline(always)]
fn attend(
    query: &[f32],
    keys: &[f32],
    values: &[f32],
    score: &[f32],
    context: &mut [f32],
) -> Vec<f32> {
    let mut hidden = vec![0.0; query.len()];
    let mut weights: Vec<f32> = keys
        .chunks_exact(query.len())
        .map(|key| {
            hide(query, key, &mut hidden);
            dot(&hidden, score)
        })
        .collect();
    vectors::softmax(&mut weights, 1.0);
    for (weight, value) in weights.iter().zip(values.chunks_exact(context.len())) {
        for (context, value) in context.iter_mut().zip(value) {
            *context += *weight * value;
        }
    }
    weights
}

/// `tanh(q + k)`, by `tanh |x| = (1 - e^(-2|x|)) / (1 + e^(-2|x|))`.
#[inline(always)]
fn hide(query: &[f32], key: &[f32], hidden: &mut [f32]) {
    for ((hidden, query), key) in hidden.iter_mut().zip(query).zip(key) {
        let x = query + key;
        let power = exp(-2.0 * x.abs());
        *hidden = ((1.0 - power) / (1.0 + power)).copysign(x);
    }
}

/// Gradients of one query and of what all queries of its sentence share.
struct Gradients<'a> {
    query: &'a mut [f32],
    keys: &'a mut [f32],
    values: &'a mut [f32],
    score: &'a mut [f32],
}

impl Gradients<'_> {
    /// Adds what query `number` contributes, given the gradient of its context.
    #[inline(always)]
    fn add(self, saved: &Saved, number: usize, sentence: &Range<usize>, context: &[f32]) {
        let (d_attention, d_annotation) = (self.query.len(), context.len());
        let weights = &saved.weights[number];
        let query = rows(&saved.queries, &(number..number + 1));
        let values = rows(&saved.values, sentence).chunks_exact(d_annotation);
        let of_weights: Vec<f32> = values.map(|value| dot(value, context)).collect();
        let mean = dot(&of_weights, weights);
        for (values, weight) in self.values.chunks_exact_mut(d_annotation).zip(weights) {
            for (value, context) in values.iter_mut().zip(context) {
                *value += weight * context;
            }
        }
        let mut hidden = vec![0.0; d_attention];
        let score = &saved.score.values()[..d_attention];
        let (of_query, of_vector) = (
            &mut self.query[..d_attention],
            &mut self.score[..d_attention],
        );
        let keys = rows(&saved.keys, sentence).chunks_exact(d_attention);
        let of_keys = self.keys.chunks_exact_mut(d_attention);
        for (word, (key, of_key)) in keys.zip(of_keys).enumerate() {
            let of_score = weights[word] * (of_weights[word] - mean);
            hide(query, key, &mut hidden);
            for unit in 0..d_attention {
                let hidden = hidden[unit];
                of_vector[unit] += of_score * hidden;
                let inner = of_score * score[unit] * (1.0 - hidden * hidden);
                of_query[unit] += inner;
                of_key[unit] += inner;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::assert_same;

    #[test]
    fn fused_and_plain_agree_where_queries_share_a_sentence_and_one_is_empty() {
        let sentences = [5..9, 0..3, 4..4, 5..9, 11..30, 0..3];
        assert_same(
            [[6, 37], [30, 37], [30, 20], [1, 37]],
            |[queries, keys, values, score]| {
                additive_context(queries, keys, values, score.squeeze_dim(0), &sentences)
            },
            |[queries, keys, values, score]| {
                let score = score.squeeze_dim(0);
                additive_alignment(queries, keys, values, score, &sentences).context
            },
        );
    }
}
