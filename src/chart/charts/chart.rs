//! A chart's curves, and the part of it that is shown.

use super::smooth::exponential_average;

/// From and to, ascending.
pub type Span = (f64, f64);

/// The quantity on the shared horizontal axis; the unit of every `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum XAxis {
    /// Updates of the optimiser.
    #[default]
    Steps,
    /// Minutes of training.
    Minutes,
    /// Target tokens seen.
    Tokens,
}

impl XAxis {
    /// Returns the name that the axis carries.
    pub fn label(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Minutes => "time",
            Self::Tokens => "target tokens",
        }
    }
}

/// How a panel's vertical axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal distances are equal differences.
    #[default]
    Linear,
    /// To base 10; values that are not positive are marked as missing.
    Log,
}

/// Which values a panel's vertical axis must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bounds {
    /// Every value.
    #[default]
    All,
    /// Nearly every value: a few far away are cut off, and marked.
    Robust,
}

/// One metric of all runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Panel {
    /// Name of the metric.
    pub title: String,
    /// Unit of the values, in words; empty if there is none.
    pub unit: String,
    /// Division of the vertical axis.
    pub scale: Scale,
    /// Values that the vertical axis includes.
    pub bounds: Bounds,
    /// A value that the axis includes in addition to the data, such as 0 for a rate.
    pub baseline: Option<f64>,
    /// One curve a run.
    pub curves: Vec<Curve>,
    /// Said in place of curves while there are none.
    pub empty: String,
}

/// One metric of one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// Name of the run; curves of the same run share name and colour.
    pub name: String,
    /// Index into [`Theme::runs`](super::Theme), which begins again when it ends.
    pub colour: usize,
    /// `(x, y)`, x ascending. A value that is not finite breaks the curve and is marked.
    pub points: Vec<(f64, f64)>,
    /// Drawn thick over the thin points, if not empty; one value a point.
    pub smoothed: Vec<(f64, f64)>,
    /// Each point gets a dot: for few, far apart.
    pub dotted: bool,
    /// Index of the point that gets a star.
    pub best: Option<usize>,
}

impl Curve {
    /// Creates a curve of thin points, `(x, y)` with x ascending, with neither smoothing nor marks.
    pub fn new(name: impl Into<String>, colour: usize, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            colour,
            points,
            ..Self::default()
        }
    }

    /// With a thick [`exponential_average`] over the thin points; 0 smooths nothing.
    #[must_use]
    pub fn with_smoothing(mut self, smoothing: f64) -> Self {
        self.smoothed = if smoothing > 0.0 {
            exponential_average(&self.points, smoothing)
        } else {
            Vec::new()
        };
        self
    }

    /// The line that is read: the smoothed one if there is one.
    pub fn main(&self) -> &[(f64, f64)] {
        if self.smoothed.is_empty() {
            &self.points
        } else {
            &self.smoothed
        }
    }

    /// Index of the point of [`Self::main`] nearest to `x`; none outside the ends by more than `slack`.
    pub(super) fn nearest(&self, x: f64, slack: f64) -> Option<usize> {
        let points = self.main();
        let next = points.partition_point(|point| point.0 < x);
        let before = next.checked_sub(1);
        let candidates = [before, Some(next)].into_iter().flatten();
        let distance = |index: usize| points.get(index).map(|point| (point.0 - x).abs());
        let (index, far) = candidates
            .filter_map(|index| Some((index, distance(index)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        let between = before.is_some() && next < points.len();
        (between || far <= slack).then_some(index)
    }
}

/// Panels over one horizontal axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// Changes whenever anything else does: what was drawn of the same revision may be kept.
    pub revision: u64,
    /// The quantity on the shared horizontal axis.
    pub x: XAxis,
    /// The panels in reading order.
    pub panels: Vec<Panel>,
    /// Small print next to the legend.
    pub note: String,
}

impl Chart {
    /// From the first to the last point of all curves; from 0 if they begin near it.
    pub fn x_extent(&self) -> Span {
        let ends = self.panels.iter().flat_map(|panel| &panel.curves);
        let ends = ends.flat_map(|curve| [curve.points.first(), curve.points.last()]);
        let ends = ends.flatten().map(|point| point.0);
        let (low, high) = ends
            .filter(|x| x.is_finite())
            .fold((f64::MAX, f64::MIN), |(low, high), x| {
                (low.min(x), high.max(x))
            });
        if low > high {
            return (0.0, 1.0);
        }
        let low = if low >= 0.0 && low < high * 0.1 {
            0.0
        } else {
            low
        };
        if high > low {
            (low, high)
        } else {
            (low - 0.5, low + 0.5)
        }
    }

    /// Name and colour of every run, each once, in the order of its first curve.
    pub fn runs(&self) -> Vec<(&str, usize)> {
        let mut runs = Vec::new();
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            let run = (curve.name.as_str(), curve.colour);
            if !run.0.is_empty() && !runs.contains(&run) {
                runs.push(run);
            }
        }
        runs
    }

    /// The chart in words, for those who hear it: last and best value of every curve.
    pub fn description(&self) -> String {
        let several = self.runs().len() > 1;
        let mut parts = Vec::new();
        for panel in &self.panels {
            if panel.curves.iter().all(|curve| curve.points.is_empty()) {
                parts.push(format!("{}: {}", panel.title, panel.empty));
            }
            for curve in &panel.curves {
                let Some(last) = curve.main().last() else {
                    continue;
                };
                let of = if several {
                    format!(" of {}", curve.name)
                } else {
                    String::new()
                };
                let best = curve.best.and_then(|index| curve.points.get(index));
                let best = best.map_or(String::new(), |best| {
                    format!(", best {}", super::y_value(best.1))
                });
                let last = super::y_value(last.1);
                parts.push(format!("{}{of} {last}{best}", panel.title));
            }
        }
        parts.join("; ")
    }
}

/// The part of a chart that is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct View {
    /// All of it if absent.
    pub x: Option<Span>,
    /// Range of each panel; where absent or missing, the axis fits the data.
    pub y: Vec<Option<Span>>,
    /// Where on the horizontal axis values are read.
    pub pointer: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_nearest_to_the_pointer_is_read() {
        let curve = Curve::new("a", 0, vec![(1.0, 5.0), (10.0, 4.0), (20.0, 3.0)]);
        assert_eq!(curve.nearest(4.0, 0.0), Some(0));
        assert_eq!(curve.nearest(6.0, 0.0), Some(1));
        assert_eq!(curve.nearest(0.5, 1.0), Some(0));
        assert_eq!(curve.nearest(0.5, 0.1), None, "before the curve begins");
        assert_eq!(curve.nearest(25.0, 1.0), None, "after it ends");
        assert_eq!(Curve::default().nearest(0.0, 1.0), None);
    }

    #[test]
    fn the_description_names_last_and_best() {
        let mut curve = Curve::new("a", 0, vec![(1.0, 20.0), (2.0, 18.5)]);
        curve.best = Some(0);
        let panel = |title: &str, curves| Panel {
            title: title.to_owned(),
            curves,
            empty: "no validation yet".to_owned(),
            ..Panel::default()
        };
        let chart = Chart {
            panels: vec![panel("Dev BLEU", vec![curve]), panel("Dev loss", vec![])],
            ..Chart::default()
        };
        let said = chart.description();
        assert_eq!(
            said,
            "Dev BLEU 18.50, best 20.00; Dev loss: no validation yet"
        );
    }
}
