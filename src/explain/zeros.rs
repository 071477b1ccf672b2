//! How many weights are exactly zero, and whether longer sentences and documents have more of them.

use serde::Serialize;

use super::query::{Attention, AttentionRole, Query};
use super::rows::ROUNDING;
use crate::error::Result;
use crate::trace::{MapInfo, MapRow, Normaliser, TraceSource, WordIndex};

/// Shares of what queries may see with each head: with weight, exactly zero, or dropped because it was small.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Zeros {
    /// Weights that a query may have.
    pub visible: u64,
    /// Weights that are exactly zero.
    pub zero: u64,
    /// Neither kept nor known to be zero.
    pub dropped: u64,
}

/// Share of exact zeros of one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ZerosPoint {
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// Its length.
    pub words: usize,
    /// Sentences of the document.
    pub sentences: usize,
    /// 0 to 1.
    pub of_sentences: Option<f64>,
    /// Share of exact zeros among the words that it may see, 0 to 1.
    pub of_words: Option<f64>,
}

/// Share of exact zeros against length.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ZerosView {
    /// Heading of the view.
    pub title: String,
    /// A sentence each, of one or several documents.
    pub points: Vec<ZerosPoint>,
}

/// The words that a sentence may see.
struct Seen<'a> {
    /// With words: others cannot be looked at.
    sentences: usize,
    words: usize,
    index: &'a WordIndex,
}

impl Zeros {
    /// `None` if nothing can be seen.
    pub fn share(&self) -> Option<f64> {
        (self.visible > 0).then(|| self.zero as f64 / self.visible as f64)
    }

    /// # Errors
    /// If a row cannot be read.
    pub(super) fn count_sentences(
        source: &TraceSource,
        attention: &Attention,
        sentence: usize,
    ) -> Result<Self> {
        Self::counted(source, attention, sentence, count_sentences)
    }

    /// # Errors
    /// If a row cannot be read.
    pub(super) fn count_words(
        source: &TraceSource,
        attention: &Attention,
        sentence: usize,
    ) -> Result<Self> {
        if !attention.info(source).keys.are_words() {
            return Ok(Self::default());
        }
        Self::counted(source, attention, sentence, count_words)
    }

    fn counted(
        source: &TraceSource,
        attention: &Attention,
        sentence: usize,
        count: fn(&MapInfo, &MapRow, &Seen) -> Self,
    ) -> Result<Self> {
        let info = attention.info(source);
        let index = source.overview().words(info.keys.side());
        let visible = source.overview().visible(info, sentence);
        let lengths = visible.map(|other| index.rows(other).len());
        let lengths = lengths.filter(|&length| length > 0);
        let seen = Seen {
            sentences: lengths.clone().count(),
            words: lengths.sum(),
            index: &index,
        };
        let mut sum = Self::default();
        for row in attention.rows(source, sentence) {
            for &map in &attention.maps {
                let row = source.row(map, row)?;
                let one = count(source.info(map), &row, &seen);
                sum.visible += one.visible;
                sum.zero += one.zero;
                sum.dropped += one.dropped;
            }
        }
        Ok(sum)
    }

    fn new(visible: usize, zero: usize, kept: usize) -> Self {
        Self {
            visible: visible as u64,
            zero: zero as u64,
            dropped: visible.saturating_sub(zero + kept) as u64,
        }
    }
}

fn count_sentences(info: &MapInfo, row: &MapRow, seen: &Seen) -> Zeros {
    if info.keys.are_words() && row.sentences.is_empty() {
        let mut kept: Vec<usize> = row
            .words
            .iter()
            .filter_map(|&(word, _)| seen.index.position(word as usize))
            .map(|(sentence, _)| sentence)
            .collect();
        kept.dedup();
        let absent = seen.sentences.saturating_sub(kept.len());
        let zero = if nothing_dropped(info, row.rest) {
            absent
        } else {
            0
        };
        return Zeros::new(seen.sentences, zero, kept.len());
    }
    let kept = row
        .sentences
        .iter()
        .filter(|kept| kept.weight > 0.0)
        .count();
    let absent = seen.sentences.saturating_sub(kept);
    // A row of sentences and words has all chosen sentences.
    let known = info.keys.are_words() || nothing_dropped(info, row.rest);
    Zeros::new(seen.sentences, if known { absent } else { 0 }, kept)
}

fn count_words(info: &MapInfo, row: &MapRow, seen: &Seen) -> Zeros {
    let (all, kept) = (seen.words, row.words.len());
    if row.sentences.is_empty() {
        let absent = all.saturating_sub(kept);
        let zero = if nothing_dropped(info, row.rest) {
            absent
        } else {
            0
        };
        return Zeros::new(all, zero, kept);
    }
    let mut zero = all;
    for chosen in row.sentences.iter().filter(|chosen| chosen.weight > 0.0) {
        let rows = seen.index.rows(chosen.sentence as usize);
        let from = row
            .words
            .partition_point(|&(word, _)| (word as usize) < rows.start);
        let inside = row.words[from..]
            .iter()
            .take_while(|&&(word, _)| (word as usize) < rows.end);
        let (count, sum) = inside.fold((0, 0.0), |(count, sum), (_, weight)| {
            (count + 1, sum + weight)
        });
        let dropped = chosen.weight - sum;
        let absent = rows.len() - count;
        let known = nothing_dropped(info, dropped);
        zero -= (count + if known { 0 } else { absent }).min(zero);
    }
    Zeros::new(all, zero, kept)
}

/// Whether what has no weight is exactly zero.
fn nothing_dropped(info: &MapInfo, rest: f32) -> bool {
    info.normaliser == Normaliser::Sparsemax && rest <= ROUNDING
}

impl ZerosView {
    /// A point for every sentence with words, all words and all heads of a layer (the last one if `None`) together.
    ///
    /// # Errors
    /// If the trace has no attention to other sentences in this layer, or cannot be read.
    pub fn new(source: &TraceSource, query: &Query) -> Result<Self> {
        let overview = source.overview();
        let sentences = overview.sentences(query.side);
        let attention = Attention::find(source, query, AttentionRole::Context)?;
        let mut points = Vec::new();
        for (number, sentence) in sentences.iter().enumerate() {
            if sentence.tokens.is_empty() {
                continue;
            }
            points.push(ZerosPoint {
                sentence: number,
                words: sentence.tokens.len(),
                sentences: sentences.len(),
                of_sentences: Zeros::count_sentences(source, &attention, number)?.share(),
                of_words: Zeros::count_words(source, &attention, number)?.share(),
            });
        }
        let title = format!(
            "Exact zeros in the context attention of {}, layer {}",
            overview.model.name,
            attention.layer + 1
        );
        Ok(Self { title, points })
    }

    /// The points of several documents together.
    pub fn joined(views: Vec<Self>) -> Self {
        let mut views = views.into_iter();
        let mut joined = views.next().unwrap_or_default();
        for view in views {
            if view.title != joined.title {
                "Exact zeros in the context attention".clone_into(&mut joined.title);
            }
            joined.points.extend(view.points);
        }
        joined
    }
}
