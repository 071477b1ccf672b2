//! Rows of a map, averaged over words and heads.

use std::ops::Range;

use super::query::{Attention, AttentionRole, Query};
use crate::error::Result;
use crate::trace::{MapRow, TraceSource, WordIndex};

/// Shares are sums of 32-bit numbers; what is smaller is rounding, not attention.
pub(super) const ROUNDING: f32 = 1e-5;

/// The weights of one or several queries together: the mean of their rows. A query that may see nothing adds zeros.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct MeanRow {
    /// Ascending; of words where the row has weights of words only.
    pub sentences: Vec<(u32, f32)>,
    /// Ascending; empty if keys are sentences.
    pub words: Vec<(u32, f32)>,
    /// Weight in no sentence.
    pub sentence_rest: f32,
    /// Weight in no word.
    pub word_rest: f32,
}

/// How much of its attention to the document a word or sentence gives to each sentence: number and weight, ascending.
///
/// # Errors
/// If the trace has no such attention, layer, head, sentence or word, or cannot be read.
pub fn sentence_weights(source: &TraceSource, query: &Query) -> Result<Vec<(u32, f32)>> {
    let attention = Attention::find(source, query, AttentionRole::Context)?;
    let rows = attention.query_rows(source, query);
    Ok(Rows::new(source, &attention).mean(rows)?.sentences)
}

/// Reads rows of the maps of one attention.
pub(super) struct Rows<'a> {
    pub source: &'a TraceSource,
    pub attention: &'a Attention,
    /// Words of the side of the keys.
    pub keys: WordIndex,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(source: &'a TraceSource, attention: &'a Attention) -> Self {
        let side = attention.info(source).keys.side();
        Self {
            source,
            attention,
            keys: source.overview().words(side),
        }
    }

    /// # Errors
    /// If a row cannot be read.
    #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
    pub(crate) fn mean(&self, rows: Range<usize>) -> Result<MeanRow> {
        let are_words = self.attention.info(self.source).keys.are_words();
        let (mut sentences, mut words) = (Vec::new(), Vec::new());
        let (mut sentence_rest, mut word_rest) = (0.0, 0.0);
        let mut count = 0.0;
        for row in rows {
            for &map in &self.attention.maps {
                let row = self.source.row(map, row)?;
                let weighed = self.sentences(&row);
                sentence_rest += rest_of_sentences(&row, &weighed, are_words);
                word_rest += f64::from(row.rest);
                sentences.extend(weighed);
                words.extend(&row.words);
                count += 1.0;
            }
        }
        let share = |sum: f64| {
            if count > 0.0 {
                (sum / count) as f32
            } else {
                0.0
            }
        };
        let mean = |weights| {
            summed(weights)
                .map(|(key, sum)| (key, share(sum)))
                .collect()
        };
        Ok(MeanRow {
            sentences: mean(sentences),
            words: mean(words),
            sentence_rest: share(sentence_rest),
            word_rest: share(word_rest),
        })
    }

    fn sentences(&self, row: &MapRow) -> Vec<(u32, f32)> {
        if row.sentences.is_empty() {
            let sentence = |word: u32| self.keys.position(word as usize);
            let weights = row.words.iter().filter_map(|&(word, weight)| {
                let (sentence, _) = sentence(word)?;
                Some((u32::try_from(sentence).ok()?, weight))
            });
            #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
            return summed(weights.collect())
                .map(|(sentence, sum)| (sentence, sum as f32))
                .collect();
        }
        let weights = row.sentences.iter();
        weights
            .map(|sentence| (sentence.sentence, sentence.weight))
            .collect()
    }
}

/// `are_words` says what the keys are: all words of a row may have been dropped.
fn rest_of_sentences(row: &MapRow, sentences: &[(u32, f32)], are_words: bool) -> f64 {
    if !are_words || row.sentences.is_empty() {
        return row.rest.into();
    }
    let sum = |weights: &[(u32, f32)]| -> f64 {
        weights.iter().map(|&(_, weight)| f64::from(weight)).sum()
    };
    // A row with weights of sentences and words: what was dropped inside a sentence is part of the sentence.
    let rest = sum(&row.words) + f64::from(row.rest) - sum(sentences);
    if rest > f64::from(ROUNDING) {
        rest
    } else {
        0.0
    }
}

/// The sum of each key's weights, ascending by key.
fn summed(mut weights: Vec<(u32, f32)>) -> impl Iterator<Item = (u32, f64)> {
    weights.sort_by_key(|&(key, _)| key);
    let groups: Vec<(u32, f64)> = weights
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| {
            let sum = group.iter().map(|&(_, weight)| f64::from(weight)).sum();
            (group[0].0, sum)
        })
        .collect();
    groups.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::SentenceWeight;

    #[test]
    fn words_that_were_dropped_are_part_of_their_sentence() {
        let row = MapRow {
            rest: 1.0,
            ..MapRow::default()
        };
        let row = row.with_sentences([SentenceWeight {
            sentence: 2,
            weight: 0.75,
            ..SentenceWeight::default()
        }]);
        let rest = |are_words| rest_of_sentences(&row, &[(2, 0.75)], are_words);
        assert!((rest(true) - 0.25).abs() < 1e-9, "{}", rest(true));
        assert!((rest(false) - 1.0).abs() < 1e-9, "{}", rest(false));
    }
}
