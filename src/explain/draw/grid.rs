//! Where the cells of one map are.

use std::ops::Range;

use plotters::prelude::DrawingBackend;

use super::heading::SMALL;
use super::labels::thinned;
use super::legend::{self, frame, hatch};
use crate::colours::{Scale, mixed};
use crate::map::WeightMap;
use crate::mark::{HitArea, TextPosition, Viewport};
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

/// Longest label of a row or column, in pixels.
pub(super) const LABEL: f64 = 110.0;
/// Numbers of sentences above their words.
pub(super) const GROUP: f64 = 18.0;
pub(super) const ROW: f64 = 21.0;
/// Between the words of two sentences, and before the columns on the right.
const GAP: f64 = 7.0;
const COLUMN: f64 = 40.0;
/// A column on the right, whose bars fill it if they have all weight of the row.
const OTHER: f64 = 34.0;

/// Where the cells of a map are.
pub(super) struct Grid {
    /// Around the columns.
    plot: Rect,
    row: f64,
    column: f64,
    /// Left edge of every column.
    lefts: Vec<f64>,
    /// Name, left edge and weights of what is on the right.
    others: Vec<(&'static str, f64, Vec<f32>)>,
    other: f64,
}

impl Grid {
    pub(super) fn new<DB: DrawingBackend>(
        pen: &Pen<'_, DB>,
        area: Rect,
        map: &WeightMap,
        viewport: Viewport,
    ) -> Self {
        let small = Lettering::new(SMALL, pen.theme.text);
        let widest = |labels: &mut dyn Iterator<Item = &str>| {
            let widths = labels.map(|label| pen.width(label, small));
            widths.fold(0.0, f64::max).min(LABEL)
        };
        let gutter = widest(&mut map.rows.iter().map(|row| row.label.as_str())) + 12.0;
        let labels = if map.groups.is_empty() && map.columns.iter().all(|it| it.word.is_none()) {
            SMALL
        } else {
            widest(&mut map.columns.iter().map(|column| column.label.as_str()))
        };
        let groups = if map.groups.is_empty() { 0.0 } else { GROUP };
        let mut others = Vec::new();
        for (name, weights, shown) in [
            ("other", &map.other_columns, has_other_columns(map)),
            ("rest", &map.rest, has_rest(map)),
        ] {
            if shown {
                others.push((name, 0.0, weights.clone()));
            }
        }
        let other = OTHER;
        let right = area.right - others.len() as f64 * (other + GAP + 3.0) - 4.0;
        let left = area.left + gutter;
        let (rows, columns) = (
            map.rows.len().max(1) as f64,
            map.columns.len().max(1) as f64,
        );
        let gaps = map.groups.len().saturating_sub(1) as f64;
        let gap = GAP.min((right - left) * 0.2 / gaps.max(1.0));
        let fitting = (right - left - gap * gaps) / columns;
        let column = (fitting * viewport.zoom()).min(COLUMN.max(fitting));
        let column = if viewport.is_everything() {
            column.min(COLUMN)
        } else {
            column
        };
        // What does not fit is moved out of viewport to the left and right.
        let hidden = (column * columns + gap * gaps - (right - left)).max(0.0);
        let offset = (viewport.from * (column * columns + gap * gaps)).min(hidden);
        // One line of text under the map.
        let top = area.top + groups + labels + 10.0;
        let row = ((area.bottom - 20.0 - top) / rows).min(ROW * 1.3);
        let mut lefts = Vec::with_capacity(map.columns.len());
        let (mut x, mut sentence) = (left - offset, None);
        for unit in &map.columns {
            if !map.groups.is_empty() && sentence.is_some_and(|before| before != unit.sentence) {
                x += gap;
            }
            sentence = Some(unit.sentence);
            lefts.push(x);
            x += column;
        }
        x = x.min(right);
        let plot = Rect {
            left,
            top,
            right: x,
            bottom: top + row * rows,
        };
        for other_column in &mut others {
            x += GAP + 3.0;
            other_column.1 = x;
            x += other;
        }
        Self {
            plot,
            row,
            column,
            lefts,
            others,
            other,
        }
    }

    fn top(&self, row: usize) -> f64 {
        self.plot.top + row as f64 * self.row
    }

    fn cell(&self, row: usize, left: f64, width: f64) -> Rect {
        let top = self.top(row);
        // A gap between cells where they are large enough; no cell is too thin to see.
        let gap = if width.min(self.row) >= 6.0 { 0.5 } else { 0.0 };
        Rect {
            left: left + gap,
            top: top + gap,
            right: (left + width - gap).max(left + 1.5),
            bottom: (top + self.row - gap).max(top + 1.0),
        }
    }

    /// The part of a column on the plot, if any.
    fn seen(&self, column: usize) -> Option<(f64, f64)> {
        let left = self.lefts[column].max(self.plot.left);
        let right = (self.lefts[column] + self.column).min(self.plot.right);
        (right - left > 1e-6).then_some((left, right))
    }

    /// The columns from the first to the last one that is seen, a part of them at least.
    fn seen_of(&self, columns: Range<usize>) -> Option<(f64, f64)> {
        let first = columns.clone().find_map(|column| self.seen(column))?;
        let last = columns.rev().find_map(|column| self.seen(column))?;
        Some((first.0, last.1))
    }

    /// Cells with a weight, rows and columns.
    pub(super) fn mark(&self, map: &WeightMap, marks: &mut Vec<HitArea>) {
        let row_spot = |row: usize| {
            let unit = &map.rows[row];
            TextPosition {
                side: map.row_side,
                sentence: unit.sentence,
                word: unit.word.map(|_| row),
            }
        };
        let mut starts = vec![0; map.columns.len()];
        for group in &map.groups {
            starts[group.columns.clone()].fill(group.columns.start);
        }
        let column_spot = |column: usize| {
            let unit = &map.columns[column];
            TextPosition {
                side: map.column_side,
                sentence: unit.sentence,
                word: unit.word.map(|_| column - starts[column]),
            }
        };
        for row in 0..map.rows.len() {
            let (top, bottom) = (self.top(row), self.top(row) + self.row);
            let place = Rect {
                left: self.plot.left - LABEL,
                top,
                right: self.plot.left,
                bottom,
            };
            marks.push(HitArea {
                query: Some(row_spot(row)),
                ..HitArea::new(place)
            });
        }
        for column in 0..map.columns.len() {
            let Some((left, right)) = self.seen(column) else {
                continue;
            };
            let place = Rect {
                left,
                top: self.plot.top - 4.0 - SMALL,
                right,
                bottom: self.plot.top,
            };
            let key = column_spot(column);
            marks.push(HitArea {
                key: Some(key),
                last: key.sentence,
                ..HitArea::new(place)
            });
        }
        for (row, cells) in map.cells.iter().enumerate() {
            for &(column, weight) in cells {
                let Some((left, right)) = self.seen(column as usize) else {
                    continue;
                };
                let key = column_spot(column as usize);
                marks.push(HitArea {
                    query: Some(row_spot(row)),
                    key: Some(key),
                    last: key.sentence,
                    weight: Some(weight),
                    ..HitArea::new(self.cell(row, left, right - left))
                });
            }
        }
    }

    pub(super) fn draw<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        map: &WeightMap,
        scale: &Scale,
    ) -> DrawResult<DB> {
        self.draw_frames(pen, map)?;
        for (row, cells) in map.cells.iter().enumerate() {
            for &(column, weight) in cells {
                if let Some((left, right)) = self.seen(column as usize) {
                    let cell = self.cell(row, left, right - left);
                    pen.rect(cell, scale.colour(weight))?;
                }
            }
            for (_, left, weights) in &self.others {
                let whole = self.cell(row, *left, self.other);
                let bar = Rect {
                    right: whole.left + (whole.width() * f64::from(weights[row]).min(1.0)).max(2.0),
                    ..whole
                };
                if weights[row] > 0.0 {
                    pen.rect(bar, mixed(pen.theme.page, pen.theme.weak, 0.3))?;
                    hatch(pen, bar, pen.theme.weak)?;
                }
            }
        }
        self.draw_rows(pen, map)?;
        self.draw_columns(pen, map)?;
        let small = Lettering::new(SMALL, pen.theme.weak);
        let notes = notes(map);
        let notes = pen.shortened(&notes, small, self.right() - self.plot.left + 60.0);
        pen.text(&notes, (self.plot.left, self.plot.bottom + 17.0), small)
    }

    fn right(&self) -> f64 {
        let right = self.others.last().map(|other| other.1 + self.other);
        right.unwrap_or(self.plot.right).max(self.plot.left + 420.0)
    }

    fn draw_frames<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        map: &WeightMap,
    ) -> DrawResult<DB> {
        let whole = [(self.plot.left, self.plot.right)];
        let groups = map.groups.iter().filter(|group| !group.columns.is_empty());
        let groups: Vec<(f64, f64)> = groups
            .filter_map(|group| self.seen_of(group.columns.clone()))
            .collect();
        let parts = if groups.is_empty() {
            whole.as_slice()
        } else {
            &groups
        };
        let others = self
            .others
            .iter()
            .map(|other| (other.1, other.1 + self.other));
        for (left, right) in parts.iter().copied().chain(others) {
            let place = Rect {
                left: left - 1.0,
                right: right + 1.0,
                top: self.plot.top - 1.0,
                bottom: self.plot.bottom + 1.0,
            };
            frame(pen, place, pen.theme.axis)?;
            if self.row >= 6.0 {
                for row in 1..map.rows.len() {
                    let y = self.top(row);
                    pen.hairline((left, y - 0.5), (right, y - 0.5), pen.theme.grid)?;
                }
            }
        }
        Ok(())
    }

    fn draw_rows<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>, map: &WeightMap) -> DrawResult<DB> {
        let small = Lettering::new(SMALL.min(self.row * 1.2).max(8.0), pen.theme.text);
        let labels: Vec<(f64, f64, f64)> = (0..map.rows.len())
            .map(|row| {
                let importance = if map.selected == Some(row) { 1.0 } else { 0.0 };
                (self.top(row) + self.row / 2.0, small.size * 1.1, importance)
            })
            .collect();
        for row in thinned(&labels) {
            let is_selected = map.selected == Some(row);
            let lettering = if is_selected {
                Lettering::new(small.size, pen.theme.strong).bold()
            } else {
                small
            };
            let text = pen.shortened(readable(&map.rows[row].label), lettering, LABEL);
            let at = (self.plot.left - 8.0, labels[row].0 + small.size * 0.36);
            pen.text(&text, at, lettering.anchored(Anchor::Right))?;
            if is_selected {
                let place = Rect {
                    left: self.plot.left - 2.0,
                    right: self.plot.right + 2.0,
                    top: self.top(row) - 1.0,
                    bottom: self.top(row) + self.row + 1.0,
                };
                frame(pen, place, pen.theme.strong)?;
            }
        }
        Ok(())
    }

    fn draw_columns<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        map: &WeightMap,
    ) -> DrawResult<DB> {
        let small = Lettering::new(SMALL, pen.theme.text);
        let weak = Lettering::new(SMALL, pen.theme.weak);
        let mut weights = vec![0.0_f64; map.columns.len()];
        for &(column, weight) in map.cells.iter().flatten() {
            weights[column as usize] += f64::from(weight);
        }
        let are_words = map.columns.iter().any(|column| column.word.is_some());
        let labels: Vec<(f64, f64, f64)> = map
            .columns
            .iter()
            .enumerate()
            .map(|(column, unit)| {
                let length = if are_words {
                    SMALL + 1.0
                } else {
                    pen.width(&unit.label, small) + 6.0
                };
                (
                    self.lefts[column] + self.column / 2.0,
                    length,
                    weights[column],
                )
            })
            .collect();
        let baseline = self.plot.top - 6.0;
        let seen = |&column: &usize| {
            let centre = labels[column].0;
            (self.plot.left..=self.plot.right).contains(&centre)
        };
        for column in thinned(&labels).into_iter().filter(seen) {
            let (unit, centre) = (&map.columns[column], labels[column].0);
            let lettering = if weights[column] > 0.0 { small } else { weak };
            if are_words {
                let text = pen.shortened(readable(&unit.label), lettering, LABEL);
                pen.upright(&text, (centre + SMALL * 0.36, baseline), lettering)?;
            } else {
                let centred = lettering.anchored(Anchor::Centre);
                pen.text(readable(&unit.label), (centre, baseline), centred)?;
            }
        }
        for (name, left, _) in &self.others {
            let at = (left + self.other / 2.0 + SMALL * 0.36, baseline);
            pen.upright(name, at, weak)?;
        }
        self.draw_groups(pen, map)
    }

    /// The number of each sentence and its weight, above the labels of its words.
    fn draw_groups<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        map: &WeightMap,
    ) -> DrawResult<DB> {
        let small = Lettering::new(SMALL, pen.theme.strong).bold();
        let widths = map
            .columns
            .iter()
            .map(|column| pen.width(&column.label, small));
        let labels = widths.fold(0.0, f64::max).min(LABEL);
        let y = self.plot.top - labels - 14.0;
        let mut free = f64::NEG_INFINITY;
        for group in map.groups.iter().filter(|group| !group.columns.is_empty()) {
            let Some((left, right)) = self.seen_of(group.columns.clone()) else {
                continue;
            };
            pen.line(&[(left, y + 4.0), (right, y + 4.0)], 1.0, pen.theme.axis)?;
            let (number, weight) = (group.sentence + 1, legend::number(group.weight));
            let long = format!("sentence {number} · {weight}");
            let middling = format!("{number} · {weight}");
            let room = right - left.max(free) + GAP - 3.0;
            let texts = [long, middling, number.to_string()];
            let fits = |text: &&String| pen.width(text, small) <= room;
            if let Some(text) = texts.iter().find(fits) {
                pen.text(text, (left.max(free), y), small)?;
                free = left.max(free) + pen.width(text, small) + 6.0;
            }
        }
        Ok(())
    }
}

pub(super) fn has_rest(map: &WeightMap) -> bool {
    map.rest.iter().any(|&rest| rest > 0.0)
}

pub(super) fn has_other_columns(map: &WeightMap) -> bool {
    map.other_columns.iter().any(|&weight| weight > 0.0)
}

/// A label for display.
fn readable(label: &str) -> &str {
    match label {
        "<eos>" | "</s>" => "end",
        label => label,
    }
}

fn notes(map: &WeightMap) -> String {
    let mut notes = Vec::new();
    if let Some(share) = map.zeros.share() {
        notes.push(format!("{:.1} % exact zeros", 100.0 * share));
    }
    if let Some(divergence) = map.divergence {
        notes.push(format!(
            "rows differ by {divergence:.2} bit (mean Jensen–Shannon divergence)"
        ));
    }
    notes.join(" · ")
}
