//! A map among the shapes of egui.

use std::sync::Arc;

use eframe::egui_wgpu::{CallbackResources, CallbackTrait, RenderState, ScreenDescriptor};
use egui::mutex::Mutex;
use egui::{Context, Id, PaintCallbackInfo};

use super::drawing::MapDrawing;
use super::pipelines::MapPipelines;
use canopy_explain::{DocumentMap, MapColours, MapFrame};

/// The texture format of the window, until the first map needs pipelines for it.
struct Target(wgpu::TextureFormat);

/// Lets maps be drawn by the GPU that draws the window; without it, or if it cannot compute, they are pictures.
pub fn install(ctx: &Context, state: &RenderState) {
    let limits = state.device.limits();
    if limits.max_compute_invocations_per_workgroup < 256
        || limits.max_storage_buffers_per_shader_stage < 4
    {
        return;
    }
    let mut renderer = state.renderer.write();
    renderer
        .callback_resources
        .insert(Target(state.target_format));
    ctx.data_mut(|data| data.insert_temp(place(), limits));
}

fn place() -> Id {
    Id::unique("what maps may use of the GPU")
}

/// Limits of the window's GPU, if there is one.
pub(super) fn limits(ctx: &Context) -> Option<wgpu::Limits> {
    ctx.data(|data| data.get_temp(place()))
}

/// A callback of egui that draws a map; the buffers live as long as who shows the map.
pub(super) struct MapCallback {
    pub map: Arc<DocumentMap>,
    pub frame: Arc<MapFrame>,
    pub ink: Arc<MapColours>,
    /// Upper left corner in the window, in pixels.
    pub origin: [f32; 2],
    pub drawing: Arc<Mutex<Option<MapDrawing>>>,
}

impl CallbackTrait for MapCallback {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        screen: &ScreenDescriptor,
        encoder: &mut wgpu::CommandEncoder,
        resources: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        if !resources.contains::<MapPipelines>()
            && let Some(&Target(format)) = resources.get()
        {
            resources.insert(MapPipelines::new(device, format));
        }
        if let Some(pipelines) = resources.get::<MapPipelines>() {
            let mut drawing = self.drawing.lock();
            let kept = drawing.take().filter(|drawing| drawing.is_of(&self.map));
            let kept = kept.unwrap_or_else(|| MapDrawing::new(device, pipelines, &self.map));
            drawing.insert(kept).prepare(
                (device, queue),
                encoder,
                pipelines,
                (&self.frame, &self.ink),
                (self.origin, size(screen.size_in_pixels)),
            );
        }
        Vec::new()
    }

    fn paint(
        &self,
        info: PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        let drawing = self.drawing.lock();
        if let (Some(pipelines), Some(drawing)) = (resources.get(), drawing.as_ref()) {
            let [width, height] = size(info.screen_size_px);
            // egui puts its own viewport back.
            pass.set_viewport(0.0, 0.0, width, height, 0.0, 1.0);
            drawing.draw(pass, pipelines);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the size of a window")]
fn size(pixels: [u32; 2]) -> [f32; 2] {
    pixels.map(|side| side as f32)
}
