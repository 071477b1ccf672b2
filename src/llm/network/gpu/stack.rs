//! Layers of a Transformer on a GPU, those of an encoder or of a decoder.

use std::sync::Arc;

use canopy_kernels::gpu::{CachedAttention, DistanceBiases, Gpu, GpuBlocks, LARGEST_HEAD, Run};
use wgpu::Buffer;

use super::super::families::Pairs;
use super::super::positions::Positions;
use super::super::rotation::Rotation;
use super::super::sizes::Sizes;
use super::super::stack::Stack;
use super::cache::{GpuCache, Held, Work};
use super::upload::{GpuCross, GpuLayer, Upload};
use crate::product::Gate;

/// The weights of layers, and of the norm behind the last one.
#[derive(Debug)]
pub(super) struct GpuStack {
    pub gpu: Arc<Gpu>,
    pub layers: Vec<GpuLayer>,
    positions: Positions,
    pub output_norm: Buffer,
}

/// Tokens that are computed together: where they stand, and how many they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens {
    pub first: usize,
    pub count: usize,
    pub is_recorded: bool,
}

impl GpuStack {
    /// Copies weights there; states are multiplied by `output_scale` behind the last norm.
    ///
    /// # Errors
    /// The reason why they stay on the CPU.
    ///
    /// # Panics
    /// If the GPU has too little memory or is lost, with a message that says so.
    pub(crate) fn new(gpu: &Arc<Gpu>, stack: &Stack, output_scale: f32) -> Result<Self, String> {
        let d_head = stack.sizes.attention.d_head;
        if d_head > LARGEST_HEAD || !d_head.is_multiple_of(2) {
            return Err(format!("heads of {d_head} numbers are computed by the CPU"));
        }
        let upload = Upload {
            gpu,
            weights: &stack.weights,
        };
        let layers: Result<_, String> = stack.layers.iter().map(|it| upload.layer(it)).collect();
        let norm: Vec<f32> = stack
            .output_norm
            .iter()
            .map(|it| it * output_scale)
            .collect();
        Ok(Self {
            gpu: Arc::clone(gpu),
            layers: layers?,
            positions: stack.positions.clone(),
            output_norm: upload.vector(&norm),
        })
    }

    /// Numbers of the widest layer behind attention.
    pub(crate) fn d_hidden(&self) -> usize {
        let widths = self.layers.iter().map(|it| it.up.outputs());
        widths.max().unwrap_or_default()
    }

    /// A cache without positions, for `rows` tokens that are computed together, and the logits of a vocabulary.
    pub(crate) fn new_cache(&self, sizes: &Sizes, rows: usize, vocab: usize) -> GpuCache {
        GpuCache::new(&self.gpu, sizes, [rows, self.d_hidden(), vocab])
    }

    /// Gives a GPU what the layers begin with: `x` `[tokens, d_model]`, of the positions from `first` on.
    pub(crate) fn begin(
        &self,
        stack: &Stack,
        x: &[f32],
        cache: &mut GpuCache,
        first: usize,
    ) -> Tokens {
        let count = x.len() / stack.sizes.d_model;
        cache.reserve(first + count);
        cache.reserve_rows(count);
        self.gpu.write(&cache.work.x, x);
        match &self.positions {
            Positions::Rotated { rotation, sliding } => {
                for (buffer, rotation) in cache.work.angles.iter().zip([rotation, sliding]) {
                    self.gpu.write(buffer, &rotation.turns(first, count));
                }
            }
            Positions::Relative(relative) => cache.reserve_biases(relative),
        }
        Tokens {
            first,
            count,
            is_recorded: false,
        }
    }

    /// A layer; gives the number of weights of a query and head, to the states of an encoder if there is one, recorded or not.
    pub(crate) fn layer(
        &self,
        run: &mut Run<'_>,
        stack: &Stack,
        held: Held<'_>,
        number: usize,
        tokens: Tokens,
    ) -> usize {
        let Some(cross) = &self.layers[number].cross else {
            let width = self.attend(run, stack, held, number, tokens);
            self.feed_forward(run, stack, held.work, number, tokens.count);
            return width;
        };
        let unrecorded = Tokens {
            is_recorded: false,
            ..tokens
        };
        self.attend(run, stack, held, number, unrecorded);
        attend_to_source(run, &stack.sizes, held, (cross, number), tokens);
        self.feed_forward(run, stack, held.work, number, tokens.count);
        held.source_length
    }

    /// Attention of a layer to its own tokens; gives the number of weights of a query and head, recorded or not.
    fn attend(
        &self,
        run: &mut Run<'_>,
        stack: &Stack,
        held: Held<'_>,
        number: usize,
        Tokens {
            first,
            count,
            is_recorded,
        }: Tokens,
    ) -> usize {
        let (layer, sizes) = (&self.layers[number], &stack.sizes);
        let (work, cache) = (held.work, &held.layers[number]);
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
        let [queries, keys] = self.placed(run, (sizes, work), layer, (slides, count));
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
                cache: cache.each_ref(),
                first,
                all: stack.reads_on.then_some(end),
                heads: sizes.heads,
                kv_heads: sizes.kv_heads,
                width: d_head,
                window,
                scale: sizes.attention.scale,
                cap: sizes.attention.cap,
                biases: held.biases.map(|it| DistanceBiases {
                    numbers: it.layer(number),
                    width: it.width,
                    zero: it.zero,
                }),
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

    /// Queries and keys `[count, heads, d_head]` of a layer, normalised and rotated where the family does so.
    fn placed<'w>(
        &self,
        run: &mut Run<'_>,
        (sizes, work): (&Sizes, &'w Work),
        layer: &GpuLayer,
        (slides, count): (bool, usize),
    ) -> [&'w Buffer; 2] {
        let d_head = sizes.attention.d_head;
        let turns = match &self.positions {
            Positions::Rotated { rotation, sliding } => {
                let rotation: &Rotation = if slides { sliding } else { rotation };
                let (pairs, num_pairs) = rotation.pairs();
                let angles = &work.angles[usize::from(slides)];
                Some((angles, num_pairs, pairs == Pairs::Neighbours))
            }
            Positions::Relative(_) => None,
        };
        let rotate = |run: &mut Run<'_>, numbers: &Buffer, heads: usize| {
            if let Some(turns) = turns {
                run.rotate(turns, numbers, [count, heads, d_head]);
            }
        };
        let mut placed = [&work.queries, &work.keys];
        for ((placed, norm), (heads, normed)) in placed
            .iter_mut()
            .zip([&layer.query_norm, &layer.key_norm])
            .zip([
                (sizes.heads, &work.normed_queries),
                (sizes.kv_heads, &work.normed_keys),
            ])
        {
            if sizes.family.rotates_first {
                rotate(run, placed, heads);
            }
            if let Some(norm) = norm {
                let (norm, rows) = ((norm, sizes.epsilon), count * heads);
                run.rms_norm(norm, placed, (normed, false), [rows, d_head]);
                *placed = normed;
            }
            if !sizes.family.rotates_first {
                rotate(run, placed, heads);
            }
        }
        placed
    }

    /// The layer behind attention, gated or with ReLU.
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
        let normed = (&work.normed, 0);
        run.multiply_blocks(&layer.up, normed, (&work.up, false), tokens);
        let count = tokens * layer.up.outputs();
        let hidden = if let Some(gate) = &layer.gate {
            run.multiply_blocks(gate, normed, (&work.gates, false), tokens);
            run.gate(sizes.gate != Gate::Silu, &work.gates, &work.up, count);
            &work.gates
        } else {
            run.relu(&work.up, count);
            &work.up
        };
        let norm = layer.feed_forward_post_norm.as_ref();
        add(run, sizes, work, (&layer.down, hidden), norm, tokens);
    }
}

/// Attention of a layer to the states of an encoder.
fn attend_to_source(
    run: &mut Run<'_>,
    sizes: &Sizes,
    held: Held<'_>,
    (cross, number): (&GpuCross, usize),
    Tokens {
        first,
        count,
        is_recorded,
    }: Tokens,
) {
    let (work, all) = (held.work, held.source_length);
    let norm = (&cross.norm, sizes.epsilon);
    let shape = [count, sizes.d_model];
    run.rms_norm(norm, &work.x, (&work.normed, false), shape);
    let queries = (&work.queries, false);
    run.multiply_blocks(&cross.queries, (&work.normed, 0), queries, count);
    run.attend_cached(
        &CachedAttention {
            queries: &work.queries,
            cache: held.source[number].each_ref(),
            first,
            all: Some(all),
            heads: sizes.heads,
            kv_heads: sizes.kv_heads,
            width: sizes.attention.d_head,
            window: all,
            scale: sizes.attention.scale,
            cap: sizes.attention.cap,
            biases: None,
            in_halves: false,
        },
        &work.attended,
        is_recorded.then_some((&work.recorded, all)),
        count,
    );
    let part = (&cross.output, &work.attended);
    add(run, sizes, work, part, None, count);
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
