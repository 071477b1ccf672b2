//! The state of a search: a hypothesis is a list of rows, so that a reordered beam copies none.

use std::ops::Range;
use std::sync::Arc;

use super::context::ContextMemory;
use super::layers::Buffers;
use crate::model::counting::{Place, place_after};
use canopy_kernels::packed::{Scratch, SharedRows};

/// States of the tokens of some translations, as [`DecoderOutput`](crate::model::DecoderOutput).
#[derive(Debug, Clone, Default)]
pub struct PackedDecoderOutput {
    /// `[rows, d_model]`
    pub states: Vec<f32>,
    /// The input of the feed-forward sublayer of the last layer, `[rows, d_model]`.
    pub fed_forward: Vec<f32>,
}

/// States of the words of a translation that other sentences read, as [`PackedDecoderOutput`].
#[derive(Debug, Clone, Default)]
pub struct TranslationStates {
    /// `[rows, d_model]`
    pub states: Vec<f32>,
    /// `[rows, d_model]`
    pub fed_forward: Vec<f32>,
}

/// Encoded sentences as plain numbers.
#[derive(Debug, Clone)]
pub struct PackedEncoderOutput {
    /// `[rows, d_model]`
    pub states: Vec<f32>,
    /// Rows of every sentence.
    pub sentences: Vec<Range<usize>>,
    /// Place of the first word of each of them, as in [`PackedBatch::positions`](crate::model::PackedBatch::positions).
    pub positions: Vec<Place>,
    /// The memory that their translations read beyond them.
    pub(super) context_memory: Option<Arc<ContextMemory>>,
}

/// Keys and values of encoded sentences, as every layer reads them.
#[derive(Debug, Clone)]
pub struct PackedSource {
    pub(super) layers: Arc<Vec<SharedRows>>,
    /// Place of the first word of each of them.
    pub(super) positions: Vec<Place>,
    pub(super) context_memory: Option<Arc<ContextMemory>>,
}

/// Words after which unread rows are removed.
const BETWEEN: usize = 4;

/// A number of hypotheses that grow together.
#[derive(Debug, Clone)]
pub struct PackedState {
    /// Words decoded so far, the same for all hypotheses.
    len: usize,
    pub(super) source: PackedSource,
    /// The sentence of each hypothesis.
    pub(super) numbers: Vec<usize>,
    /// For each layer and each word so far keys and values of the hypotheses there were, as far as one is left that grew
    /// from them: `[rows, 2 · d_model]`.
    pub(super) own: Vec<Vec<Vec<f32>>>,
    /// For each layer with a recurrent unit its cells after the words so far, `[hypotheses, d_model]`.
    pub(super) cells: Vec<Vec<f32>>,
    /// How many rows each word so far has.
    counts: Vec<usize>,
    /// For each hypothesis its row among those of each word.
    pub(super) rows: Vec<Vec<u32>>,
    pub(super) buffers: Buffers,
}

impl PackedState {
    /// Before the first word, with one hypothesis for each of the sentences `numbers`.
    pub(super) fn new(
        num_layers: usize,
        source: PackedSource,
        numbers: &[usize],
        scratch: Scratch,
    ) -> Self {
        Self {
            len: 0,
            source,
            numbers: numbers.to_vec(),
            own: vec![Vec::new(); num_layers],
            cells: vec![Vec::new(); num_layers],
            counts: Vec::new(),
            rows: vec![Vec::new(); numbers.len()],
            buffers: Buffers::new(scratch),
        }
    }

    /// The sentence of each hypothesis, by its place among those that were started.
    pub fn sentences(&self) -> &[usize] {
        &self.numbers
    }

    /// Returns the number of hypotheses.
    pub fn num_hypotheses(&self) -> usize {
        self.rows.len()
    }

    /// Whether the last step was that of the first word.
    pub fn is_first_word(&self) -> bool {
        self.len == 1
    }

    /// Words decoded so far.
    pub fn num_words(&self) -> usize {
        self.len
    }

    /// Place of the next word of every hypothesis.
    pub(super) fn next_positions(&self) -> Vec<Place> {
        let place = |&number: &usize| place_after(&self.source.positions[number], self.len);
        self.numbers.iter().map(place).collect()
    }

    pub(super) fn scratch(&mut self) -> &mut Scratch {
        &mut self.buffers.scratch
    }

    /// Every hypothesis gets the row of its own number.
    pub(super) fn begin_word(&mut self) {
        self.len += 1;
        self.counts.push(self.rows.len());
        for (row, rows) in (0..).zip(&mut self.rows) {
            rows.push(row);
        }
    }

    /// Keeps the named hypotheses, in this order; one may be kept more than once.
    pub fn select(&mut self, hypotheses: &[usize]) {
        if hypotheses.iter().copied().eq(0..self.rows.len()) {
            return;
        }
        self.numbers = hypotheses.iter().map(|&it| self.numbers[it]).collect();
        let num_hypotheses = self.rows.len();
        self.rows = hypotheses.iter().map(|&it| self.rows[it].clone()).collect();
        for cells in self.cells.iter_mut().filter(|cells| !cells.is_empty()) {
            let width = cells.len() / num_hypotheses;
            let cell = |&it: &usize| &cells[it * width..][..width];
            *cells = hypotheses.iter().flat_map(cell).copied().collect();
        }
        if self.len.is_multiple_of(BETWEEN) {
            self.drop_rows();
        }
    }

    /// Drops the keys and values that no hypothesis reads any more.
    fn drop_rows(&mut self) {
        for place in 0..self.len {
            let mut kept: Vec<u32> = self.rows.iter().map(|rows| rows[place]).collect();
            kept.sort_unstable();
            kept.dedup();
            let count = std::mem::replace(&mut self.counts[place], kept.len());
            if kept.len() == count {
                continue;
            }
            for blocks in self.own.iter_mut().filter(|blocks| !blocks.is_empty()) {
                let block = &mut blocks[place];
                let width = block.len() / count;
                let row = |&row: &u32| &block[row as usize * width..][..width];
                *block = kept.iter().map(row).collect::<Vec<_>>().concat();
            }
            for rows in &mut self.rows {
                let number = kept.partition_point(|&row| row < rows[place]);
                rows[place] = u32::try_from(number).expect("rows fit 32 bits");
            }
        }
    }
}
