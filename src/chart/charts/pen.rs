//! Drawing with lengths in pixels on a backend whose units are finer.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, TextStyle};

use super::font::{EM, FONT};
use super::plot_area::Rect;
use super::theme::Theme;
use crate::typesetting::Direction;

/// Result of all drawing, with the backend's error.
pub type DrawResult<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// Distance in em at which plotters puts the baseline of a text below its top.
const BASELINE: f64 = 0.76;

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub struct Lettering {
    /// Em in pixels.
    pub size: f64,
    /// Colour of the letters.
    pub colour: RGBColor,
    /// Whether the letters are bold.
    pub bold: bool,
    /// The part of the text that is at its place.
    pub anchor: Anchor,
}

/// The part of a text that is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its left edge.
    Left,
    /// Its middle.
    Centre,
    /// Its right edge.
    Right,
}

/// A drawing area, its theme and its units.
pub struct Pen<'a, DB: DrawingBackend> {
    /// The area that is drawn on.
    pub area: &'a DrawingArea<DB, Shift>,
    /// Colours of the figure.
    pub theme: &'a Theme,
    /// Units of the backend a pixel.
    pub scale: f64,
}

impl<DB: DrawingBackend> Pen<'_, DB> {
    fn unit(&self, pixels: f64) -> i32 {
        (pixels * self.scale).round() as i32
    }

    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        (self.unit(x), self.unit(y))
    }

    fn length(&self, pixels: f64) -> u32 {
        self.unit(pixels).unsigned_abs().max(1)
    }

    /// A line through points.
    ///
    /// # Errors
    /// If the backend cannot draw.
    pub fn line(&self, line: &[(f64, f64)], width: f64, colour: RGBColor) -> DrawResult<DB> {
        let points: Vec<_> = line.iter().map(|point| self.at(*point)).collect();
        let style = colour.stroke_width(self.length(width));
        self.area.draw(&PathElement::new(points, style))
    }

    /// A line one pixel wide, along pixels, that is as sharp as it can be.
    ///
    /// # Errors
    /// If the backend cannot draw.
    pub fn hairline(&self, from: (f64, f64), to: (f64, f64), colour: RGBColor) -> DrawResult<DB> {
        let sharp = |(x, y): (f64, f64)| (x.floor() + 0.5, y.floor() + 0.5);
        self.line(&[sharp(from), sharp(to)], 1.0, colour)
    }

    /// A filled circle.
    ///
    /// # Errors
    /// If the backend cannot draw.
    pub fn disc(&self, centre: (f64, f64), radius: f64, colour: RGBColor) -> DrawResult<DB> {
        let radius = self.length(radius);
        self.area
            .draw(&Circle::new(self.at(centre), radius, colour.filled()))
    }

    /// A filled polygon.
    ///
    /// # Errors
    /// If the backend cannot draw.
    pub fn polygon(&self, corners: &[(f64, f64)], colour: RGBColor) -> DrawResult<DB> {
        let corners: Vec<_> = corners.iter().map(|corner| self.at(*corner)).collect();
        self.area.draw(&Polygon::new(corners, colour.filled()))
    }

    /// A filled rectangle.
    ///
    /// # Errors
    /// If the backend cannot draw.
    pub fn rect(&self, rect: Rect, colour: RGBColor) -> DrawResult<DB> {
        let corners = [
            self.at((rect.left, rect.top)),
            self.at((rect.right, rect.bottom)),
        ];
        self.area.draw(&Rectangle::new(corners, colour.filled()))
    }

    /// A text whose baseline is at `y`.
    ///
    /// # Errors
    /// If the backend cannot draw.
    pub fn text(&self, text: &str, (x, y): (f64, f64), lettering: Lettering) -> DrawResult<DB> {
        if text.is_empty() {
            return Ok(());
        }
        let at = self.at((x, y - BASELINE * lettering.size));
        let style = self.style(lettering);
        self.area.draw(&Text::new(isolated(text), at, style))
    }

    /// A text that runs upwards from `y`, its baseline on the right at `x`; for [`Anchor::Left`].
    ///
    /// # Errors
    /// If the backend cannot draw.
    pub fn upright(&self, text: &str, (x, y): (f64, f64), lettering: Lettering) -> DrawResult<DB> {
        if text.is_empty() {
            return Ok(());
        }
        let at = self.at((x - BASELINE * lettering.size, y));
        let style = self.style(lettering).transform(FontTransform::Rotate270);
        self.area.draw(&Text::new(isolated(text), at, style))
    }

    /// How wide a text is, in pixels.
    pub fn width(&self, text: &str, lettering: Lettering) -> f64 {
        let style = self.style(lettering);
        // A font without measures is no reason to draw nothing: letters are about half an em wide.
        self.area.estimate_text_size(text, &style).map_or_else(
            |_| lettering.size * 0.55 * f64::from(u32::try_from(text.len()).unwrap_or(0)),
            |(width, _)| f64::from(width) / self.scale,
        )
    }

    /// A text that is no wider than `width` pixels, ended by an ellipsis if it was.
    pub fn shortened(&self, text: &str, lettering: Lettering, width: f64) -> String {
        if self.width(text, lettering) <= width {
            return text.to_owned();
        }
        let letters: Vec<char> = text.chars().collect();
        let fits = |count: usize| {
            let cut: String = letters[..count].iter().collect();
            let cut = format!("{}…", cut.trim_end());
            (self.width(&cut, lettering) <= width).then_some(cut)
        };
        // The longest beginning that fits.
        let (mut low, mut high) = (0, letters.len());
        while low < high {
            let middle = usize::midpoint(low, high) + 1;
            if middle <= high && fits(middle.min(letters.len())).is_some() {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        fits(low).unwrap_or_default()
    }

    fn style(&self, lettering: Lettering) -> TextStyle<'static> {
        let style = if lettering.bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let size = lettering.size * EM * self.scale;
        let font = FontDesc::new(FontFamily::Name(FONT), size, style);
        let h_pos = match lettering.anchor {
            Anchor::Left => HPos::Left,
            Anchor::Centre => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        TextStyle {
            font,
            color: lettering.colour.to_backend_color(),
            pos: Pos::new(h_pos, VPos::Top),
        }
    }
}

/// A text that begins on the right as such, whatever direction the program has that shows the figure.
fn isolated(text: &str) -> String {
    match Direction::from_first_strong(text) {
        Some(Direction::RightToLeft) => format!("\u{2067}{text}\u{2069}"),
        _ => text.to_owned(),
    }
}

impl Lettering {
    /// Creates a regular lettering of `size` pixels that begins at its place.
    pub fn new(size: f64, colour: RGBColor) -> Self {
        Self {
            size,
            colour,
            bold: false,
            anchor: Anchor::Left,
        }
    }

    /// Returns the same lettering in bold.
    #[must_use]
    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// Returns the same lettering with another part of the text at its place.
    #[must_use]
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}
