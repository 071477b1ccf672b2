//! The one drawing routine.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

use super::chart::{Chart, Panel, View};
use super::font::register_fonts;
use super::pen::{Anchor, DrawResult, Lettering, Pen};
use super::plan::{CurvePlan, PanelPlan, Plan};
use super::plot_area::{PlotArea, Rect};
use super::theme::Theme;
use super::ticks::{x_ticks, y_ticks, y_value};

/// Em of labels, in pixels.
pub(super) const SMALL: f64 = 10.5;
const TITLE: f64 = 12.5;

/// Draws `chart` on the whole of `area`, of which `scale` units are a pixel.
///
/// # Errors
/// Errors of the backend.
pub fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    chart: &Chart,
    view: &View,
    theme: &Theme,
    scale: f64,
) -> DrawResult<DB> {
    let (width, height) = area.dim_in_pixel();
    let size = (f64::from(width) / scale, f64::from(height) / scale);
    let plan = Plan::new(chart, view, size);
    plan.draw(area, chart, theme, scale)?;
    plan.draw_values(area, chart, view.pointer, theme, scale)
}

impl Plan {
    /// Draws what does not follow the pointer; `chart` is that of the plan.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        chart: &Chart,
        theme: &Theme,
        scale: f64,
    ) -> DrawResult<DB> {
        register_fonts();
        let pen = Pen { area, theme, scale };
        area.fill(&theme.page)?;
        self.legend.draw(&pen)?;
        for ((panel, planned), place) in chart.panels.iter().zip(&self.panels).zip(&self.places) {
            if place.plot.is_visible() {
                draw_axes(&pen, chart, panel, planned, place)?;
                draw_curves(&pen, planned)?;
                draw_marks(&pen, planned, place)?;
            }
        }
        Ok(())
    }
}

fn draw_axes<DB: DrawingBackend>(
    pen: &Pen<DB>,
    chart: &Chart,
    panel: &Panel,
    planned: &PanelPlan,
    place: &PlotArea,
) -> DrawResult<DB> {
    let (plot, theme) = (place.plot, pen.theme);
    pen.text(&panel.title, (plot.left, plot.top - 9.0), heading(theme))?;

    let label = Lettering::new(SMALL, theme.weak);
    for tick in x_ticks(place.x, chart.x, room(plot.width(), 70.0)) {
        let (x, _) = place.pixel((tick.at, place.y.0));
        pen.hairline((x, plot.top), (x, plot.bottom), theme.grid)?;
        if planned.is_lowest {
            let at = (x, plot.bottom + 15.0);
            pen.text(&tick.label, at, label.anchored(Anchor::Centre))?;
        }
    }
    if planned.is_lowest {
        let at = (f64::midpoint(plot.left, plot.right), plot.bottom + 29.0);
        pen.text(chart.x.label(), at, label.anchored(Anchor::Centre))?;
    }
    if planned.is_empty {
        let middle = f64::midpoint(plot.top, plot.bottom) + SMALL * 0.36;
        let at = (f64::midpoint(plot.left, plot.right), middle);
        let said = Lettering::new(TITLE, theme.weak).anchored(Anchor::Centre);
        pen.text(&panel.empty, at, said)?;
    } else {
        for tick in y_ticks(place.y, place.scale, room(plot.height(), 34.0)) {
            let (_, y) = place.pixel((place.x.0, tick.at));
            pen.hairline((plot.left, y), (plot.right, y), theme.grid)?;
            let at = (plot.left - 7.0, y + SMALL * 0.36);
            pen.text(&tick.label, at, label.anchored(Anchor::Right))?;
        }
    }
    pen.hairline(
        (plot.left, plot.bottom),
        (plot.right, plot.bottom),
        theme.axis,
    )
}

/// How the title of a panel is written.
pub(super) fn heading(theme: &Theme) -> Lettering {
    Lettering::new(TITLE, theme.strong).bold()
}

/// How many labels fit on an axis: at least two.
fn room(length: f64, label: f64) -> usize {
    (length / label) as usize + 1
}

/// All thin lines first, so that no run hides another's thick one.
fn draw_curves<DB: DrawingBackend>(pen: &Pen<DB>, planned: &PanelPlan) -> DrawResult<DB> {
    for curve in &planned.curves {
        let faded = pen.theme.faded(curve.colour, 0.62);
        for line in &curve.raw {
            pen.line(line, 1.0, faded)?;
        }
    }
    for curve in &planned.curves {
        let colour = pen.theme.run(curve.colour);
        for line in &curve.main {
            pen.line(line, 1.75, colour)?;
        }
        for at in &curve.dots {
            pen.disc(*at, 2.75, colour)?;
        }
    }
    Ok(())
}

/// Stars, and what cannot be drawn as a line.
fn draw_marks<DB: DrawingBackend>(
    pen: &Pen<DB>,
    planned: &PanelPlan,
    place: &PlotArea,
) -> DrawResult<DB> {
    let (plot, theme) = (place.plot, pen.theme);
    for &x in &planned.missing {
        let (y, arm) = (plot.bottom - 6.0, 3.0);
        for rise in [arm, -arm] {
            let stroke = [(x - arm, y - rise), (x + arm, y + rise)];
            pen.line(&stroke, 1.5, theme.error)?;
        }
    }
    let small = Lettering::new(SMALL, theme.weak);
    let edges = [
        (planned.above, plot.top + 1.0, 1.0, "up to"),
        (planned.below, plot.bottom - 1.0, -1.0, "down to"),
    ];
    for (beyond, edge, down, words) in edges {
        let Some((x, value)) = beyond else { continue };
        let arrow = [
            (x, edge),
            (x + 4.5, edge + 7.0 * down),
            (x - 4.5, edge + 7.0 * down),
        ];
        pen.polygon(&arrow, theme.weak)?;
        let text = format!("{words} {}", y_value(value));
        let on_the_left = x > f64::midpoint(plot.left, plot.right);
        let (side, anchor) = if on_the_left {
            (-9.0, Anchor::Right)
        } else {
            (9.0, Anchor::Left)
        };
        let baseline = edge + 6.0 * down + SMALL * 0.36;
        // Curves must not cross the words.
        let width = pen.width(&text, small) + 2.0;
        let left = if on_the_left {
            x + side - width
        } else {
            x + side - 2.0
        };
        let behind = Rect {
            left,
            top: baseline - SMALL,
            right: left + width + 2.0,
            bottom: baseline + 3.0,
        };
        pen.rect(behind, theme.page)?;
        pen.text(&text, (x + side, baseline), small.anchored(anchor))?;
    }
    let alone = planned.curves.len() == 1;
    planned
        .curves
        .iter()
        .try_for_each(|curve| draw_star(pen, curve, place, alone))
}

fn draw_star<DB: DrawingBackend>(
    pen: &Pen<DB>,
    curve: &CurvePlan,
    place: &PlotArea,
    labelled: bool,
) -> DrawResult<DB> {
    let Some((at, value)) = curve.star else {
        return Ok(());
    };
    pen.polygon(&star(at, 8.5), pen.theme.page)?;
    pen.polygon(&star(at, 6.5), pen.theme.run(curve.colour))?;
    if !labelled {
        return Ok(());
    }
    let lettering = Lettering::new(SMALL, pen.theme.text);
    let text = y_value(value);
    let half = pen.width(&text, lettering) / 2.0;
    let plot = place.plot;
    let x = at.0.clamp(
        plot.left + half + 2.0,
        (plot.right - half - 2.0).max(plot.left + half + 2.0),
    );
    // Below the star where there is no room above.
    let above = at.1 - 12.0;
    let y = if above - SMALL < plot.top {
        at.1 + 20.0
    } else {
        above
    };
    pen.text(&text, (x, y), lettering.anchored(Anchor::Centre))
}

/// Five points, the first of them up.
fn star((x, y): (f64, f64), radius: f64) -> Vec<(f64, f64)> {
    let corner = |index: u32| {
        let angle = f64::from(index) * std::f64::consts::PI / 5.0;
        let reach = if index.is_multiple_of(2) {
            radius
        } else {
            radius * 0.45
        };
        (x + reach * angle.sin(), y - reach * angle.cos())
    };
    (0..10).map(corner).collect()
}
