//! The scale of colours, and what else a reader must know.

use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use super::heading::SMALL;
use crate::colours::Scale;
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

const BAR: f64 = 150.0;
const SWATCH: f64 = 14.0;

/// A small picture with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Swatch {
    /// Nothing inside.
    Blank,
    Hatched,
    Ring,
    /// A small circle with nothing inside.
    Dot,
    /// Nothing inside a frame of this colour.
    Framed(RGBColor),
    Filled(RGBColor),
}

/// The meaning of a blank cell.
pub(super) fn blank(some_dropped: bool, some_masked: bool) -> &'static str {
    match (some_dropped, some_masked) {
        (false, false) => "blank: exactly 0",
        (false, true) => "blank: exactly 0, or could not be seen",
        (true, false) => "blank: 0, or dropped",
        (true, true) => "blank: 0, dropped, or could not be seen",
    }
}

/// Draws `name`, the scale from its least to its greatest number, and the swatches next to it, in two rows if they do not
/// fit into the width.
pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    scale: &Scale,
    name: &str,
    swatches: &[(Swatch, &str)],
) -> DrawResult<DB> {
    let small = Lettering::new(SMALL, pen.theme.weak);
    let (left, mut top) = (area.left, area.bottom - 26.0);
    let (bar_top, bar_bottom) = (top, top + 10.0);
    pen.text(
        name,
        (left, top + 9.0),
        Lettering::new(SMALL, pen.theme.text),
    )?;
    let start = left + pen.width(name, small) + 12.0;
    let steps = 75_u8;
    for step in 0..steps {
        let share = |step: u8| f64::from(step) / f64::from(steps);
        let value = scale.low + (scale.high - scale.low) * (share(step) + 0.5 / 75.0) as f32;
        let band = Rect {
            left: start + BAR * share(step),
            top: bar_top,
            right: start + BAR * share(step + 1),
            bottom: bar_bottom,
        };
        pen.rect(band, scale.colour(value))?;
    }
    let middle = f32::midpoint(scale.low, scale.high);
    for (value, x) in [(scale.low, 0.0), (middle, 0.5), (scale.high, 1.0)] {
        let at = (start + BAR * x, bar_bottom + 13.0);
        pen.text(&number(value), at, small.anchored(Anchor::Centre))?;
    }
    let first = start + BAR + 28.0;
    let mut x = first;
    for (swatch, meaning) in swatches {
        let width = SWATCH + 6.0 + pen.width(meaning, small);
        if x > first && x + width > area.right {
            (x, top) = (first, top + 18.0);
        }
        let place = Rect {
            left: x,
            top: top - 2.0,
            right: x + SWATCH,
            bottom: top - 2.0 + SWATCH,
        };
        draw_swatch(pen, place, *swatch)?;
        let at = (place.right + 6.0, top + 9.0);
        pen.text(meaning, at, small)?;
        x += width + 20.0;
    }
    Ok(())
}

fn draw_swatch<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    place: Rect,
    swatch: Swatch,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let centre = (
        f64::midpoint(place.left, place.right),
        f64::midpoint(place.top, place.bottom),
    );
    match swatch {
        Swatch::Filled(colour) => pen.rect(place, colour),
        Swatch::Blank => frame(pen, place, theme.axis),
        Swatch::Framed(colour) => frame(pen, place, colour),
        Swatch::Hatched => {
            hatch(pen, place, theme.weak)?;
            frame(pen, place, theme.axis)
        }
        Swatch::Ring => {
            pen.disc(centre, 6.0, theme.strong)?;
            pen.disc(centre, 4.0, theme.page)
        }
        Swatch::Dot => {
            pen.disc(centre, 4.0, theme.axis)?;
            pen.disc(centre, 3.0, theme.page)
        }
    }
}

/// One pixel wide, inside `place`.
pub(super) fn frame<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    place: Rect,
    colour: RGBColor,
) -> DrawResult<DB> {
    let (left, top) = (place.left + 0.5, place.top + 0.5);
    let (right, bottom) = (place.right - 0.5, place.bottom - 0.5);
    let round = [
        (left, top),
        (right, top),
        (right, bottom),
        (left, bottom),
        (left, top),
    ];
    pen.line(&round, 1.0, colour)
}

/// Lines from the lower left to the upper right, inside `place`.
pub(super) fn hatch<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    place: Rect,
    colour: RGBColor,
) -> DrawResult<DB> {
    const STEP: f64 = 4.0;
    let (width, height) = (place.width(), place.height());
    let mut along = STEP / 2.0;
    while along < width + height {
        let start = (
            place.left + (along - height).max(0.0),
            place.top + along.min(height),
        );
        let end = (
            place.left + along.min(width),
            place.top + (along - width).max(0.0),
        );
        pen.line(&[start, end], 0.75, colour)?;
        along += STEP;
    }
    Ok(())
}

/// Three significant figures at most: `0`, `0.012`, `0.21`, `12.3`.
pub(super) fn number(value: f32) -> String {
    let size = value.abs();
    let text = if size == 0.0 {
        "0".to_owned()
    } else if size < 0.1 {
        format!("{value:.3}")
    } else if size < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    };
    text.replace('-', "−")
}
