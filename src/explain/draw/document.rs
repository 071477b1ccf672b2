//! The map of a whole document: what is around its cells in window and figure, and the figure.

use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use super::heading::{FOOT, HEAD, SMALL, head};
use super::legend::{self, Swatch, frame};
use crate::colours::Scale;
use crate::document_map::{DocumentMap, MapColours, MapFrame, MapView, Strip};
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

/// Words above the numbers of the columns.
const CAPTION: f64 = 17.0;
/// Numbers above the columns.
const NUMBERS: f64 = 17.0;
/// Between the cells and the bars of the rest, and the bars.
const GAP: f64 = 10.0;
const REST: f64 = 34.0;
/// Least distance of two numbers.
const APART: f64 = 10.0;

/// Where the parts of a map are, in pixels of the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapSheet {
    /// Everything.
    pub area: Rect,
    /// The cells of the map.
    pub cells: Rect,
    /// Bars of the rest, if there is any.
    pub rest: Option<Rect>,
}

impl MapSheet {
    /// Divides an area among labels, cells and rest.
    pub fn new(area: Rect, map: &DocumentMap) -> Self {
        let digits = digits(map.rows());
        let rest = if map.has_rest() { GAP + REST } else { 0.0 };
        let left = (area.left + digits + 8.0).round();
        let top = (area.top + CAPTION + NUMBERS).round();
        let cells = Rect {
            left,
            top,
            right: (area.right - rest - 1.0).max(left + 1.0).round(),
            bottom: (area.bottom - FOOT).max(top + 1.0).round(),
        };
        let strip = |right: f64| Rect {
            left: right + GAP,
            right: right + GAP + REST,
            ..cells
        };
        Self {
            area,
            cells,
            rest: map.has_rest().then(|| strip(cells.right)),
        }
    }

    /// The strip of the rest, where a pixel of the page has `scale` pixels of the picture.
    pub fn strip(&self, scale: f64) -> Option<Strip> {
        let pixels = |length: f64| (length * scale).round() as u32;
        self.rest.map(|_| Strip {
            gap: pixels(GAP),
            width: pixels(REST),
        })
    }

    /// Draws all but the cells and the rest: frames, numbers of sentences from 1, and the legend.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn draw<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        map: &DocumentMap,
        view: &MapView,
        scale: &Scale,
    ) -> DrawResult<DB> {
        for place in [Some(self.cells), self.rest].into_iter().flatten() {
            let around = Rect {
                left: place.left - 1.0,
                top: place.top - 1.0,
                right: place.right + 1.0,
                bottom: place.bottom + 1.0,
            };
            frame(pen, around, pen.theme.axis)?;
        }
        self.draw_numbers(pen, map, view)?;
        self.draw_captions(pen)?;
        let blank = legend::blank(map.has_rest(), map.masks);
        let mut swatches = vec![(Swatch::Blank, blank)];
        if map.has_rest() {
            swatches.push((Swatch::Hatched, "rest: share dropped, or in no sentence"));
        }
        legend::draw(pen, self.area, scale, &map.measure, &swatches)
    }

    fn draw_numbers<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        map: &DocumentMap,
        view: &MapView,
    ) -> DrawResult<DB> {
        let small = Lettering::new(SMALL, pen.theme.text);
        let (cells, above) = (self.cells, self.cells.top - 7.0);
        let per_column = cells.width() / (view.columns.1 - view.columns.0);
        for number in numbers(
            view.columns,
            map.columns(),
            digits(map.columns()),
            per_column,
        ) {
            let x = cells.left + (number as f64 - 0.5 - view.columns.0) * per_column;
            let tick = [(x, cells.top - 4.0), (x, cells.top - 1.0)];
            pen.line(&tick, 1.0, pen.theme.axis)?;
            let at = (x, above);
            pen.text(&number.to_string(), at, small.anchored(Anchor::Centre))?;
        }
        let per_row = cells.height() / (view.rows.1 - view.rows.0);
        for number in numbers(view.rows, map.rows(), SMALL, per_row) {
            let y = cells.top + (number as f64 - 0.5 - view.rows.0) * per_row;
            let tick = [(cells.left - 4.0, y), (cells.left - 1.0, y)];
            pen.line(&tick, 1.0, pen.theme.axis)?;
            let at = (cells.left - 7.0, y + 0.36 * SMALL);
            pen.text(&number.to_string(), at, small.anchored(Anchor::Right))?;
        }
        Ok(())
    }

    fn draw_captions<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> DrawResult<DB> {
        let small = Lettering::new(SMALL, pen.theme.weak);
        let top = self.area.top + 10.0;
        let rest_left = self.rest.map_or(self.area.right, |rest| rest.left);
        let caption = "↓ sentence that looks    → sentence that is looked at";
        let caption = pen.shortened(caption, small, rest_left - self.area.left - 8.0);
        pen.text(&caption, (self.area.left, top), small)?;
        if self.rest.is_some() {
            pen.text("rest", (rest_left, top), small)?;
        }
        Ok(())
    }
}

/// As wide as the largest number.
fn digits(largest: usize) -> f64 {
    let digits = largest.max(100).ilog10() + 1;
    f64::from(digits) * 6.8
}

/// Which of the visible cells get their number, counted from 1: every first, second, fifth, tenth and so on, so that numbers
/// of this `length` do not touch.
fn numbers(
    (from, to): (f64, f64),
    count: usize,
    length: f64,
    per_cell: f64,
) -> impl Iterator<Item = usize> {
    let apart = (length + APART) / per_cell.max(1e-9);
    let steps = (0..18).flat_map(|power| [1, 2, 5].map(|step| step * 10_usize.pow(power)));
    let step = steps.into_iter().find(|&step| step as f64 >= apart);
    let step = step.unwrap_or(usize::MAX);
    // The middle of number n is at n - 0.5.
    let first = ((from + 0.5).ceil().max(1.0) as usize).div_ceil(step) * step;
    let last = ((to + 0.5).floor() as usize).min(count);
    (first..=last).step_by(step)
}

pub(super) fn height(map: &DocumentMap, width: f64) -> f64 {
    let rows = map.rows() as f64;
    // As high as wide, but a few rows not so high.
    HEAD + CAPTION + NUMBERS + FOOT + (width - 100.0).clamp(100.0, 24.0 * rows.max(1.0) + 100.0)
}

/// All of the map.
pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    map: &DocumentMap,
) -> DrawResult<DB> {
    let area = head(pen, area, &map.title, &map.query)?;
    let sheet = MapSheet::new(area, map);
    let view = MapView::all(map);
    let scale = Scale::new(0.0, map.largest(), pen.theme);
    let ink = MapColours::new(&scale, pen.theme);
    let cells = sheet.cells;
    let size = (cells.width() as u32, cells.height() as u32);
    let frame = MapFrame::new(map, &view, size, sheet.strip(1.0));
    let (width, _) = frame.size();
    let picture = frame.picture(map, &ink);
    let (pixels, _) = picture.as_chunks::<4>();
    let columns = size.0 as usize;
    let lines = || pixels.chunks(width.max(1));
    let beside: Vec<_> = lines().map(|line| &line[..columns]).collect();
    draw_pixels(pen, &beside, (cells.left, cells.top), ink.page)?;
    let beside: Vec<_> = lines().map(|line| &line[columns..]).collect();
    draw_pixels(pen, &beside, (cells.right, cells.top), ink.page)?;
    sheet.draw(pen, map, &view, &scale)
}

/// One rectangle for adjacent pixels of one colour, and for lines of pixels that are equal; not for those of the
/// page.
fn draw_pixels<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    lines: &[&[[u8; 4]]],
    (start, mut top): (f64, f64),
    page: RGBColor,
) -> DrawResult<DB> {
    for equal in lines.chunk_by(|a, b| a == b) {
        let bottom = top + equal.len() as f64;
        let mut left = start;
        for run in equal[0].chunk_by(|a, b| a == b) {
            let right = left + run.len() as f64;
            let [red, green, blue, _] = run[0];
            let colour = RGBColor(red, green, blue);
            if colour != page {
                let place = Rect {
                    left,
                    top,
                    right,
                    bottom,
                };
                pen.rect(place, colour)?;
            }
            left = right;
        }
        top = bottom;
    }
    Ok(())
}
