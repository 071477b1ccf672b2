//! A step of Adam over all parameters at once: a kernel for three of them, and none of them waits for the CPU to clip.

use burn::backend::fusion::custom::{
    CustomOpIr, HandleContainer, OperationFn, OperationIr, StreamId, TensorIr,
};
use burn::backend::fusion::{FusionBackend, FusionRuntime};
use burn::backend::tensor::FloatTensor;
use burn::backend::{TensorMetadata, Wgpu};
use burn::tensor::{DType, Shape, Tensor};
use burn_cubecl::CubeBackend;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::{Kernel, NUMBERS, Number, empty};
use crate::adam::Constants;

/// Gradients of a launch of [`Kernel::Squares`], and numbers of one that a group takes.
const GRADIENTS: usize = 8;
const CHUNK: usize = 16_384;
/// Parameters of a launch of [`Kernel::Adam`], and its buffers.
const PARAMETERS: usize = 3;
const BUFFERS: u32 = 17;
/// Groups of a launch along one side.
const GROUPS: usize = 65_535;

/// A parameter with what changes it, `[numbers]` each.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub values: Tensor<1>,
    pub gradient: Tensor<1>,
    /// Running means of the gradient and of its square.
    pub means: [Tensor<1>; 2],
}

type OnGpu = FloatTensor<Wgpu>;
type Runtime = <CubeBackend as FusionBackend>::FusionRuntime;
type Handles = HandleContainer<<Runtime as FusionRuntime>::FusionHandle>;

/// Whether [`update`] takes such parameters.
pub(crate) fn is_updated(values: &Tensor<1>) -> bool {
    let Ok(tensor) = values.clone().try_into_primitive::<Wgpu>() else {
        return false;
    };
    let client = tensor.client.device().client();
    !cfg!(feature = "vulkan")
        && tensor.dtype() == DType::F32
        && tensor.shape().num_elements() <= GROUPS * NUMBERS
        && client.properties().hardware.max_bindings >= BUFFERS
}

/// Every parameter and its means after the step, and the sum of the squares of all gradients before it, `[1]`. Gradients that
/// together are longer than `limit` are scaled to it; where their length is not finite, nothing changes.
///
/// # Panics
/// Without parameters, and for such as [`is_updated`] refuses.
pub(crate) fn update(
    parts: Vec<Part>,
    constants: Constants,
    limit: f32,
) -> (Vec<[Tensor<1>; 3]>, Tensor<1>) {
    let on_gpu = |tensor: Tensor<1>| {
        let tensor = tensor.try_into_primitive::<Wgpu>();
        tensor.unwrap_or_else(|_| unreachable!("checked before"))
    };
    let shapes = parts.iter().flat_map(|part| {
        [
            part.values.shape(),
            part.values.shape(),
            part.values.shape(),
        ]
    });
    let shapes: Vec<Shape> = shapes.collect();
    let gradients = parts.iter().map(|part| on_gpu(part.gradient.clone()));
    let square_sum = run(gradients.collect(), &[Shape::new([1])], |gradients| {
        vec![launch_squares(&gradients)]
    });
    let square_sum = square_sum.into_iter().next().expect("a sum");
    let mut inputs = vec![square_sum.clone()];
    for part in parts {
        let [first, second] = part.means;
        inputs.extend([part.values, part.gradient, first, second].map(on_gpu));
    }
    let after = run(inputs, &shapes, move |inputs| {
        let mut inputs = inputs.into_iter();
        let square_sum = inputs.next().expect("a sum");
        launch(inputs, &square_sum, &constants, limit)
    });
    let after: Vec<Tensor<1>> = after
        .into_iter()
        .map(Tensor::from_primitive::<Wgpu>)
        .collect();
    let threes = after.chunks_exact(3);
    let threes = threes.map(|three| [0, 1, 2].map(|which| three[which].clone()));
    (threes.collect(), Tensor::from_primitive::<Wgpu>(square_sum))
}

/// An operation on as many tensors as there are, which burn calls when it comes to it.
fn run(
    inputs: Vec<OnGpu>,
    outputs: &[Shape],
    compute: impl Fn(Vec<CubeTensor>) -> Vec<CubeTensor> + Send + Sync + 'static,
) -> Vec<OnGpu> {
    let client = inputs[0].client.clone();
    let inputs: Vec<TensorIr> = inputs.into_iter().map(OnGpu::into_ir).collect();
    let outputs = outputs
        .iter()
        .map(|shape| TensorIr::uninit(client.create_empty_handle(), shape.clone(), DType::F32));
    let outputs: Vec<TensorIr> = outputs.collect();
    let description = CustomOpIr {
        id: "canopy_update".into(),
        inputs: inputs.clone(),
        outputs: outputs.clone(),
        scalars: Vec::new(),
    };
    let operation = OperationFn(move |handles: &mut Handles| {
        let tensors = inputs
            .iter()
            .map(|it| handles.get_float_tensor::<CubeBackend>(it));
        let computed = compute(tensors.collect());
        for (output, tensor) in outputs.iter().zip(computed) {
            handles.register_float_tensor::<CubeBackend>(&output.id, tensor);
        }
        Ok(())
    });
    client.register(
        StreamId::current(),
        OperationIr::Custom(description),
        operation,
    )
}

/// The sum of all their squares, `[1]`.
fn launch_squares(gradients: &[CubeTensor]) -> CubeTensor {
    let gradients: Vec<CubeTensor> = gradients.iter().cloned().map(into_contiguous).collect();
    let numbers = |tensor: &CubeTensor| tensor.shape().num_elements();
    let chunks = |tensor: &CubeTensor| numbers(tensor).div_ceil(CHUNK);
    let like = &gradients[0];
    let all = gradients.iter().map(chunks).sum();
    let sums = empty(like, [all]);
    let unused = empty(like, [4]);
    let mut begin = 0;
    for eight in gradients.chunks(GRADIENTS) {
        let buffers: [&CubeTensor; GRADIENTS] =
            std::array::from_fn(|which| eight.get(which).unwrap_or(&unused));
        let [first, second, third, fourth, fifth, sixth, seventh, eighth] =
            buffers.map(|tensor| &tensor.handle);
        let mut shape: [Number; 2 * GRADIENTS] = std::array::from_fn(|_| Number::Whole(0));
        for (which, gradient) in eight.iter().enumerate() {
            shape[which] = Number::Whole(numbers(gradient));
            shape[GRADIENTS + which] = Number::Whole(begin);
            begin += chunks(gradient);
        }
        let most = eight.iter().map(chunks).max().unwrap_or(0);
        Kernel::Squares.launch(
            [most, eight.len(), 1],
            [
                first,
                second,
                third,
                fourth,
                fifth,
                sixth,
                seventh,
                eighth,
                &sums.handle,
            ],
            shape,
            like,
        );
    }
    let sum = empty(like, [1]);
    Kernel::Total.launch(
        [1, 1, 1],
        [&sums.handle, &sum.handle],
        [Number::Whole(all)],
        like,
    );
    sum
}

/// Updates each parameter by its values, gradient and both means: returns values and means after the step. Means that
/// nobody else has are changed where they are.
fn launch(
    mut inputs: impl Iterator<Item = CubeTensor>,
    square_sum: &CubeTensor,
    constants: &Constants,
    limit: f32,
) -> Vec<CubeTensor> {
    let own = |tensor: CubeTensor| {
        let tensor = into_contiguous(tensor);
        if tensor.can_mut() {
            tensor
        } else {
            tensor.copy()
        }
    };
    let mut parts = Vec::new();
    while let Some(values) = inputs.next() {
        let [gradient, first, second] =
            std::array::from_fn(|_| inputs.next().expect("four of each"));
        let after = empty(&values, [values.shape().num_elements()]);
        let read = [values, gradient].map(into_contiguous);
        parts.push((read, [own(first), own(second)], after));
    }
    let unused = empty(square_sum, [4]);
    for three in parts.chunks(PARAMETERS) {
        let numbers = |which: usize| {
            let part: Option<&([CubeTensor; 2], _, CubeTensor)> = three.get(which);
            part.map_or(0, |(_, _, after)| after.shape().num_elements())
        };
        let buffers = |which: usize| match three.get(which) {
            Some(([values, gradient], [first, second], after)) => {
                [values, gradient, first, second, after].map(|tensor| &tensor.handle)
            }
            None => [&unused.handle; 5],
        };
        let [a, b, c] = [0, 1, 2].map(buffers);
        let most = [0, 1, 2].map(numbers).into_iter().max().unwrap_or(0);
        Kernel::Adam.launch(
            [most.div_ceil(NUMBERS), three.len(), 1],
            [
                a[0],
                a[1],
                a[2],
                a[3],
                a[4],
                b[0],
                b[1],
                b[2],
                b[3],
                b[4],
                c[0],
                c[1],
                c[2],
                c[3],
                c[4],
                &square_sum.handle,
            ],
            [
                Number::Whole(numbers(0)),
                Number::Whole(numbers(1)),
                Number::Whole(numbers(2)),
                Number::Float(constants.betas.0),
                Number::Float(constants.betas.1),
                Number::Float(constants.news.0),
                Number::Float(constants.news.1),
                Number::Float(constants.epsilon),
                Number::Float(constants.rate),
                Number::Float(constants.bias_2),
                Number::Float(constants.scale),
                Number::Float(limit),
            ],
            square_sum,
        );
    }
    let after = parts.into_iter();
    after
        .flat_map(|(_, [first, second], after)| [after, first, second])
        .collect()
}
