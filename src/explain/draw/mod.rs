//! The drawing routines, one a view, on any plotters backend.

mod context;
mod difference;
mod document;
mod gates;
mod grid;
mod labels;
mod legend;
mod map;
mod memory;
mod nodes;
mod similarity;
mod tree;
mod zeros;

use plotters::prelude::DrawingBackend;

pub use document::MapSheet;

use super::explanation::Explanation;
use super::mark::{Mark, Sight};
use crate::charts::{DrawResult, Lettering, Pen, Picture, Rect};

/// Around everything.
const MARGIN: f64 = 20.0;
/// Title and what is asked.
const HEAD: f64 = 52.0;
/// Scale and notes.
const FOOT: f64 = 46.0;
/// Em of labels, in pixels.
const SMALL: f64 = 11.0;

impl Picture for Explanation {
    fn draw<DB: DrawingBackend>(&self, pen: &Pen<'_, DB>) -> DrawResult<DB> {
        pen.area.fill(&pen.theme.page)?;
        let (width, height) = pen.area.dim_in_pixel();
        let area = Rect {
            left: MARGIN,
            top: MARGIN,
            right: f64::from(width) / pen.scale - MARGIN,
            bottom: f64::from(height) / pen.scale - MARGIN,
        };
        self.draw_seen(pen, area, Sight::default(), &mut Vec::new())
    }
}

impl Explanation {
    /// Draws into `area`, in pixels, the part of trees and maps that is in `sight`, and adds to `marks` what lies where.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn draw_seen<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        area: Rect,
        sight: Sight,
        marks: &mut Vec<Mark>,
    ) -> DrawResult<DB> {
        match self {
            Self::Tree(view) => tree::draw(pen, area, view, sight, marks),
            Self::Maps(views) => map::draw(pen, area, views, sight, marks),
            Self::Gates(view) => gates::draw(pen, area, view, marks),
            Self::Context(view) => context::draw(pen, area, view, marks),
            Self::Document(view) => document::draw(pen, area, view),
            Self::Zeros(view) => zeros::draw(pen, area, view),
            Self::Difference(view) => difference::draw(pen, area, view, marks),
            Self::Memory(view) => memory::draw(pen, area, view, marks),
            Self::Similarity(view) => similarity::draw(pen, area, view, marks),
        }
    }
}

/// The least height of the area in which nothing overlaps.
pub(super) fn least_height(view: &Explanation, width: f64) -> f64 {
    match view {
        Explanation::Tree(view) => tree::least_height(view),
        Explanation::Maps(views) => map::height(views),
        Explanation::Document(_) | Explanation::Gates(_) | Explanation::Zeros(_) => 300.0,
        Explanation::Context(view) => context::height(view, width),
        Explanation::Difference(view) => difference::height(view, width),
        Explanation::Memory(view) => memory::height(view, width),
        Explanation::Similarity(view) => similarity::height(view, width),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixels of a figure, not negative"
)]
pub(super) fn height(view: &Explanation, width: u32) -> u32 {
    let inner = f64::from(width) - 2.0 * MARGIN;
    let height = match view {
        Explanation::Tree(view) => tree::height(view),
        Explanation::Maps(views) => map::height(views),
        Explanation::Document(view) => document::height(view, inner),
        Explanation::Gates(view) => gates::height(view),
        Explanation::Context(view) => context::height(view, inner),
        Explanation::Zeros(_) => 420.0,
        Explanation::Difference(view) => difference::height(view, inner),
        Explanation::Memory(view) => memory::height(view, inner),
        Explanation::Similarity(view) => similarity::height(view, inner),
    };
    (height + 2.0 * MARGIN).clamp(220.0, 4_000.0).ceil() as u32
}

/// Title and subtitle; returns what is left below.
fn head<DB: DrawingBackend>(
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
