//! Words of a sentence against what they looked at, sparse.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;

use super::measure::row_divergence;
use super::query::{Attention, AttentionRole, Query, shown};
use super::rows::{MeanRow, Rows};
use super::zeros::Zeros;
use crate::error::Result;
use crate::trace::{Side, TraceSource, Units};

/// The order of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The order of the document.
    #[default]
    Document,
    /// Most weight first; what has none is left out.
    Weight,
}

/// Rows, columns and the weights that are not zero.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct WeightMap {
    /// Such as `Context: words × sentences`.
    pub title: String,
    /// The query, with layer and head.
    pub query: String,
    /// The meaning of a number: weight of one head, or mass of several.
    pub measure: String,
    /// Side of the rows.
    pub row_side: Side,
    /// Side of the columns.
    pub column_side: Side,
    /// The rows from top to bottom.
    pub rows: Vec<Unit>,
    /// The columns from left to right.
    pub columns: Vec<Unit>,
    /// Columns of each sentence, in order; empty if columns are sentences.
    pub groups: Vec<Group>,
    /// `[rows]`: column and weight, ascending by column; what is not here is exactly 0 or in `rest`.
    pub cells: Vec<Vec<(u32, f32)>>,
    /// `[rows]`: weight that was dropped, or belongs to no word.
    pub rest: Vec<f32>,
    /// `[rows]`: weight of what the trace has but the columns have not.
    #[serde(rename = "elsewhere")]
    pub other_columns: Vec<f32>,
    /// Counts over all that the rows may see, shown or not.
    pub zeros: Zeros,
    /// Whether there are columns that the rows could not see.
    pub masks: bool,
    /// The selected row.
    pub selected: Option<usize>,
    /// Mean difference of the rows over all keys, shown or not, see [`row_divergence`].
    pub divergence: Option<f64>,
}

/// A row or column: a word, or a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Unit {
    /// The word, or the number of the sentence as people count.
    pub label: String,
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// Row of the word in the trace.
    pub word: Option<usize>,
}

/// The columns of one sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// Its columns.
    pub columns: Range<usize>,
    /// Mean weight over the rows, dropped words included.
    pub weight: f32,
}

impl WeightMap {
    /// Words of a sentence × sentences of the document.
    ///
    /// # Errors
    /// If the trace has no such attention, layer, head, sentence or word, or cannot be read.
    pub fn sentences(source: &TraceSource, query: &Query, order: Order) -> Result<Self> {
        let attention = Attention::find(source, query, AttentionRole::Context)?;
        let mut map = Self::begin(source, query, &attention, "Context: words × sentences");
        let means = Self::read(source, &attention, query)?;
        let side = attention.info(source).keys.side();
        let number = source.overview().sentences(side).len();
        let total = total(means.iter().map(|mean| mean.sentences.as_slice()));
        let order = match order {
            Order::Document => (0..u32::try_from(number).unwrap_or(u32::MAX)).collect(),
            Order::Weight => by_weight(&total),
        };
        map.columns = order
            .iter()
            .map(|&key| sentence_unit(key as usize))
            .collect();
        map.fill(&order, &means, |mean| (&mean.sentences, mean.sentence_rest));
        let visible = source
            .overview()
            .visible(attention.info(source), query.sentence);
        let visible: Vec<usize> = visible.collect();
        let is_masked = |column: &Unit| visible.binary_search(&column.sentence).is_err();
        map.masks = map.columns.iter().any(is_masked);
        map.zeros = Zeros::count_sentences(source, &attention, query.sentence)?;
        Ok(map)
    }

    /// Words of a sentence × words of the context sentences that they chose, grouped by sentence: of the `limit` sentences
    /// with the most weight; what the others have is `elsewhere`. If a word is selected, its sentences count.
    ///
    /// # Errors
    /// If the trace has no such attention, layer, head, sentence or word, or cannot be read.
    pub fn words(source: &TraceSource, query: &Query, order: Order, limit: usize) -> Result<Self> {
        let attention = Attention::find(source, query, AttentionRole::Context)?;
        let mut map = Self::begin(source, query, &attention, "Context: words × words");
        let means = Self::read(source, &attention, query)?;
        let rows = match map.selected {
            Some(row) => &means[row..=row],
            None => &means[..],
        };
        let weighing = total(rows.iter().map(|mean| mean.sentences.as_slice()));
        let mut chosen = by_weight(&weighing);
        chosen.truncate(limit);
        if order == Order::Document {
            chosen.sort_unstable();
        }
        map.word_columns(source, &attention, &chosen, &means);
        map.zeros = Zeros::count_words(source, &attention, query.sentence)?;
        Ok(map)
    }

    /// Words of a translated sentence × words of its source.
    ///
    /// # Errors
    /// If the trace has no such attention, layer, head, sentence or word, or cannot be read.
    pub fn cross(source: &TraceSource, query: &Query) -> Result<Self> {
        let query = Query {
            side: Side::Target,
            ..*query
        };
        Self::own(
            source,
            &query,
            AttentionRole::Cross,
            "Cross-attention: target × source",
        )
    }

    /// Words of a source sentence × the words that they read together with it.
    ///
    /// # Errors
    /// If the trace has no such attention, layer, head, sentence or word, or cannot be read.
    pub fn self_attention(source: &TraceSource, query: &Query) -> Result<Self> {
        let query = Query {
            side: Side::Source,
            ..*query
        };
        Self::own(
            source,
            &query,
            AttentionRole::Itself,
            "Self-attention of the encoder",
        )
    }

    /// Map of the query's own sentence and of what else was read with it.
    fn own(source: &TraceSource, query: &Query, role: AttentionRole, title: &str) -> Result<Self> {
        let attention = Attention::find(source, query, role)?;
        let mut map = Self::begin(source, query, &attention, title);
        let means = Self::read(source, &attention, query)?;
        let weights = total(means.iter().map(|mean| mean.sentences.as_slice()));
        let mut seen: Vec<u32> = weights.into_keys().collect();
        let own = u32::try_from(query.sentence).unwrap_or(u32::MAX);
        if !seen.contains(&own) {
            seen.push(own);
        }
        seen.sort_unstable();
        map.word_columns(source, &attention, &seen, &means);
        if seen.len() == 1 {
            map.groups.clear();
        }
        map.zeros = Zeros::count_words(source, &attention, query.sentence)?;
        Ok(map)
    }

    fn begin(source: &TraceSource, query: &Query, attention: &Attention, title: &str) -> Self {
        let queries = attention.info(source).queries;
        let sentence = query.sentence;
        let rows = match queries {
            Units::SourceWords | Units::TargetWords => {
                word_units(source, queries.side(), sentence).collect()
            }
            Units::SourceSentences | Units::TargetSentences => vec![sentence_unit(sentence)],
        };
        Self {
            title: title.to_owned(),
            query: query.breadcrumb(source.overview(), attention),
            measure: attention.measure(1),
            row_side: queries.side(),
            column_side: attention.info(source).keys.side(),
            rows,
            selected: query.word.filter(|_| queries.are_words()),
            ..Self::default()
        }
    }

    fn read(source: &TraceSource, attention: &Attention, query: &Query) -> Result<Vec<MeanRow>> {
        let reader = Rows::new(source, attention);
        let rows = attention.rows(source, query.sentence);
        rows.map(|row| reader.mean(row..row + 1)).collect()
    }

    fn word_columns(
        &mut self,
        source: &TraceSource,
        attention: &Attention,
        sentences: &[u32],
        means: &[MeanRow],
    ) {
        let side = attention.info(source).keys.side();
        let weights = total(means.iter().map(|mean| mean.sentences.as_slice()));
        for &sentence in sentences {
            let start = self.columns.len();
            self.columns
                .extend(word_units(source, side, sentence as usize));
            #[expect(clippy::cast_possible_truncation, reason = "a share")]
            self.groups.push(Group {
                sentence: sentence as usize,
                columns: start..self.columns.len(),
                weight: (weights.get(&sentence).unwrap_or(&0.0) / means.len().max(1) as f64) as f32,
            });
        }
        let order: Vec<u32> = self
            .columns
            .iter()
            .filter_map(|column| u32::try_from(column.word?).ok())
            .collect();
        self.fill(&order, means, |mean| (&mean.words, mean.word_rest));
    }

    /// Sets cells and rest; `order` has the key of each column.
    fn fill<'a>(
        &mut self,
        order: &[u32],
        means: &'a [MeanRow],
        weights: impl Fn(&'a MeanRow) -> (&'a Vec<(u32, f32)>, f32),
    ) {
        let mut places: Vec<(u32, u32)> = order.iter().copied().zip(0..).collect();
        places.sort_unstable();
        for mean in means {
            let (keys, rest) = weights(mean);
            let mut cells = Vec::with_capacity(keys.len());
            let mut elsewhere = 0.0;
            for &(key, weight) in keys.iter().filter(|(_, weight)| *weight > 0.0) {
                match places.binary_search_by_key(&key, |&(key, _)| key) {
                    Ok(place) => cells.push((places[place].1, weight)),
                    Err(_) => elsewhere += weight,
                }
            }
            cells.sort_unstable_by_key(|&(column, _)| column);
            self.cells.push(cells);
            self.rest.push(rest);
            self.other_columns.push(elsewhere);
        }
        let rows = means.iter().map(weights);
        self.divergence = row_divergence(rows.map(|(keys, rest)| (keys.as_slice(), rest)));
    }

    /// Weight of a cell, 0 where there is none.
    pub fn weight(&self, row: usize, column: usize) -> f32 {
        let cells = &self.cells[row];
        let found = cells.binary_search_by_key(&column, |&(column, _)| column as usize);
        found.map_or(0.0, |place| cells[place].1)
    }

    /// The largest weight of a cell, for the scale.
    pub fn largest(&self) -> f32 {
        let weights = self.cells.iter().flatten().map(|&(_, weight)| weight);
        weights.fold(0.0, f32::max)
    }
}

fn sentence_unit(sentence: usize) -> Unit {
    Unit {
        label: (sentence + 1).to_string(),
        sentence,
        word: None,
    }
}

fn word_units(source: &TraceSource, side: Side, sentence: usize) -> impl Iterator<Item = Unit> {
    let overview = source.overview();
    let rows = overview.words(side).rows(sentence);
    let tokens = &overview.sentences(side)[sentence].tokens;
    tokens.iter().zip(rows).map(move |(token, row)| Unit {
        label: shown(token).to_owned(),
        sentence,
        word: Some(row),
    })
}

/// The sum of each key's weights.
fn total<'a>(rows: impl Iterator<Item = &'a [(u32, f32)]>) -> BTreeMap<u32, f64> {
    let mut total = BTreeMap::new();
    for &(key, weight) in rows.flatten() {
        if weight > 0.0 {
            *total.entry(key).or_insert(0.0) += f64::from(weight);
        }
    }
    total
}

/// Keys with the most weight first; of equal ones the first in the document.
pub(super) fn by_weight(total: &BTreeMap<u32, f64>) -> Vec<u32> {
    let mut keys: Vec<(u32, f64)> = total.iter().map(|(&key, &weight)| (key, weight)).collect();
    keys.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    keys.into_iter().map(|(key, _)| key).collect()
}
