//! Charts and other pictures as files.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::path::Path;
use std::rc::Rc;

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::{DrawingBackend, IntoDrawingArea, SVGBackend};

use super::canvas::Canvas;
use super::chart::{Chart, View};
use super::draw::draw;
use super::font::register_fonts;
use super::pen::{DrawResult, Pen};
use super::theme::Theme;
use crate::error::{BaseError, Error, Result};
use canopy_base::file::{check_writable, write_atomically};

/// Units of plotters, which counts in whole ones, in a pixel, so that curves are smooth.
pub const FINE: u32 = 4;

/// Larger figures, in pixels a side, are refused.
const LARGEST: u32 = 4_000;

/// The height of a figure, of which so many pixels are needed for everything to be easy to read.
pub fn readable_height(needed: f64) -> u32 {
    needed.clamp(160.0, f64::from(LARGEST)).ceil() as u32
}

/// A picture that can be drawn on any backend.
pub trait Picture {
    /// Draws on the whole area of `pen`.
    ///
    /// # Errors
    /// Errors of the backend.
    fn draw<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> DrawResult<DB>;
}

struct ChartPicture<'a>(&'a Chart, &'a View);

impl Picture for ChartPicture<'_> {
    fn draw<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> DrawResult<DB> {
        draw(pen.area, self.0, self.1, pen.theme, pen.scale)
    }
}

/// Writes a figure of `width` × `height` pixels: SVG or PNG, as the end of its name says. What was at `path` before is
/// there until the figure is complete.
///
/// # Errors
/// If the name ends otherwise, the size is not usable, `path` exists and `overwrite` is false, or writing fails.
pub fn write(
    chart: &Chart,
    view: &View,
    theme: &Theme,
    path: &Path,
    size: (u32, u32),
    overwrite: bool,
) -> Result<()> {
    write_picture(&ChartPicture(chart, view), theme, path, size, overwrite)
}

/// Writes any picture as SVG or PNG, by the ending of `path`.
///
/// # Errors
/// The errors of [`write`](fn@write).
pub fn write_picture(
    picture: &impl Picture,
    theme: &Theme,
    path: &Path,
    size: (u32, u32),
    overwrite: bool,
) -> Result<()> {
    for (field, pixels) in [("the width", size.0), ("the height", size.1)] {
        if !(100..=LARGEST).contains(&pixels) {
            return Err(Error::Base(BaseError::Config {
                field,
                found: pixels.to_string(),
                allowed: format!("100 to {LARGEST} pixels"),
            }));
        }
    }
    let bytes = match Format::from_path(path)? {
        Format::Svg => picture_svg(picture, theme, size).map(String::into_bytes),
        Format::Png => picture_png(picture, theme, size),
    };
    let bytes = bytes.map_err(|problem| Error::Figure {
        problem,
        path: path.to_owned(),
    })?;
    Ok(write_atomically(path, &bytes, overwrite)?)
}

/// Before long work whose outcome is to be drawn: whether [`write_picture`] will find its place.
///
/// # Errors
/// If the name ends otherwise than in `.svg` or `.png`, the file exists and `overwrite` is false, or its folder does not.
pub fn check_picture(path: &Path, overwrite: bool) -> Result<()> {
    Format::from_path(path)?;
    Ok(check_writable(path, overwrite)?)
}

enum Format {
    Svg,
    Png,
}

impl Format {
    /// As the end of the name says.
    fn from_path(path: &Path) -> Result<Self> {
        let extension = path.extension().map(OsStr::to_ascii_lowercase);
        match extension.as_ref().and_then(|end| end.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Error::FigureExtension {
                path: path.to_owned(),
            }),
        }
    }
}

/// A chart as SVG, `size` in pixels.
///
/// # Errors
/// Errors of plotters.
pub fn svg(chart: &Chart, view: &View, theme: &Theme, size: (u32, u32)) -> Result<String, String> {
    picture_svg(&ChartPicture(chart, view), theme, size)
}

/// A chart as PNG, `size` in pixels.
///
/// # Errors
/// Errors of plotters.
pub fn png(chart: &Chart, view: &View, theme: &Theme, size: (u32, u32)) -> Result<Vec<u8>, String> {
    picture_png(&ChartPicture(chart, view), theme, size)
}

/// A picture as SVG, `size` in pixels.
///
/// # Errors
/// Errors of plotters.
pub fn picture_svg(
    picture: &impl Picture,
    theme: &Theme,
    size: (u32, u32),
) -> Result<String, String> {
    let (width, height) = (size.0 * FINE, size.1 * FINE);
    let mut text = String::new();
    let backend = SVGBackend::with_string(&mut text, (width, height));
    draw_on(&backend.into_drawing_area(), picture, theme)?;
    let fine = format!("<svg width=\"{width}\" height=\"{height}\"");
    let real = format!("<svg width=\"{}\" height=\"{}\"", size.0, size.1);
    Ok(text.replacen(&fine, &real, 1))
}

/// A picture as PNG, `size` in pixels.
///
/// # Errors
/// Errors of plotters.
pub fn picture_png(
    picture: &impl Picture,
    theme: &Theme,
    size: (u32, u32),
) -> Result<Vec<u8>, String> {
    let canvas = Canvas::new(size.0 * FINE, size.1 * FINE);
    let canvas = Rc::new(RefCell::new(canvas));
    draw_on(&DrawingArea::from(&canvas), picture, theme)?;
    let reduced = canvas.borrow().reduced(FINE);
    super::png::encoded(&reduced).map_err(|cause| cause.to_string())
}

fn draw_on<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    picture: &impl Picture,
    theme: &Theme,
) -> Result<(), String> {
    register_fonts();
    let pen = Pen {
        area,
        theme,
        scale: f64::from(FINE),
    };
    picture.draw(&pen).map_err(|problem| problem.to_string())?;
    area.present().map_err(|problem| problem.to_string())
}
