//! The readers of a document: the rows of a query matrix, and what each of them may read.
//!
//! Queries need not be the rows that are read: a beam holds several hypotheses of one sentence, a window queries memories
//! that were encoded before.

use std::ops::Range;
use std::sync::Arc;

use super::context_config::Reach;
use super::documents::Documents;
use canopy_kernels::Segment;

/// A run of rows of a query matrix: tokens of one sentence, which read from that sentence's document.
///
/// Readers of one matrix are ascending and disjoint in their rows; rows that none of them names attend to nothing.
/// Several readers may belong to one sentence, and a sentence without tokens in the memory may have readers too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuerySpan {
    /// Rows of the query matrix.
    pub rows: Range<usize>,
    /// Number of their sentence in the [`Documents`] that are read.
    pub sentence: usize,
}

/// Rows of a key matrix, and which of them the tokens of each sentence may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    /// Rows of the key matrix, for all sentences.
    pub keys: Vec<usize>,
    /// Queries of every sentence.
    pub ranges: Vec<Range<usize>>,
}

impl Visible {
    /// Every reader attends to what its sentence may read.
    pub fn segments(&self, query_spans: &[QuerySpan]) -> Arc<[Segment]> {
        query_spans
            .iter()
            .map(|span| Segment {
                queries: span.rows.clone(),
                keys: self.ranges[span.sentence].clone(),
            })
            .collect()
    }
}

impl Documents {
    /// Every sentence reads for itself: the rows of the memory are the queries.
    pub fn query_spans(&self) -> Vec<QuerySpan> {
        let sentences = self.sentences.iter().cloned().enumerate();
        sentences
            .map(|(sentence, rows)| QuerySpan { rows, sentence })
            .collect()
    }

    /// The query rows that read each document, each with its sentence.
    pub(super) fn rows_of_spans(&self, query_spans: &[QuerySpan]) -> Vec<Vec<(usize, usize)>> {
        let mut rows = vec![Vec::new(); self.documents.len()];
        for span in query_spans {
            let own = span.rows.clone().map(|row| (row, span.sentence));
            rows[self.document_of(span.sentence)].extend(own);
        }
        rows
    }

    /// Numbers of the sentences with tokens, of which every sentence sees those of its document.
    pub fn visible_sentences(&self) -> Visible {
        let mut numbers = Vec::with_capacity(self.sentences.len());
        let mut visible = Vec::with_capacity(self.sentences.len());
        for document in &self.documents {
            let first = numbers.len();
            let sentences = document.clone();
            numbers.extend(sentences.filter(|&sentence| !self.sentences[sentence].is_empty()));
            visible.resize(document.end, first..numbers.len());
        }
        Visible {
            keys: numbers,
            ranges: visible,
        }
    }

    /// Numbers of the sentences with tokens, and a segment by which every reader attends to those of its document.
    pub fn segments_over_sentences(
        &self,
        query_spans: &[QuerySpan],
    ) -> (Vec<usize>, Arc<[Segment]>) {
        let visible = self.visible_sentences();
        let segments = visible.segments(query_spans);
        (visible.keys, segments)
    }

    /// Rows of a key matrix, of which every sentence sees those that `units` gives for the sentences within its reach.
    ///
    /// A document's rows come twice in a row: then all but a sentence's own are one run that begins after it.
    pub fn visible_others(&self, reach: Reach, units: impl Fn(usize) -> Range<usize>) -> Visible {
        let mut keys = Vec::new();
        let mut visible = Vec::with_capacity(self.sentences.len());
        for document in &self.documents {
            let start = keys.len();
            let rows: Vec<usize> = document.clone().flat_map(&units).collect();
            let mut position = start;
            for sentence in document.clone() {
                let end = position + units(sentence).len();
                visible.push(match reach {
                    Reach::Offline => end..rows.len() + position,
                    Reach::Online => start..position,
                });
                position = end;
            }
            keys.extend_from_slice(&rows);
            keys.extend_from_slice(&rows);
        }
        Visible {
            keys,
            ranges: visible,
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Distribution, Tensor};

    use super::super::context_config::FlatLevel;
    use super::super::rows::select_rows;
    use super::super::systems::{
        ConditionalAttentionConfig, FlatAttentionConfig, HanContextConfig,
        HierarchicalConditionalAttentionConfig, SelectiveAttentionConfig,
    };
    use super::*;
    use canopy_kernels::{DropoutSource, WordNormaliser};

    const D_MODEL: usize = 8;

    /// Two documents; the second sentence of the first one is empty, and row 5 belongs to none.
    fn documents() -> Documents {
        Documents {
            sentences: vec![0..3, 3..3, 3..5, 6..7, 7..9],
            documents: vec![0..3, 3..5],
        }
    }

    #[test]
    fn others_are_all_rows_of_the_document_within_reach() {
        let documents = documents();
        for reach in [Reach::Offline, Reach::Online] {
            let visible =
                documents.visible_others(reach, |sentence| documents.sentences[sentence].clone());
            let (keys, segments) = (&visible.keys, visible.segments(&documents.query_spans()));
            for (own, segment) in segments.iter().enumerate() {
                let mut read: Vec<usize> = keys[segment.keys.clone()].to_vec();
                read.sort_unstable();
                let others = (0..5).filter(|&other| {
                    documents.document_of(own) == documents.document_of(other)
                        && reach.sees(own, other)
                });
                let want: Vec<usize> = others
                    .flat_map(|other| documents.sentences[other].clone())
                    .collect();
                assert_eq!(read, want, "sentence {own}, {reach:?}");
            }
        }
    }

    #[test]
    fn readers_read_the_spoken_sentences_of_their_document() {
        let query_spans = [(0..1, 4), (1..4, 1), (6..7, 2), (7..8, 4)]
            .map(|(rows, sentence)| QuerySpan { rows, sentence });
        let (numbers, segments) = documents().segments_over_sentences(&query_spans);
        assert_eq!(numbers, [0, 2, 3, 4]);
        let want = [(0..1, 2..4), (1..4, 0..2), (6..7, 0..2), (7..8, 2..4)]
            .map(|(queries, keys)| Segment { queries, keys });
        assert_eq!(*segments, want);
    }

    /// Queries, readers, memory and its documents to what the queries get.
    type Layer = Box<dyn Fn(Tensor<2>, &[QuerySpan], Tensor<2>, &Documents) -> Tensor<2>>;

    /// Layers in which a sentence reads sentences of its whole document or of all before it.
    fn layers(reach: Reach, device: &Device) -> Vec<(&'static str, Layer)> {
        let conditional = ConditionalAttentionConfig::new(D_MODEL, 2, 1).init(device);
        let tree = HierarchicalConditionalAttentionConfig::new(D_MODEL, 2, 1).init(device);
        let selective =
            SelectiveAttentionConfig::new(D_MODEL, 2, reach, WordNormaliser::Softmax).init(device);
        let flat = |level| FlatAttentionConfig::new(D_MODEL, 2, level, reach).init(device);
        let (flat_words, flat_sentences) = (flat(FlatLevel::Word), flat(FlatLevel::Sentence));
        vec![
            (
                "conditional",
                Box::new(move |q, query_spans, m, d| conditional.forward(q, query_spans, m, d)),
            ),
            (
                "tree",
                Box::new(move |q, query_spans, m, d| tree.forward(q, query_spans, m, d)),
            ),
            (
                "selective",
                Box::new(move |q, query_spans, m, d| {
                    selective.forward(q, query_spans, m.clone(), m, d)
                }),
            ),
            (
                "flat over words",
                Box::new(move |q, query_spans, m, d| {
                    flat_words.forward(q, query_spans, m.clone(), m, d)
                }),
            ),
            (
                "flat over sentences",
                Box::new(move |q, query_spans, m, d| {
                    flat_sentences.forward(q, query_spans, m.clone(), m, d)
                }),
            ),
        ]
    }

    fn han(device: &Device) -> Layer {
        let han = HanContextConfig::new(D_MODEL, 12, 2).init(device);
        Box::new(move |q, query_spans, m, d| {
            han.forward(q, query_spans, m, d, &DropoutSource::none())
        })
    }

    fn device() -> Device {
        let device = Device::flex();
        device.seed(31);
        device
    }

    fn random_rows(rows: usize, device: &Device) -> Tensor<2> {
        Tensor::random([rows, D_MODEL], Distribution::Normal(0.0, 1.0), device)
    }

    fn assert_same(left: Tensor<2>, right: Tensor<2>, what: &str) {
        let difference = (left - right).abs().max().into_scalar::<f32>();
        assert!(difference < 1e-5, "{what} differs by {difference}");
    }

    #[test]
    fn single_rows_in_any_order_get_what_they_get_among_their_sentence() {
        let (device, documents) = (device(), documents());
        let words = random_rows(9, &device);
        let picked = [8, 0, 4, 4, 6, 5, 1, 0, 3, 2, 7];
        let position = |row: usize| {
            let mut sentences = documents.sentences.iter();
            sentences.position(|sentence| sentence.contains(&row))
        };
        let query_spans = picked.iter().enumerate().filter_map(|(query, &row)| {
            position(row).map(|sentence| QuerySpan {
                rows: query..query + 1,
                sentence,
            })
        });
        let query_spans: Vec<QuerySpan> = query_spans.collect();
        for reach in [Reach::Offline, Reach::Online] {
            let mut layers = layers(reach, &device);
            layers.push(("han", han(&device)));
            for (name, layer) in layers {
                let together = layer(
                    words.clone(),
                    &documents.query_spans(),
                    words.clone(),
                    &documents,
                );
                let queries = select_rows(words.clone(), &picked);
                let alone = layer(queries, &query_spans, words.clone(), &documents);
                assert_same(
                    alone,
                    select_rows(together, &picked),
                    &format!("{name}, {reach:?}"),
                );
            }
        }
    }

    #[test]
    fn readers_of_an_empty_sentence_read_what_stands_before_it() {
        let (device, documents) = (device(), documents());
        let (words, queries) = (random_rows(9, &device), random_rows(2, &device));
        let reads = |layer: &Layer, sentence| {
            let span = QuerySpan {
                rows: 0..2,
                sentence,
            };
            layer(queries.clone(), &[span], words.clone(), &documents)
        };
        for (name, layer) in layers(Reach::Online, &device) {
            let read = reads(&layer, 1);
            let least = read.clone().abs().min().into_scalar::<f32>();
            assert!(least > 0.0, "{name} reads nothing");
            // Nothing is said between sentences 0 and 2.
            assert_same(read, reads(&layer, 2), name);
        }
    }
}
