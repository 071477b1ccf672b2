//! Layer normalisation.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, TensorMetadata, Wgpu};
use burn::tensor::Tensor;
use burn_cubecl::tensor::CubeTensor;

use super::{Kernel, Number, TrainingKernels, a_group_each, empty, numbers_of, sum_of, tracked};
use crate::dropout::Dropout;
use crate::tape::on_tape;

/// Parts of the sums for γ and β, at most, and their rows, at least.
const PARTS: usize = 256;
const LEAST: usize = 16;

/// Norm of contiguous rows, with a branch and its mask if there is one: outputs after γ and β, before them, and 1 /
/// deviation of each.
pub(super) fn launch(
    x: &CubeTensor,
    branch: Option<(&CubeTensor, Dropout)>,
    [gamma, beta]: [&CubeTensor; 2],
    epsilon: f32,
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let sizes @ [rows, columns] = [0, 1].map(|axis| x.shape()[axis]);
    let (output, normal) = (empty(x, sizes), empty(x, sizes));
    let inverse = empty(x, [rows]);
    let (branch, mask) = or_unused(branch, x);
    let tensors = [x, gamma, beta, &output, &normal, &inverse, &branch];
    let [threshold, scale, low, high] = numbers_of(mask.unwrap_or(Dropout::NONE));
    Kernel::Norm {
        adds: mask.is_some(),
    }
    .launch(
        a_group_each(rows),
        tensors.map(|tensor| &tensor.handle),
        [
            Number::Whole(rows),
            Number::Whole(columns),
            Number::Float(epsilon),
            threshold,
            scale,
            low,
            high,
        ],
        x,
    );
    (output, normal, inverse)
}

/// By the rows, by γ and by β; where a branch was added, into `of_branch` by that, too.
pub(super) fn launch_gradients(
    gradient: &CubeTensor,
    [normal, inverse]: [&CubeTensor; 2],
    gamma: &CubeTensor,
    of_branch: Option<(&CubeTensor, Dropout)>,
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let [rows, columns] = [0, 1].map(|axis| gradient.shape()[axis]);
    let part = rows.div_ceil(PARTS).max(LEAST);
    let parts = rows.div_ceil(part);
    let of_x = empty(gradient, [rows, columns]);
    let [of_gamma, of_beta] = [(); 2].map(|()| empty(gradient, [parts, columns]));
    let (of_branch, mask) = or_unused(of_branch, gradient);
    let read = [gradient, normal, inverse, gamma];
    let [first, second, third, fourth] = read.map(|tensor| &tensor.handle);
    let written = [&of_x, &of_gamma, &of_beta, &of_branch];
    let [fifth, sixth, seventh, eighth] = written.map(|tensor| &tensor.handle);
    let [threshold, scale, low, high] = numbers_of(mask.unwrap_or(Dropout::NONE));
    Kernel::NormGradients {
        adds: mask.is_some(),
    }
    .launch(
        [parts, 1, 1],
        [first, second, third, fourth, fifth, sixth, seventh, eighth],
        [
            Number::Whole(rows),
            Number::Whole(columns),
            Number::Whole(part),
            threshold,
            scale,
            low,
            high,
        ],
        gradient,
    );
    let [of_gamma, of_beta] = [of_gamma, of_beta].map(|of| sum_of(&of, parts, [columns]));
    (of_x, of_gamma, of_beta)
}

/// A branch and its mask, or what takes the place of a branch.
fn or_unused(
    branch: Option<(&CubeTensor, Dropout)>,
    like: &CubeTensor,
) -> (CubeTensor, Option<Dropout>) {
    match branch {
        Some((branch, mask)) => (branch.clone(), Some(mask)),
        None => (empty(like, [4]), None),
    }
}

#[derive(Debug)]
struct Step;

impl Backward<Wgpu, 3> for Step {
    /// Rows before γ and β, 1 / deviation of each, and γ.
    type State = [FloatTensor<Wgpu>; 3];

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Wgpu>(&ops.node);
        let [normal, inverse, gamma] = ops.state;
        let (of_x, of_gamma, of_beta) = Wgpu::norm_gradients(gradient, normal, inverse, gamma);
        for (parent, gradient) in ops.parents.into_iter().zip([of_x, of_gamma, of_beta]) {
            if let Some(parent) = parent {
                gradients.register::<Wgpu>(parent.id, gradient);
            }
        }
    }
}

/// Norm of every row. `None` where another path computes it, or where the width is no multiple of four.
///
/// # Shapes
/// - x: `[rows, d_model]`; gamma, beta: `[d_model]`; output: `[rows, d_model]`
pub(crate) fn layer_norm(
    x: &Tensor<2>,
    gamma: &Tensor<1>,
    beta: &Tensor<1>,
    epsilon: f32,
) -> Option<Tensor<2>> {
    if !x.dims()[1].is_multiple_of(4) {
        return None;
    }
    let inputs = [tracked(x)?, tracked(gamma)?, tracked(beta)?];
    let output = on_tape(Step, inputs, |[x, gamma, beta]| {
        let (output, normal, inverse) = Wgpu::normalised(x, gamma.clone(), beta, epsilon);
        (output, [normal, inverse, gamma])
    });
    Some(Tensor::from_primitive::<Autodiff<Wgpu>>(output))
}

#[derive(Debug)]
struct SumStep(Dropout);

impl Backward<Wgpu, 4> for SumStep {
    /// As for a [`Step`].
    type State = [FloatTensor<Wgpu>; 3];

    fn backward(self, ops: Ops<Self::State, 4>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Wgpu>(&ops.node);
        let [normal, inverse, gamma] = ops.state;
        let (of_x, of_branch, of_gamma, of_beta) =
            Wgpu::norm_gradients_of_sum(gradient, normal, inverse, gamma, self.0);
        let all = [of_x, of_branch, of_gamma, of_beta];
        for (parent, gradient) in ops.parents.into_iter().zip(all) {
            if let Some(parent) = parent {
                gradients.register::<Wgpu>(parent.id, gradient);
            }
        }
    }
}

/// [`layer_norm`] of `x + dropout(branch)`.
///
/// # Shapes
/// - x, branch: `[rows, d_model]`; gamma, beta: `[d_model]`; output: `[rows, d_model]`
pub(crate) fn add_norm(
    [x, branch]: [&Tensor<2>; 2],
    mask: Option<Dropout>,
    [gamma, beta]: [&Tensor<1>; 2],
    epsilon: f32,
) -> Option<Tensor<2>> {
    if !x.dims()[1].is_multiple_of(4) {
        return None;
    }
    let mask = mask.unwrap_or(Dropout::NONE);
    let inputs = [
        tracked(x)?,
        tracked(branch)?,
        tracked(gamma)?,
        tracked(beta)?,
    ];
    let output = on_tape(SumStep(mask), inputs, |[x, branch, gamma, beta]| {
        let (output, normal, inverse) =
            Wgpu::normalised_sum(x, branch, gamma.clone(), beta, epsilon, mask);
        (output, [normal, inverse, gamma])
    });
    Some(Tensor::from_primitive::<Autodiff<Wgpu>>(output))
}
