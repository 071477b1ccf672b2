//! Attention over runs of rows, whose weights are not kept: Dao et al., "FlashAttention", NeurIPS 2022.

use std::ops::Range;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, TensorMetadata, Wgpu};
use burn::tensor::Tensor;
use burn_cubecl::cubecl::server::Handle;
use burn_cubecl::tensor::CubeTensor;

use super::{Kernel, Number, TrainingKernels, empty, tracked, untracked};
use crate::attention::{Attention, Segment, are_all};
use crate::tape::on_tape;

/// Rows that a group of threads takes.
const BLOCK: usize = 32;
/// Numbers of a head, at most.
const WIDEST: usize = 64;
/// Threads of a group of [`Kernel::Delta`].
const THREADS: usize = 64;

/// The rows of each group of threads, as the kernels read them.
#[derive(Default)]
struct Blocks(Vec<i32>);

impl Blocks {
    /// By queries: of each block the first row, its rows, first key and keys, and how many keys the row before the first sees.
    fn by_queries(segments: &[Segment]) -> Self {
        let mut blocks = Self::default();
        for Segment { queries, keys } in segments {
            let before = signed(keys.len()) - signed(queries.len());
            blocks.push(queries, keys, before);
        }
        blocks
    }

    /// By keys: of each block the first row, its rows, first query and queries, and the first query that sees the first row.
    fn by_keys(segments: &[Segment]) -> Self {
        let mut blocks = Self::default();
        for Segment { queries, keys } in segments {
            let before = signed(queries.len()) - signed(keys.len());
            blocks.push(keys, queries, before);
        }
        blocks
    }

    fn push(&mut self, own: &Range<usize>, others: &Range<usize>, before: i32) {
        for first in own.clone().step_by(BLOCK) {
            let rows = BLOCK.min(own.end - first);
            let [first_row, rows] = [first, rows].map(signed);
            let [begin, count] = [others.start, others.len()].map(signed);
            let shift = before + signed(first - own.start);
            self.0.extend([first_row, rows, begin, count, shift]);
        }
    }

    fn len(&self) -> usize {
        self.0.len() / 5
    }

    fn upload(&self, like: &CubeTensor) -> Handle {
        like.client.create_from_slice(bytemuck::cast_slice(&self.0))
    }
}

fn signed(number: usize) -> i32 {
    i32::try_from(number).expect("rows of a GPU are fewer than 2^31")
}

/// Heads, fours of numbers of one, whether it is causal, and the factor of scores.
fn shape(columns: usize, spec: &Attention) -> [Number; 4] {
    let head = columns / spec.num_heads;
    let scale = 1.0 / (head as f32).sqrt();
    [
        Number::Whole(spec.num_heads),
        Number::Whole(head / 4),
        Number::Whole(usize::from(spec.causal)),
        Number::Float(scale),
    ]
}

/// Attention over contiguous rows: the output, and the logarithm of each sum of exponentials, `[rows, heads]`.
pub(super) fn launch([q, k, v]: [&CubeTensor; 3], spec: &Attention) -> (CubeTensor, CubeTensor) {
    let [rows, columns] = [0, 1].map(|axis| q.shape()[axis]);
    let (output, sums) = (empty(q, [rows, columns]), empty(q, [rows, spec.num_heads]));
    let blocks = Blocks::by_queries(&spec.segments);
    let [first, second, third, fourth, fifth] = [q, k, v, &output, &sums].map(|it| &it.handle);
    Kernel::Attention.launch(
        [blocks.len(), spec.num_heads, 1],
        [first, second, third, &blocks.upload(q), fourth, fifth],
        shape(columns, spec),
        q,
    );
    (output, sums)
}

/// By queries, keys and values.
pub(super) fn launch_gradients(
    gradient: &CubeTensor,
    [q, k, v]: [&CubeTensor; 3],
    [output, sums]: [&CubeTensor; 2],
    spec: &Attention,
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let [rows, columns] = [0, 1].map(|axis| q.shape()[axis]);
    let key_rows = k.shape()[0];
    let lines = rows * spec.num_heads;
    let deltas = empty(q, [rows, spec.num_heads]);
    Kernel::Delta.launch(
        [lines.div_ceil(THREADS), 1, 1],
        [&output.handle, &gradient.handle, &deltas.handle],
        [lines, columns / spec.num_heads / 4, 0, 0].map(Number::Whole),
        q,
    );
    let of_q = empty(q, [rows, columns]);
    let [of_k, of_v] = [(); 2].map(|()| empty(q, [key_rows, columns]));
    let unused = empty(q, [4]);
    let by_queries = Blocks::by_queries(&spec.segments);
    let by_keys = Blocks::by_keys(&spec.segments);
    let sides = [
        (false, by_queries, [q, gradient, k, v], [&of_q, &unused]),
        (true, by_keys, [k, v, q, gradient], [&of_k, &of_v]),
    ];
    for (of_keys, blocks, read, written) in sides {
        let [first, second, third, fourth] = read.map(|it| &it.handle);
        let [of_first, of_second] = written.map(|it| &it.handle);
        let rows = blocks.upload(q);
        Kernel::AttentionGradients { of_keys }.launch(
            [blocks.len(), spec.num_heads, 1],
            [
                first,
                second,
                third,
                fourth,
                &sums.handle,
                &deltas.handle,
                &rows,
                of_first,
                of_second,
            ],
            shape(columns, spec),
            q,
        );
    }
    (of_q, of_k, of_v)
}

#[derive(Debug)]
struct Step;

#[derive(Debug, Clone)]
struct Saved {
    /// Queries, keys and values.
    read: [FloatTensor<Wgpu>; 3],
    output: FloatTensor<Wgpu>,
    sums: FloatTensor<Wgpu>,
    spec: Attention,
}

impl Backward<Wgpu, 3> for Step {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Wgpu>(&ops.node);
        let Saved {
            read: [q, k, v],
            output,
            sums,
            spec,
        } = ops.state;
        let (of_q, of_k, of_v) = Wgpu::attention_gradients(gradient, q, k, v, output, sums, spec);
        for (parent, gradient) in ops.parents.into_iter().zip([of_q, of_k, of_v]) {
            if let Some(parent) = parent {
                gradients.register::<Wgpu>(parent.id, gradient);
            }
        }
    }
}

/// [`crate::attention`]. None where it is for others to compute: where a row of queries or keys is in no segment or in
/// two, and where heads are wider than 64 numbers or no whole fours of them.
///
/// # Shapes
/// - q: `[rows, d_model]`; k, v: `[key rows, d_model]`; output: `[rows, d_model]`
pub(crate) fn attention(
    q: &Tensor<2>,
    k: &Tensor<2>,
    v: &Tensor<2>,
    spec: &Attention,
) -> Option<Tensor<2>> {
    let ([rows, columns], [key_rows, _]) = (q.dims(), k.dims());
    let head = columns / spec.num_heads;
    if v.dims()[1] != columns || head > WIDEST || !head.is_multiple_of(4) {
        return None;
    }
    let segments = &spec.segments;
    if !are_all(segments.iter().map(|it| &it.queries), rows)
        || !are_all(segments.iter().map(|it| &it.keys), key_rows)
    {
        return None;
    }
    if !q.device().is_autodiff() {
        let [q, k, v] = [untracked(q)?, untracked(k)?, untracked(v)?];
        let (output, _) = Wgpu::attended(q, k, v, spec.clone());
        return Some(Tensor::from_primitive::<Wgpu>(output));
    }
    let output = on_tape(Step, [tracked(q)?, tracked(k)?, tracked(v)?], |read| {
        let [q, k, v] = read.clone();
        let (output, sums) = Wgpu::attended(q, k, v, spec.clone());
        let saved = Saved {
            read,
            output: output.clone(),
            sums,
            spec: spec.clone(),
        };
        (output, saved)
    });
    Some(Tensor::from_primitive::<Autodiff<Wgpu>>(output))
}
