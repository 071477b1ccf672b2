//! Gate values, word by word.

use plotters::prelude::DrawingBackend;

use super::heading::{FOOT, HEAD, SMALL, head};
use super::labels::thinned;
use super::legend::frame;
use crate::colours::mixed;
use crate::gates::GateView;
use crate::mark::{HitArea, TextPosition};
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

const LABEL: f64 = 110.0;

pub(super) fn height(gate: &GateView) -> f64 {
    let letters = gate.words.iter().map(|word| word.label.chars().count());
    HEAD + 220.0 + (letters.max().unwrap_or(0) as f64 * 6.5).min(LABEL) + FOOT
}

pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    gate: &GateView,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let subtitle = format!("sentence {} · layer {}", gate.sentence + 1, gate.layer + 1);
    let below = head(pen, area, &gate.name, &subtitle)?;
    let small = Lettering::new(SMALL, pen.theme.text);
    let widths = gate.words.iter().map(|word| pen.width(&word.label, small));
    let labels = widths.fold(0.0, f64::max).min(LABEL);
    let count = gate.words.len().max(1) as f64;
    let left = below.left + 34.0;
    let column = ((below.right - left) / count).min(44.0);
    let plot = Rect {
        left,
        top: below.top,
        right: left + column * count,
        bottom: below.bottom - FOOT - labels - 6.0,
    };
    let y = |value: f32| plot.bottom - f64::from(value) * plot.height();
    for value in [0.0_f32, 0.25, 0.5, 0.75, 1.0] {
        pen.hairline(
            (plot.left, y(value)),
            (plot.right, y(value)),
            pen.theme.grid,
        )?;
        let at = (plot.left - 6.0, y(value) + SMALL * 0.36);
        let weak = Lettering::new(SMALL, pen.theme.weak).anchored(Anchor::Right);
        pen.text(&format!("{value}"), at, weak)?;
    }
    let colour = mixed(pen.theme.page, pen.theme.run(0), 0.45);
    let mut centre = plot.left + column / 2.0;
    let mut places = Vec::new();
    let half = (column * 0.32).min(11.0);
    for (index, word) in gate.words.iter().enumerate() {
        let bar = Rect {
            left: centre - half,
            right: centre + half,
            top: y(word.mean),
            bottom: plot.bottom,
        };
        pen.rect(bar, colour)?;
        let span = [(centre, y(word.max)), (centre, y(word.min))];
        pen.line(&span, 1.5, pen.theme.text)?;
        pen.disc((centre, y(word.mean)), 2.75, pen.theme.text)?;
        let is_selected = gate.selected == Some(index);
        let around = Rect {
            left: centre - column / 2.0,
            right: centre + column / 2.0,
            ..plot
        };
        marks.push(HitArea {
            query: Some(TextPosition::word(gate.side, gate.sentence, index)),
            weight: Some(word.mean),
            ..HitArea::new(around)
        });
        if is_selected {
            frame(pen, around, pen.theme.strong)?;
        }
        places.push((centre, SMALL + 1.0, f64::from(u8::from(is_selected))));
        centre += column;
    }
    for index in thinned(&places) {
        let lettering = if gate.selected == Some(index) {
            Lettering::new(SMALL, pen.theme.strong).bold()
        } else {
            small
        };
        let text = pen.shortened(&gate.words[index].label, lettering, LABEL);
        let foot = plot.bottom + 6.0 + pen.width(&text, lettering);
        pen.upright(&text, (places[index].0 + SMALL * 0.36, foot), lettering)?;
    }
    let about =
        "bar and dot: mean over the features of a word; line: from the least to the greatest";
    let weak = Lettering::new(SMALL, pen.theme.weak);
    pen.text(about, (below.left, below.bottom - 8.0), weak)
}
