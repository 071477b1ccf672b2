//! An operation of our own as one step of burn's tape, on any backend.

use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::ops::{Backward, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend};

/// Registers `compute` on the tape with `step` as its backward pass: it returns the output and the state that `step` needs.
pub(super) fn on_tape<B: Backend, S: Backward<B, N>, const N: usize>(
    step: S,
    inputs: [FloatTensor<Autodiff<B>>; N],
    compute: impl FnOnce([FloatTensor<B>; N]) -> (FloatTensor<B>, S::State),
) -> FloatTensor<Autodiff<B>> {
    let mut primitives = Vec::with_capacity(N);
    let guards = inputs.map(|input| {
        let (primitive, guard) = input.into_parts();
        primitives.push(primitive);
        guard
    });
    let primitives = primitives
        .try_into()
        .unwrap_or_else(|_| unreachable!("N inputs"));
    let preparation = step
        .prepare::<NoCheckpointing>(guards)
        .compute_bound()
        .stateful();
    let (output, saved) = compute(primitives);
    match preparation {
        OpsKind::Tracked(preparation) => preparation.finish(saved, output),
        OpsKind::UnTracked(preparation) => preparation.finish(output),
    }
}
