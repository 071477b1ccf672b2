//! The cross-entropy with smoothed labels.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, TensorMetadata, Wgpu};
use burn::tensor::{Shape, Tensor};
use burn_cubecl::tensor::CubeTensor;

use super::{Kernel, Number, TrainingKernels, a_group_each, empty, tracked};
use crate::tape::on_tape;

/// The share of each row in the mean loss, and the gradient of that mean.
pub(super) fn launch(
    scores: &CubeTensor,
    targets: &[u32],
    smoothing: f32,
) -> (CubeTensor, CubeTensor) {
    let [rows, words] = [0, 1].map(|axis| scores.shape()[axis]);
    let targets = scores
        .client
        .create_from_slice(bytemuck::cast_slice(targets));
    let (losses, gradients) = (empty(scores, [rows]), empty(scores, [rows, words]));
    let weight = 1.0 / rows as f32;
    Kernel::CrossEntropy.launch(
        a_group_each(rows),
        [&scores.handle, &targets, &losses.handle, &gradients.handle],
        [
            Number::Whole(rows),
            Number::Whole(words),
            Number::Float(smoothing),
            Number::Float(weight),
        ],
        scores,
    );
    (losses, gradients)
}

#[derive(Debug)]
struct Step;

impl Backward<Wgpu, 1> for Step {
    /// The gradient of the mean loss by the scores.
    type State = FloatTensor<Wgpu>;

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let factor = gradients.consume::<Wgpu>(&ops.node);
        let [parent] = ops.parents;
        if let Some(parent) = parent {
            let factor = Wgpu::float_reshape(factor, Shape::new([1, 1]));
            let gradient = Wgpu::float_mul(ops.state, factor);
            gradients.register::<Wgpu>(parent.id, gradient);
        }
    }
}

/// The mean of all rows. None where it is for others to compute.
///
/// # Shapes
/// - scores: `[rows, words]`; output: `[1]`
pub(crate) fn cross_entropy(
    scores: &Tensor<2>,
    targets: &[u32],
    smoothing: f32,
) -> Option<Tensor<1>> {
    let loss = on_tape(Step, [tracked(scores)?], |[scores]| {
        let (losses, gradient) = Wgpu::row_entropies(scores, targets.to_vec(), smoothing);
        (Wgpu::float_sum(losses), gradient)
    });
    Some(Tensor::from_primitive::<Autodiff<Wgpu>>(loss))
}
