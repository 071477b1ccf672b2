//! The pipelines of `shaders/sparse_map.wgsl`.

use wgpu::{BindingType, BufferBindingType, ShaderStages};

const SHADER: &str = include_str!("../../../shaders/sparse_map.wgsl");

/// Pipelines and layouts that all maps are drawn with.
#[derive(Debug)]
pub struct MapPipelines {
    pub(super) gather: wgpu::ComputePipeline,
    /// Where bins are pixels.
    pub(super) shade_direct: wgpu::RenderPipeline,
    /// Where they are not.
    pub(super) shade: wgpu::RenderPipeline,
    pub(super) shade_rest: wgpu::RenderPipeline,
    pub(super) gather_layout: wgpu::BindGroupLayout,
    pub(super) shade_layout: wgpu::BindGroupLayout,
    /// Whether the target wants linear colours.
    pub(super) is_linear: bool,
}

impl MapPipelines {
    /// For targets of one `format`, without multisampling and depth as egui's are.
    pub fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("sparse_map"),
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let gather_layout = gather_layout(device);
        let shade_layout = shade_layout(device);
        let layout = |bindings| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("sparse_map"),
                bind_group_layouts: &[Some(bindings)],
                immediate_size: 0,
            })
        };
        let gather = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("sparse_map gather"),
            layout: Some(&layout(&gather_layout)),
            module: &shader,
            entry_point: Some("gather"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let shading = layout(&shade_layout);
        let shade = |vertex, fragment, constants: &[(&str, f64)]| {
            let compilation_options = wgpu::PipelineCompilationOptions {
                constants,
                ..wgpu::PipelineCompilationOptions::default()
            };
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(fragment),
                layout: Some(&shading),
                vertex: wgpu::VertexState {
                    module: &shader,
                    entry_point: Some(vertex),
                    buffers: &[],
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                },
                primitive: wgpu::PrimitiveState {
                    topology: wgpu::PrimitiveTopology::TriangleStrip,
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shader,
                    entry_point: Some(fragment),
                    targets: &[Some(format.into())],
                    compilation_options,
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        let is_linear = format.is_srgb();
        let linear = ("linear", f64::from(u8::from(is_linear)));
        Self {
            gather,
            shade_direct: shade("cover", "shade", &[("direct", 1.0), linear]),
            shade: shade("cover", "shade", &[("direct", 0.0), linear]),
            shade_rest: shade("cover_rest", "shade_rest", &[]),
            gather_layout,
            shade_layout,
            is_linear,
        }
    }
}

fn gather_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let read = buffer(BufferBindingType::Storage { read_only: true });
    let write = buffer(BufferBindingType::Storage { read_only: false });
    let uniform = buffer(BufferBindingType::Uniform);
    let bindings = [(0, uniform), (1, read), (2, read), (3, read), (4, write)];
    layout(
        device,
        &bindings.map(|(binding, ty)| (binding, ShaderStages::COMPUTE, ty)),
    )
}

fn shade_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let texture = |sample_type| BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let colours = texture(wgpu::TextureSampleType::Float { filterable: false });
    let numbers = texture(wgpu::TextureSampleType::Uint);
    let read = buffer(BufferBindingType::Storage { read_only: true });
    let uniform = buffer(BufferBindingType::Uniform);
    let fragment = ShaderStages::FRAGMENT;
    let bindings = [
        (0, ShaderStages::VERTEX_FRAGMENT, uniform),
        (5, fragment, colours),
        (6, fragment, numbers),
        (7, fragment, read),
    ];
    layout(device, &bindings)
}

fn buffer(ty: BufferBindingType) -> BindingType {
    BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

fn layout(
    device: &wgpu::Device,
    bindings: &[(u32, ShaderStages, BindingType)],
) -> wgpu::BindGroupLayout {
    let entry = |&(binding, visibility, ty)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility,
        ty,
        count: None,
    };
    let entries: Vec<_> = bindings.iter().map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("sparse_map"),
        entries: &entries,
    })
}
