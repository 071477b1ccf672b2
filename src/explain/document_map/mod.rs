//! The weight that every sentence of a document put on every other one: sparse, as large as the document.

mod bins;
mod generated;
mod picture;
mod view;

use std::ops::Range;

use serde::Serialize;

pub use bins::Bins;
pub use picture::{MapColours, MapFrame, Strip};
pub use view::MapView;

use super::query::{Attention, AttentionRole, Heads, Query};
use super::rows::{ROUNDING, Rows};
use crate::error::Result;
use crate::trace::{Side, TraceSource, Visible};

/// Sentences × sentences in compressed rows: only what has weight is here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentMap {
    /// Such as `Context: sentences × sentences`.
    pub title: String,
    /// Layer and head.
    pub query: String,
    /// The meaning of a number: weight of one head, or mass of several words or heads.
    pub measure: String,
    /// Side of the columns.
    pub column_side: Side,
    /// Whether some sentences could not see all others.
    pub masks: bool,
    /// How many there are.
    columns: usize,
    /// `[rows + 1]`: where the cells of each row begin; the last is their number.
    offsets: Vec<u32>,
    /// `[cells]`, ascending within a row.
    keys: Vec<u32>,
    /// `[cells]`, all above 0; what is not here is exactly 0 or in `rest`.
    weights: Vec<f32>,
    /// `[rows]`: weight that was dropped, or belongs to no sentence.
    rest: Vec<f32>,
}

impl DocumentMap {
    /// Without rows; see [`DocumentMap::push_row`].
    pub fn empty(columns: usize) -> Self {
        Self {
            title: "Context: sentences × sentences".to_owned(),
            query: String::new(),
            measure: "attention weight".to_owned(),
            column_side: Side::Source,
            masks: false,
            columns,
            offsets: vec![0],
            keys: Vec::new(),
            weights: Vec::new(),
            rest: Vec::new(),
        }
    }

    /// The map of the sentences of `side` in one layer, the last that has such attention if none is named: the mean of
    /// each sentence's words, and of all heads if all are requested.
    ///
    /// # Errors
    /// If the trace has no such attention, layer or head, has no sentences, or cannot be read.
    pub fn new(
        source: &TraceSource,
        side: Side,
        layer: Option<usize>,
        heads: Heads,
    ) -> Result<Self> {
        let query = Query {
            layer,
            heads,
            ..Query::sentence(side, 0)
        };
        let attention = Attention::find(source, &query, AttentionRole::Context)?;
        let info = attention.info(source);
        let overview = source.overview();
        let words = if info.queries.are_words() { 2 } else { 1 };
        let mut map = Self::empty(overview.sentences(info.keys.side()).len());
        map.query = format!("all sentences · {}", attention.location(source.overview()));
        map.measure = attention.measure(words);
        map.column_side = info.keys.side();
        map.masks = info.windowed || info.visible != Visible::All;
        let reader = Rows::new(source, &attention);
        // Not read from the trace sentence by sentence, which would count all words each time.
        let queries = overview.words(side);
        for sentence in 0..overview.sentences(side).len() {
            let rows = if info.queries.are_words() {
                queries.rows(sentence)
            } else {
                sentence..sentence + 1
            };
            let mean = reader.mean(rows)?;
            map.push_row(mean.sentences, mean.sentence_rest);
        }
        Ok(map)
    }

    /// Adds a row of `(column, weight)`, columns ascending, and what of its weight is in none of them.
    ///
    /// # Panics
    /// If columns do not ascend or are not in the map.
    pub fn push_row(&mut self, cells: impl IntoIterator<Item = (u32, f32)>, rest: f32) {
        let start = self.keys.len();
        for (column, weight) in cells {
            let ascends = self.keys[start..].last().is_none_or(|&last| last < column);
            assert!(ascends && (column as usize) < self.columns, "{column}");
            if weight > 0.0 {
                self.keys.push(column);
                self.weights.push(weight);
            }
        }
        let end = u32::try_from(self.keys.len()).expect("less than 2³² cells");
        self.offsets.push(end);
        self.rest.push(if rest > ROUNDING { rest } else { 0.0 });
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rest.len()
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many cells are not blank.
    pub fn num_cells(&self) -> usize {
        self.keys.len()
    }

    /// Places of the cells of some rows among all cells.
    pub fn range(&self, rows: Range<usize>) -> Range<usize> {
        self.offsets[rows.start] as usize..self.offsets[rows.end] as usize
    }

    /// Column and weight of what a row looked at, ascending by column.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f32)> {
        let cells = self.range(row..row + 1);
        let keys = self.keys[cells.clone()].iter();
        keys.copied().zip(self.weights[cells].iter().copied())
    }

    /// Weight of a cell, 0 where there is none.
    pub fn weight(&self, row: usize, column: usize) -> f32 {
        let cells = self.range(row..row + 1);
        let keys = &self.keys[cells.clone()];
        let found = keys.binary_search_by_key(&column, |&key| key as usize);
        found.map_or(0.0, |place| self.weights[cells.start + place])
    }

    /// `(row, column, weight)` of the greatest weight among some rows and columns; `None` if all are blank.
    pub fn greatest(&self, rows: Range<usize>, columns: &Range<usize>) -> Option<MapCell> {
        let cells = rows.flat_map(|row| {
            let cells = self.range(row..row + 1);
            let keys = &self.keys[cells.clone()];
            let place = |column| keys.partition_point(|&key| (key as usize) < column);
            (cells.start + place(columns.start)..cells.start + place(columns.end)).map(
                move |cell| MapCell {
                    row,
                    column: self.keys[cell] as usize,
                    weight: self.weights[cell],
                },
            )
        });
        cells.max_by(|a, b| a.weight.total_cmp(&b.weight))
    }

    /// `[rows]`: weight that was dropped, or belongs to no sentence.
    pub fn rest(&self) -> &[f32] {
        &self.rest
    }

    /// Whether anything was dropped: then a blank cell need not be 0.
    pub fn has_rest(&self) -> bool {
        self.rest.iter().any(|&rest| rest > 0.0)
    }

    /// The largest weight of a cell, for the scale.
    pub fn largest(&self) -> f32 {
        self.weights.iter().copied().fold(0.0, f32::max)
    }
}

/// A place of a map and its weight; rows and columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapCell {
    /// The row.
    pub row: usize,
    /// The column.
    pub column: usize,
    /// 0 if the cell is blank.
    pub weight: f32,
}

#[cfg(test)]
mod tests;
