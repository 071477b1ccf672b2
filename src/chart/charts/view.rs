//! Moving about in a chart.

use super::chart::{Span, View};
use super::plot_area::PlotArea;

/// The closest look: so much of the whole axis.
const CLOSEST: f64 = 1e-5;

impl View {
    /// Shows `factor` times as much of the horizontal axis (less than 1: a closer look), such that `about` stays where it
    /// is; never more than `extent`.
    pub fn zoom_x(&mut self, about: f64, factor: f64, extent: Span) {
        let now = self.x.unwrap_or(extent);
        let whole = extent.1 - extent.0;
        let factor = factor.max(CLOSEST * whole / (now.1 - now.0));
        let span = zoomed(now, about, factor);
        self.x = if span.1 - span.0 >= whole {
            None
        } else {
            Some(held(span, extent))
        };
    }

    /// Moves along the horizontal axis, no further than `extent`.
    pub fn pan_x(&mut self, by: f64, extent: Span) {
        if let Some(x) = self.x {
            self.x = Some(held((x.0 + by, x.1 + by), extent));
        }
    }

    /// Shows `factor` times as much of a panel's vertical axis, such that the number at `pixel` stays where it is.
    pub fn zoom_y(&mut self, panel: usize, place: &PlotArea, pixel: f64, factor: f64) {
        let at = |pixel: f64| place.y_at(pixel);
        let edges = zoomed((place.plot.top, place.plot.bottom), pixel, factor);
        self.set_y(panel, (at(edges.1), at(edges.0)));
    }

    /// Moves along a panel's vertical axis by `pixels`, if it does not fit the data by itself.
    pub fn pan_y(&mut self, panel: usize, place: &PlotArea, pixels: f64) {
        if self.y.get(panel).copied().flatten().is_some() {
            let at = |edge: f64| place.y_at(edge - pixels);
            self.set_y(panel, (at(place.plot.bottom), at(place.plot.top)));
        }
    }

    fn set_y(&mut self, panel: usize, span: Span) {
        if self.y.len() <= panel {
            self.y.resize(panel + 1, None);
        }
        let wide = span.1 - span.0 > 1e-9 * span.0.abs().max(span.1.abs());
        if wide && span.0.is_finite() && span.1.is_finite() {
            self.y[panel] = Some(span);
        }
    }
}

fn zoomed(span: Span, about: f64, factor: f64) -> Span {
    (
        about - (about - span.0) * factor,
        about + (span.1 - about) * factor,
    )
}

/// A span of the same length inside `extent`.
fn held(span: Span, extent: Span) -> Span {
    let length = (span.1 - span.0).min(extent.1 - extent.0);
    let from = span.0.clamp(extent.0, extent.1 - length);
    (from, from + length)
}

#[cfg(test)]
mod tests {
    use super::super::chart::Scale;
    use super::super::plot_area::Rect;
    use super::*;

    const EXTENT: Span = (0.0, 1_000.0);

    #[test]
    fn what_is_under_the_pointer_stays_there() {
        let mut view = View::default();
        view.zoom_x(250.0, 0.5, EXTENT);
        assert_eq!(view.x, Some((125.0, 625.0)));
        view.zoom_x(250.0, 2.0, EXTENT);
        assert_eq!(view.x, None, "all of it again");
    }

    #[test]
    fn one_cannot_leave_the_data() {
        let mut view = View::default();
        view.pan_x(100.0, EXTENT);
        assert_eq!(view.x, None);
        view.zoom_x(0.0, 0.1, EXTENT);
        view.pan_x(-50.0, EXTENT);
        assert_eq!(view.x, Some((0.0, 100.0)));
        view.pan_x(5_000.0, EXTENT);
        assert_eq!(view.x, Some((900.0, 1_000.0)));
        for _ in 0..100 {
            view.zoom_x(950.0, 0.5, EXTENT);
        }
        let x = view.x.expect("zoomed");
        assert!(x.1 > x.0 && x.1 - x.0 < 1.0, "{x:?}");
    }

    #[test]
    fn a_vertical_axis_is_zoomed_and_moved_by_itself() {
        let place = PlotArea {
            plot: Rect {
                left: 0.0,
                top: 0.0,
                right: 100.0,
                bottom: 100.0,
            },
            x: EXTENT,
            y: (0.0, 10.0),
            scale: Scale::Linear,
        };
        let mut view = View::default();
        view.pan_y(1, &place, 10.0);
        assert_eq!(view.y, [], "an axis that fits its data does not move");
        view.zoom_y(1, &place, 100.0, 0.5);
        assert_eq!(view.y, [None, Some((0.0, 5.0))]);
        view.pan_y(1, &place, 10.0);
        assert_eq!(
            view.y[1],
            Some((1.0, 11.0)),
            "the place has not followed yet"
        );
    }
}
