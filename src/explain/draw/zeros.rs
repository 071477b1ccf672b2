//! Share of exact zeros against length.

use plotters::prelude::DrawingBackend;

use super::heading::{SMALL, head};
use crate::zeros::{ZerosPoint, ZerosView};
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

/// Two plots: by the length of the sentence, and of the document if there are several.
pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    zeros: &ZerosView,
) -> DrawResult<DB> {
    let legend = "a point a sentence · left axis: share of weights that are exactly 0";
    let below = head(pen, area, &zeros.title, legend)?;
    let sizes = zeros.points.iter().map(|point| point.sentences);
    let several = sizes.clone().min() != sizes.max();
    let words: fn(&ZerosPoint) -> usize = |point| point.words;
    let sentences: fn(&ZerosPoint) -> usize = |point| point.sentences;
    let mut plots = vec![("words of the sentence", words)];
    if several {
        plots.push(("sentences of the document", sentences));
    }
    let width = below.width() / plots.len() as f64;
    let mut left = below.left;
    for (name, length) in plots {
        let plot = Rect {
            left: left + 44.0,
            top: below.top + 4.0,
            right: left + width - 12.0,
            bottom: below.bottom - 62.0,
        };
        draw_plot(pen, plot, &zeros.points, name, length)?;
        left += width;
    }
    let mut x = below.left + 44.0;
    for (run, name) in [(0, "sentences"), (1, "words")] {
        let y = below.bottom - 6.0;
        pen.disc((x + 4.0, y - 4.0), 4.0, pen.theme.run(run))?;
        let small = Lettering::new(SMALL, pen.theme.text);
        pen.text(name, (x + 14.0, y), small)?;
        x += pen.width(name, small) + 34.0;
    }
    Ok(())
}

fn draw_plot<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    plot: Rect,
    points: &[ZerosPoint],
    name: &str,
    length: fn(&ZerosPoint) -> usize,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let weak = Lettering::new(SMALL, theme.weak);
    let longest = points.iter().map(length).max().unwrap_or(1).max(1);
    let x = |value: usize| plot.left + value as f64 / longest as f64 * plot.width();
    let y = |share: f64| plot.bottom - share * plot.height();
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        pen.hairline((plot.left, y(share)), (plot.right, y(share)), theme.grid)?;
        let at = (plot.left - 6.0, y(share) + SMALL * 0.36);
        let text = format!("{:.0} %", 100.0 * share);
        pen.text(&text, at, weak.anchored(Anchor::Right))?;
    }
    let step = longest.div_ceil(6).max(1);
    for value in (0..=longest).step_by(step) {
        let at = (x(value), plot.bottom + 16.0);
        pen.text(&value.to_string(), at, weak.anchored(Anchor::Centre))?;
    }
    let middle = (f64::midpoint(plot.left, plot.right), plot.bottom + 32.0);
    pen.text(name, middle, weak.anchored(Anchor::Centre))?;
    for point in points {
        for (run, share) in [(0, point.of_sentences), (1, point.of_words)] {
            if let Some(share) = share {
                pen.disc((x(length(point)), y(share)), 3.0, theme.run(run))?;
            }
        }
    }
    Ok(())
}
