//! Layer normalisation.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, TensorMetadata, Wgpu};
use burn::tensor::Tensor;
use burn_cubecl::tensor::CubeTensor;

use super::{Kernel, Number, TrainingKernels, a_group_each, empty, sum_of, tracked};
use crate::kernels::tape::on_tape;

/// Parts of the sums for γ and β, at most, and their rows, at least.
const PARTS: usize = 256;
const LEAST: usize = 16;

/// Of contiguous rows: behind γ and β, before them, and 1 / deviation of each.
pub(super) fn launch(
    x: &CubeTensor,
    [gamma, beta]: [&CubeTensor; 2],
    epsilon: f32,
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let sizes @ [rows, columns] = [0, 1].map(|axis| x.shape()[axis]);
    let (output, normal) = (empty(x, sizes), empty(x, sizes));
    let inverse = empty(x, [rows]);
    let tensors = [x, gamma, beta, &output, &normal, &inverse];
    Kernel::Norm.launch(
        a_group_each(rows),
        tensors.map(|tensor| &tensor.handle),
        [
            Number::Whole(rows),
            Number::Whole(columns),
            Number::Float(epsilon),
            Number::Whole(0),
        ],
        x,
    );
    (output, normal, inverse)
}

/// By the rows, by γ and by β.
pub(super) fn launch_gradients(
    gradient: &CubeTensor,
    [normal, inverse]: [&CubeTensor; 2],
    gamma: &CubeTensor,
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let [rows, columns] = [0, 1].map(|axis| gradient.shape()[axis]);
    let part = rows.div_ceil(PARTS).max(LEAST);
    let parts = rows.div_ceil(part);
    let of_x = empty(gradient, [rows, columns]);
    let [of_gamma, of_beta] = [(); 2].map(|()| empty(gradient, [parts, columns]));
    let tensors = [gradient, normal, inverse, gamma, &of_x, &of_gamma, &of_beta];
    Kernel::NormGradients.launch(
        [parts, 1, 1],
        tensors.map(|tensor| &tensor.handle),
        [rows, columns, part, 0].map(Number::Whole),
        gradient,
    );
    let [of_gamma, of_beta] = [of_gamma, of_beta].map(|of| sum_of(&of, parts, [columns]));
    (of_x, of_gamma, of_beta)
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

/// Of every row. None where it is for others to compute, or where a row is no whole fours of numbers.
///
/// # Shapes
/// - x: `[rows, d_model]`; gamma, beta: `[d_model]`; output: `[rows, d_model]`
pub(in crate::kernels) fn layer_norm(
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
