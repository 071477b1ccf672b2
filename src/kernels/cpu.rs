//! The bridge to burn's CPU backend: an operation on slices becomes one node of the autodiff graph.

use std::fmt::Debug;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};
use burn::tensor::{Device, Tensor, TensorData};
use pulp::Arch;
use rayon::prelude::*;

use super::tape::on_tape;

/// A tensor of the CPU backend as a node of the autodiff graph.
type Tracked = FloatTensor<Autodiff<Flex>>;

/// An operation on `N` matrices with one matrix as output.
pub(super) trait CpuOperation<const N: usize>: Clone + Debug + Send + 'static {
    /// Results of the forward pass that the backward pass needs.
    type Saved: Clone + Debug + Send + 'static;

    fn forward(&self, inputs: [Matrix; N]) -> (Matrix, Self::Saved);

    /// Gradients of the inputs, given the gradient of the output.
    fn backward(&self, saved: Self::Saved, gradient: Matrix) -> [Matrix; N];
}

/// A contiguous matrix of the CPU backend; clones share their numbers.
#[derive(Clone, Debug)]
pub(super) struct Matrix(FlexTensor);

impl Matrix {
    fn new(tensor: FlexTensor) -> Self {
        Self(if tensor.is_contiguous() {
            tensor
        } else {
            tensor.to_contiguous()
        })
    }

    /// A matrix of `rows` rows around `values`.
    pub(crate) fn from_rows(values: Vec<f32>, rows: usize) -> Self {
        let columns = values.len().checked_div(rows).unwrap_or(0);
        assert_eq!(
            rows * columns,
            values.len(),
            "values do not fill {rows} rows"
        );
        Self(FlexTensor::from_data(TensorData::new(
            values,
            [rows, columns],
        )))
    }

    /// The numbers as a tensor of rank 1, without a gradient graph.
    pub(crate) fn into_vector(self) -> Tensor<1> {
        Tensor::from_primitive::<Flex>(self.0)
    }

    /// The numbers as a vector, shaped like a tensor of rank 1.
    pub(crate) fn from_vector(values: Vec<f32>) -> Self {
        let len = values.len();
        Self(FlexTensor::from_data(TensorData::new(values, [len])))
    }

    pub(crate) fn rows(&self) -> usize {
        self.0.layout().shape()[0]
    }

    pub(crate) fn columns(&self) -> usize {
        let shape = self.0.layout().shape();
        shape[shape.num_dims() - 1]
    }

    pub(crate) fn values(&self) -> &[f32] {
        self.0.as_slice().expect("contiguous f32 numbers")
    }

    /// The numbers for writing; copies them first if another tensor shares them.
    pub(crate) fn values_mut(&mut self) -> &mut [f32] {
        if self.0.layout().start_offset() != 0
            || self.0.bytes().len() != size_of::<f32>() * self.0.layout().num_elements()
        {
            self.0 = FlexTensor::from_data(self.0.clone().into_data());
        }
        self.0.storage_mut()
    }
}

/// Numbers a core works on before it takes the next rows.
const CHUNK: usize = 1 << 14;

/// How many rows of `columns` numbers make a chunk; the same on every machine, so that sums over chunks are, too.
pub(super) fn rows_per_chunk(columns: usize) -> usize {
    (CHUNK / columns.max(1)).max(1)
}

/// Calls `work(first row, rows)` on all cores, with the machine's widest vector instructions.
pub(super) fn for_rows(
    values: &mut [f32],
    columns: usize,
    work: impl Fn(usize, &mut [f32]) + Send + Sync,
) {
    let chunk = rows_per_chunk(columns);
    values
        .par_chunks_mut(chunk * columns.max(1))
        .enumerate()
        .for_each(|(index, rows)| {
            Arch::new().dispatch(
                #[inline(always)]
                || work(index * chunk, rows),
            );
        });
}

#[derive(Clone, Debug)]
struct Step<O>(O);

impl<O: CpuOperation<N>, const N: usize> Backward<Flex, N> for Step<O> {
    type State = O::Saved;

    fn backward(self, ops: Ops<O::Saved, N>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = Matrix::new(gradients.consume::<Flex>(&ops.node));
        let inputs = self.0.backward(ops.state, gradient);
        for (parent, gradient) in ops.parents.into_iter().zip(inputs) {
            if let Some(parent) = parent {
                gradients.register::<Flex>(parent.id, gradient.0);
            }
        }
    }
}

/// Runs `operation` if all `inputs` are on the CPU backend; `None` if the caller has to take the plain path.
pub(super) fn run<O: CpuOperation<N>, const N: usize, const D: usize>(
    operation: O,
    inputs: [Operand; N],
) -> Option<Tensor<D>> {
    if inputs
        .iter()
        .any(|input| matches!(input, Operand::Tracked(_)))
    {
        let tracked = inputs.map(|input| match input {
            Operand::Tracked(tensor) => Some(tensor),
            _ => None,
        });
        if tracked.iter().any(Option::is_none) {
            return None;
        }
        return Some(run_tracked(
            operation,
            tracked.map(|tensor| tensor.expect("checked above")),
        ));
    }
    let plain = inputs.map(|input| match input {
        Operand::Plain(tensor) => Some(Matrix::new(tensor)),
        _ => None,
    });
    if plain.iter().any(Option::is_none) {
        return None;
    }
    let (output, _) = operation.forward(plain.map(|matrix| matrix.expect("checked above")));
    Some(Tensor::from_primitive::<Flex>(output.0))
}

fn run_tracked<O: CpuOperation<N>, const N: usize, const D: usize>(
    operation: O,
    inputs: [Tracked; N],
) -> Tensor<D> {
    let step = Step(operation.clone());
    let output = on_tape(step, inputs, |inputs| {
        let (output, saved) = operation.forward(inputs.map(Matrix::new));
        (output.0, saved)
    });
    Tensor::from_primitive::<Autodiff<Flex>>(output)
}

/// A tensor seen from the CPU backend.
pub(super) enum Operand {
    Tracked(Tracked),
    Plain(FlexTensor),
    /// On another device.
    OtherBackend,
}

/// An operation that works in place spares a copy if it is given the only tensor of these numbers.
impl<const D: usize> From<Tensor<D>> for Operand {
    fn from(tensor: Tensor<D>) -> Self {
        if tensor.device().is_autodiff() {
            tensor
                .try_into_primitive::<Autodiff<Flex>>()
                .map_or(Self::OtherBackend, Self::Tracked)
        } else {
            tensor
                .try_into_primitive::<Flex>()
                .map_or(Self::OtherBackend, Self::Plain)
        }
    }
}

impl<const D: usize> From<&Tensor<D>> for Operand {
    fn from(tensor: &Tensor<D>) -> Self {
        Self::from(tensor.clone())
    }
}

/// Whether `device` is the CPU backend's.
pub fn is_cpu(device: &Device) -> bool {
    *device == Device::flex()
}

/// The numbers of a tensor of the CPU backend without a gradient graph.
///
/// # Panics
/// If it is another's.
pub(super) fn matrix<const D: usize>(tensor: Tensor<D>) -> Matrix {
    match Operand::from(tensor) {
        Operand::Plain(tensor) => Matrix::new(tensor),
        Operand::Tracked(_) | Operand::OtherBackend => {
            panic!("not a tensor of the CPU backend alone")
        }
    }
}

/// [`run`] for one input on the CPU backend.
pub(super) fn run_in_place<O: CpuOperation<1>, const D: usize, const E: usize>(
    operation: O,
    input: Tensor<D>,
) -> Tensor<E> {
    run(operation, [Operand::from(input)]).expect("a tensor of the CPU backend")
}
