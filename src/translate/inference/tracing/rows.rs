//! From the numbers of a pass to those of the document.

use std::ops::Range;

use super::behind::ReadRows;
use super::describe::Described;
use super::text::TracedText;
use canopy_explain::trace::{
    AttentionMap, MapKind, MapRow, NodeVisit, SentenceWeight, Side, Visible,
};
use canopy_nn::model::{AttentionWeights, HeadWeights, ModelConfig, SentenceWeights};

/// Which part of the document was read in a pass.
pub(super) struct Layout<'a> {
    pub text: &'a TracedText,
    /// Parts.
    pub read: Range<usize>,
    /// Whether the context of the encoder counts the sentences of the whole document, not of the window.
    pub is_among_others: bool,
    /// Number of its tree, if there are trees.
    pub tree: u32,
    /// Number of sentences of the document.
    pub num_sentences: usize,
}

impl Layout<'_> {
    /// Number in the document of a sentence of the pass as such a map names it.
    pub(crate) fn sentence(&self, kind: MapKind, part: usize) -> u32 {
        let is_of_document = self.is_among_others && kind == MapKind::Context;
        let first = if is_of_document { 0 } else { self.read.start };
        number(self.text.parts[first + part].sentence)
    }

    /// Whether a map shows nothing of other windows, though others of its document are visible.
    pub(crate) fn masks(&self, described: &Described) -> bool {
        let sees_all = self.is_among_others && described.kind == MapKind::Context;
        !sees_all && described.visible != Visible::Own
    }

    /// Adds what the heads read to the map of each.
    ///
    /// The first of them is the query of sentence `own` of the pass.
    pub(crate) fn add(
        &self,
        described: &Described,
        attention_weights: AttentionWeights,
        own: usize,
        maps: &mut [AttentionMap],
    ) {
        let num_heads = attention_weights.num_heads;
        let [source, target] = self.text.words(0..self.read.start);
        let first = number(match described.keys.side() {
            // They have the rows of the document.
            _ if described.includes_own => 0,
            Side::Source => source,
            Side::Target => target,
        });
        let before = self.words_before(own, described.queries.side());
        let mut heads: Vec<Vec<MapRow>> = (0..num_heads).map(|_| Vec::new()).collect();
        for (index, reading) in attention_weights.rows.into_iter().enumerate() {
            heads[index % num_heads].push(self.row(reading, described, first));
        }
        for (map, mut rows) in maps.iter_mut().zip(heads) {
            if described.queries.are_words() {
                // Rows of windows that were not read.
                if map.rows.len() < before {
                    map.rows.resize_with(before, MapRow::default);
                }
                map.rows.append(&mut rows);
            } else {
                map.rows.resize_with(self.num_sentences, MapRow::default);
                self.add_by_sentence(rows, own, &mut map.rows);
            }
        }
    }

    /// Words of the document before sentence `own` of the pass.
    pub(crate) fn words_before(&self, own: usize, side: Side) -> usize {
        let [source, target] = self.text.words(0..self.read.start + own);
        match side {
            Side::Source => source,
            Side::Target => target,
        }
    }

    /// The rows of the encoder, where it reads translations before.
    pub(crate) fn read_rows(&self, config: &ModelConfig) -> Option<ReadRows> {
        let reads = config.previous_translations > 0;
        reads.then(|| ReadRows::from_parts(self.text, self.read.clone()))
    }

    /// Whether each of the words of one side of the pass could be read with a translation before.
    pub(crate) fn sees(&self, side: Side) -> impl Iterator<Item = bool> {
        let parts = self.read.clone();
        parts.flat_map(move |part| {
            let [source, target] = self.text.words(part..part + 1);
            let words = match side {
                Side::Source => source,
                Side::Target => target,
            };
            std::iter::repeat_n(!self.text.behind(part).is_empty(), words)
        })
    }

    fn row(&self, reading: HeadWeights, described: &Described, first: u32) -> MapRow {
        let kind = described.kind;
        let mut row = MapRow {
            rest: reading.rest,
            ..MapRow::default()
        };
        if described.keys.are_words() {
            row.words = reading.keys;
            for (word, _) in &mut row.words {
                *word += first;
            }
        } else {
            let weights = reading
                .keys
                .into_iter()
                .map(|(part, weight)| SentenceWeight {
                    sentence: self.sentence(kind, part as usize),
                    weight,
                    ..SentenceWeight::default()
                });
            row.sentences = merged(weights);
        }
        if !reading.sentences.is_empty() {
            row.sentences = merged(reading.sentences.into_iter().map(|read| {
                let SentenceWeights {
                    sentence,
                    weight,
                    relevance,
                    cumulative,
                } = read;
                SentenceWeight {
                    sentence: self.sentence(kind, sentence),
                    weight,
                    relevance,
                    cumulative,
                }
            }));
        }
        let visits = reading.visits.into_iter().map(|(level, visit)| NodeVisit {
            level,
            node: number(visit.node),
            relevance: visit.relevance,
            cumulative: visit.cumulative,
            kept: visit.kept,
        });
        row.visits = visits.collect();
        if !row.visits.is_empty() {
            row.tree = self.tree;
        }
        row
    }

    /// Rows of parts become rows of their sentences: the mean of the parts.
    fn add_by_sentence(&self, parts: Vec<MapRow>, own: usize, rows: &mut [MapRow]) {
        for (part, mut row) in parts.into_iter().enumerate() {
            let sentence = self.sentence(MapKind::SentenceEncoding, own + part) as usize;
            let share = 1.0 / self.text.num_parts(sentence);
            for (_, weight) in &mut row.words {
                *weight *= share;
            }
            let there = &mut rows[sentence];
            there.words.append(&mut row.words);
            there.rest += row.rest * share;
        }
    }
}

/// Parts of one sentence have one weight, and the relevance of the most relevant of them.
fn merged(weights: impl Iterator<Item = SentenceWeight>) -> Vec<SentenceWeight> {
    let mut merged: Vec<SentenceWeight> = Vec::with_capacity(weights.size_hint().0);
    for weight in weights {
        match merged.last_mut() {
            Some(last) if last.sentence == weight.sentence => {
                let whole = last.weight + weight.weight;
                if weight.relevance > last.relevance {
                    *last = weight;
                }
                last.weight = whole;
            }
            _ => merged.push(weight),
        }
    }
    merged
}

fn number(number: usize) -> u32 {
    u32::try_from(number).expect("words and sentences fit 32 bits")
}
