//! Kernels of our own for training on a GPU (WGSL in `shaders/training`), on the tensors and the tape of burn.
//!
//! Burn computes a norm by a dozen kernels, sums a row of scores by one thread, and multiplies by a kernel that is not
//! tuned for the shape; what that costs is in docs/research/speed-gpu.md. Here each is a step of the tape. Whether one runs
//! is decided when it is called: the others are on a device without a tape, or of another kind.

mod attention;
mod bias;
mod cross_entropy;
mod dropout;
mod norm;
mod product;
mod selected;
mod update;

pub(super) use attention::attention;
pub(super) use bias::add_bias;
pub(super) use cross_entropy::cross_entropy;
pub(super) use dropout::{dropout, relu_dropout};
pub(super) use norm::{add_norm, layer_norm};
pub(super) use product::{Turned, Way, product};
pub(super) use selected::selected_attention;
pub(super) use update::{Part, is_updated, update};

use self::selected::Lists;
use super::attention::Attention;
use super::dropout::Dropout;
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, TensorMetadata, Wgpu, backend_extension};
use burn::tensor::{DType, Shape, Tensor};
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::PrecompiledSource;
use burn_cubecl::cubecl::ir::{UIntKind, metadata::Info};
use burn_cubecl::cubecl::prelude::{
    AddressType, CubeCount, CubeDim, CubeKernel, ElemType, ExecutionMode, KernelDefinition,
    KernelId, KernelMetadata, KernelSettings, Scope,
};
use burn_cubecl::cubecl::server::{Handle, KernelArguments, MetadataBindingInfo};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;

const PRODUCT: &str = include_str!("../../../shaders/training/product.wgsl");
const PRODUCT_BY_HALVES: &str = include_str!("../../../shaders/training/product_halves.wgsl");
const SUM: &str = include_str!("../../../shaders/training/sum.wgsl");
const CROSS_ENTROPY: &str = include_str!("../../../shaders/training/cross_entropy.wgsl");
const NORM: &str = include_str!("../../../shaders/training/norm.wgsl");
const NORM_GRADIENTS: &str = include_str!("../../../shaders/training/norm_gradients.wgsl");
const ATTENTION: &str = include_str!("../../../shaders/training/attention.wgsl");
const ATTENTION_GRADIENTS: &str =
    include_str!("../../../shaders/training/attention_gradients.wgsl");
const SELECTED: &str = include_str!("../../../shaders/training/selected.wgsl");
const SELECTED_GRADIENTS: &str = include_str!("../../../shaders/training/selected_gradients.wgsl");
const SELECTED_KEY_GRADIENTS: &str =
    include_str!("../../../shaders/training/selected_key_gradients.wgsl");
const DELTA: &str = include_str!("../../../shaders/training/delta.wgsl");
const DROPOUT: &str = include_str!("../../../shaders/training/dropout.wgsl");
const RELU_GRADIENT: &str = include_str!("../../../shaders/training/relu_gradient.wgsl");
const BIAS: &str = include_str!("../../../shaders/training/bias.wgsl");
const COLUMN_SUMS: &str = include_str!("../../../shaders/training/column_sums.wgsl");
const SQUARES: &str = include_str!("../../../shaders/training/squares.wgsl");
const TOTAL: &str = include_str!("../../../shaders/training/total.wgsl");
const ADAM: &str = include_str!("../../../shaders/training/adam.wgsl");

/// Groups of threads of a line, of which there are as many as are needed.
const LINE: usize = 32_768;
/// Fours of numbers that a group of [`Kernel::Sum`] adds.
const FOURS: usize = 16;

/// Backends with these kernels.
#[backend_extension(Cube, Fusion)]
pub(crate) trait TrainingKernels: Backend {
    /// Product of two matrices, turned as `way` says.
    #[fusion(dtype = a, shape = way.turned.output(a, b))]
    fn turned_product(a: FloatTensor<Self>, b: FloatTensor<Self>, way: Way) -> FloatTensor<Self>;

    /// The share of each row in the mean loss, and the gradient of that mean.
    #[fusion(meta = |scores, _, _| (line(scores), scores.clone()))]
    fn row_entropies(
        scores: FloatTensor<Self>,
        targets: Vec<u32>,
        smoothing: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Normalised rows after γ and β, before them, and 1 / deviation of each row.
    #[fusion(meta = |x, _, _, _| (x.clone(), x.clone(), line(x)))]
    fn normalised(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);

    /// The gradients of a normalisation by its rows, γ and β.
    #[fusion(meta = |gradient, _, _, gamma| (gradient.clone(), gamma.clone(), gamma.clone()))]
    fn norm_gradients(
        gradient: FloatTensor<Self>,
        normal: FloatTensor<Self>,
        inverse: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);

    /// [`Self::normalised`] of the sum of rows and of a branch of which some numbers are dropped.
    #[fusion(meta = |x, _, _, _, _, _| (x.clone(), x.clone(), line(x)))]
    fn normalised_sum(
        x: FloatTensor<Self>,
        branch: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f32,
        mask: Dropout,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);

    /// The gradients of [`Self::normalised_sum`] by its rows, its branch, γ and β.
    #[fusion(meta = |gradient, _, _, gamma, _| (gradient.clone(), gradient.clone(), gamma.clone(), gamma.clone()))]
    fn norm_gradients_of_sum(
        gradient: FloatTensor<Self>,
        normal: FloatTensor<Self>,
        inverse: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        mask: Dropout,
    ) -> (
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
    );

    /// Dropout, after a ReLU if `relu` is set.
    #[fusion(dtype = x, shape = x)]
    fn masked(x: FloatTensor<Self>, relu: bool, mask: Dropout) -> FloatTensor<Self>;

    /// The gradient of [`Self::masked`] with a ReLU, by what came out.
    #[fusion(dtype = gradient, shape = gradient)]
    fn relu_gradient(
        gradient: FloatTensor<Self>,
        output: FloatTensor<Self>,
        mask: Dropout,
    ) -> FloatTensor<Self>;

    /// Rows and a vector that is added to each.
    #[fusion(dtype = x, shape = x)]
    fn biased(x: FloatTensor<Self>, bias: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The sum of all rows.
    #[fusion(dtype = x, shape = Shape::new([x[1]]))]
    fn summed_rows(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// Attention and the logarithm of each sum of exponentials.
    #[fusion(meta = |q, _, _, spec| (q.clone(), sums(q, spec)))]
    fn attended(
        q: FloatTensor<Self>,
        k: FloatTensor<Self>,
        v: FloatTensor<Self>,
        spec: Attention,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// The gradients of an attention by queries, keys and values.
    #[fusion(meta = |_, q, k, v, _, _, _| (q.clone(), k.clone(), v.clone()))]
    fn attention_gradients(
        gradient: FloatTensor<Self>,
        q: FloatTensor<Self>,
        k: FloatTensor<Self>,
        v: FloatTensor<Self>,
        output: FloatTensor<Self>,
        sums: FloatTensor<Self>,
        spec: Attention,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);

    /// Attention to chosen sentences and its weights.
    #[fusion(meta = |word_queries, _, values, _, _, lists| (read(word_queries, values), all_weights(values, lists)))]
    fn selected(
        word_queries: FloatTensor<Self>,
        word_keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        sentence_queries: FloatTensor<Self>,
        sentence_keys: FloatTensor<Self>,
        lists: Lists,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// The gradients of [`Self::selected`] by scores, word queries and sentence queries.
    #[fusion(meta = |gradient, word_keys, values, _, _, lists| (all_weights(values, lists), read(gradient, word_keys), read(gradient, word_keys)))]
    fn selected_query_gradients(
        gradient: FloatTensor<Self>,
        word_keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        sentence_keys: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        lists: Lists,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);

    /// Gradients of word keys, values and sentence keys.
    #[fusion(meta = |gradient, word_queries, _, _, _, lists| lists.keys(gradient, word_queries))]
    fn selected_key_gradients(
        gradient: FloatTensor<Self>,
        word_queries: FloatTensor<Self>,
        sentence_queries: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        scores: FloatTensor<Self>,
        lists: Lists,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

/// As many columns as `values` has, for each of these rows.
fn read(rows: &TensorSpec, values: &TensorSpec) -> TensorSpec {
    TensorSpec::new(Shape::new([rows.shape[0], values.shape[1]]), rows.dtype)
}

/// A number for each weight of some lists.
fn all_weights(values: &TensorSpec, lists: &Lists) -> TensorSpec {
    TensorSpec::new(Shape::new([lists.weights()]), values.dtype)
}

/// A number for each row and head.
fn sums(rows: &TensorSpec, spec: &Attention) -> TensorSpec {
    TensorSpec::new(Shape::new([rows.shape[0], spec.num_heads]), rows.dtype)
}

/// A number for each row of a matrix.
fn line(matrix: &TensorSpec) -> TensorSpec {
    TensorSpec::new(Shape::new([matrix.shape[0]]), matrix.dtype)
}

/// A number of a kernel's parameters.
enum Number {
    Whole(usize),
    Float(f32),
}

impl Number {
    fn bits(&self) -> u64 {
        u64::from(match self {
            Self::Whole(number) => word(*number),
            Self::Float(number) => number.to_bits(),
        })
    }
}

fn word(number: usize) -> u32 {
    u32::try_from(number).expect("matrices of a GPU are small")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kernel {
    Product(Way),
    Sum,
    CrossEntropy,
    Norm { adds: bool },
    NormGradients { adds: bool },
    Attention,
    AttentionGradients { of_keys: bool },
    Selected,
    SelectedGradients,
    SelectedKeyGradients,
    Delta,
    Dropout { relu: bool },
    ReluGradient,
    Bias,
    ColumnSums,
    Squares,
    Total,
    Adam,
}

impl Kernel {
    /// Text, entry and threads of a group.
    fn parts(self) -> (&'static str, &'static str, u32) {
        match self {
            Self::Product(way) => way.parts(),
            Self::Sum => (SUM, "add", 256),
            Self::CrossEntropy => (CROSS_ENTROPY, "entropy", 256),
            Self::Norm { .. } => (NORM, "normalise", 64),
            Self::NormGradients { .. } => (NORM_GRADIENTS, "gradients", 64),
            Self::Attention => (ATTENTION, "attend", 128),
            Self::AttentionGradients { .. } => (ATTENTION_GRADIENTS, "gradients_of", 128),
            Self::Selected => (SELECTED, "attend", 32),
            Self::SelectedGradients => (SELECTED_GRADIENTS, "gradients_of", 32),
            Self::SelectedKeyGradients => (SELECTED_KEY_GRADIENTS, "gradients_of", 32),
            Self::Delta => (DELTA, "delta", 64),
            Self::Dropout { .. } => (DROPOUT, "drop_some", 256),
            Self::ReluGradient => (RELU_GRADIENT, "pass_on", 256),
            Self::Bias => (BIAS, "add", 256),
            Self::ColumnSums => (COLUMN_SUMS, "add", 256),
            Self::Squares => (SQUARES, "add", 256),
            Self::Total => (TOTAL, "add", 256),
            Self::Adam => (ADAM, "update", 256),
        }
    }

    fn threads(self) -> CubeDim {
        CubeDim::new_1d(self.parts().2)
    }

    /// Starts it with these buffers and what is after them: the numbers of its shape.
    fn launch<const N: usize, const M: usize>(
        self,
        groups: [usize; 3],
        buffers: [&Handle; N],
        numbers: [Number; M],
        like: &CubeTensor,
    ) {
        let [x, y, z] = groups.map(word);
        let mut arguments = KernelArguments::new();
        for buffer in buffers {
            arguments = arguments.with_buffer(buffer.clone().binding());
        }
        let numbers = numbers.map(|number| number.bits());
        let pairs = numbers.chunks(2);
        let pairs = pairs.map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 32);
        arguments.info = MetadataBindingInfo::custom(pairs.collect());
        let count = CubeCount::Static(x, y, z);
        like.client.launch(Box::new(self), count, arguments);
    }
}

impl KernelMetadata for Kernel {
    fn id(&self) -> KernelId {
        KernelId::new::<Self>()
            .info(*self)
            .cube_dim(self.threads().0)
            .mode(ExecutionMode::Unchecked)
    }

    fn address_type(&self) -> ElemType {
        ElemType::UInt(UIntKind::U32)
    }
}

impl CubeKernel for Kernel {
    fn define(&self) -> KernelDefinition {
        let settings =
            KernelSettings::new(self.threads().0, ExecutionMode::Unchecked, AddressType::U32);
        KernelDefinition {
            body: Scope::root(settings.clone()),
            settings,
            info: Info::default(),
        }
    }

    fn source(&self) -> Option<PrecompiledSource> {
        let (text, entry, _) = self.parts();
        let source = match self {
            Self::Product(way) => way.source(text),
            Self::AttentionGradients { of_keys: true } => with(text, "KEYS"),
            Self::Norm { adds: true } | Self::NormGradients { adds: true } => with(text, "ADDS"),
            Self::Dropout { relu: true } => with(text, "RELU"),
            _ => text.to_owned(),
        };
        Some(PrecompiledSource {
            source,
            entrypoint_name: entry.to_owned(),
            lang: "wgsl",
        })
    }
}

/// The text of a kernel with a constant that is false there.
fn with(text: &str, constant: &str) -> String {
    let [plain, changed] = ["false", "true"].map(|it| format!("const {constant}: bool = {it};"));
    text.replace(&plain, &changed)
}

/// Numbers that a group of a kernel for each number of a tensor takes.
const NUMBERS: usize = 1_024;

/// Groups for a number of elements.
fn groups_for(numbers: usize) -> [usize; 3] {
    a_group_each(numbers.div_ceil(NUMBERS))
}

/// Threshold of hashes, factor of what is kept, and the two halves of the stream.
fn numbers_of(mask: Dropout) -> [Number; 4] {
    let half =
        |bits: u64| Number::Whole(usize::try_from(bits & u64::from(u32::MAX)).expect("32 bits"));
    [
        Number::Whole(mask.threshold() as usize),
        Number::Float(mask.scale()),
        half(mask.stream),
        half(mask.stream >> 32),
    ]
}

/// Groups for a number of rows, one each.
fn a_group_each(rows: usize) -> [usize; 3] {
    [rows.min(LINE), rows.div_ceil(LINE), 1]
}

fn empty<const D: usize>(like: &CubeTensor, sizes: [usize; D]) -> CubeTensor {
    let (client, device) = (like.client.clone(), like.device.clone());
    empty_device_contiguous_dtype(client, device, Shape::new(sizes), DType::F32)
}

/// The sum of `parts` parts that are one after the other, in the shape of one of them.
fn sum_of<const D: usize>(parts: &CubeTensor, count: usize, sizes: [usize; D]) -> CubeTensor {
    let sum = empty(parts, sizes);
    let fours = sizes.iter().product::<usize>() / 4;
    Kernel::Sum.launch(
        a_group_each(fours.div_ceil(FOURS)),
        [&parts.handle, &sum.handle],
        [
            Number::Whole(count),
            Number::Whole(fours),
            Number::Whole(0),
            Number::Whole(0),
        ],
        parts,
    );
    sum
}

impl TrainingKernels for CubeBackend {
    fn turned_product(a: CubeTensor, b: CubeTensor, way: Way) -> CubeTensor {
        product::launch(into_contiguous(a), into_contiguous(b), way)
    }

    fn row_entropies(
        scores: CubeTensor,
        targets: Vec<u32>,
        smoothing: f32,
    ) -> (CubeTensor, CubeTensor) {
        cross_entropy::launch(&into_contiguous(scores), &targets, smoothing)
    }

    fn normalised(
        x: CubeTensor,
        gamma: CubeTensor,
        beta: CubeTensor,
        epsilon: f32,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [x, gamma, beta] = [x, gamma, beta].map(into_contiguous);
        norm::launch(&x, None, [&gamma, &beta], epsilon)
    }

    fn norm_gradients(
        gradient: CubeTensor,
        normal: CubeTensor,
        inverse: CubeTensor,
        gamma: CubeTensor,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [gradient, gamma] = [gradient, gamma].map(into_contiguous);
        norm::launch_gradients(&gradient, [&normal, &inverse], &gamma, None)
    }

    fn normalised_sum(
        x: CubeTensor,
        branch: CubeTensor,
        gamma: CubeTensor,
        beta: CubeTensor,
        epsilon: f32,
        mask: Dropout,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [x, branch, gamma, beta] = [x, branch, gamma, beta].map(into_contiguous);
        norm::launch(&x, Some((&branch, mask)), [&gamma, &beta], epsilon)
    }

    fn norm_gradients_of_sum(
        gradient: CubeTensor,
        normal: CubeTensor,
        inverse: CubeTensor,
        gamma: CubeTensor,
        mask: Dropout,
    ) -> (CubeTensor, CubeTensor, CubeTensor, CubeTensor) {
        let [gradient, gamma] = [gradient, gamma].map(into_contiguous);
        let of_branch = empty(&gradient, [0, 1].map(|axis| gradient.shape()[axis]));
        let branch = Some((&of_branch, mask));
        let rows = [&normal, &inverse];
        let (of_x, of_gamma, of_beta) = norm::launch_gradients(&gradient, rows, &gamma, branch);
        (of_x, of_branch, of_gamma, of_beta)
    }

    fn masked(x: CubeTensor, relu: bool, mask: Dropout) -> CubeTensor {
        dropout::launch(&into_contiguous(x), relu, mask)
    }

    fn relu_gradient(gradient: CubeTensor, output: CubeTensor, mask: Dropout) -> CubeTensor {
        dropout::launch_relu_gradient(&into_contiguous(gradient), &output, mask)
    }

    fn biased(x: CubeTensor, bias: CubeTensor) -> CubeTensor {
        bias::launch(&into_contiguous(x), &into_contiguous(bias))
    }

    fn summed_rows(x: CubeTensor) -> CubeTensor {
        bias::launch_sums(&into_contiguous(x))
    }

    fn attended(
        q: CubeTensor,
        k: CubeTensor,
        v: CubeTensor,
        spec: Attention,
    ) -> (CubeTensor, CubeTensor) {
        let [q, k, v] = [q, k, v].map(into_contiguous);
        attention::launch([&q, &k, &v], &spec)
    }

    fn attention_gradients(
        gradient: CubeTensor,
        q: CubeTensor,
        k: CubeTensor,
        v: CubeTensor,
        output: CubeTensor,
        sums: CubeTensor,
        spec: Attention,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [gradient, q, k, v] = [gradient, q, k, v].map(into_contiguous);
        attention::launch_gradients(&gradient, [&q, &k, &v], [&output, &sums], &spec)
    }

    fn selected(
        word_queries: CubeTensor,
        word_keys: CubeTensor,
        values: CubeTensor,
        sentence_queries: CubeTensor,
        sentence_keys: CubeTensor,
        lists: Lists,
    ) -> (CubeTensor, CubeTensor) {
        let inputs = [
            word_queries,
            word_keys,
            values,
            sentence_queries,
            sentence_keys,
        ];
        selected::launch(inputs.map(into_contiguous).each_ref(), &lists)
    }

    fn selected_query_gradients(
        gradient: CubeTensor,
        word_keys: CubeTensor,
        values: CubeTensor,
        sentence_keys: CubeTensor,
        weights: CubeTensor,
        lists: Lists,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let read = [word_keys, values, sentence_keys].map(into_contiguous);
        let gradient = into_contiguous(gradient);
        selected::launch_query_gradients(&gradient, read.each_ref(), &weights, &lists)
    }

    fn selected_key_gradients(
        gradient: CubeTensor,
        word_queries: CubeTensor,
        sentence_queries: CubeTensor,
        weights: CubeTensor,
        scores: CubeTensor,
        lists: Lists,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [gradient, words, sentences] =
            [gradient, word_queries, sentence_queries].map(into_contiguous);
        selected::launch_key_gradients(&gradient, [&words, &sentences], [&weights, &scores], &lists)
    }
}

/// A tensor of 32 bits that a card keeps on a tape, or None. Compiled to SPIR-V, a device of burn takes no WGSL.
fn tracked<const D: usize>(tensor: &Tensor<D>) -> Option<FloatTensor<Autodiff<Wgpu>>> {
    if cfg!(feature = "vulkan") || !tensor.device().is_autodiff() {
        return None;
    }
    let tensor = tensor.clone().try_into_primitive::<Autodiff<Wgpu>>().ok()?;
    (tensor.dtype() == DType::F32 && tensor.shape().num_elements() > 0).then_some(tensor)
}

/// The primitive of a tensor without a tape.
fn untracked<const D: usize>(tensor: &Tensor<D>) -> Option<FloatTensor<Wgpu>> {
    if cfg!(feature = "vulkan") || tensor.device().is_autodiff() {
        return None;
    }
    let tensor = tensor.clone().try_into_primitive::<Wgpu>().ok()?;
    (tensor.dtype() == DType::F32 && tensor.shape().num_elements() > 0).then_some(tensor)
}
