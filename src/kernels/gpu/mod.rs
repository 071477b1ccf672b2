//! Kernels of our own on a GPU, for a search with packed weights and for language models: WGSL (`shaders/gpu`) on the device of
//! burn.
//!
//! A word of a translation is some seventy small kernels, so that what it costs to start one decides how fast a search is. A
//! [`Run`] starts all of a word at once, in one pass, with what it bound them to at the word before; burn's layers, which are
//! the definition, start some forty a layer, one by one.

mod language;
mod matrix;
mod operations;
mod run;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use burn::tensor::Device;
use rayon::prelude::*;
use wgpu::{BindingType, BufferBindingType, BufferUsages, ShaderStages};

use language::BlockForm;
pub use language::{BlockNumbers, CachedAttention, DistanceBiases, GpuBlocks, Grouped};
pub use matrix::{GpuKeys, GpuMatrix};
pub use operations::{Attended, Keys};
pub use run::{Bound, Run};

const PRODUCT: &str = include_str!("../../../shaders/gpu/product.wgsl");
const NORM: &str = include_str!("../../../shaders/gpu/norm.wgsl");
const ATTEND: &str = concat!(
    include_str!("../../../shaders/gpu/running_softmax.wgsl"),
    include_str!("../../../shaders/gpu/attend.wgsl")
);
const SCORES: &str = include_str!("../../../shaders/gpu/scores.wgsl");
const SSRU: &str = include_str!("../../../shaders/gpu/ssru.wgsl");
const GATHER: &str = include_str!("../../../shaders/gpu/gather.wgsl");
const BLOCKS: &str = include_str!("../../../shaders/gpu/blocks.wgsl");
const RMS_NORM: &str = include_str!("../../../shaders/gpu/rms_norm.wgsl");
const ROTATE: &str = include_str!("../../../shaders/gpu/rotate.wgsl");
const STORE: &str = include_str!("../../../shaders/gpu/store.wgsl");
const ATTEND_CACHED: &str = concat!(
    include_str!("../../../shaders/gpu/running_softmax.wgsl"),
    include_str!("../../../shaders/gpu/attend_cached.wgsl")
);
const GATE: &str = include_str!("../../../shaders/gpu/gate.wgsl");

/// Lines of `product.wgsl` where weights have 32 bits, and where they have 16.
const NUMBERS: [(&str, &str); 2] = [
    ("alias Four = vec4<f32>;", "alias Four = vec2<u32>;"),
    (
        "{ return four; }",
        "{ return vec4(unpack2x16float(four.x), unpack2x16float(four.y)); }",
    ),
];

/// Numbers of a head that a thread group of `attend.wgsl` has room for.
pub const LARGEST_HEAD: usize = 256;

/// Bytes of the numbers that describe a kernel's work.
const SHAPE: u64 = 48;

/// Groups of threads that can be started in one direction, on every GPU.
const MOST_GROUPS: usize = 65_535;

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kernel {
    /// A product of few rows with weights of 32 bits.
    Few,
    Many,
    /// A product of few rows with weights of 16 bits.
    FewHalves,
    ManyHalves,
    Norm,
    Attend,
    TopK,
    Ssru,
    Gather,
    Label,
    /// A product of few rows with weights in blocks.
    RowsOfBlocks(BlockForm),
    TilesOfBlocks(BlockForm),
    RmsNorm,
    Rotate,
    Store,
    AttendCached,
    Gate,
}

impl Kernel {
    /// Those of a search with packed weights.
    const OF_SEARCH: [Self; 10] = [
        Self::Few,
        Self::Many,
        Self::FewHalves,
        Self::ManyHalves,
        Self::Norm,
        Self::Attend,
        Self::TopK,
        Self::Ssru,
        Self::Gather,
        Self::Label,
    ];

    /// Those of a language model.
    fn for_language_models() -> Vec<Self> {
        let products = BlockForm::ALL.map(|it| [Self::RowsOfBlocks(it), Self::TilesOfBlocks(it)]);
        let others = [
            Self::RmsNorm,
            Self::Rotate,
            Self::Store,
            Self::AttendCached,
            Self::Gate,
        ];
        products.into_iter().flatten().chain(others).collect()
    }

    /// Its source, its entry point, and how many buffers it reads and writes.
    fn program(self) -> (Cow<'static, str>, &'static str, [usize; 2]) {
        let halves = || {
            let source = PRODUCT.to_owned();
            NUMBERS
                .iter()
                .fold(source, |source, (whole, half)| source.replace(whole, half))
        };
        let blocks = |form: BlockForm| {
            let line = |reader: &str| format!("{{ return {reader}(place); }}");
            BLOCKS.replace(&line(BlockForm::Nibbles.reader()), &line(form.reader()))
        };
        let (source, entry, buffers) = match self {
            Self::Few => (PRODUCT.into(), "few", [3, 1]),
            Self::Many => (PRODUCT.into(), "many", [3, 1]),
            Self::FewHalves => (halves().into(), "few", [3, 1]),
            Self::ManyHalves => (halves().into(), "many", [3, 1]),
            Self::Norm => (NORM.into(), "norm", [2, 1]),
            Self::Attend => (ATTEND.into(), "attend", [3, 1]),
            Self::TopK => (SCORES.into(), "top_k", [1, 1]),
            Self::Ssru => (SSRU.into(), "ssru", [2, 2]),
            Self::Gather => (GATHER.into(), "gather", [3, 1]),
            Self::Label => (SCORES.into(), "label", [2, 1]),
            Self::RowsOfBlocks(form) => (blocks(form).into(), "one", [4, 1]),
            Self::TilesOfBlocks(form) => (blocks(form).into(), "tile", [4, 1]),
            Self::RmsNorm => (RMS_NORM.into(), "rms_norm", [2, 1]),
            Self::Rotate => (ROTATE.into(), "rotate", [1, 1]),
            Self::Store => (STORE.into(), "store", [1, 1]),
            Self::AttendCached => (ATTEND_CACHED.into(), "attend_cached", [4, 2]),
            Self::Gate => (GATE.into(), "gate", [1, 1]),
        };
        (source, entry, buffers)
    }
}

/// Kernels that are made together, when the first of them is started: a training needs none of them.
type Pipelines = OnceLock<HashMap<Kernel, wgpu::ComputePipeline>>;

/// A GPU on which models search.
#[derive(Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    search: Pipelines,
    language_models: Pipelines,
    multiplies_halves: bool,
    unpacks_halves: bool,
}

/// Requirements of shaders with cooperative matrices.
const HALVES: wgpu::Features =
    wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX.union(wgpu::Features::SHADER_F16);

fn has_halves(adapter: &wgpu::Adapter) -> bool {
    use wgpu::CooperativeScalarType::{F16, F32};
    let info = adapter.get_info();
    let kinds = adapter.cooperative_matrix_properties();
    (info.subgroup_min_size, info.subgroup_max_size) == (32, 32)
        && kinds.iter().any(|kind| {
            let sizes = [kind.m_size, kind.n_size, kind.k_size];
            sizes == [16; 3] && (kind.ab_type, kind.cr_type) == (F16, F32)
        })
}

/// The GPUs of this process, each with its device of burn.
static GPUS: Mutex<Vec<(Device, Arc<Gpu>)>> = Mutex::new(Vec::new());

impl Gpu {
    /// A GPU of its own on the first adapter of this machine, whatever that is, with the limits of every GPU; none
    /// where there is no adapter.
    pub fn on_first_adapter() -> Option<Arc<Self>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::PRIMARY,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default());
        let adapter = futures_lite::future::block_on(adapter).ok()?;
        let device = adapter.request_device(&wgpu::DeviceDescriptor::default());
        let (device, queue) = futures_lite::future::block_on(device).ok()?;
        Some(Arc::new(Self::new(&adapter, device, queue)))
    }

    /// Makes the GPU behind `device` known, which burn computes on with this queue.
    pub fn register(
        device: &Device,
        adapter: &wgpu::Adapter,
        (own, queue): (wgpu::Device, wgpu::Queue),
    ) {
        let mut gpus = GPUS.lock().unwrap_or_else(PoisonError::into_inner);
        if gpus.iter().all(|(known, _)| known != device) {
            let gpu = Self {
                multiplies_halves: own.features().contains(HALVES) && has_halves(adapter),
                ..Self::new(adapter, own, queue)
            };
            gpus.push((device.clone(), Arc::new(gpu)));
        }
    }

    /// Whether its subgroups of 32 threads multiply cooperative matrices of 16 × 16 numbers of 16 bits, with sums of 32.
    pub fn multiplies_halves(&self) -> bool {
        self.multiplies_halves
    }

    /// Whether its shaders read half floats of buffers, which kernels of language models do.
    pub fn unpacks_halves(&self) -> bool {
        self.unpacks_halves
    }

    /// The device and its queue, for other users.
    pub fn device_and_queue(&self) -> (wgpu::Device, wgpu::Queue) {
        (self.device.clone(), self.queue.clone())
    }

    fn new(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let flags = adapter.get_downlevel_capabilities().flags;
        Self {
            unpacks_halves: flags.contains(wgpu::DownlevelFlags::SHADER_F16_IN_F32),
            device,
            queue,
            search: OnceLock::new(),
            language_models: OnceLock::new(),
            multiplies_halves: false,
        }
    }

    /// The GPU behind a device of burn that learns nothing; none behind the CPU.
    pub fn from_device(device: &Device) -> Option<Arc<Self>> {
        let gpus = GPUS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gpus = gpus.iter();
        gpus.find_map(|(known, gpu)| (known == device).then(|| Arc::clone(gpu)))
    }

    fn pipeline(&self, kernel: Kernel) -> &wgpu::ComputePipeline {
        let all = if Kernel::OF_SEARCH.contains(&kernel) {
            let made = || pipelines(&self.device, Kernel::OF_SEARCH.to_vec());
            self.search.get_or_init(made)
        } else {
            let made = || pipelines(&self.device, Kernel::for_language_models());
            self.language_models.get_or_init(made)
        };
        &all[&kernel]
    }

    /// Whether a number of bytes can be bound at once.
    pub fn has_room(&self, bytes: u64) -> bool {
        bytes <= self.device.limits().max_storage_buffer_binding_size
    }

    /// Memory for `count` numbers of 32 bits, which are undefined.
    ///
    /// # Panics
    /// If there is too little, with a message that says so.
    pub fn room(&self, numbers: usize) -> wgpu::Buffer {
        let bytes = (numbers.max(4) * size_of::<f32>()) as u64;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        self.buffer(bytes, usage)
    }

    /// Memory that holds these numbers.
    ///
    /// # Panics
    /// As [`Self::room`].
    pub fn filled<T: bytemuck::NoUninit>(&self, numbers: &[T]) -> wgpu::Buffer {
        let bytes: &[u8] = bytemuck::cast_slice(numbers);
        let buffer = self.room(bytes.len().div_ceil(size_of::<f32>()));
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }

    /// Puts numbers to the beginning of a buffer, before all that is started afterwards.
    pub fn write<T: bytemuck::NoUninit>(&self, buffer: &wgpu::Buffer, numbers: &[T]) {
        self.queue
            .write_buffer(buffer, 0, bytemuck::cast_slice(numbers));
    }

    /// Memory for `count` numbers that begins with those of `old`.
    ///
    /// # Panics
    /// As [`Self::room`].
    pub fn grown(&self, old: &wgpu::Buffer, numbers: usize) -> wgpu::Buffer {
        let new = self.room(numbers);
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(old, 0, &new, 0, old.size());
        self.queue.submit([encoder.finish()]);
        new
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        let described = wgpu::CommandEncoderDescriptor::default();
        self.device.create_command_encoder(&described)
    }

    fn buffer(&self, size: u64, usage: BufferUsages) -> wgpu::Buffer {
        assert!(
            size <= self.device.limits().max_buffer_size && self.has_room(size),
            "out of memory: {size} bytes at once"
        );
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("canopy"),
            size,
            usage,
            mapped_at_creation: false,
        });
        let error = futures_lite::future::block_on(scope.pop());
        assert!(error.is_none(), "out of memory on the GPU");
        buffer
    }
}

fn pipelines(
    device: &wgpu::Device,
    kernels: Vec<Kernel>,
) -> HashMap<Kernel, wgpu::ComputePipeline> {
    let pipeline = |kernel: Kernel| {
        let (source, entry, buffers) = kernel.program();
        let source = wgpu::ShaderModuleDescriptor {
            label: Some("canopy"),
            source: wgpu::ShaderSource::Wgsl(source),
        };
        #[expect(
            unsafe_code,
            reason = "checks at every access make products several times slower"
        )]
        // SAFETY: every access is within the bounds that `Run` checks, and every loop ends.
        let module = unsafe {
            device.create_shader_module_trusted(source, wgpu::ShaderRuntimeChecks::unchecked())
        };
        let layout = layout(device, buffers);
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(
                &device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some(entry),
                    bind_group_layouts: &[Some(&layout)],
                    immediate_size: 0,
                }),
            ),
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        (kernel, pipeline)
    };
    // A driver takes a while for each.
    kernels.into_par_iter().map(pipeline).collect()
}

/// The bindings of a kernel: its shape, the buffers that it reads, and those that it writes.
fn layout(device: &wgpu::Device, [read_only, written]: [usize; 2]) -> wgpu::BindGroupLayout {
    let entry = |binding: usize, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
        binding: u32::try_from(binding).expect("few bindings"),
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty,
            has_dynamic_offset,
            min_binding_size: None,
        },
        count: None,
    };
    let mut entries = vec![entry(0, BufferBindingType::Uniform, true)];
    entries.extend((1..=read_only + written).map(|binding| {
        let read_only = binding <= read_only;
        entry(binding, BufferBindingType::Storage { read_only }, false)
    }));
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("canopy"),
        entries: &entries,
    })
}
