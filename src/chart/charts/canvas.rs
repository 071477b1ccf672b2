//! A picture in memory that plotters draws on.
//!
//! plotters' own bitmap joins the segments of a thick line into one polygon, which tears where a noisy curve turns back,
//! and sets text a quarter of an em too high. Here each segment is a capsule, and text is placed as in SVG.

use std::convert::Infallible;

use ab_glyph_rasterizer::{Rasterizer, point};
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};

use super::font::{EM, font_file, has_letters_of};
use crate::typesetting::{Curve, Outlines};

type DrawResult = Result<(), DrawingErrorKind<Infallible>>;

/// Red, green and blue of every pixel, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Canvas {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<[u8; 3]>,
}

impl Canvas {
    pub(super) fn new(width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            pixels: vec![[255; 3]; width as usize * height as usize],
        }
    }

    /// The mean of every `factor` × `factor` pixels.
    pub(super) fn reduced(&self, factor: u32) -> Self {
        let (width, height) = (self.width / factor, self.height / factor);
        let mut reduced = Self::new(width, height);
        for (index, pixel) in (0_u32..).zip(&mut reduced.pixels) {
            let (left, top) = (index % width * factor, index / width * factor);
            let mut sum = [0_u32; 3];
            for row in top..top + factor {
                let start = row as usize * self.width as usize + left as usize;
                for from in &self.pixels[start..start + factor as usize] {
                    for (sum, value) in sum.iter_mut().zip(from) {
                        *sum += u32::from(*value);
                    }
                }
            }
            let count = factor * factor;
            *pixel = sum.map(|sum| u8::try_from((sum + count / 2) / count).unwrap_or(u8::MAX));
        }
        reduced
    }

    fn blend(&mut self, x: i32, y: i32, colour: BackendColor) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
            return;
        };
        if x < self.width && y < self.height {
            let place = y as usize * self.width as usize + x as usize;
            self.pixels[place] = mixed(self.pixels[place], colour);
        }
    }

    /// Fills the pixels of one row whose centres are between two places.
    fn span(&mut self, y: i32, from: f64, to: f64, colour: BackendColor) {
        let right = f64::from(self.width);
        let first = (from - 0.5).ceil().clamp(0.0, right) as i32;
        let end = ((to - 0.5).floor() + 1.0).clamp(0.0, right) as i32;
        for x in first..end {
            self.blend(x, y, colour);
        }
    }

    /// The rows from `top` to `bottom` that the picture has.
    fn rows(&self, top: f64, bottom: f64) -> std::ops::Range<i32> {
        let height = f64::from(self.height);
        (top.floor().clamp(0.0, height) as i32)..(bottom.ceil().clamp(0.0, height) as i32)
    }

    /// Fills all that is at most `radius` away from a segment.
    fn capsule(&mut self, a: BackendCoord, b: BackendCoord, radius: f64, colour: BackendColor) {
        let [a, b] = [a, b].map(|(x, y)| (f64::from(x), f64::from(y)));
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy);
        let across = if length > 0.0 {
            (-dy / length * radius, dx / length * radius)
        } else {
            (0.0, 0.0)
        };
        let band = [
            (a.0 + across.0, a.1 + across.1),
            (b.0 + across.0, b.1 + across.1),
            (b.0 - across.0, b.1 - across.1),
            (a.0 - across.0, a.1 - across.1),
        ];
        for y in self.rows(a.1.min(b.1) - radius, a.1.max(b.1) + radius) {
            let middle = f64::from(y) + 0.5;
            let (mut from, mut to) = crossing(&band, middle);
            for centre in [a, b] {
                let half = radius * radius - (middle - centre.1).powi(2);
                if half >= 0.0 {
                    from = from.min(centre.0 - half.sqrt());
                    to = to.max(centre.0 + half.sqrt());
                }
            }
            self.span(y, from, to, colour);
        }
    }
}

/// Where a horizontal line enters and leaves a convex polygon.
fn crossing(corners: &[(f64, f64)], y: f64) -> (f64, f64) {
    let (mut from, mut to) = (f64::MAX, f64::MIN);
    let next = corners.iter().cycle().skip(1);
    for (a, b) in corners.iter().zip(next) {
        if (a.1 <= y) != (b.1 <= y) {
            let x = a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0);
            (from, to) = (from.min(x), to.max(x));
        }
    }
    (from, to)
}

fn mixed(under: [u8; 3], over: BackendColor) -> [u8; 3] {
    let alpha = over.alpha.clamp(0.0, 1.0);
    let mix =
        |from: u8, to: u8| (f64::from(from) * (1.0 - alpha) + f64::from(to) * alpha).round() as u8;
    let (red, green, blue) = over.rgb;
    [
        mix(under[0], red),
        mix(under[1], green),
        mix(under[2], blue),
    ]
}

impl Canvas {
    /// Writes a text in fonts of the system, its letters joined and ordered as its script wants.
    fn outlined<T: BackendTextStyle>(&mut self, text: &str, style: &T, (x, y): BackendCoord) {
        let outlines = outlines(text, style);
        let em = (style.size() / EM) as f32;
        let anchor = style.anchor();
        let along = match anchor.h_pos {
            HPos::Left => 0.0,
            HPos::Center => -outlines.width / 2.0,
            HPos::Right => -outlines.width,
        };
        let down = em
            * match anchor.v_pos {
                VPos::Top => 0.76,
                VPos::Center => 0.27,
                VPos::Bottom => -0.27,
            };
        // Room for what is above and below a line.
        let (above, below) = ((2.0 * em).ceil(), em.ceil());
        let margin = em.ceil();
        let size = (
            (outlines.width + 2.0 * margin).ceil() as usize,
            (above + below) as usize,
        );
        let mut raster = Rasterizer::new(size.0, size.1);
        draw_curves(&mut raster, &outlines.curves, (margin, above));
        let turn = style.transform();
        let color = style.color();
        let corner = (
            (along - margin).round() as i32,
            (down - above).round() as i32,
        );
        raster.for_each_pixel_2d(|right, below, coverage| {
            let right = corner.0 + i32::try_from(right).unwrap_or(i32::MAX);
            let below = corner.1 + i32::try_from(below).unwrap_or(i32::MAX);
            let (right, below) = turn.transform(right, below);
            let alpha = color.alpha * f64::from(coverage.clamp(0.0, 1.0));
            self.blend(x + right, y + below, BackendColor { alpha, ..color });
        });
    }
}

impl DrawingBackend for Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn ensure_prepared(&mut self) -> DrawResult {
        Ok(())
    }

    fn present(&mut self) -> DrawResult {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> DrawResult {
        self.blend(x, y, colour);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> DrawResult {
        let radius = f64::from(style.stroke_width()) / 2.0;
        self.capsule(from, to, radius, style.color());
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> DrawResult {
        if !fill {
            let (left, top) = upper_left;
            let (right, bottom) = bottom_right;
            let round = [
                (left, top),
                (right, top),
                (right, bottom),
                (left, bottom),
                (left, top),
            ];
            return self.draw_path(round, style);
        }
        for y in self.rows(f64::from(upper_left.1), f64::from(bottom_right.1)) {
            let (from, to) = (f64::from(upper_left.0), f64::from(bottom_right.0));
            self.span(y, from, to, style.color());
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> DrawResult {
        let mut before = None;
        for here in path {
            if let Some(before) = before {
                self.draw_line(before, here, style)?;
            }
            before = Some(here);
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> DrawResult {
        self.capsule(centre, centre, f64::from(radius), style.color());
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        (x, y): BackendCoord,
    ) -> DrawResult {
        if !has_letters_of(text) {
            self.outlined(text, style, (x, y));
            return Ok(());
        }
        let font = |cause: T::FontError| DrawingErrorKind::FontError(Box::new(cause));
        let ((left, _), (right, _)) = style.layout_box(text).map_err(font)?;
        let anchor = style.anchor();
        let along = match anchor.h_pos {
            HPos::Left => 0,
            HPos::Center => (left - right) / 2,
            HPos::Right => left - right,
        };
        let em = style.size() / EM;
        let baseline = match anchor.v_pos {
            VPos::Top => 0.76,
            VPos::Center => 0.27,
            VPos::Bottom => -0.27,
        };
        // plotters sets the baseline half a line height below the place.
        let down = (baseline * em - style.size() / 2.0).round() as i32;
        let turn = style.transform();
        let drawn = style.draw(text, (along, down), |right, below, colour| {
            let (right, below) = turn.transform(right, below);
            self.blend(x + right, y + below, colour);
            Ok(())
        });
        drawn.map_err(font)?
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        if !has_letters_of(text) {
            let width = outlines(text, style).width;
            return Ok((width.ceil() as u32, style.size().ceil() as u32));
        }
        let font = |cause: T::FontError| DrawingErrorKind::FontError(Box::new(cause));
        let ((left, top), (right, bottom)) = style.layout_box(text).map_err(font)?;
        Ok(((right - left).unsigned_abs(), (bottom - top).unsigned_abs()))
    }
}

/// Draws outlines that begin at `origin`.
fn draw_curves(raster: &mut Rasterizer, curves: &[Curve], origin: (f32, f32)) {
    let at = |(x, y): (f32, f32)| point(x + origin.0, y + origin.1);
    for curve in curves {
        match *curve {
            Curve::Line(start, end) => raster.draw_line(at(start), at(end)),
            Curve::Quadratic(start, control, end) => {
                raster.draw_quad(at(start), at(control), at(end));
            }
            Curve::Cubic(start, first, second, end) => {
                raster.draw_cubic(at(start), at(first), at(second), at(end));
            }
        }
    }
}

fn outlines<T: BackendTextStyle>(text: &str, style: &T) -> Outlines {
    let (font, weight) = font_file(matches!(style.style(), FontStyle::Bold));
    Outlines::new(text, font, weight, (style.size() / EM) as f32)
}

#[cfg(test)]
mod tests {
    use super::super::font::register_fonts;
    use super::super::pen::{Anchor, Lettering, Pen};
    use super::super::theme::Theme;
    use super::*;

    /// The columns that have ink.
    fn inked(text: &str, anchor: Anchor) -> Vec<usize> {
        register_fonts();
        let canvas = std::rc::Rc::new(std::cell::RefCell::new(Canvas::new(400, 60)));
        let area = plotters::drawing::DrawingArea::from(&canvas);
        let theme = Theme::LIGHT;
        let pen = Pen {
            area: &area,
            theme: &theme,
            scale: 1.0,
        };
        let lettering = Lettering::new(20.0, plotters::style::BLACK).anchored(anchor);
        pen.text(text, (200.0, 40.0), lettering).expect("drawn");
        let canvas = canvas.borrow();
        let is_inked = |x: &usize| (0..60).any(|y| canvas.pixels[y * 400 + x] != [255; 3]);
        (0..400).filter(is_inked).collect()
    }

    #[test]
    fn letters_stand_at_their_anchor() {
        // Shaped, as letters of the system are, and not: a mark of direction is no simple letter.
        for (text, is_shaped) in [("Inter", false), ("\u{200F}Inter", true)] {
            assert_ne!(has_letters_of(text), is_shaped);
            let [right, left] = [Anchor::Right, Anchor::Left].map(|anchor| {
                let columns = inked(text, anchor);
                let ends = columns.first().zip(columns.last());
                ends.map(|(first, last)| (*first, *last)).expect("letters")
            });
            assert!((190..=202).contains(&right.1), "{text}: {right:?}");
            assert!((198..=210).contains(&left.0), "{text}: {left:?}");
            let widths = [right, left].map(|(first, last)| last - first);
            assert!(widths[0].abs_diff(widths[1]) <= 2, "{text}: {widths:?}");
        }
    }
}
