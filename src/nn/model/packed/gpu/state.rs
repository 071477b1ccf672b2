//! The state of a search on a GPU: a hypothesis is a list of rows, so that a reordered beam copies none.

use std::ops::Range;
use std::sync::Arc;

use wgpu::Buffer;

use crate::model::counting::{Place, place_after};
use crate::model::packed::context::ContextMemory;
use canopy_kernels::gpu::{Bound, Gpu};

/// Keys and values of encoded sentences, as every layer reads them.
#[derive(Debug)]
pub(super) struct GpuSource {
    /// Each `[rows, 2 · d_model]`.
    pub layers: Vec<Buffer>,
    /// Rows of every sentence.
    pub sentences: Vec<Range<usize>>,
    /// Place of the first word of each of them.
    pub positions: Vec<Place>,
}

/// Keys and values of the words so far.
#[derive(Debug)]
pub(super) struct OwnKeys {
    /// Each `[capacity, 2 · d_model]`.
    pub layers: Vec<Buffer>,
    /// Rows for which there is room.
    pub capacity: usize,
}

/// Buffers of the kernels of a word, for a fixed number of hypotheses.
#[derive(Debug)]
pub(super) struct Work {
    /// Each `[hypotheses, d_model]`.
    pub y: Buffer,
    pub normed: Buffer,
    pub branch: Buffer,
    pub queries: Buffer,
    pub context: Buffer,
    /// `[hypotheses, d_ff]`
    pub wide: Buffer,
    /// `[hypotheses, vocab]`
    pub scores: Buffer,
    /// The selected scores.
    pub selected: Buffer,
    /// For each hypothesis where the list of its rows begins, and how long it is; the same of its source sentence; the lists.
    pub places: Buffer,
    /// The input of the last feed-forward sublayer, `[hypotheses, d_model]`.
    pub fed: Buffer,
    /// How near that is to the states of a datastore, `[hypotheses, states]`.
    pub nearness: Buffer,
    /// The nearest of them, and the scores of what followed them.
    pub near: Buffer,
    pub theirs: Buffer,
    hypotheses: usize,
}

/// Numbers of a row of the buffers of [`Work`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Widths {
    /// Width of a state.
    pub d_model: usize,
    /// Width inside the feed-forward layer.
    pub d_ff: usize,
    pub vocab: usize,
    /// States of a datastore, and how many of them are read.
    pub states: usize,
    pub nearest: usize,
}

impl Work {
    pub(super) fn new(gpu: &Gpu, widths: Widths, hypotheses: usize) -> Self {
        let room = |width: usize| gpu.room(hypotheses * width);
        Self {
            y: room(widths.d_model),
            normed: room(widths.d_model),
            branch: room(widths.d_model),
            queries: room(widths.d_model),
            context: room(widths.d_model),
            wide: room(widths.d_ff),
            scores: room(widths.vocab),
            selected: room(64),
            places: room(64),
            fed: room(widths.d_model),
            nearness: room(widths.states),
            near: room(1 + 2 * widths.nearest),
            theirs: room(widths.nearest),
            hypotheses,
        }
    }
}

/// A number of hypotheses that grow together.
#[derive(Debug)]
pub struct GpuState {
    gpu: Arc<Gpu>,
    pub(super) bound: Bound,
    pub(super) source: GpuSource,
    pub(super) own: OwnKeys,
    pub(super) work: Work,
    widths: Widths,
    pub(super) len: usize,
    /// Rows of keys and values before the last word.
    pub(super) last: usize,
    /// Rows of keys and values that are taken.
    taken: usize,
    /// The sentence of each hypothesis.
    pub(super) numbers: Vec<usize>,
    /// For each hypothesis the rows of its words.
    rows: Vec<Vec<u32>>,
    /// The memory that translations read beyond their own sentence.
    pub(super) context_memory: Option<Arc<ContextMemory>>,
}

impl GpuState {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        bound: Bound,
        source: GpuSource,
        num_layers: usize,
        widths: Widths,
    ) -> Self {
        /// Words for which there is room at first.
        const WORDS: usize = 16;
        let hypotheses = source.sentences.len();
        let capacity = WORDS * hypotheses.max(4);
        let room = || gpu.room(capacity * 2 * widths.d_model);
        Self {
            bound,
            own: OwnKeys {
                layers: (0..num_layers).map(|_| room()).collect(),
                capacity,
            },
            work: Work::new(gpu, widths, hypotheses),
            widths,
            len: 0,
            last: 0,
            taken: 0,
            numbers: (0..hypotheses).collect(),
            rows: vec![Vec::new(); hypotheses],
            source,
            gpu: Arc::clone(gpu),
            context_memory: None,
        }
    }

    /// This state with the memory that its hypotheses read beyond their own sentence.
    pub(super) fn reading(self, context_memory: Option<&Arc<ContextMemory>>) -> Self {
        Self {
            context_memory: context_memory.cloned(),
            ..self
        }
    }

    /// Words decoded so far, the same for all hypotheses.
    pub(super) fn num_words(&self) -> usize {
        self.len
    }

    /// Place of the next word of every hypothesis.
    pub(super) fn next_positions(&self) -> Vec<Place> {
        let place = |&number: &usize| place_after(&self.source.positions[number], self.len);
        self.numbers.iter().map(place).collect()
    }

    /// Makes room for one more word of every hypothesis, of which `num_values` numbers are read, and puts its embedding `y` and
    /// the places of what it reads there.
    pub(super) fn begin_word(&mut self, y: &[f32], num_values: usize) {
        let hypotheses = self.rows.len();
        self.len += 1;
        self.last = self.taken;
        self.taken += hypotheses;
        for (row, rows) in (small(self.last)..).zip(&mut self.rows) {
            rows.push(row);
        }
        if hypotheses > self.work.hypotheses {
            self.bound.forget();
            self.work = Work::new(&self.gpu, self.widths, hypotheses);
        }
        if self.taken > self.own.capacity {
            self.bound.forget();
            let capacity = 2 * self.taken;
            for keys in &mut self.own.layers {
                *keys = self.gpu.grown(keys, capacity * 2 * self.widths.d_model);
            }
            self.own.capacity = capacity;
        }
        let places = self.places();
        for (buffer, numbers) in [
            (&mut self.work.places, places.len()),
            (&mut self.work.selected, num_values * hypotheses),
        ] {
            if buffer.size() < (numbers * size_of::<u32>()) as u64 {
                self.bound.forget();
                *buffer = self.gpu.room(2 * numbers);
            }
        }
        self.gpu.write(&self.work.places, &places);
        self.gpu.write(&self.work.y, y);
    }

    /// As [`Work::places`] is filled.
    fn places(&self) -> Vec<u32> {
        let (hypotheses, len) = (self.rows.len(), self.len);
        let mut places = Vec::with_capacity(hypotheses * (4 + len));
        places.extend((0..hypotheses).flat_map(|it| [4 * hypotheses + it * len, len].map(small)));
        places.extend(self.numbers.iter().flat_map(|&number| {
            let rows = &self.source.sentences[number];
            [rows.start, rows.len()].map(small)
        }));
        places.extend(self.rows.iter().flatten());
        places
    }

    /// Keeps the named hypotheses, in this order; one may be kept more than once.
    pub fn select(&mut self, hypotheses: &[usize]) {
        if hypotheses.iter().copied().eq(0..self.rows.len()) {
            return;
        }
        self.numbers = hypotheses.iter().map(|&it| self.numbers[it]).collect();
        self.rows = hypotheses.iter().map(|&it| self.rows[it].clone()).collect();
    }
}

pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).expect("rows fit 32 bits")
}
