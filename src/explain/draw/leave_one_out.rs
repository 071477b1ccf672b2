//! A line for each sentence of the context: its text, its attention mass, and what the translation loses without it.

use plotters::prelude::DrawingBackend;

use super::heading::{HEAD, SMALL, head};
use super::legend::number;
use crate::colours::mixed;
use crate::leave_one_out::{LeaveOneOut, percent};
use crate::mark::{HitArea, TextPosition};
use crate::trace::Side;
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

/// More sentences than that do not fit into a figure.
const SHOWN: usize = 120;
const LINE: f64 = 24.0;
/// The translation, and the names of the columns.
const TOP: f64 = 62.0;
const FOOT: f64 = 44.0;
/// The number of a sentence.
const GUTTER: f64 = 44.0;
/// Shares of the width.
const MASS: f64 = 0.15;
const CHANGE: f64 = 0.27;
/// Figures next to the bars.
const LABEL: f64 = 58.0;
/// Smaller changes fill no more of their column than they deserve, in nats.
const LEAST_RANGE: f32 = 0.05;

pub(super) fn height(view: &LeaveOneOut) -> f64 {
    HEAD + TOP + view.changes.len().clamp(1, SHOWN) as f64 * LINE + FOOT
}

/// The columns of the figure.
struct Columns {
    text: (f64, f64),
    mass: (f64, f64),
    change: (f64, f64),
    most_mass: f32,
    /// Least and greatest change, in nats.
    changes: (f32, f32),
}

impl Columns {
    fn new(area: Rect, view: &LeaveOneOut) -> Self {
        let width = area.width();
        let change = area.right - CHANGE * width;
        let mass = change - MASS * width - 14.0;
        let changes = || view.changes.iter();
        let values = || changes().map(|change| view.change(change));
        let masses = changes().filter_map(|change| change.attention);
        Self {
            text: (area.left + GUTTER, mass - 14.0),
            mass: (mass, change - 14.0),
            change: (change, area.right),
            most_mass: masses.fold(0.0, f32::max).max(1e-6),
            changes: (
                values().fold(-LEAST_RANGE, f32::min),
                values().fold(LEAST_RANGE * 0.2, f32::max),
            ),
        }
    }
}

pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    view: &LeaveOneOut,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let query = match view.correlation() {
        Some(correlation) => format!("{} · {correlation}", view.query()),
        None => view.query(),
    };
    let below = head(pen, area, "Leave one out", &query)?;
    let columns = Columns::new(below, view);
    let weak = Lettering::new(SMALL, theme.weak);
    let own = Lettering::new(13.0, theme.strong);
    let translation = pen.shortened(&view.translation, own, below.width() - GUTTER);
    let row = (view.sentence + 1).to_string();
    let at = (below.left + GUTTER - 14.0, below.top + 12.0);
    pen.text(&row, at, weak.anchored(Anchor::Right))?;
    pen.text(&translation, (columns.text.0, below.top + 12.0), own)?;
    let names = below.top + 44.0;
    pen.text("without the sentence", (columns.text.0, names), weak)?;
    if view.attention.is_some() {
        pen.text("attention mass", (columns.mass.0, names), weak)?;
    }
    pen.text("change of likelihood", (columns.change.0, names), weak)?;
    let line = below.top + 50.0;
    pen.hairline((below.left, line), (below.right, line), theme.axis)?;
    let mut top = below.top + TOP - 6.0;
    let ranked = view.ranked();
    for &place in ranked.iter().take(SHOWN) {
        draw_change(pen, (below, top), &columns, (view, place), marks)?;
        top += LINE;
    }
    let note = match ranked.len().saturating_sub(SHOWN) {
        0 if ranked.is_empty() => "there is no sentence that it could read".to_owned(),
        0 => "the same translation scored again without each sentence; bar: change in nats"
            .to_owned(),
        others => format!("{others} more sentences change less"),
    };
    let note = pen.shortened(&note, weak, below.width());
    pen.text(&note, (below.left, top + 20.0), weak)
}

fn draw_change<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    (area, top): (Rect, f64),
    columns: &Columns,
    (view, place): (&LeaveOneOut, usize),
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let change = &view.changes[place];
    let baseline = top + 16.0;
    let weak = Lettering::new(SMALL, theme.weak).anchored(Anchor::Right);
    let number_at = (area.left + GUTTER - 14.0, baseline);
    pen.text(&(change.sentence + 1).to_string(), number_at, weak)?;
    let lettering = Lettering::new(13.0, theme.text);
    let text = match change.edited_text() {
        Some(edited) => format!("→ {edited}"),
        None => change.text.clone(),
    };
    let text = pen.shortened(&text, lettering, (columns.text.1 - columns.text.0).max(0.0));
    pen.text(&text, (columns.text.0, baseline), lettering)?;
    if let Some(mass) = change.attention {
        draw_mass(pen, top, columns, mass)?;
    }
    let nats = view.change(change);
    let (left, right) = columns.change;
    let room = (right - left - LABEL).max(1.0);
    let (low, high) = columns.changes;
    let x = |nats: f32| left + f64::from((nats - low) / (high - low)) * room;
    let (zero, end) = (x(0.0), x(nats));
    let bar = Rect {
        left: end.min(zero),
        right: end.max(zero),
        top: top + 6.0,
        bottom: top + LINE - 6.0,
    };
    let colour = theme.run(usize::from(nats > 0.0));
    if bar.width() >= 0.5 {
        pen.rect(bar, mixed(theme.page, colour, 0.7))?;
    }
    pen.hairline((zero, top + 3.0), (zero, top + LINE - 3.0), theme.axis)?;
    let small = Lettering::new(SMALL, theme.text).anchored(Anchor::Right);
    pen.text(&percent(nats), (right, baseline), small)?;
    marks.push(HitArea {
        key: Some(TextPosition::sentence(Side::Source, change.sentence)),
        last: change.sentence,
        weight: Some(nats),
        node: Some(place),
        ..HitArea::new(Rect {
            top,
            bottom: top + LINE,
            ..area
        })
    });
    Ok(())
}

fn draw_mass<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    top: f64,
    columns: &Columns,
    mass: f32,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let (left, right) = columns.mass;
    let room = (right - left - LABEL * 0.7).max(1.0);
    let bar = Rect {
        left,
        right: left + f64::from(mass / columns.most_mass) * room,
        top: top + 6.0,
        bottom: top + LINE - 6.0,
    };
    if bar.width() >= 0.5 {
        pen.rect(bar, mixed(theme.page, theme.text, 0.4))?;
    }
    let small = Lettering::new(SMALL, theme.text);
    pen.text(&number(mass), (bar.right + 6.0, top + 16.0), small)
}
