//! Dropout, alone and after a ReLU.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, TensorMetadata, Wgpu};
use burn::tensor::Tensor;
use burn_cubecl::tensor::CubeTensor;

use super::{Kernel, Number, TrainingKernels, empty, groups_for, numbers_of, tracked};
use crate::dropout::Dropout;
use crate::tape::on_tape;

/// Applies dropout to contiguous rows.
pub(super) fn launch(x: &CubeTensor, relu: bool, mask: Dropout) -> CubeTensor {
    let sizes @ [rows, columns] = [0, 1].map(|axis| x.shape()[axis]);
    let output = empty(x, sizes);
    let [threshold, scale, low, high] = numbers_of(mask);
    let numbers = rows * columns;
    Kernel::Dropout { relu }.launch(
        groups_for(numbers),
        [&x.handle, &output.handle],
        [Number::Whole(numbers), threshold, scale, low, high],
        x,
    );
    output
}

/// Gradient for contiguous rows, by their outputs.
pub(super) fn launch_relu_gradient(
    gradient: &CubeTensor,
    output: &CubeTensor,
    mask: Dropout,
) -> CubeTensor {
    let sizes @ [rows, columns] = [0, 1].map(|axis| gradient.shape()[axis]);
    let of_x = empty(gradient, sizes);
    let numbers = rows * columns;
    Kernel::ReluGradient.launch(
        groups_for(numbers),
        [&gradient.handle, &output.handle, &of_x.handle],
        [Number::Whole(numbers), Number::Float(mask.scale())],
        gradient,
    );
    of_x
}

#[derive(Debug)]
struct Step(Dropout);

impl Backward<Wgpu, 1> for Step {
    type State = ();

    fn backward(self, ops: Ops<(), 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Wgpu>(&ops.node);
        if let [Some(parent)] = ops.parents {
            gradients.register::<Wgpu>(parent.id, Wgpu::masked(gradient, false, self.0));
        }
    }
}

#[derive(Debug)]
struct ReluStep(Dropout);

impl Backward<Wgpu, 1> for ReluStep {
    /// The output of the forward pass.
    type State = FloatTensor<Wgpu>;

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Wgpu>(&ops.node);
        if let [Some(parent)] = ops.parents {
            let gradient = Wgpu::relu_gradient(gradient, ops.state, self.0);
            gradients.register::<Wgpu>(parent.id, gradient);
        }
    }
}

/// [`crate::dropout()`]. None where it is for others to compute.
///
/// # Shapes
/// - x, output: `[rows, columns]`
pub(crate) fn dropout(x: &Tensor<2>, mask: Dropout) -> Option<Tensor<2>> {
    let output = on_tape(Step(mask), [tracked(x)?], |[x]| {
        (Wgpu::masked(x, false, mask), ())
    });
    Some(Tensor::from_primitive::<Autodiff<Wgpu>>(output))
}

/// [`crate::relu_dropout`]. None where it is for others to compute.
///
/// # Shapes
/// - x, output: `[rows, columns]`
pub(crate) fn relu_dropout(x: &Tensor<2>, mask: Option<Dropout>) -> Option<Tensor<2>> {
    let mask = mask.unwrap_or(Dropout::NONE);
    let output = on_tape(ReluStep(mask), [tracked(x)?], |[x]| {
        let output = Wgpu::masked(x, true, mask);
        (output.clone(), output)
    });
    Some(Tensor::from_primitive::<Autodiff<Wgpu>>(output))
}
