//! Maps without a window, for tests and benches.

use std::sync::Arc;

use futures_lite::future::block_on;

use super::drawing::MapDrawing;
use super::pipelines::MapPipelines;
use canopy_explain::{DocumentMap, MapColours, MapFrame};

/// A device and a picture in its memory.
#[derive(Debug)]
pub struct Offscreen {
    /// The graphics adapter of the device.
    pub adapter: wgpu::AdapterInfo,
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipelines: MapPipelines,
    target: wgpu::Texture,
}

impl Offscreen {
    /// One for each adapter that computes, the best first.
    pub fn all(format: wgpu::TextureFormat, size: (u32, u32)) -> Vec<Self> {
        let backends = wgpu::Backends::PRIMARY;
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let mut adapters = block_on(instance.enumerate_adapters(backends));
        adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu | wgpu::DeviceType::VirtualGpu => 1,
            _ => 2,
        });
        let drawn_by = |adapter: &wgpu::Adapter| {
            let device = block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()));
            Some(Self::on(adapter.get_info(), device.ok()?, format, size))
        };
        adapters.iter().filter_map(drawn_by).collect()
    }

    /// On an existing device.
    pub fn on(
        adapter: wgpu::AdapterInfo,
        (device, queue): (wgpu::Device, wgpu::Queue),
        format: wgpu::TextureFormat,
        size: (u32, u32),
    ) -> Self {
        Self {
            adapter,
            pipelines: MapPipelines::new(&device, format),
            target: target(&device, format, size),
            device,
            queue,
        }
    }

    /// Uploads a map.
    pub fn upload(&self, map: &Arc<DocumentMap>) -> MapDrawing {
        MapDrawing::new(&self.device, &self.pipelines, map)
    }

    /// Draws a frame of a map and waits until it is complete.
    ///
    /// # Panics
    /// If the device is lost.
    #[expect(clippy::cast_precision_loss, reason = "the size of a picture")]
    pub fn draw(&self, drawing: &mut MapDrawing, frame: &Arc<MapFrame>, ink: &MapColours) {
        let mut encoder = self.encoder();
        let size = [self.target.width(), self.target.height()].map(|side| side as f32);
        drawing.prepare(
            (&self.device, &self.queue),
            &mut encoder,
            &self.pipelines,
            (frame, ink),
            ([0.0; 2], size),
        );
        let mut pass = pass(&mut encoder, &self.target);
        drawing.draw(&mut pass, &self.pipelines);
        drop(pass);
        let submission = self.queue.submit([encoder.finish()]);
        // And for nothing that others compute on this device.
        let own = wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: None,
        };
        self.device.poll(own).expect("the device works");
    }

    /// Red, green, blue and alpha of every pixel of what was drawn.
    ///
    /// # Panics
    /// If the device is lost.
    pub fn read(&self) -> Vec<u8> {
        read(&self.device, &self.queue, &self.target)
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        self.device.create_command_encoder(&descriptor)
    }
}

pub(super) fn target(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    (width, height): (u32, u32),
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("offscreen"),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// All of a target, from black.
pub(super) fn pass<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    target: &wgpu::Texture,
) -> wgpu::RenderPass<'a> {
    let view = target.create_view(&wgpu::TextureViewDescriptor::default());
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &view,
            resolve_target: None,
            ops: wgpu::Operations::default(),
            depth_slice: None,
        })],
        ..wgpu::RenderPassDescriptor::default()
    })
}

/// The bytes of a texture of four bytes a pixel.
pub(super) fn read(device: &wgpu::Device, queue: &wgpu::Queue, texture: &wgpu::Texture) -> Vec<u8> {
    let line = texture.width() * 4;
    let padded = line.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: u64::from(padded) * u64::from(texture.height()),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(padded),
                rows_per_image: None,
            },
        },
        texture.size(),
    );
    queue.submit([encoder.finish()]);
    buffer.slice(..).map_async(wgpu::MapMode::Read, |mapped| {
        mapped.expect("the device works");
    });
    let all = wgpu::PollType::wait_indefinitely();
    device.poll(all).expect("the device works");
    let bytes = buffer.slice(..).get_mapped_range().expect("it is mapped");
    let lines = bytes.chunks(padded as usize);
    lines
        .flat_map(|padded| padded[..line as usize].to_vec())
        .collect()
}
