//! The sentences of a batch and the documents they form.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::embedding::indices;
use crate::kernels::{Attention, Segment, attention};

/// Sentences as runs of rows, documents as runs of sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Documents {
    /// Rows of every sentence, ascending and disjoint; rows between them belong to none. A sentence may be empty: it
    /// has no encoding, and nobody reads it.
    pub sentences: Vec<Range<usize>>,
    /// Sentence numbers of every document, in order and without gaps.
    pub documents: Vec<Range<usize>>,
}

/// Which other sentences of its document a word may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// All but its own.
    Offline,
    /// Those before its own.
    Online,
}

impl Reach {
    /// Whether words of sentence `own` may read sentence `other`.
    pub fn sees(self, own: usize, other: usize) -> bool {
        match self {
            Self::Offline => own != other,
            Self::Online => other < own,
        }
    }
}

impl Documents {
    /// All sentences form one document.
    pub fn one(sentences: Vec<Range<usize>>) -> Self {
        let documents = std::iter::once(0..sentences.len()).collect();
        Self {
            sentences,
            documents,
        }
    }

    /// Every sentence attends to itself.
    pub fn own_segments(&self) -> Arc<[Segment]> {
        Segment::own(&self.sentences)
    }

    /// Sentences with words.
    pub fn spoken(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.sentences.len()).filter(|&sentence| !self.sentences[sentence].is_empty())
    }

    /// Numbers of the sentences with words, and segments by which every word attends to those of its document.
    pub fn segments_over_sentences(&self) -> (Vec<usize>, Arc<[Segment]>) {
        let mut numbers = Vec::with_capacity(self.sentences.len());
        let mut segments = Vec::with_capacity(self.sentences.len());
        for document in &self.documents {
            let first = numbers.len();
            numbers.extend(
                document
                    .clone()
                    .filter(|&sentence| !self.sentences[sentence].is_empty()),
            );
            let rows = document
                .clone()
                .map(|sentence| self.sentences[sentence].clone());
            segments.extend(rows.map(|queries| Segment {
                queries,
                keys: first..numbers.len(),
            }));
        }
        (numbers, segments.into())
    }

    /// Rows of a key matrix, and segments by which every sentence attends to the rows that `units` gives for the other
    /// sentences within its reach.
    ///
    /// A document's rows come twice in a row: then all but a sentence's own are one run that begins after it.
    pub fn segments_over_others(
        &self,
        reach: Reach,
        units: impl Fn(usize) -> Range<usize>,
    ) -> (Vec<usize>, Arc<[Segment]>) {
        let mut keys = Vec::new();
        let mut segments = Vec::with_capacity(self.sentences.len());
        for document in &self.documents {
            let start = keys.len();
            let rows: Vec<usize> = document.clone().flat_map(&units).collect();
            let mut place = start;
            for sentence in document.clone() {
                let end = place + units(sentence).len();
                let visible = match reach {
                    Reach::Offline => end..rows.len() + place,
                    Reach::Online => start..place,
                };
                segments.push(Segment {
                    queries: self.sentences[sentence].clone(),
                    keys: visible,
                });
                place = end;
            }
            keys.extend_from_slice(&rows);
            keys.extend_from_slice(&rows);
        }
        (keys, segments.into())
    }

    /// Mean of the rows of every sentence; zeros for an empty one.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`
    /// - output: `[sentences, d_model]`
    pub fn means(&self, x: &Tensor<2>) -> Tensor<2> {
        let ([rows, _], sentences, device) = (x.dims(), self.sentences.len(), x.device());
        let queries_and_keys = self.sentences.iter().enumerate();
        let segments = queries_and_keys.map(|(queries, keys)| Segment {
            queries: queries..queries + 1,
            keys: keys.clone(),
        });
        // A mean is attention whose scores are all equal.
        let spec = Attention {
            num_heads: 1,
            causal: false,
            segments: segments.collect(),
        };
        let (queries, keys) = (
            Tensor::zeros([sentences, 1], &device),
            Tensor::zeros([rows, 1], &device),
        );
        attention(queries, keys, x.clone(), &spec)
    }
}

/// The named rows of `x`.
///
/// # Shapes
/// - x: `[rows, d_model]`
/// - output: `[numbers, d_model]`
pub(super) fn select_rows(x: Tensor<2>, numbers: &[usize]) -> Tensor<2> {
    let ids = indices(numbers.iter().copied(), &x.device());
    x.select(0, ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two documents; the second sentence of the first one is empty, and row 5 belongs to nobody.
    fn documents() -> Documents {
        Documents {
            sentences: vec![0..3, 3..3, 3..5, 6..7, 7..9],
            documents: vec![0..3, 3..5],
        }
    }

    #[test]
    fn others_are_all_rows_of_the_document_within_reach() {
        let documents = documents();
        let document_of = |sentence: usize| {
            documents
                .documents
                .iter()
                .position(|d| d.contains(&sentence))
        };
        for reach in [Reach::Offline, Reach::Online] {
            let (keys, segments) = documents
                .segments_over_others(reach, |sentence| documents.sentences[sentence].clone());
            for (own, segment) in segments.iter().enumerate() {
                let mut read: Vec<usize> = keys[segment.keys.clone()].to_vec();
                read.sort_unstable();
                let others = (0..5).filter(|&other| {
                    document_of(own) == document_of(other) && reach.sees(own, other)
                });
                let want: Vec<usize> = others
                    .flat_map(|other| documents.sentences[other].clone())
                    .collect();
                assert_eq!(read, want, "sentence {own}, {reach:?}");
            }
        }
    }

    #[test]
    fn words_read_the_spoken_sentences_of_their_document() {
        let (numbers, segments) = documents().segments_over_sentences();
        assert_eq!(numbers, [0, 2, 3, 4]);
        assert_eq!(
            segments[2],
            Segment {
                queries: 3..5,
                keys: 0..2
            }
        );
        assert_eq!(
            segments[4],
            Segment {
                queries: 7..9,
                keys: 2..4
            }
        );
    }
}
