//! Where the cells of a matrix of sentences are.

use plotters::prelude::DrawingBackend;

use super::heading::{FOOT, HEAD, SMALL, head};
use super::labels::thinned;
use super::legend::{self, Swatch, frame};
use crate::colours::Scale;
use crate::mark::{HitArea, TextPosition};
use crate::similarity::SimilarityView;
use crate::trace::Side;
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

/// Largest side of a cell, and the least at which sentences are written next to it.
const CELL: f64 = 22.0;
const READABLE: f64 = 11.0;
/// Room for sentences, or for their numbers alone.
const SENTENCES: f64 = 300.0;
const NUMBERS: f64 = 44.0;
/// Numbers of columns.
const TOP: f64 = 16.0;

/// Side of a cell and room on the left.
fn sizes(view: &SimilarityView, width: f64) -> (f64, f64) {
    let rows = view.cells.len().max(1) as f64;
    let with_sentences = ((width - SENTENCES) / rows).min(CELL);
    if view.block == 1 && with_sentences >= READABLE {
        (with_sentences, SENTENCES)
    } else {
        (((width - NUMBERS) / rows).min(CELL), NUMBERS)
    }
}

pub(super) fn height(view: &SimilarityView, width: f64) -> f64 {
    HEAD + TOP + view.cells.len() as f64 * sizes(view, width).0 + 16.0 + FOOT
}

pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    view: &SimilarityView,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let below = head(pen, area, &view.title, &view.query)?;
    let (cell, room) = sizes(view, area.width());
    let grid = Grid {
        left: area.left + room,
        top: below.top + TOP,
        // A figure may be lower than requested.
        cell: cell.min((area.bottom - FOOT - 16.0 - below.top - TOP) / count(view.cells.len())),
    };
    let (low, high) = view.extremes();
    let scale = Scale::new(low, high, pen.theme);
    for (row, cells) in view.cells.iter().enumerate() {
        let first = |place: usize| Some(TextPosition::sentence(Side::Source, place * view.block));
        for (column, cell) in cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let place = grid.place(row, column);
            pen.rect(place, scale.colour(*cell))?;
            let last = (column + 1) * view.block - 1;
            marks.push(HitArea {
                query: first(row),
                key: first(column),
                last: last.min(view.labels.len().saturating_sub(1)),
                weight: Some(*cell),
                ..HitArea::new(place)
            });
        }
        if let Some(Some(pick)) = view.picks.get(row) {
            frame(pen, grid.place(row, *pick), pen.theme.error)?;
        }
    }
    grid.draw_labels(pen, view, room)?;
    if low > high {
        let small = Lettering::new(SMALL, pen.theme.weak);
        let at = (area.left, area.bottom - 17.0);
        return pen.text("there are no two sentences to compare", at, small);
    }
    let mut swatches = vec![(Swatch::Blank, "blank: the sentence itself")];
    if !view.picks.is_empty() {
        let framed = Swatch::Framed(pen.theme.error);
        swatches.push((framed, "framed: the nearest of the row"));
    }
    legend::draw(pen, area, &scale, &view.measure, &swatches)
}

struct Grid {
    left: f64,
    top: f64,
    cell: f64,
}

impl Grid {
    fn place(&self, row: usize, column: usize) -> Rect {
        let gap = if self.cell >= 6.0 { 0.5 } else { 0.0 };
        let (left, top) = (
            self.left + count(column) * self.cell,
            self.top + count(row) * self.cell,
        );
        Rect {
            left: left + gap,
            top: top + gap,
            right: left + self.cell - gap,
            bottom: top + self.cell - gap,
        }
    }

    fn draw_labels<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        view: &SimilarityView,
        room: f64,
    ) -> DrawResult<DB> {
        let weak = Lettering::new(SMALL, pen.theme.weak);
        let text = Lettering::new(SMALL, pen.theme.text);
        let centre = |place: usize| (count(place) + 0.5) * self.cell;
        let labels = |length: f64| -> Vec<(f64, f64, f64)> {
            let places = 0..view.cells.len();
            places.map(|place| (centre(place), length, 0.0)).collect()
        };
        for row in thinned(&labels(SMALL * 1.1)) {
            let (right, y) = (self.left - 8.0, self.top + centre(row) + SMALL * 0.36);
            let number = (row * view.block + 1).to_string();
            let right_end = |lettering: Lettering| lettering.anchored(Anchor::Right);
            pen.text(&number, (right, y), right_end(weak))?;
            if room > NUMBERS {
                let label = pen.shortened(&view.labels[row], text, room - 40.0);
                pen.text(&label, (right - 28.0, y), right_end(text))?;
            }
        }
        let widest = pen.width(&view.labels.len().to_string(), weak) + 5.0;
        for column in thinned(&labels(widest)) {
            let at = (self.left + centre(column), self.top - 5.0);
            let number = (column * view.block + 1).to_string();
            pen.text(&number, at, weak.anchored(Anchor::Centre))?;
        }
        Ok(())
    }
}

fn count(number: usize) -> f64 {
    number as f64
}
