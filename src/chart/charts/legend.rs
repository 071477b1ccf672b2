//! Names of the runs above the panels, in as many rows as they need, and the small print.

use plotters::prelude::DrawingBackend;

use super::chart::Chart;
use super::pen::{Anchor, DrawResult, Lettering, Pen};
use crate::typesetting::{is_extending, is_ideographic};

const SIZE: f64 = 12.0;
const ROW: f64 = 20.0;
/// Before a name: a piece of its line.
const SWATCH: f64 = 18.0;
const SPACE: f64 = 18.0;
/// Longer names end in an ellipsis.
const LONGEST: usize = 40;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Legend {
    entries: Vec<Entry>,
    note: String,
    /// Right end and baseline.
    note_at: (f64, f64),
    /// With what is above it.
    pub height: f64,
}

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    name: String,
    colour: usize,
    /// Left end and baseline.
    at: (f64, f64),
}

impl Legend {
    /// Breaks into rows what does not fit into `width` pixels, by an estimate of its length.
    pub(super) fn new(chart: &Chart, (left, top): (f64, f64), width: f64) -> Self {
        let (mut x, mut baseline) = (left, top + 14.0);
        let mut entries = Vec::new();
        for (name, colour) in chart.runs() {
            let name = shortened(name);
            let length = SWATCH + 6.0 + estimated(&name);
            if x > left && x + length > left + width {
                (x, baseline) = (left, baseline + ROW);
            }
            entries.push(Entry {
                name,
                colour,
                at: (x, baseline),
            });
            x += length + SPACE;
        }
        let has_note = !chart.note.is_empty();
        if has_note && !entries.is_empty() && x + estimated(&chart.note) > left + width {
            baseline += ROW;
        }
        let is_empty = entries.is_empty() && !has_note;
        Self {
            entries,
            note: chart.note.clone(),
            note_at: (left + width, baseline),
            height: if is_empty { 0.0 } else { baseline + 2.0 },
        }
    }

    pub(super) fn draw<DB: DrawingBackend>(&self, pen: &Pen<DB>) -> DrawResult<DB> {
        for Entry { name, colour, at } in &self.entries {
            let middle = at.1 - SIZE * 0.36;
            let swatch = [(at.0, middle), (at.0 + SWATCH, middle)];
            pen.line(&swatch, 2.4, pen.theme.run(*colour))?;
            let name_at = (at.0 + SWATCH + 6.0, at.1);
            pen.text(name, name_at, Lettering::new(SIZE, pen.theme.text))?;
        }
        let small = Lettering::new(SIZE - 1.0, pen.theme.weak).anchored(Anchor::Right);
        pen.text(&self.note, self.note_at, small)
    }
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let kept: String = name.chars().take(LONGEST - 1).collect();
    format!("{kept}…")
}

/// Rather too long: before fonts are known.
fn estimated(text: &str) -> f64 {
    let em = |letter: char| match letter {
        letter if is_ideographic(letter) => 1.0,
        letter if is_extending(letter) => 0.0,
        _ => 0.56,
    };
    text.chars().map(em).sum::<f64>() * SIZE
}
