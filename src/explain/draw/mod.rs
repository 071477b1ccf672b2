//! The drawing routines, one a view, on any plotters backend.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixels of a figure; a cast of a number saturates"
)]

mod context;
mod difference;
mod document;
mod gates;
mod grid;
mod heading;
mod labels;
mod leave_one_out;
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
use super::mark::{HitArea, Viewport};
use canopy_chart::charts::{DrawResult, Pen, Picture, Rect};

/// Around everything.
const MARGIN: f64 = 20.0;
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
        self.draw_seen(pen, area, Viewport::default(), &mut Vec::new())
    }
}

impl Explanation {
    /// Draws into `area`, in pixels, the part of trees and maps in `viewport`, and adds to `marks` the places of what is drawn.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn draw_seen<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        area: Rect,
        viewport: Viewport,
        marks: &mut Vec<HitArea>,
    ) -> DrawResult<DB> {
        match self {
            Self::Tree(view) => tree::draw(pen, area, view, viewport, marks),
            Self::Maps(views) => map::draw(pen, area, views, viewport, marks),
            Self::Gates(view) => gates::draw(pen, area, view, marks),
            Self::Context(view) => context::draw(pen, area, view, marks),
            Self::Document(view) => document::draw(pen, area, view),
            Self::Zeros(view) => zeros::draw(pen, area, view),
            Self::Difference(view) => difference::draw(pen, area, view, marks),
            Self::LeaveOneOut(view) => leave_one_out::draw(pen, area, view, marks),
            Self::Memory(view) => memory::draw(pen, area, view, marks),
            Self::Similarity(view) => similarity::draw(pen, area, view, marks),
        }
    }

    /// The height in pixels at which a figure of this width is easy to read.
    pub fn height(&self, width: u32) -> u32 {
        let inner = f64::from(width) - 2.0 * MARGIN;
        let height = match self {
            Self::Tree(view) => tree::height(view),
            Self::Document(view) => document::height(view, inner),
            Self::Gates(view) => gates::height(view),
            Self::Zeros(_) => 420.0,
            _ => self.least_height(inner),
        };
        (height + 2.0 * MARGIN).clamp(220.0, 4_000.0).ceil() as u32
    }

    /// The least height in pixels of an area of this width in which nothing overlaps.
    pub fn least_height(&self, width: f64) -> f64 {
        match self {
            Self::Tree(view) => tree::least_height(view),
            Self::Maps(views) => map::height(views),
            Self::Document(_) | Self::Gates(_) | Self::Zeros(_) => 300.0,
            Self::Context(view) => context::height(view, width),
            Self::Difference(view) => difference::height(view, width),
            Self::LeaveOneOut(view) => leave_one_out::height(view),
            Self::Memory(view) => memory::height(view, width),
            Self::Similarity(view) => similarity::height(view, width),
        }
    }
}
