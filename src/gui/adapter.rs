//! Which adapter draws the window on Windows: a driver may list one for Direct3D 12 that gives no device, while Vulkan or OpenGL
//! would do.

use std::sync::Arc;

use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew};
use futures_lite::future::block_on;
use wgpu::{Adapter, Backend, DeviceType, Surface};

/// The usual settings, with the best adapter that can show the window and gives a device.
pub(crate) fn that_gives_a_device() -> WgpuConfiguration {
    let setup = WgpuSetupCreateNew::without_display_handle();
    let descriptor = Arc::clone(&setup.device_descriptor);
    let select = move |adapters: &[Adapter], surface: Option<&Surface<'_>>| {
        let shows = |adapter: &&Adapter| {
            surface.is_none_or(|surface| adapter.is_surface_supported(surface))
        };
        let mut adapters: Vec<_> = adapters.iter().filter(shows).collect();
        adapters.sort_by_key(|adapter| rank(adapter));
        let gives_device =
            |adapter: &&&Adapter| block_on(adapter.request_device(&descriptor(adapter))).is_ok();
        let found = adapters
            .iter()
            .find(gives_device)
            .map(|&adapter| adapter.clone());
        found.ok_or_else(|| "no adapter gives a device for the window".to_owned())
    };
    WgpuConfiguration {
        wgpu_setup: WgpuSetup::CreateNew(WgpuSetupCreateNew {
            native_adapter_selector: Some(Arc::new(select)),
            ..setup
        }),
        ..WgpuConfiguration::default()
    }
}

/// Graphics cards come first, then processors with graphics, then software; OpenGL comes after the others of its kind.
fn rank(adapter: &Adapter) -> (u8, bool) {
    let info = adapter.get_info();
    let kind = match info.device_type {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    };
    (kind, info.backend == Backend::Gl)
}
