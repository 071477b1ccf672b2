//! One map on the GPU.

use std::sync::Arc;

use wgpu::util::DeviceExt;

use super::memory::{self, Memory};
use super::pipelines::MapPipelines;
use canopy_explain::{DocumentMap, MapColours, MapFrame};

/// Invocations of a workgroup of `gather`.
const GROUP: u32 = 256;
/// Workgroups along one dimension that every device has.
const MOST_GROUPS: u32 = 65_535;

/// The buffers of a map: its cells, uploaded once, and what one picture of it needs.
#[derive(Debug)]
pub struct MapDrawing {
    map: Arc<DocumentMap>,
    cells: wgpu::Buffer,
    rests: wgpu::Buffer,
    memory: Memory,
    gather: wgpu::BindGroup,
    shade: wgpu::BindGroup,
    /// The frame and colours that were prepared.
    shown: Option<(Arc<MapFrame>, MapColours)>,
}

impl MapDrawing {
    /// Whether memory of a device may be as large as this needs.
    pub fn fits(map: &DocumentMap, frame: &MapFrame, limits: &wgpu::Limits) -> bool {
        let needed = memory::needed(frame).gathered.max(memory::cell_bytes(map));
        let (width, height) = frame.size();
        let side = width.max(height) as u64;
        needed
            <= limits
                .max_storage_buffer_binding_size
                .min(limits.max_buffer_size)
            && side < limits.max_texture_dimension_2d.into()
    }

    /// Uploads `map`.
    pub fn new(device: &wgpu::Device, pipelines: &MapPipelines, map: &Arc<DocumentMap>) -> Self {
        let filled = |name, contents: &[u8]| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(name),
                contents,
                usage: wgpu::BufferUsages::STORAGE,
            })
        };
        let cells = filled("sparse_map cells", &memory::cells(map));
        let rests = filled("sparse_map rests", &memory::rests(map));
        let memory = Memory::new(device, memory::Sizes::default());
        let (gather, shade) = memory.bound(device, pipelines, &cells, &rests);
        Self {
            map: map.clone(),
            cells,
            rests,
            memory,
            gather,
            shade,
            shown: None,
        }
    }

    /// Whether this is of that very map.
    pub fn is_of(&self, map: &Arc<DocumentMap>) -> bool {
        Arc::ptr_eq(&self.map, map)
    }

    /// Memory of all buffers and textures.
    pub fn bytes(&self) -> u64 {
        self.cells.size() + self.rests.size() + self.memory.bytes()
    }

    /// Records what a picture needs before it is drawn. Its upper left corner is at `origin` of a target of the size
    /// `whole`, in pixels.
    pub fn prepare(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        encoder: &mut wgpu::CommandEncoder,
        pipelines: &MapPipelines,
        (frame, ink): (&Arc<MapFrame>, &MapColours),
        (origin, whole): ([f32; 2], [f32; 2]),
    ) {
        let target = (origin, whole, pipelines.is_linear);
        let content = memory::picture(&self.map, frame, ink, target);
        queue.write_buffer(&self.memory.picture, 0, &content);
        let is_same = |(of_frame, of_ink): &(Arc<MapFrame>, MapColours)| {
            Arc::ptr_eq(of_frame, frame) && of_ink == ink
        };
        if self.shown.as_ref().is_some_and(is_same) {
            return;
        }
        let needed = memory::needed(frame);
        if !self.memory.sizes.cover(&needed) {
            self.memory = Memory::new(device, self.memory.sizes.grown(&needed));
            queue.write_buffer(&self.memory.picture, 0, &content);
            (self.gather, self.shade) =
                self.memory
                    .bound(device, pipelines, &self.cells, &self.rests);
        }
        self.memory.write(queue, frame);
        encoder.clear_buffer(&self.memory.gathered, 0, Some(memory::gathered(frame)));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipelines.gather);
        pass.set_bind_group(0, &self.gather, &[]);
        let invocations = self.map.range(frame.rows.cells.clone()).len() + frame.rows.cells.len();
        let groups = u32::try_from(invocations).map_or(u32::MAX, |all| all.div_ceil(GROUP));
        let lines = groups.div_ceil(MOST_GROUPS).max(1);
        pass.dispatch_workgroups(groups.div_ceil(lines), lines, 1);
        drop(pass);
        self.memory.copy_bins(encoder, frame);
        self.shown = Some((frame.clone(), ink.clone()));
    }

    /// Draws the picture that was prepared; the viewport of `pass` is the whole target.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &MapPipelines) {
        let Some((frame, _)) = &self.shown else {
            return;
        };
        let direct = frame.columns.is_direct() && frame.rows.is_direct();
        pass.set_bind_group(0, &self.shade, &[]);
        pass.set_pipeline(if direct {
            &pipelines.shade_direct
        } else {
            &pipelines.shade
        });
        pass.draw(0..4, 0..1);
        if frame.strip.is_some() {
            pass.set_pipeline(&pipelines.shade_rest);
            pass.draw(0..4, 0..1);
        }
    }
}
