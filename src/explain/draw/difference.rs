//! The worth of each word of a translation without its context, and the translation that the model writes then.

use plotters::prelude::DrawingBackend;

use super::heading::{HEAD, SMALL, head};
use super::labels::thinned;
use super::legend::{frame, number};
use crate::colours::mixed;
use crate::difference::{ContextDifference, WordDifference};
use crate::mark::{HitArea, TextPosition};
use crate::trace::Side;
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};
use canopy_metrics::comparison::Change;

const SIZE: f64 = 13.5;
const LINE: f64 = 23.0;
/// Names of the conditions.
const GUTTER: f64 = 176.0;
const LABEL: f64 = 90.0;
const PLOT: f64 = 150.0;
/// Smaller differences fill no more of the plot than they deserve, in nats.
const LEAST_RANGE: f32 = 0.1;

pub(super) fn height(view: &ContextDifference, width: f64) -> f64 {
    let lines: f64 = view
        .written
        .iter()
        .map(|(_, text)| num_lines(text, width))
        .sum();
    HEAD + lines * LINE + 34.0 + PLOT + LABEL + 40.0
}

fn num_lines(text: &str, width: f64) -> f64 {
    let letters = text.chars().count() as f64;
    (letters * SIZE * 0.55 / (width - GUTTER).max(50.0))
        .ceil()
        .max(1.0)
}

pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    view: &ContextDifference,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let gain = view.gain();
    let subtitle = format!(
        "sentence {} · its document makes this translation {} nats {} probable (shuffled: {})",
        view.sentence + 1,
        number(gain.abs()),
        if gain >= 0.0 { "more" } else { "less" },
        number(view.shuffled_gain()),
    );
    let below = head(pen, area, "Did the context matter?", &subtitle)?;
    let top = draw_written(pen, below, view)?;
    let plot = Rect {
        left: below.left + 44.0,
        top: top + 22.0,
        right: below.right,
        bottom: below.bottom - 26.0 - LABEL,
    };
    draw_words(pen, plot, view, marks)?;
    let about = "bar: ln p(word) with its document less without context, in nats; dot: the same with the document shuffled";
    let weak = Lettering::new(SMALL, pen.theme.weak);
    let about = pen.shortened(about, weak, below.width());
    pen.text(&about, (below.left, below.bottom - 6.0), weak)
}

/// A line for each condition, other words than with the document marked; returns where they end.
fn draw_written<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    view: &ContextDifference,
) -> Result<f64, plotters::drawing::DrawingAreaErrorKind<DB::ErrorType>> {
    let theme = pen.theme;
    let small = Lettering::new(SMALL + 1.0, theme.weak);
    let text = Lettering::new(SIZE, theme.strong);
    let space = SIZE * 0.28;
    let mut baseline = area.top + 14.0;
    for (condition, pieces) in view.marked() {
        pen.text(condition.label(), (area.left, baseline), small)?;
        let left = area.left + GUTTER;
        let mut x = left;
        let words = pieces.iter().flat_map(|piece| {
            let is_other = piece.change == Change::Added;
            piece.text.split(' ').map(move |word| (word, is_other))
        });
        for (word, is_other) in words {
            let width = pen.width(word, text);
            if x > left && x + width > area.right {
                (x, baseline) = (left, baseline + LINE);
            }
            if is_other {
                let behind = Rect {
                    left: x - 2.0,
                    top: baseline - 14.0,
                    right: x + width + 2.0,
                    bottom: baseline + 5.0,
                };
                pen.rect(behind, mixed(theme.page, theme.run(1), 0.45))?;
            }
            pen.text(word, (x, baseline), text)?;
            x += width + space;
        }
        baseline += LINE;
    }
    Ok(baseline)
}

fn draw_words<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    plot: Rect,
    view: &ContextDifference,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let values = |word: &WordDifference| [word.gain(), word.shuffled_gain()];
    let all = || view.words.iter().flat_map(values);
    let high = all().fold(LEAST_RANGE, f32::max);
    let low = all().fold(-LEAST_RANGE * 0.5, f32::min);
    let y = |value: f32| plot.bottom - f64::from((value - low) / (high - low)) * plot.height();
    for value in [low, 0.0, high] {
        let colour = if value == 0.0 { theme.axis } else { theme.grid };
        pen.hairline((plot.left, y(value)), (plot.right, y(value)), colour)?;
        let weak = Lettering::new(SMALL, theme.weak).anchored(Anchor::Right);
        let at = (plot.left - 6.0, y(value) + SMALL * 0.36);
        pen.text(&number(value), at, weak)?;
    }
    let column = (plot.width() / view.words.len().max(1) as f64).min(44.0);
    let half = (column * 0.32).min(11.0);
    let mut centre = plot.left + column / 2.0;
    let mut places = Vec::new();
    for (index, word) in view.words.iter().enumerate() {
        let (end, zero) = (y(word.gain()), y(0.0));
        let bar = Rect {
            left: centre - half,
            right: centre + half,
            top: end.min(zero),
            bottom: end.max(zero).max(end.min(zero) + 1.0),
        };
        let colour = theme.run(usize::from(word.gain() < 0.0));
        pen.rect(bar, mixed(theme.page, colour, 0.7))?;
        pen.disc((centre, y(word.shuffled_gain())), 2.75, theme.text)?;
        let around = Rect {
            left: centre - column / 2.0,
            right: centre + column / 2.0,
            ..plot
        };
        marks.push(HitArea {
            query: Some(TextPosition::word(Side::Target, view.sentence, index)),
            weight: Some(word.gain()),
            ..HitArea::new(around)
        });
        let is_selected = view.selected == Some(index);
        if is_selected {
            frame(pen, around, theme.strong)?;
        }
        places.push((centre, SMALL + 1.0, f64::from(word.gain().abs())));
        centre += column;
    }
    let small = Lettering::new(SMALL, theme.text);
    for index in thinned(&places) {
        let lettering = if view.selected == Some(index) {
            Lettering::new(SMALL, theme.strong).bold()
        } else {
            small
        };
        let text = pen.shortened(&view.words[index].label, lettering, LABEL);
        let foot = plot.bottom + 6.0 + pen.width(&text, lettering);
        pen.upright(&text, (places[index].0 + SMALL * 0.36, foot), lettering)?;
    }
    Ok(())
}
