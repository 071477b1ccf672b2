//! A map, or several side by side on one scale.

use plotters::prelude::DrawingBackend;

use super::grid::{GROUP, Grid, LABEL, ROW, has_other_columns, has_rest};
use super::heading::{FOOT, HEAD, head};
use super::legend::{self, Swatch};
use crate::colours::Scale;
use crate::map::WeightMap;
use crate::mark::{HitArea, Viewport};
use canopy_chart::charts::{DrawResult, Pen, Rect};

/// Between two maps.
const BETWEEN: f64 = 36.0;

pub(super) fn height(maps: &[WeightMap]) -> f64 {
    let rows = maps.iter().map(|map| map.rows.len()).max().unwrap_or(0);
    let letters = maps.iter().flat_map(|map| &map.columns);
    let longest = letters.map(|column| column.label.chars().count()).max();
    let labels = (longest.unwrap_or(0) as f64 * 6.5).min(LABEL);
    HEAD + GROUP + labels + 8.0 + rows as f64 * ROW + FOOT + 18.0
}

pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    maps: &[WeightMap],
    viewport: Viewport,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    if maps.is_empty() {
        return Ok(());
    }
    let largest = maps.iter().map(WeightMap::largest).fold(0.0, f32::max);
    let scale = Scale::new(0.0, largest, pen.theme);
    let count = maps.len() as f64;
    let width = (area.width() - BETWEEN * (count - 1.0)) / count;
    let mut left = area.left;
    for map in maps {
        let part = Rect {
            left,
            right: left + width,
            bottom: area.bottom - FOOT,
            ..area
        };
        let below = head(pen, part, &map.title, &map.query)?;
        let grid = Grid::new(pen, below, map, viewport);
        grid.draw(pen, map, &scale)?;
        grid.mark(map, marks);
        left += width + BETWEEN;
    }
    let any = |some: fn(&WeightMap) -> bool| maps.iter().any(some);
    let blank = legend::blank(any(|map| map.zeros.dropped > 0), any(|map| map.masks));
    let mut swatches = vec![(Swatch::Blank, blank)];
    if any(has_rest) {
        swatches.push((Swatch::Hatched, "rest: share dropped, or of no word"));
    }
    if any(has_other_columns) {
        swatches.push((Swatch::Hatched, "other: share in sentences not shown"));
    }
    legend::draw(pen, area, &scale, measure(maps), &swatches)
}

/// The meaning of the numbers; where one map has weights and another has mass, the heads above each say which.
fn measure(maps: &[WeightMap]) -> &str {
    let mut measures = maps.iter().map(|map| map.measure.as_str());
    let first = measures.next().unwrap_or_default();
    if measures.all(|other| other == first) {
        first
    } else {
        "attention weight, or mass of several heads"
    }
}
