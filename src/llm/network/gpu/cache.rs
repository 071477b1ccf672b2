//! Keys and values of the positions read so far on a GPU, and room for what a batch of tokens is computed with.

use std::fmt;
use std::sync::Arc;

use canopy_kernels::gpu::{Bound, Gpu};
use wgpu::Buffer;

use super::super::SCORED;
use super::super::relative::Relative;
use super::super::sizes::Sizes;

/// Positions that there is room for at first.
const FIRST: usize = 1_024;

/// Steps of a layer, at most.
const STEPS: usize = 24;

/// Steps of a run beside those of the layers, at most.
const OTHER_STEPS: usize = 8;

/// Keys and values of all layers.
pub(in crate::network) struct GpuCache {
    gpu: Arc<Gpu>,
    bound: Bound,
    pub(super) work: Work,
    /// Keys and values of a layer: `[positions, kv_heads, d_head]` each.
    layers: Vec<[Buffer; 2]>,
    /// Those of an encoder's states, if there is an encoder: 32-bit floats.
    source: Vec<[Buffer; 2]>,
    /// Positions of the encoder.
    source_length: usize,
    /// The cache of the encoder, if there is one.
    pub(super) encoder: Option<Box<Self>>,
    /// Biases for the positions that there is room for.
    biases: Option<Biases>,
    /// Positions that there is room for.
    room: usize,
    /// Words of a position.
    width: usize,
    /// Positions of the encoder that there is room for.
    source_room: usize,
    widths: Widths,
}

/// The parts of a cache that layers read and write.
#[derive(Clone, Copy)]
pub(super) struct Held<'c> {
    pub work: &'c Work,
    pub layers: &'c [[Buffer; 2]],
    pub source: &'c [[Buffer; 2]],
    pub source_length: usize,
    pub biases: Option<&'c Biases>,
}

/// Numbers of the tokens that are computed together: `[rows, …]`.
pub(super) struct Work {
    pub x: Buffer,
    pub normed: Buffer,
    pub queries: Buffer,
    pub keys: Buffer,
    pub values: Buffer,
    pub normed_queries: Buffer,
    pub normed_keys: Buffer,
    pub attended: Buffer,
    pub part: Buffer,
    pub gates: Buffer,
    pub up: Buffer,
    /// Angles of layers that see everything, and of those with a window.
    pub angles: [Buffer; 2],
    /// `[SCORED, vocab]`
    pub logits: Buffer,
    /// Weights of attention that are recorded.
    pub recorded: Buffer,
    rows: usize,
}

/// Numbers of a token.
#[derive(Debug, Clone, Copy)]
struct Widths {
    d_model: usize,
    d_head: usize,
    queries: usize,
    keys: usize,
    d_hidden: usize,
    vocab: usize,
}

/// Biases of relative positions, by the distance from the query to the key.
pub(super) struct Biases {
    /// `[heads, width]` of each layer, or of the first, which all share.
    layers: Vec<Buffer>,
    /// Distances from `-zero` on.
    pub width: usize,
    pub zero: usize,
}

impl Biases {
    fn new(gpu: &Gpu, relative: &Relative, positions: usize) -> Self {
        let layers = relative.biases(0, positions);
        let layers = layers.iter().map(|it| gpu.filled(it.rows()));
        Self {
            layers: layers.collect(),
            width: 2 * positions - 1,
            zero: positions - 1,
        }
    }

    /// Those of a layer.
    pub(crate) fn layer(&self, number: usize) -> &Buffer {
        self.layers.get(number).unwrap_or(&self.layers[0])
    }
}

impl Work {
    fn new(gpu: &Gpu, rows: usize, widths: Widths) -> Self {
        let room = |columns: usize| gpu.room(rows * columns);
        Self {
            x: room(widths.d_model),
            normed: room(widths.d_model),
            queries: room(widths.queries),
            keys: room(widths.keys),
            values: room(widths.keys),
            normed_queries: room(widths.queries),
            normed_keys: room(widths.keys),
            attended: room(widths.queries),
            part: room(widths.d_model),
            gates: room(widths.d_hidden),
            up: room(widths.d_hidden),
            angles: [room(widths.d_head), room(widths.d_head)],
            logits: gpu.room(SCORED * widths.vocab),
            recorded: gpu.room(4),
            rows,
        }
    }
}

impl GpuCache {
    /// Without positions, for `rows` tokens that are computed together.
    pub(crate) fn new(gpu: &Arc<Gpu>, sizes: &Sizes, [rows, d_hidden, vocab]: [usize; 3]) -> Self {
        let each = if sizes.in_halves { 2 } else { 1 };
        let d_head = sizes.attention.d_head;
        let widths = Widths {
            d_model: sizes.d_model,
            d_head,
            queries: sizes.heads * d_head,
            keys: sizes.kv_heads * d_head,
            d_hidden,
            vocab,
        };
        let width = widths.keys / each;
        Self {
            bound: Bound::for_steps(gpu, STEPS * sizes.num_layers + OTHER_STEPS),
            work: Work::new(gpu, rows, widths),
            layers: (0..sizes.num_layers)
                .map(|_| [gpu.room(FIRST * width), gpu.room(FIRST * width)])
                .collect(),
            source: Vec::new(),
            source_length: 0,
            encoder: None,
            biases: None,
            room: FIRST,
            width,
            source_room: 0,
            widths,
            gpu: Arc::clone(gpu),
        }
    }

    /// The GPU, the bindings of its runs, and the parts that layers read and write.
    pub(super) fn split(&mut self) -> (&Arc<Gpu>, &mut Bound, Held<'_>) {
        let held = Held {
            work: &self.work,
            layers: &self.layers,
            source: &self.source,
            source_length: self.source_length,
            biases: self.biases.as_ref(),
        };
        (&self.gpu, &mut self.bound, held)
    }

    /// Makes room for `positions` positions.
    pub(crate) fn reserve(&mut self, positions: usize) {
        if positions <= self.room {
            return;
        }
        self.room = positions.next_power_of_two();
        let numbers = self.room * self.width;
        for buffer in self.layers.as_flattened_mut() {
            *buffer = self.gpu.grown(buffer, numbers);
        }
        self.biases = None;
        self.bound.forget();
    }

    /// Makes room for `rows` tokens that are computed together.
    pub(crate) fn reserve_rows(&mut self, rows: usize) {
        if rows > self.work.rows {
            self.work = Work::new(&self.gpu, rows.next_power_of_two(), self.widths);
            self.bound.forget();
        }
    }

    /// Makes room for keys and values of `positions` states of an encoder, in place of others.
    pub(crate) fn reserve_source(&mut self, positions: usize) {
        if positions > self.source_room {
            self.source_room = positions.next_power_of_two().max(64);
            let room = || self.gpu.room(self.source_room * self.widths.keys);
            let layers = 0..self.layers.len();
            self.source = layers.map(|_| [room(), room()]).collect();
            self.bound.forget();
        }
        self.source_length = positions;
    }

    /// Makes the biases of all positions that there is room for.
    pub(crate) fn reserve_biases(&mut self, relative: &Relative) {
        let (gpu, room) = (&self.gpu, self.room);
        self.biases
            .get_or_insert_with(|| Biases::new(gpu, relative, room));
    }

    /// Makes room for the weights of `queries` queries, each for `positions` positions, or those of an encoder.
    pub(crate) fn reserve_recorded(&mut self, queries: usize, positions: usize) {
        let count = queries * positions.max(self.source_length);
        if self.work.recorded.size() < (count * size_of::<f32>()) as u64 {
            self.work.recorded = self.gpu.room(count.next_power_of_two());
            self.bound.forget();
        }
    }
}

impl fmt::Debug for GpuCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("GpuCache");
        shown.field("room", &self.room).finish_non_exhaustive()
    }
}

impl fmt::Debug for Biases {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Biases");
        shown.field("width", &self.width).finish_non_exhaustive()
    }
}
