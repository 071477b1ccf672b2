//! Scores of systems as a figure: a bar for each system, with its interval, a panel for each metric.

use plotters::prelude::DrawingBackend;

use super::Evaluation;
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Picture, Rect, readable_height};

const MARGIN: f64 = 20.0;
const HEAD: f64 = 48.0;
const ROW: f64 = 30.0;
const LABELS: f64 = 210.0;
/// Numbers at the right of the bars.
const NUMBERS: f64 = 118.0;
const FOOT: f64 = 40.0;
const SMALL: f64 = 11.5;

/// [`Evaluation`] as a picture.
#[derive(Debug, Clone, Copy)]
pub struct ScoresFigure<'a>(pub &'a Evaluation);

impl ScoresFigure<'_> {
    /// Height in pixels at which everything is easy to read.
    pub fn height(&self) -> u32 {
        let comparison = &self.0.comparison;
        let panel = HEAD + ROW * comparison.systems.len() as f64;
        readable_height(2.0 * MARGIN + panel * comparison.metrics.len() as f64 + FOOT)
    }
}

impl Picture for ScoresFigure<'_> {
    fn draw<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> DrawResult<DB> {
        let (theme, comparison) = (pen.theme, &self.0.comparison);
        pen.area.fill(&theme.page)?;
        let (width, height) = pen.area.dim_in_pixel();
        let right = f64::from(width) / pen.scale - MARGIN - NUMBERS;
        let left = MARGIN + LABELS;
        let weak = Lettering::new(SMALL - 0.5, theme.weak);
        let mut top = MARGIN;
        for (at, metric) in comparison.metrics.iter().enumerate() {
            let heading = Lettering::new(15.0, theme.strong).bold();
            pen.text(&metric.name, (MARGIN, top + 14.0), heading)?;
            pen.text(&metric.signature, (left, top + 14.0), weak)?;
            let scores = || comparison.systems.iter().map(|system| system.scores[at]);
            let most = scores().map(|score| score.interval.1).fold(1.0, f64::max);
            let x = |value: f64| left + value / most * (right - left);
            let mut y = top + HEAD - 16.0;
            for (colour, system) in comparison.systems.iter().enumerate() {
                let score = &system.scores[at];
                let text = Lettering::new(SMALL, theme.text);
                let baseline = y + ROW / 2.0 + SMALL * 0.36;
                let name = pen.shortened(&system.name, text, LABELS - 8.0);
                pen.text(&name, (MARGIN, baseline), text)?;
                let bar = Rect {
                    left,
                    top: y + 6.0,
                    right: x(score.score).max(left + 1.0),
                    bottom: y + ROW - 6.0,
                };
                pen.rect(bar, theme.faded(colour, 0.45))?;
                let (lower, upper) = score.interval;
                let middle = y + ROW / 2.0;
                pen.line(&[(x(lower), middle), (x(upper), middle)], 2.0, theme.strong)?;
                for end in [lower, upper] {
                    let ends = [(x(end), middle - 4.0), (x(end), middle + 4.0)];
                    pen.line(&ends, 2.0, theme.strong)?;
                }
                let star = if score.is_significant() { " *" } else { "" };
                let number = format!("{:.1}{star}", score.score);
                let strong = Lettering::new(SMALL + 0.5, theme.strong).bold();
                let end = right + NUMBERS - 8.0;
                pen.text(
                    &number,
                    (right + 44.0, baseline),
                    strong.anchored(Anchor::Right),
                )?;
                if let Some(p) = score.written_p() {
                    pen.text(&p, (end, baseline), weak.anchored(Anchor::Right))?;
                }
                y += ROW;
            }
            top = y + 16.0;
        }
        let about = "lines: 95 % of test sets drawn from the documents; p and *: against the first system, by document (Holm)";
        let bottom = f64::from(height) / pen.scale - MARGIN;
        let about = format!("{} · {about}", self.0.test);
        pen.text(&about, (MARGIN, bottom - 4.0), weak)
    }
}
