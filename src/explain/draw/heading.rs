//! Title, subtitle and the room that all figures leave.

use plotters::prelude::DrawingBackend;

use canopy_chart::charts::{Lettering, Pen, Rect};

/// Title and query.
pub(super) const HEAD: f64 = 52.0;
/// Scale and notes.
pub(super) const FOOT: f64 = 46.0;
/// Em of labels, in pixels.
pub(super) const SMALL: f64 = 11.0;

/// Title and subtitle; returns what is left below.
pub(super) fn head<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    title: &str,
    subtitle: &str,
) -> Result<Rect, plotters::drawing::DrawingAreaErrorKind<DB::ErrorType>> {
    let heading = Lettering::new(15.0, pen.theme.strong).bold();
    let (left, width) = (area.left, area.width());
    let title = pen.shortened(title, heading, width);
    pen.text(&title, (left, area.top + 12.0), heading)?;
    let small = Lettering::new(12.0, pen.theme.weak);
    let subtitle = pen.shortened(subtitle, small, width);
    pen.text(&subtitle, (left, area.top + 31.0), small)?;
    Ok(Rect {
        top: area.top + HEAD,
        ..area
    })
}
