//! Which part of a map is looked at.

use super::DocumentMap;

/// Fewest rows or columns that fill the picture.
const LEAST: f64 = 4.0;

/// First and last visible row and column, in cells: row 3 reaches from 3 to 4.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapView {
    /// First and last visible row.
    pub rows: (f64, f64),
    /// First and last visible column.
    pub columns: (f64, f64),
}

impl MapView {
    /// Everything.
    pub fn all(map: &DocumentMap) -> Self {
        Self {
            rows: (0.0, map.rows().max(1) as f64),
            columns: (0.0, map.columns().max(1) as f64),
        }
    }

    /// Moves by a number of rows and columns, as far as the map goes.
    pub fn pan(&mut self, rows: f64, columns: f64, map: &DocumentMap) {
        let all = Self::all(map);
        self.rows = inside((self.rows.0 + rows, self.rows.1 + rows), all.rows);
        self.columns = inside(
            (self.columns.0 + columns, self.columns.1 + columns),
            all.columns,
        );
    }

    /// Shows `factor` times as many rows and columns; what is at `about`, a row and a column, stays where it is.
    pub fn zoom(&mut self, about: (f64, f64), factor: (f64, f64), map: &DocumentMap) {
        let all = Self::all(map);
        self.rows = zoomed(self.rows, about.0, factor.0, all.rows);
        self.columns = zoomed(self.columns, about.1, factor.1, all.columns);
    }

    /// Number of visible rows and columns.
    pub fn spans(&self) -> (f64, f64) {
        (self.rows.1 - self.rows.0, self.columns.1 - self.columns.0)
    }

    /// The middle row and column.
    pub fn middle(&self) -> (f64, f64) {
        (
            f64::midpoint(self.rows.0, self.rows.1),
            f64::midpoint(self.columns.0, self.columns.1),
        )
    }
}

fn zoomed((from, to): (f64, f64), about: f64, factor: f64, all: (f64, f64)) -> (f64, f64) {
    let span = to - from;
    let wanted = (span * factor).clamp(LEAST.min(all.1), all.1);
    let start = about - (about - from) * wanted / span;
    inside((start, start + wanted), all)
}

/// Moved so that it does not leave `all`.
fn inside((from, to): (f64, f64), all: (f64, f64)) -> (f64, f64) {
    let span = (to - from).min(all.1 - all.0);
    let start = from.clamp(all.0, all.1 - span);
    (start, start + span)
}
