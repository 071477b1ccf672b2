//! The numbers of a chart as text.

use std::fmt::Write;

use super::chart::{Chart, View, XAxis};
use canopy_document::csv::field;

impl Chart {
    /// All values in view as comma-separated values (RFC 4180), one a line: metric, run, place on the horizontal axis,
    /// value, smoothed value; numbers in full, `NaN` and `inf` for what is not finite.
    pub fn csv(&self, view: &View) -> String {
        let x = match self.x {
            XAxis::Steps => "step",
            XAxis::Minutes => "minutes",
            XAxis::Tokens => "target_tokens",
        };
        let mut text = format!("metric,run,{x},value,smoothed\r\n");
        let (first, last) = view.x.unwrap_or((f64::MIN, f64::MAX));
        for panel in &self.panels {
            let metric = field(&panel.title);
            for curve in &panel.curves {
                let run = field(&curve.name);
                for (index, (x, y)) in curve.points.iter().enumerate() {
                    if !(first..=last).contains(x) {
                        continue;
                    }
                    let smoothed = curve.smoothed.get(index);
                    let smoothed = smoothed.map_or(String::new(), |point| point.1.to_string());
                    // Writing to a string does not fail.
                    let _ = write!(text, "{metric},{run},{x},{y},{smoothed}\r\n");
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::chart::{Curve, Panel};
    use super::*;

    #[test]
    fn every_value_in_view_is_a_line() {
        let points = vec![(1.0, 2.5), (2.0, f64::NAN), (3.0, 1.5)];
        let curve = Curve::new("a, \"b\"", 0, points).with_smoothing(0.5);
        let chart = Chart {
            panels: vec![Panel {
                title: "Dev loss".to_owned(),
                curves: vec![curve],
                ..Panel::default()
            }],
            ..Chart::default()
        };
        let view = View {
            x: Some((0.0, 2.0)),
            ..View::default()
        };
        let expected = "metric,run,step,value,smoothed\r\n\
            Dev loss,\"a, \"\"b\"\"\",1,2.5,2.5\r\n\
            Dev loss,\"a, \"\"b\"\"\",2,NaN,NaN\r\n";
        assert_eq!(chart.csv(&view), expected);
        assert_eq!(chart.csv(&View::default()).lines().count(), 4);
    }
}
