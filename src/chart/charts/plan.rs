//! Everything about a drawing that does not depend on colours and fonts: places, thinned to what can be seen.

use super::chart::{Chart, Curve, Panel, Scale, Span, View};
use super::downsample::{Downsampled, downsampled, visible};
use super::legend::Legend;
use super::plot_area::{PlotArea, Rect};
use super::range::{axis_span, span_of};

const MARGIN: f64 = 12.0;
const GUTTER: f64 = 46.0;
const RIGHT: f64 = 16.0;
const TITLE: f64 = 24.0;
const GAP: f64 = 12.0;
/// Labels of the horizontal axis and its name.
const FOOT: f64 = 36.0;
/// From here on panels are in two columns.
const TWO_COLUMNS: f64 = 560.0;
/// A panel with less than this, title and all, is hard to read.
const LOW: f64 = 70.0;
/// A plot of this height is comfortable.
const COMFORTABLE: f64 = 150.0;

type Line = Vec<(f64, f64)>;

/// A chart laid out on an area of a certain size; lengths in pixels.
///
/// To make one reads all visible points; to draw one reads only those that can be distinguished.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The plot of each panel, in the order of the panels.
    pub places: Vec<PlotArea>,
    pub(super) legend: Legend,
    pub(super) panels: Vec<PanelPlan>,
    pub(super) size: (f64, f64),
}

/// The lines and labels of one panel.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PanelPlan {
    /// No panel is below it, so that it carries the labels of the horizontal axis.
    pub is_lowest: bool,
    pub is_empty: bool,
    pub curves: Vec<CurvePlan>,
    /// Where values are not finite: pixels on the horizontal axis.
    pub missing: Vec<f64>,
    /// Place and value of the largest value above the plot.
    pub above: Option<(f64, f64)>,
    /// And of the smallest below it.
    pub below: Option<(f64, f64)>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct CurvePlan {
    pub colour: usize,
    /// Thin, below everything else; empty unless the curve is smoothed.
    pub raw: Vec<Line>,
    pub main: Vec<Line>,
    /// Points that are shown one by one.
    pub dots: Line,
    /// Place and value of the best point.
    pub star: Option<((f64, f64), f64)>,
}

impl Plan {
    /// Lays `chart` out on `width` × `height` pixels.
    pub fn new(chart: &Chart, view: &View, (width, height): (f64, f64)) -> Self {
        let legend = Legend::new(chart, (GUTTER, MARGIN - 4.0), width - GUTTER - RIGHT);
        let extent = chart.x_extent();
        let x = view.x.filter(is_span).unwrap_or(extent);
        let (mut places, mut panels) = (Vec::new(), Vec::new());
        let plots = plots(chart.panels.len(), legend.height, (width, height));
        let columns = columns((width, height), chart.panels.len());
        for (index, (panel, plot)) in chart.panels.iter().zip(plots).enumerate() {
            let y = view.y.get(index).copied().flatten().filter(is_span);
            let y = y.filter(|y| panel.scale == Scale::Linear || y.0 > 0.0);
            let (place, mut planned) = plan_panel(panel, plot, x, y);
            planned.is_lowest = index + columns >= chart.panels.len();
            places.push(place);
            panels.push(planned);
        }
        Self {
            places,
            legend,
            panels,
            size: (width, height),
        }
    }

    /// The height at which every panel is easy to read.
    pub fn comfortable_height(chart: &Chart, width: f64) -> f64 {
        let legend = Legend::new(chart, (GUTTER, MARGIN - 4.0), width - GUTTER - RIGHT);
        let rows = rows((width, f64::INFINITY), chart.panels.len());
        let rows = rows as f64;
        MARGIN + legend.height + rows * (TITLE + COMFORTABLE) + (rows - 1.0) * GAP + FOOT
    }

    /// Index of the panel whose plot holds a pixel.
    pub fn panel_at(&self, pixel: (f64, f64)) -> Option<usize> {
        self.places
            .iter()
            .position(|place| place.plot.contains(pixel))
    }
}

/// Two where there is width for them, or no height for one.
fn columns((width, height): (f64, f64), panels: usize) -> usize {
    let is_low = height / panels.max(1) as f64 <= LOW && width >= 0.5 * TWO_COLUMNS;
    if panels > 1 && (width >= TWO_COLUMNS || is_low) {
        2
    } else {
        1
    }
}

fn rows(size: (f64, f64), panels: usize) -> usize {
    panels.div_ceil(columns(size, panels)).max(1)
}

fn is_span(span: &Span) -> bool {
    span.0.is_finite() && span.1.is_finite() && span.0 < span.1
}

/// The places of the panels' plots: row by row, all of one size.
fn plots(panels: usize, legend: f64, (width, height): (f64, f64)) -> impl Iterator<Item = Rect> {
    let size = (width, height);
    let (columns, rows) = (columns(size, panels), rows(size, panels));
    let column = (width - MARGIN) / columns as f64;
    let free = height - legend - MARGIN - FOOT - (rows - 1) as f64 * GAP;
    let row = free / rows as f64;
    (0..panels).map(move |index| {
        let left = MARGIN + (index % columns) as f64 * column;
        let top = legend + MARGIN + (index / columns) as f64 * (row + GAP) + TITLE;
        Rect {
            left: (left + GUTTER - MARGIN).round(),
            top: top.round(),
            right: (left + column - RIGHT).round(),
            bottom: (top + row - TITLE).round(),
        }
    })
}

fn plan_panel(panel: &Panel, plot: Rect, x: Span, y: Option<Span>) -> (PlotArea, PanelPlan) {
    let valid = |y: f64| y.is_finite() && (panel.scale == Scale::Linear || y > 0.0);
    let values = |points: &[(f64, f64)]| {
        let values = visible(points, x).iter().map(|point| point.1);
        span_of(values.filter(|y| valid(*y)), panel.bounds)
    };
    // Smoothed values are between the others, and one far away draws many of them after it.
    let spans = panel
        .curves
        .iter()
        .filter_map(|curve| values(&curve.points));
    let y = y.unwrap_or_else(|| axis_span(spans, panel.scale, panel.baseline));
    let place = PlotArea {
        plot,
        x,
        y,
        scale: panel.scale,
    };
    let mut planned = PanelPlan {
        is_empty: panel.curves.iter().all(|curve| curve.points.is_empty()),
        ..PanelPlan::default()
    };
    if !plot.is_visible() {
        return (place, planned);
    }
    let columns = plot.width() as usize;
    for curve in &panel.curves {
        let raw = downsampled(&curve.points, x, columns, valid);
        planned.note_beyond(&place, &raw);
        planned.note_missing(&place, &raw);
        planned.curves.push(if curve.smoothed.is_empty() {
            plan_curve(curve, &place, &Downsampled::default(), &raw)
        } else {
            let main = downsampled(&curve.smoothed, x, columns, valid);
            plan_curve(curve, &place, &raw, &main)
        });
    }
    (place, planned)
}

fn plan_curve(curve: &Curve, place: &PlotArea, raw: &Downsampled, main: &Downsampled) -> CurvePlan {
    let in_plot = |downsampled: &Downsampled| {
        let lines = downsampled.lines.iter().flat_map(|line| {
            let line: Vec<_> = line.iter().map(|point| place.pixel(*point)).collect();
            place.clipped(&line)
        });
        lines.collect()
    };
    // A line of one point cannot be seen otherwise.
    let shown = |line: &&Line| curve.dotted || line.len() == 1;
    let dots = main.lines.iter().filter(shown).flatten();
    let dots = dots.map(|point| place.pixel(*point));
    let best = curve.best.and_then(|index| curve.points.get(index));
    let star = best.map(|best| (place.pixel(*best), best.1));
    CurvePlan {
        colour: curve.colour,
        raw: in_plot(raw),
        main: in_plot(main),
        dots: dots.filter(|at| place.plot.contains(*at)).collect(),
        star: star.filter(|(at, _)| place.plot.contains(*at)),
    }
}

impl PanelPlan {
    /// Notes where values are missing, at some distance from each other.
    fn note_missing(&mut self, place: &PlotArea, downsampled: &Downsampled) {
        for x in &downsampled.missing {
            let (x, _) = place.pixel((*x, place.y.0));
            if self.missing.iter().all(|mark| (mark - x).abs() >= 9.0) {
                self.missing.push(x);
            }
        }
    }

    /// Notes the values that are furthest outside the plot.
    fn note_beyond(&mut self, place: &PlotArea, downsampled: &Downsampled) {
        let points = downsampled.lines.iter().flatten();
        let inside = points.filter(|point| (place.x.0..=place.x.1).contains(&point.0));
        for &(x, y) in inside {
            let at = (place.pixel((x, y)).0, y);
            if y > place.y.1 && self.above.is_none_or(|above| y > above.1) {
                self.above = Some(at);
            }
            if y < place.y.0 && self.below.is_none_or(|below| y < below.1) {
                self.below = Some(at);
            }
        }
    }
}

#[cfg(test)]
mod tests;
