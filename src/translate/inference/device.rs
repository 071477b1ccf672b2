//! Where tensors are computed: the choice of a device.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use burn::tensor::{Device, DeviceKind, Tensor};
use burn_wgpu::WgpuBackend;
use serde::{Deserialize, Serialize};
use wgpu::DeviceType;

use crate::error::{Error, Result};
use crate::remote::{Client, RemoteHost};
use canopy_base::device_failure::{DeviceFailure, in_short};
use canopy_base::error::panic_message;
use canopy_kernels::gpu::Gpu;

/// The device that a user requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceChoice {
    /// A real GPU where there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU, even a software adapter.
    Gpu,
    /// A device of another machine, which runs `canopy serve --compute`.
    Remote(RemoteHost),
}

/// Keeps the search for a GPU from looking for a screen. Mesa's Vulkan layer orders adapters by the one that draws the
/// screen, for which it calls upon the window system, and where there is none that prints errors. A program calls it
/// first thing, if it opens no window. A user's setting of that layer's adapter stays.
pub fn disable_display_probe() {
    let is_chosen = ["DRI_PRIME", "MESA_VK_DEVICE_SELECT", "NODEVICE_SELECT"];
    if cfg!(target_os = "linux")
        && is_chosen
            .iter()
            .all(|name| std::env::var_os(name).is_none())
    {
        #[expect(
            unsafe_code,
            reason = "the layer can only be configured by the environment"
        )]
        // SAFETY: no other thread reads the environment before any has started.
        unsafe {
            std::env::set_var("NODEVICE_SELECT", "1");
        }
    }
}

/// A device that was found.
#[derive(Debug, Clone)]
pub struct ComputeDevice {
    /// The device of burn that tensors are on.
    pub device: Device,
    /// For a status bar: `CPU, 2 threads` or `NVIDIA H200, Vulkan`.
    pub name: String,
    /// Whether the GPU is a program that runs on the CPU.
    pub software: bool,
    /// The machine that searches, traces and trains in place of this one; what is left is computed by the CPU here.
    pub remote: Option<Arc<Client>>,
}

/// Interfaces to GPUs, best first. OpenGL is left out: it computes poorly, and requesting it prints errors on Linux without a
/// display.
const GRAPHICS_APIS: &[WgpuBackend] = if cfg!(target_os = "linux") {
    &[WgpuBackend::Vulkan]
} else if cfg!(windows) {
    &[WgpuBackend::Vulkan, WgpuBackend::Dx12]
} else {
    &[WgpuBackend::Auto]
};

/// The kind of adapter that draws the window, if this process has one.
static WINDOW: Mutex<Option<DeviceType>> = Mutex::new(None);

/// Whether the GPU was lost: a runtime cannot be set up twice, so it stays so until the program is opened again.
static IS_LOST: AtomicBool = AtomicBool::new(false);

/// The adapter in use: a wgpu runtime can be set up only once.
static GPU: Mutex<Option<OpenedGpu>> = Mutex::new(None);

struct OpenedGpu {
    device: ComputeDevice,
    api: WgpuBackend,
    handle: wgpu::Device,
}

impl ComputeDevice {
    /// Finds the device a user requests.
    ///
    /// # Errors
    /// [`Error::NoGpu`] if the GPU is requested and there is none; those of [`Client::connect`].
    pub fn open(choice: DeviceChoice) -> Result<Self> {
        let device = match choice {
            DeviceChoice::Cpu => Self::cpu(),
            DeviceChoice::Auto => gpu(false).unwrap_or_else(Self::cpu),
            DeviceChoice::Gpu => gpu(true).ok_or(Error::NoGpu)?,
            DeviceChoice::Remote(host) => {
                let client = Client::connect(host)?;
                Self {
                    name: format!("{}, {}", client.host(), client.device()),
                    remote: Some(client),
                    ..Self::cpu()
                }
            }
        };
        let reason = match choice {
            DeviceChoice::Auto if !device.is_cpu() => "auto takes a real GPU",
            DeviceChoice::Auto if IS_LOST.load(Ordering::Relaxed) => {
                "auto takes the CPU, as the GPU was lost"
            }
            DeviceChoice::Auto => "auto takes the CPU, as no real GPU works",
            DeviceChoice::Cpu | DeviceChoice::Gpu | DeviceChoice::Remote(_) => "it was requested",
        };
        tracing::info!(
            device = device.name,
            software = device.software,
            reason,
            "chose a device"
        );
        Ok(device)
    }

    /// The choice for this machine, without the remote one.
    #[must_use]
    pub(super) fn here(&self) -> Self {
        match self.remote {
            Some(_) => Self::cpu(),
            None => self.clone(),
        }
    }

    fn cpu() -> Self {
        let name = format!("CPU, {} threads", rayon::current_num_threads());
        Self {
            device: Device::flex(),
            name,
            software: false,
            remote: None,
        }
    }

    /// Whether what is computed here is computed by the CPU.
    pub fn is_cpu(&self) -> bool {
        self.device == Device::flex()
    }

    /// Does `work` on this device; a message where the device is lost or has too little memory, which burn reports by a
    /// panic. A device that is lost is not opened again.
    ///
    /// # Panics
    /// As `work` does for any other reason.
    pub(super) fn attempt<T>(&self, work: impl FnOnce() -> T) -> Result<T, String> {
        let panic = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(done) => return Ok(done),
            Err(panic) => panic,
        };
        let message = panic_message(panic.as_ref());
        let failure = DeviceFailure::from_message(&message);
        match failure {
            None if self.is_cpu() || !is_lost(self) => resume_unwind(panic),
            Some(DeviceFailure::Lost) if !self.is_cpu() => IS_LOST.store(true, Ordering::Relaxed),
            Some(DeviceFailure::Lost | DeviceFailure::OutOfMemory) | None => {}
        }
        tracing::warn!(device = self.name, ?failure, "the device failed: {message}");
        Err(match failure {
            // The message is that of the first thing that failed.
            None => "the device is lost".to_owned(),
            Some(_) => in_short(&message),
        })
    }
}

/// The GPU of this process, if it has opened one.
fn opened_gpu() -> MutexGuard<'static, Option<OpenedGpu>> {
    GPU.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the GPU of this process as a driver does that fails: what a test needs to see what is lost with it.
pub fn destroy_gpu() {
    if let Some(gpu) = &*opened_gpu() {
        gpu.handle.destroy();
    }
}

/// Says what draws the window, before anything is computed: the best adapter by all interfaces that gives a device.
pub fn window_is_drawn_by(adapter: DeviceType) {
    *WINDOW.lock().unwrap_or_else(PoisonError::into_inner) = Some(adapter);
}

/// Whether `api` is searched for a real GPU. Where software draws the window, Direct3D 12 has none that works, and searching
/// it again is more than a waste of time: in Wine it makes OpenGL contexts, which stop a window that is drawn by Vulkan.
fn is_searched(api: WgpuBackend, window: Option<DeviceType>) -> bool {
    api != WgpuBackend::Dx12 || window != Some(DeviceType::Cpu)
}

/// Whether the GPU of this process, if it has opened one, computes no more. Then it is not opened again.
pub fn gpu_is_lost() -> bool {
    let gpu = opened_gpu().as_ref().map(|gpu| gpu.device.clone());
    gpu.is_some_and(|device| is_lost(&device))
}

/// Whether a GPU cannot add one and one any more: drivers report a loss in many ways, and some not at all.
fn is_lost(gpu: &ComputeDevice) -> bool {
    let device = &gpu.device;
    // What is read may arrive only when it is looked at.
    let adds = || {
        let one = Tensor::<1>::ones([1], device);
        let sum = (one.clone() + one).try_into_data().ok();
        let sum = sum.and_then(|sum| sum.try_to_vec::<f32>().ok());
        sum.is_some_and(|sum| sum == [2.0])
    };
    let computes = catch_unwind(AssertUnwindSafe(adds)).unwrap_or(false);
    if !computes {
        IS_LOST.store(true, Ordering::Relaxed);
    }
    !computes
}

/// `first` and other real graphics adapters of this machine, `count` in all.
///
/// # Errors
/// [`Error::TooFewDevices`] if there are fewer.
pub fn other_adapters(first: &Device, count: usize) -> Result<Vec<Device>> {
    /// A runtime can be set up only once.
    static OTHERS: Mutex<Vec<Device>> = Mutex::new(Vec::new());
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    if others.is_empty() {
        let kinds = [
            DeviceKind::DiscreteGpu,
            DeviceKind::IntegratedGpu,
            DeviceKind::VirtualGpu,
        ];
        // By another interface each card would be there once more.
        let api = opened_gpu()
            .as_ref()
            .map_or(GRAPHICS_APIS[0], |gpu| gpu.api);
        // The first one's runtime exists already, which is refused.
        let opened = kinds
            .into_iter()
            .flat_map(|kind| (0..count).map(kind))
            .filter_map(|kind| {
                let options = Device::wgpu_options().device_kind(kind).graphics_api(api);
                options.init_with_setup().ok().map(|(device, _)| device)
            });
        *others = opened.collect();
    }
    let devices = std::iter::once(first).chain(others.iter().filter(|other| *other != first));
    let devices: Vec<Device> = devices.take(count).cloned().collect();
    match devices.len() {
        found if found < count => Err(Error::TooFewDevices {
            wanted: count,
            found,
        }),
        _ => Ok(devices),
    }
}

/// The first adapter that works, real ones before software.
fn gpu(software_too: bool) -> Option<ComputeDevice> {
    if IS_LOST.load(Ordering::Relaxed) {
        return None;
    }
    let mut found = opened_gpu();
    if let Some(gpu) = &*found
        && (software_too || !gpu.device.software)
    {
        return Some(gpu.device.clone());
    }
    let real = [
        DeviceKind::DiscreteGpu(0),
        DeviceKind::IntegratedGpu(0),
        DeviceKind::VirtualGpu(0),
    ];
    let window = *WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
    let adapters = GRAPHICS_APIS
        .iter()
        .filter(|&&api| is_searched(api, window))
        .flat_map(|&api| real.clone().map(|kind| (kind, api, false)));
    let software = GRAPHICS_APIS
        .iter()
        .filter(|_| software_too)
        .map(|&api| (DeviceKind::Cpu, api, true));
    for (kind, api, software) in adapters.chain(software) {
        let options = Device::wgpu_options()
            .device_kind(kind.clone())
            .graphics_api(api);
        let opened = options.init_with_setup();
        if let Err(cause) = &opened {
            tracing::debug!(?kind, ?api, "no such adapter works: {cause:?}");
        }
        if let Ok((device, setup)) = opened {
            let info = setup.adapter.get_info();
            let name = format!("{}, {:?}", info.name, info.backend);
            let device = ComputeDevice {
                device,
                name,
                software,
                remote: None,
            };
            Gpu::register(
                &device.device,
                &setup.adapter,
                (setup.device.clone(), setup.queue),
            );
            *found = Some(OpenedGpu {
                device: device.clone(),
                api,
                handle: setup.device,
            });
            return Some(device);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{DeviceType, WgpuBackend, is_searched};

    #[test]
    fn direct3d_is_searched_unless_software_draws_the_window() {
        let windows = [
            (None, true),
            (Some(DeviceType::DiscreteGpu), true),
            (Some(DeviceType::IntegratedGpu), true),
            (Some(DeviceType::VirtualGpu), true),
            (Some(DeviceType::Other), true),
            (Some(DeviceType::Cpu), false),
        ];
        for (window, searched) in windows {
            let found = is_searched(WgpuBackend::Dx12, window);
            assert_eq!(found, searched, "{window:?}");
            assert!(is_searched(WgpuBackend::Vulkan, window), "{window:?}");
        }
    }
}
