//! The place of a panel, and how its numbers become places.

use super::chart::{Scale, Span};

/// A rectangle in pixels; y grows downwards.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rect {
    /// Smallest x.
    pub left: f64,
    /// Smallest y.
    pub top: f64,
    /// Largest x.
    pub right: f64,
    /// Largest y.
    pub bottom: f64,
}

impl Rect {
    /// Returns the width in pixels.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Returns whether a pixel is inside or on the edge.
    pub fn contains(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// Large enough to draw something in.
    pub(super) fn is_visible(&self) -> bool {
        self.width() >= 8.0 && self.height() >= 8.0
    }
}

/// The plot of one panel, without title and labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlotArea {
    /// The rectangle on the page, in pixels.
    pub plot: Rect,
    /// Numbers at the left and right edge.
    pub x: Span,
    /// Numbers at the bottom and top edge.
    pub y: Span,
    /// Division of the vertical axis.
    pub scale: Scale,
}

impl PlotArea {
    /// From numbers to pixels; the result may be outside the plot.
    pub fn pixel(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let right = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = match self.scale {
            Scale::Linear => (y - self.y.0) / (self.y.1 - self.y.0),
            Scale::Log => (y / self.y.0).ln() / (self.y.1 / self.y.0).ln(),
        };
        (
            self.plot.left + right * self.plot.width(),
            self.plot.bottom - up * self.plot.height(),
        )
    }

    /// The number on the horizontal axis that a pixel stands for.
    pub fn x_at(&self, pixel: f64) -> f64 {
        let right = (pixel - self.plot.left) / self.plot.width();
        self.x.0 + right * (self.x.1 - self.x.0)
    }

    /// The number on the vertical axis that a pixel stands for.
    pub fn y_at(&self, pixel: f64) -> f64 {
        let up = (self.plot.bottom - pixel) / self.plot.height();
        match self.scale {
            Scale::Linear => self.y.0 + up * (self.y.1 - self.y.0),
            Scale::Log => self.y.0 * (self.y.1 / self.y.0).powf(up),
        }
    }

    /// The parts of a line in pixels inside the plot.
    pub(super) fn clipped(&self, line: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
        for ends in line.windows(2) {
            let Some((from, to)) = clip(ends[0], ends[1], &self.plot) else {
                continue;
            };
            match parts.last_mut() {
                Some(part) if part.last() == Some(&from) => part.push(to),
                _ => parts.push(vec![from, to]),
            }
        }
        parts
    }
}

/// The part of a line segment inside `rect`: Liang & Barsky, "A new concept and method for line clipping", ACM
/// Transactions on Graphics 3(1), 1984.
fn clip(a: (f64, f64), b: (f64, f64), rect: &Rect) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let sides = [
        (-dx, a.0 - rect.left),
        (dx, rect.right - a.0),
        (-dy, a.1 - rect.top),
        (dy, rect.bottom - a.1),
    ];
    for (speed, room) in sides {
        if speed == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if speed < 0.0 {
            enter = enter.max(room / speed);
        } else {
            leave = leave.min(room / speed);
        }
    }
    let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
    let start = if enter > 0.0 { at(enter) } else { a };
    let end = if leave < 1.0 { at(leave) } else { b };
    (enter <= leave).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(scale: Scale) -> PlotArea {
        let plot = Rect {
            left: 50.0,
            top: 20.0,
            right: 250.0,
            bottom: 120.0,
        };
        PlotArea {
            plot,
            x: (0.0, 1_000.0),
            y: (1.0, 100.0),
            scale,
        }
    }

    #[test]
    fn pixels_and_numbers_are_each_others_inverse() {
        for scale in [Scale::Linear, Scale::Log] {
            let place = place(scale);
            let (x, y) = place.pixel((300.0, 42.0));
            assert!((place.x_at(x) - 300.0).abs() < 1e-9);
            assert!((place.y_at(y) - 42.0).abs() < 1e-9);
            assert!(place.plot.contains((x, y)));
        }
        let (_, y) = place(Scale::Log).pixel((0.0, 10.0));
        assert!((y - 70.0).abs() < 1e-9, "10 is half way between 1 and 100");
    }

    #[test]
    fn a_line_that_leaves_the_plot_is_cut_at_its_edge() {
        let place = place(Scale::Linear);
        let line = [(60.0, 100.0), (80.0, 0.0), (100.0, 100.0), (120.0, 110.0)];
        let parts = place.clipped(&line);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0], [(60.0, 100.0), (76.0, 20.0)]);
        assert_eq!(parts[1], [(84.0, 20.0), (100.0, 100.0), (120.0, 110.0)]);
        assert!(place.clipped(&[(0.0, 0.0), (300.0, 10.0)]).is_empty());
    }
}
