//! A network on a GPU: its weights stay there in blocks, and a batch of tokens goes through all layers in one start.
//!
//! Activations have 32 bits, where the CPU rounds them to 8 beside weights in blocks, so that numbers differ by that rounding.

mod blocks;
mod cache;
mod stack;
#[cfg(test)]
mod tests;
mod upload;

use std::sync::Arc;

use canopy_kernels::gpu::{Gpu, GpuBlocks, Run};

use super::stack::Stack;
use super::{Attention, BATCH, Network, Recorder, SCORED};
pub(super) use cache::GpuCache;
use stack::{GpuStack, Tokens};
use upload::Upload;

/// Tokens whose attention is recorded together.
pub(super) const RECORDED: usize = 16;

/// Tokens of a source that there is room for at first.
const SOURCE: usize = 64;

/// The weights of a network on a GPU.
#[derive(Debug)]
pub(super) struct GpuNetwork {
    decoder: GpuStack,
    encoder: Option<GpuStack>,
    output: GpuBlocks,
}

impl GpuNetwork {
    /// Copies the weights of a network there.
    ///
    /// # Errors
    /// The reason why it stays on the CPU.
    ///
    /// # Panics
    /// If the GPU has too little memory or is lost, with a message that says so.
    pub(crate) fn new(gpu: &Arc<Gpu>, network: &Network) -> Result<Self, String> {
        if !gpu.unpacks_halves() {
            return Err("the GPU reads no half floats".to_owned());
        }
        let encoder = network.encoder.as_ref();
        let encoder = encoder.map(|it| GpuStack::new(gpu, &it.stack, 1.0));
        let upload = Upload {
            gpu,
            weights: &network.decoder.weights,
        };
        Ok(Self {
            decoder: GpuStack::new(gpu, &network.decoder, network.output_scale)?,
            encoder: encoder.transpose()?,
            output: upload.matrix(&network.output, None)?,
        })
    }

    /// A cache without positions.
    pub(crate) fn new_cache(&self, network: &Network) -> GpuCache {
        let vocab = self.output.outputs();
        let mut cache = self.decoder.new_cache(&network.decoder.sizes, BATCH, vocab);
        cache.encoder = self
            .encoder
            .as_ref()
            .zip(network.encoder.as_ref())
            .map(|(there, encoder)| Box::new(there.new_cache(&encoder.stack.sizes, SOURCE, 0)));
        cache
    }

    /// Has the encoder `stack` read a source `x` `[tokens, d_model]`, and gives a cache the keys and values of its states, in place of all
    /// that it has.
    pub(crate) fn read_source(&self, stack: &Stack, x: &[f32], cache: &mut GpuCache) {
        let (Some(there), Some(mut own)) = (&self.encoder, cache.encoder.take()) else {
            return;
        };
        let tokens = there.begin(stack, x, &mut own, 0);
        let (gpu, bound, held) = own.split();
        let mut run = Run::new(gpu, bound);
        for number in 0..there.layers.len() {
            there.layer(&mut run, stack, held, number, tokens);
        }
        let norm = (&there.output_norm, stack.sizes.epsilon);
        let shape = [tokens.count, stack.sizes.d_model];
        let work = held.work;
        run.rms_norm(norm, &work.x, (&work.normed, false), shape);
        run.start();
        cache.reserve_source(tokens.count);
        let (gpu, bound, target) = cache.split();
        let mut run = Run::new(gpu, bound);
        for (layer, source) in self.decoder.layers.iter().zip(target.source) {
            let Some(cross) = &layer.cross else { continue };
            for (matrix, output) in [&cross.keys, &cross.values].into_iter().zip(source) {
                let states = (&work.normed, 0);
                run.multiply_blocks(matrix, states, (output, false), tokens.count);
            }
        }
        run.start();
        cache.encoder = Some(own);
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
        let there = &self.decoder;
        let tokens = there.begin(stack, x, cache, first);
        let (gpu, bound, held) = cache.split();
        let mut run = Run::new(gpu, bound);
        for number in 0..there.layers.len() {
            there.layer(&mut run, stack, held, number, tokens);
        }
        if wanted == 0 {
            run.start();
            return;
        }
        let work = held.work;
        let norm = (&there.output_norm, stack.sizes.epsilon);
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

    /// Reads at most [`RECORDED`] tokens behind `first` positions of a cache and returns their attention, to the states of an
    /// encoder if there is one: all heads of a layer for one token after the other, then the next layer.
    pub(crate) fn read_recorded(
        &self,
        stack: &Stack,
        x: &[f32],
        (cache, first): (&mut GpuCache, usize),
        recorder: &mut Recorder<'_>,
    ) {
        let there = &self.decoder;
        let tokens = Tokens {
            is_recorded: true,
            ..there.begin(stack, x, cache, first)
        };
        let heads = stack.sizes.heads;
        cache.reserve_recorded(tokens.count * heads, first + tokens.count);
        let (gpu, bound, held) = cache.split();
        for (number, layer) in there.layers.iter().enumerate() {
            let mut run = Run::new(gpu, bound);
            let stride = there.layer(&mut run, stack, held, number, tokens);
            let weights = (&held.work.recorded, tokens.count * heads * stride);
            let [bits] = run.read([weights]);
            let weights: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
            for (index, weights) in weights.chunks_exact(stride).enumerate() {
                let position = first + index / heads;
                let visible = match layer.cross {
                    Some(_) => 0..stride,
                    None => stack.sizes.visible(number, position),
                };
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
}
