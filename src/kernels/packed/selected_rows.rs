//! Attention to the words of the sentences that a sparse attention leaves, for several queries at a time: as
//! [`selected_attention`](crate::selected_attention) over tensors, without its lists.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::reading::{Columns, scale};
use super::shared_rows::{QUERIES, Run, SharedRows, all_scores, head_rows, weighted_sums, width};
use crate::WordNormaliser;
use crate::sparsemax::sparsemax_in;
use crate::vectors::softmax_in;

/// Sentences with a key each, and their words: weights are sparsemax over the sentences times a normaliser over the words of each.
#[derive(Debug, Clone, Copy)]
pub struct SelectedRows<'a> {
    /// Keys of the sentences of each document.
    pub documents: &'a SharedRows,
    /// Words of each sentence.
    pub words: &'a SharedRows,
    /// Heads, side by side in the columns.
    pub num_heads: usize,
    /// The function that makes weights of the scores of a sentence's words.
    pub normaliser: WordNormaliser,
}

/// The queries, and what they read.
#[derive(Debug, Clone, Copy)]
pub struct Readers<'a> {
    /// The number of their document, and of its first sentence.
    pub document: (usize, usize),
    /// Whether a sentence of it is not read.
    pub hidden: &'a [bool],
    /// Queries for sentences.
    pub sentence_queries: Columns<'a>,
    /// Queries for words.
    pub word_queries: Columns<'a>,
}

impl SelectedRows<'_> {
    /// Attention of the rows `queries`; zeros where nothing is read.
    ///
    /// # Shapes
    /// - output: `[queries, d_model]`, zeros before
    pub fn attend(
        &self,
        readers: Readers<'_>,
        queries: Range<usize>,
        scratch: &mut Vec<f32>,
        output: &mut [f32],
    ) {
        let sentences = width(readers.hidden.len());
        scratch.resize(QUERIES * (sentences + width(self.words.longest)), 0.0);
        let (weights, words) = scratch.split_at_mut(QUERIES * sentences);
        Arch::new().dispatch(Selection {
            rows: *self,
            readers,
            queries,
            weights,
            words,
            output,
        });
    }
}

struct Selection<'a> {
    rows: SelectedRows<'a>,
    readers: Readers<'a>,
    queries: Range<usize>,
    /// Weights of sentences, `[QUERIES, width]`.
    weights: &'a mut [f32],
    /// Weights of words of a sentence, `[QUERIES, width]`.
    words: &'a mut [f32],
    output: &'a mut [f32],
}

impl WithSimd for Selection<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let count = self.queries.len();
        let mut first = 0;
        while first < count {
            match count - first {
                1 => self.read::<S, 1>(simd, first),
                2 => self.read::<S, 2>(simd, first),
                3 => self.read::<S, 3>(simd, first),
                _ => self.read::<S, QUERIES>(simd, first),
            }
            first += QUERIES;
        }
    }
}

impl Selection<'_> {
    /// The attention of `Q` queries from `first` on.
    #[inline(always)]
    fn read<S: Simd, const Q: usize>(&mut self, simd: S, first: usize) {
        let (document, begin) = self.readers.document;
        let sentences = &self.rows.documents.runs[document];
        let d_model = self.rows.words.d_model;
        let d_head = d_model / self.rows.num_heads;
        let width = width(sentences.len);
        for head in 0..self.rows.num_heads {
            let columns = head * d_head..(head + 1) * d_head;
            let mut rows = [0; Q];
            for query in 0..Q {
                rows[query] = self.queries.start + first + query;
            }
            let query_weights = self.readers.sentence_queries;
            let q = head_rows(query_weights, rows, columns.start..columns.end, d_model);
            let keys = &sentences.keys[columns.start * width..columns.end * width];
            all_scores::<S, Q>(simd, &q, keys, width, self.weights);
            let by = scale(d_head);
            for query in 0..Q {
                let weights = &mut self.weights[query * width..][..sentences.len];
                for sentence in 0..sentences.len {
                    weights[sentence] = if self.readers.hidden[sentence] {
                        f32::NEG_INFINITY
                    } else {
                        weights[sentence] * by
                    };
                }
                sparsemax_in(simd, weights);
            }
            for sentence in 0..sentences.len {
                // The queries that read it.
                let (mut readers, mut shares, mut count) = ([0; Q], [0.0; Q], 0);
                for query in 0..Q {
                    let share = self.weights[query * width + sentence];
                    if share > 0.0 && !self.readers.hidden[sentence] {
                        readers[count] = first + query;
                        shares[count] = share;
                        count += 1;
                    }
                }
                let read = (begin + sentence, head);
                let mut next = 0;
                while next + 2 <= count {
                    let pair = [readers[next], readers[next + 1]];
                    self.add_words::<S, 2>(simd, read, pair, [shares[next], shares[next + 1]]);
                    next += 2;
                }
                if next < count {
                    self.add_words::<S, 1>(simd, read, [readers[next]], [shares[next]]);
                }
            }
        }
    }

    /// Adds to the outputs of `Q` queries what a head reads of the words of a sentence, each with its share.
    #[inline(always)]
    fn add_words<S: Simd, const Q: usize>(
        &mut self,
        simd: S,
        (sentence, head): (usize, usize),
        queries: [usize; Q],
        shares: [f32; Q],
    ) {
        let run = &self.rows.words.runs[sentence];
        let d_model = self.rows.words.d_model;
        let d_head = d_model / self.rows.num_heads;
        let width = width(run.len);
        let columns = head * d_head..(head + 1) * d_head;
        let mut rows = queries;
        for query in 0..Q {
            rows[query] += self.queries.start;
        }
        let query_weights = self.readers.word_queries;
        let q = head_rows(query_weights, rows, columns.start..columns.end, d_model);
        let keys = &run.keys[columns.start * width..columns.end * width];
        all_scores::<S, Q>(simd, &q, keys, width, self.words);
        for query in 0..Q {
            let weights = &mut self.words[query * width..][..run.len];
            match self.rows.normaliser {
                WordNormaliser::Softmax => softmax_in(simd, weights, scale(d_head)),
                WordNormaliser::Sparsemax => {
                    scale_in(simd, weights, scale(d_head));
                    sparsemax_in(simd, weights);
                }
            }
            scale_in(simd, weights, shares[query]);
        }
        let (mut column, end) = (columns.start, columns.end);
        while column + 2 * S::F32_LANES <= end {
            self.add::<S, Q, 2>(simd, run, queries, column);
            column += 2 * S::F32_LANES;
        }
        while column + S::F32_LANES <= end {
            self.add::<S, Q, 1>(simd, run, queries, column);
            column += S::F32_LANES;
        }
        for query in 0..Q {
            // Fewer columns than a register holds.
            for column in column..end {
                let mut sum = 0.0;
                for place in 0..run.len {
                    let weight = self.words[query * width + place];
                    sum += weight * run.values[place * d_model + column];
                }
                self.output[queries[query] * d_model + column] += sum;
            }
        }
    }

    /// Adds `V` registers of columns of values, each row times its weight.
    #[inline(always)]
    fn add<S: Simd, const Q: usize, const V: usize>(
        &mut self,
        simd: S,
        run: &Run,
        queries: [usize; Q],
        column: usize,
    ) {
        let (d_model, width) = (self.rows.words.d_model, width(run.len));
        let weights = (&*self.words, [run.len, width]);
        let sums = weighted_sums::<S, Q, V>(simd, weights, (&run.values, d_model), column);
        for query in 0..Q {
            let output = &mut self.output[queries[query] * d_model + column..];
            let (output, _) = S::as_mut_simd_f32s(&mut output[..V * S::F32_LANES]);
            for number in 0..V {
                output[number] = simd.add_f32s(output[number], sums[query][number]);
            }
        }
    }
}

#[inline(always)]
fn scale_in<S: Simd>(simd: S, row: &mut [f32], by: f32) {
    let factor = simd.splat_f32s(by);
    let (blocks, rest) = S::as_mut_simd_f32s(row);
    for block in 0..blocks.len() {
        blocks[block] = simd.mul_f32s(blocks[block], factor);
    }
    if !rest.is_empty() {
        let last = simd.mul_f32s(simd.partial_load_f32s(rest), factor);
        simd.partial_store_f32s(rest, last);
    }
}
