//! The widget in a whole picture of a window, with and without shader.

use eframe::egui_wgpu::{RenderState, Renderer, RendererOptions, ScreenDescriptor};

use egui::mutex::RwLock;
use egui::{Context, RawInput};
use futures_lite::future::block_on;

use super::super::offscreen;
use super::*;

const SIZE: (u32, u32) = (900, 640);
const PIXELS_PER_POINT: f32 = 1.25;

/// The render state that eframe makes for a window; `None` if there is nothing to draw with.
fn render_state() -> Option<RenderState> {
    let backends = wgpu::Backends::PRIMARY;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let available_adapters = block_on(instance.enumerate_adapters(backends));
    let adapter = available_adapters.first()?.clone();
    let device = block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()));
    let (device, queue) = device.ok()?;
    let target_format = TextureFormat::Rgba8Unorm;
    let renderer = Renderer::new(&device, target_format, RendererOptions::default());
    Some(RenderState {
        adapter,
        available_adapters,
        instance,
        device,
        queue,
        target_format,
        renderer: Arc::new(RwLock::new(renderer)),
    })
}

/// The last of some frames of a window with nothing but a map.
fn window(state: &RenderState, theme: egui::Theme, with_shader: bool) -> Vec<u8> {
    let ctx = Context::default();
    crate::install_theme(&ctx);
    ctx.set_theme(theme);
    if with_shader {
        install(&ctx, state);
    }
    let mut map = SparseMapState::default();
    let document = Arc::new(DocumentMap::generated(400, 8, 2));
    let marked = Marked {
        row: Some(120),
        column: Some(31),
    };
    #[expect(clippy::cast_precision_loss, reason = "the size of a window")]
    let points = Vec2::new(SIZE.0 as f32, SIZE.1 as f32) / PIXELS_PER_POINT;
    let mut picture = Vec::new();
    for _ in 0..3 {
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, points)),
            ..RawInput::default()
        };
        let viewport = input.viewports.entry(input.viewport_id).or_default();
        viewport.native_pixels_per_point = Some(PIXELS_PER_POINT);
        let output = ctx.run_ui(input, |ui| {
            egui::CentralPanel::default().show(ui, |ui| {
                sparse_map_view(ui, &mut map, &document, marked);
            });
        });
        picture = painted(state, &ctx, output);
    }
    assert_eq!(map.drawing.lock().is_some(), with_shader);
    picture
}

fn painted(state: &RenderState, ctx: &Context, output: egui::FullOutput) -> Vec<u8> {
    let (device, queue) = (&state.device, &state.queue);
    let mut renderer = state.renderer.write();
    for (id, deltas) in &output.textures_delta.set {
        for delta in deltas {
            renderer.update_texture(device, queue, *id, delta);
        }
    }
    let screen = ScreenDescriptor {
        size_in_pixels: SIZE.into(),
        pixels_per_point: output.pixels_per_point,
    };
    let jobs = ctx.tessellate(output.shapes, output.pixels_per_point);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    renderer.update_buffers(device, queue, &mut encoder, &jobs, &screen);
    let target = offscreen::target(device, state.target_format, SIZE);
    let mut pass = offscreen::pass(&mut encoder, &target).forget_lifetime();
    renderer.render(&mut pass, &jobs, &screen);
    drop(pass);
    queue.submit([encoder.finish()]);
    offscreen::read(device, queue, &target)
}

#[test]
fn a_window_looks_the_same_with_and_without_the_shader() {
    let state = render_state().expect("an adapter, Mesa's lavapipe at least");
    for theme in [egui::Theme::Light, egui::Theme::Dark] {
        let [drawn, plain] = [true, false].map(|shader| window(&state, theme, shader));
        let share = alike(&drawn, &plain);
        assert!(
            share >= 0.999,
            "{share}, {theme:?}, {:?}",
            state.adapter.get_info()
        );
    }
}
