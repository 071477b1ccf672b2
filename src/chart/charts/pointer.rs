//! The values of all curves where the pointer is, or at their ends.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

use super::chart::{Chart, Curve, Panel};
use super::draw::{SMALL, heading};
use super::font::register_fonts;
use super::pen::{Anchor, DrawResult, Lettering, Pen};
use super::plan::Plan;
use super::plot_area::{PlotArea, Rect};
use super::theme::Theme;
use super::ticks::{x_value, y_value};

/// Em of values, in pixels.
const VALUE: f64 = 11.0;
/// From the left of a dot to its value.
const DOT: f64 = 10.0;
/// Between values.
const SPACE: f64 = 12.0;
/// Height of a row of values.
const ROW: f64 = 15.0;

/// The value of one curve at the pointer.
struct Reading {
    colour: usize,
    text: String,
    /// In pixels; absent where the curve has no value.
    at: Option<(f64, f64)>,
}

impl Plan {
    /// Draws the values at `pointer`, a place on the horizontal axis, over a drawing of this plan; without one the last
    /// values.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn draw_values<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        chart: &Chart,
        pointer: Option<f64>,
        theme: &Theme,
        scale: f64,
    ) -> DrawResult<DB> {
        register_fonts();
        let pen = Pen { area, theme, scale };
        for ((panel, planned), place) in chart.panels.iter().zip(&self.panels).zip(&self.places) {
            let seen = pointer.filter(|x| (place.x.0..=place.x.1).contains(x));
            if !place.plot.is_visible() {
                continue;
            }
            let readings = readings(panel, place, seen);
            if let Some(x) = seen {
                let (x, _) = place.pixel((x, place.y.0));
                let plot = place.plot;
                pen.hairline((x, plot.top), (x, plot.bottom), theme.weak)?;
                for reading in &readings {
                    draw_dot(&pen, reading, place)?;
                }
            }
            draw_readings(&pen, panel, place, &readings, seen.is_some())?;
            if let (Some(x), true) = (seen, planned.is_lowest) {
                draw_x(&pen, &x_value(x, chart.x), place.pixel((x, 0.0)).0, place)?;
            }
        }
        Ok(())
    }
}

fn readings(panel: &Panel, place: &PlotArea, pointer: Option<f64>) -> Vec<Reading> {
    // As far as one cannot see that a curve has ended.
    let slack = 3.0 * (place.x.1 - place.x.0) / place.plot.width();
    let alone = panel.curves.len() == 1;
    let reading = |curve: &Curve| {
        let index = match pointer {
            Some(x) => curve.nearest(x, slack),
            None => curve.main().len().checked_sub(1),
        };
        let point = index.and_then(|index| curve.main().get(index));
        let text = point.map_or("–".to_owned(), |point| y_value(point.1));
        let raw = index.and_then(|index| curve.points.get(index));
        let raw = raw.filter(|_| alone && pointer.is_some() && !curve.smoothed.is_empty());
        Reading {
            colour: curve.colour,
            text: match raw {
                Some(raw) => format!("{text} (here {})", y_value(raw.1)),
                None => text,
            },
            at: point.map(|point| place.pixel(*point)),
        }
    };
    let curves = panel.curves.iter().filter(|curve| !curve.points.is_empty());
    curves.map(reading).collect()
}

fn draw_dot<DB: DrawingBackend>(
    pen: &Pen<DB>,
    reading: &Reading,
    place: &PlotArea,
) -> DrawResult<DB> {
    match reading.at.filter(|at| place.plot.contains(*at)) {
        Some(at) => {
            pen.disc(at, 5.0, pen.theme.page)?;
            pen.disc(at, 3.5, pen.theme.run(reading.colour))
        }
        None => Ok(()),
    }
}

/// Right of the title, in place of the unit if need be. Where there is no room: in a box in the corner of the
/// plot while the pointer is over it, else not at all.
fn draw_readings<DB: DrawingBackend>(
    pen: &Pen<DB>,
    panel: &Panel,
    place: &PlotArea,
    readings: &[Reading],
    is_requested: bool,
) -> DrawResult<DB> {
    let lettering = Lettering::new(VALUE, pen.theme.text);
    let lengths = readings
        .iter()
        .map(|reading| DOT + pen.width(&reading.text, lettering));
    let lengths: Vec<f64> = lengths.collect();
    let small = Lettering::new(SMALL, pen.theme.weak);
    let plot = place.plot;
    let baseline = plot.top - 9.0;
    let unit_from = pen.width(&panel.title, heading(pen.theme)) + 7.0;
    let with_unit = unit_from + pen.width(&panel.unit, small) + SPACE;
    let total: f64 = lengths.iter().map(|length| length + SPACE).sum();
    let fits = total <= plot.width() - unit_from;
    if !fits || with_unit + total <= plot.width() + SPACE {
        pen.text(&panel.unit, (plot.left + unit_from, baseline), small)?;
    }
    if fits {
        let mut x = plot.right + SPACE - total;
        for (reading, length) in readings.iter().zip(&lengths) {
            draw_reading(pen, reading, (x, baseline))?;
            x += length + SPACE;
        }
    } else if is_requested {
        let widest = lengths.iter().copied().fold(0.0, f64::max) + SPACE;
        let grid = grid(readings.len(), widest, &plot);
        pen.rect(grid.frame, pen.theme.page)?;
        for (index, reading) in readings.iter().enumerate() {
            draw_reading(pen, reading, grid.cell(index, widest))?;
        }
    }
    Ok(())
}

/// A dot in the run's colour, then its value.
fn draw_reading<DB: DrawingBackend>(
    pen: &Pen<DB>,
    reading: &Reading,
    (x, baseline): (f64, f64),
) -> DrawResult<DB> {
    let colour = pen.theme.run(reading.colour);
    pen.disc((x + 3.0, baseline - VALUE * 0.36), 3.0, colour)?;
    let lettering = Lettering::new(VALUE, pen.theme.text);
    pen.text(&reading.text, (x + DOT, baseline), lettering)
}

/// Values in rows and columns.
struct Grid {
    columns: usize,
    frame: Rect,
}

fn grid(count: usize, cell: f64, plot: &Rect) -> Grid {
    let columns = ((plot.width() / cell) as usize).clamp(1, count.max(1));
    let rows = count.div_ceil(columns);
    let frame = Rect {
        left: plot.right - columns as f64 * cell - 4.0,
        top: plot.top + 2.0,
        right: plot.right,
        bottom: plot.top + 6.0 + rows as f64 * ROW,
    };
    Grid { columns, frame }
}

impl Grid {
    fn cell(&self, index: usize, width: f64) -> (f64, f64) {
        let (row, column) = (index / self.columns, index % self.columns);
        (
            self.frame.left + 6.0 + column as f64 * width,
            self.frame.top + 13.0 + row as f64 * ROW,
        )
    }
}

/// The place on the horizontal axis, over its labels.
fn draw_x<DB: DrawingBackend>(
    pen: &Pen<DB>,
    text: &str,
    x: f64,
    place: &PlotArea,
) -> DrawResult<DB> {
    let lettering = Lettering::new(SMALL, pen.theme.page).anchored(Anchor::Centre);
    let half = pen.width(text, lettering) / 2.0 + 6.0;
    let plot = place.plot;
    let x = x.clamp(plot.left, (plot.right + 12.0 - half).max(plot.left));
    let frame = Rect {
        left: x - half,
        top: plot.bottom + 3.0,
        right: x + half,
        bottom: plot.bottom + 19.0,
    };
    pen.rect(frame, pen.theme.text)?;
    pen.text(text, (x, plot.bottom + 15.0), lettering)
}
