//! The window: panels that draw [`AppState`](canopy_app::AppState) and push [`Command`](canopy_app::Command)s; theme.
//!
//! [`CanopyApp`] receives events, draws and applies the commands of a frame; [`workbench_ui`] draws the pages, [`Panels`] keeps
//! scroll positions and the like. Nothing else names egui.
//!
//! ```no_run
//! use canopy_translate::inference::DeviceChoice;
//!
//! let document = Some("page.html".into());
//! canopy_gui::run(document, None, [None, Some("de".to_owned())], DeviceChoice::Auto)?;
//! # Ok::<(), canopy_gui::error::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

#[cfg(windows)]
mod adapter;
mod aligning;
mod alternatives;
mod app;
mod captions;
mod cell;
mod chart;
mod checks;
mod clipboard;
mod closing;
mod dialogs;
mod document;
mod editor;
pub mod error;
mod estimate;
mod evaluate;
mod explore;
mod file_manager;
mod filter;
mod find;
mod focus;
mod help;
mod icons;
mod labels;
mod language_model;
mod languages;
mod listed_row;
mod machines;
mod menu;
mod menu_keys;
mod merging;
mod models;
mod moved_work;
mod notices;
mod outline;
mod page_room;
mod path_question;
mod plot;
mod project;
mod reading;
mod recording;
mod row_heights;
mod row_layout;
mod segment_history;
mod sentence_row;
mod shading;
mod shortcuts;
mod similar;
mod sparse_map;
mod status;
mod system_fonts;
mod terms;
mod theme;
mod training;
mod typeset;
mod welcome;
mod workbench;

use std::path::PathBuf;

pub use app::CanopyApp;
pub use chart::{ChartAction, ChartViewState, chart_view};
pub use closing::{CloseState, close_dialog_ui};
pub use path_question::PathQuestion;
pub use sparse_map::{
    MapDrawing, MapPipelines, MapResponse, Marked, Offscreen, SparseMapState,
    install as install_sparse_map, sparse_map_view,
};
pub use system_fonts::WindowFonts;
pub use theme::contrast_ratio;
pub use theme::install as install_theme;
pub use workbench::{Panels, workbench_ui};

use crate::error::{Error, Result};
use canopy_translate::inference::{DeviceChoice, window_is_drawn_by};
use eframe::egui_wgpu::WgpuError;

/// Opens the window and returns when it is closed.
///
/// # Errors
/// If there is no display, or no way to draw on it.
pub fn run(
    open: Option<PathBuf>,
    model: Option<PathBuf>,
    languages: [Option<String>; 2],
    device: DeviceChoice,
) -> Result<()> {
    let viewport = egui::ViewportBuilder::default()
        .with_title("Canopy")
        .with_app_id("canopy")
        .with_icon(icon()?)
        .with_inner_size([1280.0, 820.0])
        .with_min_inner_size([840.0, 420.0]);
    let options = eframe::NativeOptions {
        viewport,
        #[cfg(windows)]
        wgpu_options: adapter::that_gives_a_device(),
        // They are found on a thread of ours.
        system_font_fallback: false,
        ..eframe::NativeOptions::default()
    };
    let create: eframe::AppCreator<'_> = Box::new(move |context| {
        if let Some(state) = &context.wgpu_render_state {
            install_sparse_map(&context.egui_ctx, state);
            window_is_drawn_by(state.adapter.get_info().device_type);
        }
        Ok(Box::new(CanopyApp::new(
            &context.egui_ctx,
            open,
            model,
            languages,
            device,
        )?))
    });
    eframe::run_native("canopy", options, create).map_err(failure)
}

/// A message for a window that did not open, with what a user can do about it.
fn failure(cause: eframe::Error) -> Error {
    match cause {
        eframe::Error::Wgpu(
            WgpuError::CreateSurfaceError(_) | WgpuError::RequestAdapterError(_),
        ) => Error::NoDriver,
        cause => Error::Window {
            reason: reason(&cause.to_string()),
        },
    }
}

/// The picture of the program in title bars and task lists.
fn icon() -> Result<egui::IconData> {
    let png = include_bytes!("../../assets/desktop/canopy.png");
    eframe::icon_data::from_png_bytes(png).map_err(|cause| Error::Window {
        reason: cause.to_string(),
    })
}

/// winit puts a place in its own source before the reason.
fn reason(message: &str) -> String {
    message
        .rsplit(": ")
        .next()
        .unwrap_or(message)
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_display_without_a_driver_is_told_apart_from_none() {
        let cause = wgpu::RequestAdapterError::EnvNotSet;
        let no_driver = super::failure(eframe::Error::Wgpu(cause.into())).to_string();
        assert!(no_driver.contains("no driver"), "{no_driver}");
        let broken = "no words".into();
        let other = super::failure(eframe::Error::AppCreation(broken)).to_string();
        assert!(other.contains("no words"), "{other}");
    }

    #[test]
    fn the_icon_can_be_shown() {
        let icon = super::icon().expect("a picture");
        assert_eq!((icon.width, icon.height), (256, 256));
        let corner_and_middle = [icon.rgba[3], icon.rgba[(128 * 256 + 128) * 4 + 3]];
        assert_eq!(
            corner_and_middle,
            [0, 255],
            "round corners, nothing cut out"
        );
    }
}
