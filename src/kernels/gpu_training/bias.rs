//! A vector that is added to each row.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::{Autodiff, TensorMetadata, Wgpu};
use burn::tensor::Tensor;
use burn_cubecl::tensor::CubeTensor;

use super::{Kernel, Number, TrainingKernels, empty, groups_for, sum_of, tracked};
use crate::tape::on_tape;

/// Columns that a group of [`Kernel::ColumnSums`] takes.
const COLUMNS: usize = 64;
/// Parts of the rows, at most, and rows of one, at least.
const PARTS: usize = 256;
const LEAST: usize = 32;

/// Adds the bias to contiguous rows.
pub(super) fn launch(x: &CubeTensor, bias: &CubeTensor) -> CubeTensor {
    let sizes @ [rows, columns] = [0, 1].map(|axis| x.shape()[axis]);
    let output = empty(x, sizes);
    let numbers = rows * columns;
    Kernel::Bias.launch(
        groups_for(numbers),
        [&x.handle, &bias.handle, &output.handle],
        [numbers, columns].map(Number::Whole),
        x,
    );
    output
}

/// The sum of contiguous rows.
pub(super) fn launch_sums(x: &CubeTensor) -> CubeTensor {
    let [rows, columns] = [0, 1].map(|axis| x.shape()[axis]);
    let part = rows.div_ceil(PARTS).max(LEAST);
    let parts = rows.div_ceil(part);
    let sums = empty(x, [parts, columns]);
    Kernel::ColumnSums.launch(
        [columns.div_ceil(COLUMNS), parts, 1],
        [&x.handle, &sums.handle],
        [rows, columns, part].map(Number::Whole),
        x,
    );
    sum_of(&sums, parts, [columns])
}

#[derive(Debug)]
struct Step;

impl Backward<Wgpu, 2> for Step {
    type State = ();

    fn backward(self, ops: Ops<(), 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Wgpu>(&ops.node);
        let [of_x, of_bias] = ops.parents;
        if let Some(parent) = of_bias {
            gradients.register::<Wgpu>(parent.id, Wgpu::summed_rows(gradient.clone()));
        }
        if let Some(parent) = of_x {
            gradients.register::<Wgpu>(parent.id, gradient);
        }
    }
}

/// `x + b` for each row. None where it is for others to compute, or where a row is no whole fours of numbers.
///
/// # Shapes
/// - x: `[rows, columns]`; bias: `[columns]`; output: `[rows, columns]`
pub(crate) fn add_bias(x: &Tensor<2>, bias: &Tensor<1>) -> Option<Tensor<2>> {
    if !x.dims()[1].is_multiple_of(4) {
        return None;
    }
    let output = on_tape(Step, [tracked(x)?, tracked(bias)?], |[x, bias]| {
        (Wgpu::biased(x, bias), ())
    });
    Some(Tensor::from_primitive::<Autodiff<Wgpu>>(output))
}
