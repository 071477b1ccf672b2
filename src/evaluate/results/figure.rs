//! Results as a figure: BLEU of each system with its interval, in the order of the table.

use plotters::prelude::DrawingBackend;

use super::{ResultRow, Results};
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Picture, readable_height};
use canopy_metrics::comparison::SIGNIFICANT;

const MARGIN: f64 = 20.0;
const HEAD: f64 = 58.0;
const ROW: f64 = 26.0;
const FOOT: f64 = 50.0;
const LABELS: f64 = 270.0;
/// Numbers at the right.
const NUMBERS: f64 = 150.0;
const SMALL: f64 = 11.5;

/// [`Results`] as a picture.
#[derive(Debug, Clone, Copy)]
pub struct ResultsFigure<'a>(pub &'a Results);

impl ResultsFigure<'_> {
    /// Rows that have a score.
    fn rows(&self) -> impl Iterator<Item = (&ResultRow, f64, (f64, f64))> {
        let rows = self.0.rows.iter();
        rows.filter_map(|row| Some((row, row.bleu_unseen?, row.bleu_unseen_interval?)))
    }

    /// Height in pixels at which everything is easy to read.
    pub fn height(&self) -> u32 {
        readable_height(2.0 * MARGIN + HEAD + ROW * self.rows().count() as f64 + FOOT)
    }
}

impl Picture for ResultsFigure<'_> {
    fn draw<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> DrawResult<DB> {
        let theme = pen.theme;
        pen.area.fill(&theme.page)?;
        let (width, height) = pen.area.dim_in_pixel();
        let (left, right) = (
            MARGIN + LABELS,
            f64::from(width) / pen.scale - MARGIN - NUMBERS,
        );
        let bottom = f64::from(height) / pen.scale - MARGIN - FOOT;
        let weak = Lettering::new(SMALL - 0.5, theme.weak);
        let heading = Lettering::new(15.0, theme.strong).bold();
        let title = format!(
            "BLEU of unseen segments, {} ({})",
            self.0.corpus,
            self.0.split.name()
        );
        pen.text(&title, (MARGIN, MARGIN + 12.0), heading)?;
        let end = right + NUMBERS - 4.0;
        let heads = weak.anchored(Anchor::Right);
        pen.text("BLEU", (right + 62.0, MARGIN + HEAD - 12.0), heads)?;
        pen.text("epoch time", (end, MARGIN + HEAD - 12.0), heads)?;
        let lowest = self.rows().map(|row| row.2.0).fold(f64::INFINITY, f64::min);
        let highest = self.rows().map(|row| row.2.1).fold(0.0, f64::max);
        let (lowest, highest) = ((lowest - 0.5).floor(), (highest + 0.5).ceil());
        if !lowest.is_finite() {
            return pen.text(
                "No system has been scored yet.",
                (MARGIN, MARGIN + HEAD),
                weak,
            );
        }
        let x = |bleu: f64| left + (bleu - lowest) / (highest - lowest) * (right - left);
        let step = if highest - lowest > 12.0 { 5.0 } else { 1.0 };
        let mut tick = (lowest / step).ceil() * step;
        while tick <= highest {
            pen.hairline(
                (x(tick), MARGIN + HEAD - 4.0),
                (x(tick), bottom),
                theme.grid,
            )?;
            let centred = weak.anchored(Anchor::Centre);
            pen.text(&format!("{tick:.0}"), (x(tick), bottom + 14.0), centred)?;
            tick += step;
        }
        let reference = self.rows().find(|row| row.0.name == self.0.reference);
        if let Some((_, bleu, _)) = reference {
            pen.hairline(
                (x(bleu), MARGIN + HEAD - 4.0),
                (x(bleu), bottom),
                theme.weak,
            )?;
        }
        let mut y = MARGIN + HEAD;
        for (row, bleu, (lower, upper)) in self.rows() {
            let middle = y + ROW / 2.0;
            let baseline = middle + SMALL * 0.36;
            pen.text(
                &row.name,
                (MARGIN, baseline),
                Lettering::new(SMALL, theme.text),
            )?;
            pen.line(
                &[(x(lower), middle), (x(upper), middle)],
                2.0,
                theme.faded(0, 0.5),
            )?;
            pen.disc((x(bleu), middle), 4.5, theme.run(0))?;
            let star = row.p_document.is_some_and(|p| p < SIGNIFICANT);
            let strong = Lettering::new(SMALL + 0.5, theme.strong).bold();
            let number = format!("{bleu:.1}");
            pen.text(
                &number,
                (right + 62.0, baseline),
                strong.anchored(Anchor::Right),
            )?;
            if star {
                pen.text("*", (right + 64.0, baseline), strong)?;
            }
            if let Some(time) = row.relative_epoch_time {
                let time = format!("× {time:.2}");
                pen.text(&time, (end, baseline), weak.anchored(Anchor::Right))?;
            }
            y += ROW;
        }
        let about = format!(
            "lines: 95 % of test sets drawn from the documents; upright line and times: against “{}”; * p < {SIGNIFICANT} by document, corrected",
            self.0.reference
        );
        pen.text(&about, (MARGIN, bottom + FOOT - 10.0), weak)
    }
}
