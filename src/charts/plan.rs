//! Everything about a drawing that does not depend on colours and fonts: what lies where, thinned to what can be seen.

use super::chart::{Chart, Curve, Panel, Scale, Span, View};
use super::legend::Legend;
use super::place::{Place, Rect};
use super::range::{axis_span, span_of};
use super::thin::{Thinned, thinned, visible};

const MARGIN: f64 = 12.0;
const GUTTER: f64 = 46.0;
const RIGHT: f64 = 16.0;
const TITLE: f64 = 24.0;
const GAP: f64 = 12.0;
/// Labels of the horizontal axis and its name.
const FOOT: f64 = 36.0;
/// From here on panels stand in two columns.
const TWO_COLUMNS: f64 = 560.0;
/// A plot of this height is comfortable.
const COMFORTABLE: f64 = 150.0;

type Line = Vec<(f64, f64)>;

/// A chart laid out on an area of a certain size; lengths in pixels.
///
/// To make one reads all visible points; to draw one reads only those that can be told apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub places: Vec<Place>,
    pub(super) legend: Legend,
    pub(super) panels: Vec<PanelPlan>,
    pub(super) size: (f64, f64),
}

/// What is drawn in one panel.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PanelPlan {
    /// No panel stands below it, so that it carries the labels of the horizontal axis.
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
        for (index, (panel, plot)) in chart.panels.iter().zip(plots).enumerate() {
            let y = view.y.get(index).copied().flatten().filter(is_span);
            let y = y.filter(|y| panel.scale == Scale::Linear || y.0 > 0.0);
            let (place, mut planned) = plan_panel(panel, plot, x, y);
            planned.is_lowest = index + columns(width, chart.panels.len()) >= chart.panels.len();
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
        let rows = rows(width, chart.panels.len());
        #[expect(clippy::cast_precision_loss, reason = "a handful of rows")]
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

fn columns(width: f64, panels: usize) -> usize {
    if width >= TWO_COLUMNS && panels > 1 {
        2
    } else {
        1
    }
}

fn rows(width: f64, panels: usize) -> usize {
    panels.div_ceil(columns(width, panels)).max(1)
}

fn is_span(span: &Span) -> bool {
    span.0.is_finite() && span.1.is_finite() && span.0 < span.1
}

/// Where the panels' plots lie: row by row, all of one size.
#[expect(clippy::cast_precision_loss, reason = "a handful of panels")]
fn plots(panels: usize, legend: f64, (width, height): (f64, f64)) -> impl Iterator<Item = Rect> {
    let (columns, rows) = (columns(width, panels), rows(width, panels));
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

fn plan_panel(panel: &Panel, plot: Rect, x: Span, y: Option<Span>) -> (Place, PanelPlan) {
    let valid = |y: f64| y.is_finite() && (panel.scale == Scale::Linear || y > 0.0);
    let values = |points: &[(f64, f64)]| {
        let values = visible(points, x).iter().map(|point| point.1);
        span_of(values.filter(|y| valid(*y)), panel.bounds)
    };
    // Smoothed values lie between the others, and one that is far away draws many of them after it.
    let spans = panel
        .curves
        .iter()
        .filter_map(|curve| values(&curve.points));
    let y = y.unwrap_or_else(|| axis_span(spans, panel.scale, panel.baseline));
    let place = Place {
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
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "pixels of a plot that has some"
    )]
    let columns = plot.width() as usize;
    for curve in &panel.curves {
        let raw = thinned(&curve.points, x, columns, valid);
        planned.note_beyond(&place, &raw);
        planned.note_missing(&place, &raw);
        planned.curves.push(if curve.smoothed.is_empty() {
            plan_curve(curve, &place, &Thinned::default(), &raw)
        } else {
            let main = thinned(&curve.smoothed, x, columns, valid);
            plan_curve(curve, &place, &raw, &main)
        });
    }
    (place, planned)
}

fn plan_curve(curve: &Curve, place: &Place, raw: &Thinned, main: &Thinned) -> CurvePlan {
    let in_plot = |thinned: &Thinned| {
        let lines = thinned.lines.iter().flat_map(|line| {
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
    fn note_missing(&mut self, place: &Place, thinned: &Thinned) {
        for x in &thinned.missing {
            let (x, _) = place.pixel((*x, place.y.0));
            if self.missing.iter().all(|mark| (mark - x).abs() >= 9.0) {
                self.missing.push(x);
            }
        }
    }

    /// Notes the values that lie furthest outside the plot.
    fn note_beyond(&mut self, place: &Place, thinned: &Thinned) {
        let points = thinned.lines.iter().flatten();
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
mod tests {
    use super::super::chart::Bounds;
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        let panel = Panel {
            bounds: Bounds::Robust,
            curves: vec![Curve::new("a", 0, points)],
            ..Panel::default()
        };
        Chart {
            panels: vec![panel; 6],
            ..Chart::default()
        }
    }

    #[test]
    fn narrow_charts_have_one_column_and_wide_ones_two() {
        let chart = chart(vec![]);
        let lefts = |width| {
            let plan = Plan::new(&chart, &View::default(), (width, 800.0));
            let lefts = plan.places.iter().map(|place| place.plot.left);
            lefts.collect::<Vec<_>>()
        };
        assert!(lefts(500.0).windows(2).all(|pair| pair[0] >= pair[1]));
        assert!(lefts(900.0)[1] > 450.0);
        let plan = Plan::new(&chart, &View::default(), (900.0, 800.0));
        let lowest = plan.panels.iter().map(|panel| panel.is_lowest);
        assert_eq!(
            lowest.collect::<Vec<_>>(),
            [false, false, false, false, true, true]
        );
    }

    #[test]
    fn a_value_that_is_cut_off_is_noted() {
        let value = |n: u32| if n == 7 { 900.0 } else { f64::from(n % 10) };
        let chart = chart((0..500).map(|n| (f64::from(n), value(n))).collect());
        let plan = Plan::new(&chart, &View::default(), (900.0, 800.0));
        let above = plan.panels[0].above.expect("noted");
        assert_eq!(above.1.to_bits(), 900.0_f64.to_bits());
        assert!((plan.places[0].x_at(above.0) - 7.0).abs() < 1e-6);
        assert!(plan.places[0].y.1 < 20.0);
        assert_eq!(plan.panels[0].below, None);
    }

    #[test]
    fn dots_are_points_and_never_ends_of_what_is_in_view() {
        let mut chart = chart(vec![
            (0.0, 1.0),
            (10.0, 3.0),
            (20.0, 2.0),
            (30.0, f64::NAN),
            (40.0, 2.0),
        ]);
        chart.panels.truncate(1);
        chart.panels[0].curves[0].dotted = true;
        let view = View {
            x: Some((5.0, 45.0)),
            ..View::default()
        };
        let plan = Plan::new(&chart, &view, (600.0, 400.0));
        let (place, panel) = (plan.places[0], &plan.panels[0]);
        let dots = panel.curves[0]
            .dots
            .iter()
            .map(|dot| place.x_at(dot.0).round());
        assert_eq!(dots.collect::<Vec<_>>(), [10.0, 20.0, 40.0]);
        assert_eq!(panel.missing.len(), 1);
    }

    #[test]
    fn everything_drawn_lies_inside_its_plot() {
        let points = (0..5_000).map(|n| (f64::from(n), f64::from(n * 7_919 % 1_000)));
        let view = View {
            x: Some((700.0, 1_500.0)),
            y: vec![Some((100.0, 300.0))],
            pointer: None,
        };
        let plan = Plan::new(&chart(points.collect()), &view, (600.0, 400.0));
        let lines = &plan.panels[0].curves[0].main;
        assert!(!lines.is_empty());
        let plot = plan.places[0].plot;
        let grown = Rect {
            left: plot.left - 1e-6,
            top: plot.top - 1e-6,
            right: plot.right + 1e-6,
            bottom: plot.bottom + 1e-6,
        };
        assert!(lines.iter().flatten().all(|at| grown.contains(*at)));
    }

    #[test]
    fn no_size_and_no_view_is_too_strange() {
        let chart = chart(vec![(f64::NAN, 1.0), (1.0, f64::NAN), (2.0, f64::INFINITY)]);
        let views = [(0.0, 0.0), (f64::NAN, 1.0), (5.0, 2.0), (-1e300, 1e300)];
        for x in views {
            let view = View {
                x: Some(x),
                y: vec![Some(x)],
                pointer: Some(x.0),
            };
            for size in [(0.0, 0.0), (1.0, 1.0), (30.0, 2_000.0), (2_000.0, 30.0)] {
                let plan = Plan::new(&chart, &view, size);
                assert_eq!(plan.places.len(), 6);
            }
        }
    }
}
