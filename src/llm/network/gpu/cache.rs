//! Keys and values of the positions read so far on a GPU, and room for what a batch of tokens is computed with.

use std::fmt;
use std::sync::Arc;

use canopy_kernels::gpu::{Bound, Gpu};
use wgpu::Buffer;

use super::super::sizes::Sizes;
use super::super::{BATCH, SCORED};

/// Positions that there is room for at first.
const FIRST: usize = 1_024;

/// Steps of a layer, at most.
const STEPS: usize = 24;

/// Keys and values of all layers.
pub(in crate::network) struct GpuCache {
    pub gpu: Arc<Gpu>,
    pub bound: Bound,
    pub work: Work,
    /// Keys and values of a layer: `[positions, kv_heads, d_head]` each.
    pub layers: Vec<[Buffer; 2]>,
    /// Positions that there is room for.
    room: usize,
    /// Words of a position.
    width: usize,
}

/// Numbers of the tokens that are computed together: `[BATCH, …]`.
pub(in crate::network) struct Work {
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
}

impl GpuCache {
    /// Without positions.
    pub(crate) fn new(gpu: &Arc<Gpu>, sizes: &Sizes, [d_hidden, vocab]: [usize; 2]) -> Self {
        let each = if sizes.in_halves { 2 } else { 1 };
        let d_head = sizes.attention.d_head;
        let (queries, keys) = (sizes.heads * d_head, sizes.kv_heads * d_head);
        let width = keys / each;
        let rows = |columns: usize| gpu.room(BATCH * columns);
        Self {
            bound: Bound::for_steps(gpu, STEPS * sizes.num_layers),
            work: Work {
                x: rows(sizes.d_model),
                normed: rows(sizes.d_model),
                queries: rows(queries),
                keys: rows(keys),
                values: rows(keys),
                normed_queries: rows(queries),
                normed_keys: rows(keys),
                attended: rows(queries),
                part: rows(sizes.d_model),
                gates: rows(d_hidden),
                up: rows(d_hidden),
                angles: [rows(d_head), rows(d_head)],
                logits: gpu.room(SCORED * vocab),
                recorded: gpu.room(4),
            },
            layers: (0..sizes.num_layers)
                .map(|_| [gpu.room(FIRST * width), gpu.room(FIRST * width)])
                .collect(),
            room: FIRST,
            width,
            gpu: Arc::clone(gpu),
        }
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
        self.bound.forget();
    }

    /// Makes room for `count` recorded weights.
    pub(crate) fn reserve_recorded(&mut self, count: usize) {
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
