//! The layers of a decoder on a GPU: its weights stay there in blocks, and a batch of tokens goes through all layers in one
//! start.
//!
//! Activations have 32 bits, where the CPU rounds them to 8 beside weights in blocks, so that numbers differ by that rounding.

mod blocks;
mod cache;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use canopy_kernels::gpu::{CachedAttention, Gpu, GpuBlocks, LARGEST_HEAD, Run};
use wgpu::Buffer;

use super::families::Pairs;
use super::layer::{Layer, Linear};
use super::positions::Positions;
use super::rotation::Rotation;
use super::sizes::Sizes;
use super::stack::Stack;
use super::{Attention, Network, Recorder, SCORED};
use crate::product::Gate;
use crate::weights::{Tensor, Weights};
pub(super) use cache::GpuCache;
use cache::Work;

/// Tokens whose attention is recorded together.
pub(super) const RECORDED: usize = 16;

/// The weights of a decoder on a GPU.
#[derive(Debug)]
pub(super) struct GpuStack {
    gpu: Arc<Gpu>,
    layers: Vec<GpuLayer>,
    /// Of layers that see everything, and of those with a window.
    rotations: [Rotation; 2],
    output_norm: Buffer,
    output: GpuBlocks,
}

#[derive(Debug)]
struct GpuLayer {
    attention_norm: Buffer,
    queries: GpuBlocks,
    keys: GpuBlocks,
    values: GpuBlocks,
    query_norm: Option<Buffer>,
    key_norm: Option<Buffer>,
    attention_output: GpuBlocks,
    attention_post_norm: Option<Buffer>,
    feed_forward_norm: Buffer,
    gate: GpuBlocks,
    up: GpuBlocks,
    down: GpuBlocks,
    feed_forward_post_norm: Option<Buffer>,
}

/// The weights of a file on their way to a GPU.
struct Upload<'w> {
    gpu: &'w Arc<Gpu>,
    weights: &'w Weights,
}

impl Upload<'_> {
    fn vector(&self, numbers: &[f32]) -> Buffer {
        self.gpu.filled(numbers)
    }

    fn norm(&self, numbers: Option<&Vec<f32>>) -> Option<Buffer> {
        numbers.map(|it| self.vector(it))
    }

    /// A matrix, or why the GPU does not take it.
    fn matrix(&self, tensor: &Tensor, bias: Option<&[f32]>) -> Result<GpuBlocks, String> {
        let Tensor {
            kind,
            columns,
            rows,
            ..
        } = *tensor;
        if !columns.is_multiple_of(8) {
            return Err(format!("rows of {columns} numbers are computed by the CPU"));
        }
        // Bytes of a number: an integer has one at most.
        let each = (kind.bytes() / kind.numbers()).max(1);
        if !self.gpu.has_room((columns * rows * each) as u64) {
            return Err(format!(
                "the GPU binds less than {columns} × {rows} numbers at once"
            ));
        }
        let numbers = blocks::numbers(kind, self.weights.bytes(tensor));
        Ok(GpuBlocks::new(self.gpu, [columns, rows], &numbers, bias))
    }

    fn linear(&self, part: &Linear) -> Result<GpuBlocks, String> {
        self.matrix(&part.weights, part.bias.as_deref())
    }

    fn layer(&self, layer: &Layer, gate: &Linear) -> Result<GpuLayer, String> {
        Ok(GpuLayer {
            attention_norm: self.vector(&layer.attention_norm),
            queries: self.linear(&layer.queries)?,
            keys: self.linear(&layer.keys)?,
            values: self.linear(&layer.values)?,
            query_norm: self.norm(layer.query_norm.as_ref()),
            key_norm: self.norm(layer.key_norm.as_ref()),
            attention_output: self.linear(&layer.attention_output)?,
            attention_post_norm: self.norm(layer.attention_post_norm.as_ref()),
            feed_forward_norm: self.vector(&layer.feed_forward_norm),
            gate: self.linear(gate)?,
            up: self.linear(&layer.up)?,
            down: self.linear(&layer.down)?,
            feed_forward_post_norm: self.norm(layer.feed_forward_post_norm.as_ref()),
        })
    }
}

/// Tokens that are computed together: where they stand, and how many they are.
#[derive(Debug, Clone, Copy)]
struct Tokens {
    first: usize,
    count: usize,
    is_recorded: bool,
}

impl GpuStack {
    /// Copies the weights of a network there.
    ///
    /// # Errors
    /// The reason why it stays on the CPU.
    ///
    /// # Panics
    /// If the GPU has too little memory or is lost, with a message that says so.
    pub(crate) fn new(gpu: &Arc<Gpu>, network: &Network) -> Result<Self, String> {
        let Stack {
            weights,
            sizes,
            positions,
            layers,
            output_norm,
            ..
        } = &network.decoder;
        let d_head = sizes.attention.d_head;
        let (None, Positions::Rotated { rotation, sliding }) = (&network.encoder, positions) else {
            return Err("models with an encoder are computed by the CPU".to_owned());
        };
        if !gpu.unpacks_halves() {
            return Err("the GPU reads no half floats".to_owned());
        }
        if d_head > LARGEST_HEAD || !d_head.is_multiple_of(2) {
            return Err(format!("heads of {d_head} numbers are computed by the CPU"));
        }
        let upload = Upload { gpu, weights };
        let mut there = Vec::new();
        for layer in layers {
            let Some(gate) = &layer.gate else {
                return Err("layers without a gate are computed by the CPU".to_owned());
            };
            there.push(upload.layer(layer, gate)?);
        }
        Ok(Self {
            gpu: Arc::clone(gpu),
            layers: there,
            rotations: [rotation.clone(), sliding.clone()],
            output_norm: upload.vector(output_norm),
            output: upload.matrix(&network.output, None)?,
        })
    }

    /// A cache without positions.
    pub(crate) fn new_cache(&self, sizes: &Sizes) -> GpuCache {
        let d_hidden = self.layers.first().map_or(0, |it| it.gate.outputs());
        GpuCache::new(&self.gpu, sizes, [d_hidden, self.output.outputs()])
    }

    /// Reads tokens behind `first` positions of a cache, and hands on the logits of the last `wanted` ones in parts.
    ///
    /// # Shapes
    /// - x: `[tokens, d_model]`; each part: `[up to SCORED, vocab]`
    pub(crate) fn read(
        &self,
        stack: &Stack,
        x: &[f32],
        (cache, first): (&mut GpuCache, usize),
        wanted: usize,
        each: &mut dyn FnMut(Vec<f32>),
    ) {
        let tokens = self.begin(stack, x, (cache, first));
        let GpuCache {
            gpu,
            bound,
            work,
            layers,
            ..
        } = cache;
        let mut run = Run::new(gpu, bound);
        for (number, cache) in layers.iter().enumerate() {
            self.attend(&mut run, stack, (work, cache), number, tokens);
            self.feed_forward(&mut run, stack, work, number, tokens.count);
        }
        if wanted == 0 {
            run.start();
            return;
        }
        let norm = (&self.output_norm, stack.sizes.epsilon);
        let shape = [tokens.count, stack.sizes.d_model];
        run.rms_norm(norm, &work.x, (&work.normed, false), shape);
        let vocab = self.output.outputs();
        for row in (tokens.count - wanted..tokens.count).step_by(SCORED) {
            let rows = SCORED.min(tokens.count - row);
            let from = (&work.normed, row);
            run.multiply_blocks(&self.output, from, (&work.logits, false), rows);
            let [bits] = run.read([(&work.logits, rows * vocab)]);
            each(bits.into_iter().map(f32::from_bits).collect());
            run = Run::new(gpu, bound);
        }
    }

    /// Reads at most [`RECORDED`] tokens behind `first` positions of a cache and returns their attention: all heads of a layer
    /// for one token after the other, then the next layer.
    pub(crate) fn read_recorded(
        &self,
        stack: &Stack,
        x: &[f32],
        (cache, first): (&mut GpuCache, usize),
        recorder: &mut Recorder<'_>,
    ) {
        let tokens = Tokens {
            is_recorded: true,
            ..self.begin(stack, x, (cache, first))
        };
        let heads = stack.sizes.heads;
        cache.reserve_recorded(tokens.count * heads * (first + tokens.count));
        let GpuCache {
            gpu,
            bound,
            work,
            layers,
            ..
        } = cache;
        for (number, cache) in layers.iter().enumerate() {
            let mut run = Run::new(gpu, bound);
            let stride = self.attend(&mut run, stack, (work, cache), number, tokens);
            self.feed_forward(&mut run, stack, work, number, tokens.count);
            let [bits] = run.read([(&work.recorded, tokens.count * heads * stride)]);
            let weights: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
            for (index, weights) in weights.chunks_exact(stride).enumerate() {
                let position = first + index / heads;
                let visible: Range<usize> = stack.sizes.visible(number, position);
                recorder(Attention {
                    layer: number,
                    head: index % heads,
                    position,
                    first: visible.start,
                    weights: &weights[..visible.len()],
                });
            }
        }
    }

    /// Gives a GPU what the layers begin with.
    fn begin(&self, stack: &Stack, x: &[f32], (cache, first): (&mut GpuCache, usize)) -> Tokens {
        let count = x.len() / stack.sizes.d_model;
        cache.reserve(first + count);
        self.gpu.write(&cache.work.x, x);
        for (buffer, rotation) in cache.work.angles.iter().zip(&self.rotations) {
            self.gpu.write(buffer, &rotation.turns(first, count));
        }
        Tokens {
            first,
            count,
            is_recorded: false,
        }
    }
}

/// The parts of a layer.
impl GpuStack {
    /// Attention of a layer to the positions up to each token; gives the number of weights of a query and head, recorded or
    /// not.
    fn attend(
        &self,
        run: &mut Run<'_>,
        stack: &Stack,
        (work, cache): (&Work, &[Buffer; 2]),
        number: usize,
        Tokens {
            first,
            count,
            is_recorded,
        }: Tokens,
    ) -> usize {
        let (layer, sizes) = (&self.layers[number], &stack.sizes);
        let (d_head, d_model) = (sizes.attention.d_head, sizes.d_model);
        let norm = (&layer.attention_norm, sizes.epsilon);
        run.rms_norm(norm, &work.x, (&work.normed, false), [count, d_model]);
        for (matrix, output) in [
            (&layer.queries, &work.queries),
            (&layer.keys, &work.keys),
            (&layer.values, &work.values),
        ] {
            run.multiply_blocks(matrix, (&work.normed, 0), (output, false), count);
        }
        let slides = sizes.slides(number);
        let rotation = &self.rotations[usize::from(slides)];
        let (pairs, num_pairs) = rotation.pairs();
        let angles = &work.angles[usize::from(slides)];
        let turns = (angles, num_pairs, pairs == Pairs::Neighbours);
        let mut placed = [&work.queries, &work.keys];
        for ((placed, norm), (heads, normed)) in placed
            .iter_mut()
            .zip([&layer.query_norm, &layer.key_norm])
            .zip([
                (sizes.heads, &work.normed_queries),
                (sizes.kv_heads, &work.normed_keys),
            ])
        {
            let shape = [count, heads, d_head];
            if sizes.family.rotates_first {
                run.rotate(turns, placed, shape);
            }
            if let Some(norm) = norm {
                let (norm, rows) = ((norm, sizes.epsilon), count * heads);
                run.rms_norm(norm, placed, (normed, false), [rows, d_head]);
                *placed = normed;
            }
            if !sizes.family.rotates_first {
                run.rotate(turns, placed, shape);
            }
        }
        let [queries, keys] = placed;
        let width = sizes.kv_heads * d_head;
        for (numbers, cache) in [keys, &work.values].into_iter().zip(cache) {
            let place = (cache, first * width, sizes.in_halves);
            run.store(numbers, place, count * width);
        }
        let end = first + count;
        let window = sizes
            .window
            .filter(|_| slides)
            .map_or(end, |it| it.min(end));
        let recorded = is_recorded.then_some((&work.recorded, window));
        run.attend_cached(
            &CachedAttention {
                queries,
                cache: [&cache[0], &cache[1]],
                first,
                heads: sizes.heads,
                kv_heads: sizes.kv_heads,
                width: d_head,
                window,
                scale: sizes.attention.scale,
                cap: sizes.attention.cap,
                in_halves: sizes.in_halves,
            },
            &work.attended,
            recorded,
            count,
        );
        let norm = layer.attention_post_norm.as_ref();
        let part = (&layer.attention_output, &work.attended);
        add(run, sizes, work, part, norm, count);
        window
    }

    /// The gated layer behind attention.
    fn feed_forward(
        &self,
        run: &mut Run<'_>,
        stack: &Stack,
        work: &Work,
        number: usize,
        tokens: usize,
    ) {
        let (layer, sizes) = (&self.layers[number], &stack.sizes);
        let norm = (&layer.feed_forward_norm, sizes.epsilon);
        let shape = [tokens, sizes.d_model];
        run.rms_norm(norm, &work.x, (&work.normed, false), shape);
        for (matrix, output) in [(&layer.gate, &work.gates), (&layer.up, &work.up)] {
            run.multiply_blocks(matrix, (&work.normed, 0), (output, false), tokens);
        }
        let count = tokens * layer.gate.outputs();
        run.gate(sizes.gate != Gate::Silu, &work.gates, &work.up, count);
        let norm = layer.feed_forward_post_norm.as_ref();
        add(run, sizes, work, (&layer.down, &work.gates), norm, tokens);
    }
}

/// Adds a product, behind its norm if there is one, to what went into the part of the layer.
fn add(
    run: &mut Run<'_>,
    sizes: &Sizes,
    work: &Work,
    (matrix, numbers): (&GpuBlocks, &Buffer),
    norm: Option<&Buffer>,
    tokens: usize,
) {
    let Some(norm) = norm else {
        run.multiply_blocks(matrix, (numbers, 0), (&work.x, true), tokens);
        return;
    };
    run.multiply_blocks(matrix, (numbers, 0), (&work.part, false), tokens);
    let shape = [tokens, sizes.d_model];
    run.rms_norm((norm, sizes.epsilon), &work.part, (&work.x, true), shape);
}
