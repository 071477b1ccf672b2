//! plotters draws into the window: its lines and texts become shapes of egui.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;

use egui::{Align, Color32, FontFamily, FontId, Galley, Mesh, Painter, Pos2, Rect, Shape, Stroke};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle, FontTransform,
};

use super::recording::{Recording, Text};
use super::{theme, typeset};
use canopy_chart::charts::EM;

/// Units of plotters, which counts in whole ones, in a point, so that curves are smooth on any screen.
const UNITS: f32 = 8.0;

/// [`UNITS`], for lengths in numbers of a chart.
pub(super) const SCALE: f64 = UNITS as f64;

type DrawResult = Result<(), DrawingErrorKind<Infallible>>;

/// Records what `draw` draws on an area as large as `rect`.
pub(super) fn record(
    painter: &Painter,
    rect: Rect,
    draw: impl FnOnce(&DrawingArea<Backend<'_>, Shift>),
) -> Recording {
    let backend = Rc::new(RefCell::new(Backend {
        painter,
        rect,
        recording: Recording::default(),
    }));
    draw(&DrawingArea::from(&backend));
    std::mem::take(&mut backend.borrow_mut().recording)
}

/// Turns plotters' drawing into a [`Recording`].
pub(super) struct Backend<'a> {
    painter: &'a Painter,
    rect: Rect,
    recording: Recording,
}

impl Backend<'_> {
    #[expect(clippy::cast_precision_loss, reason = "places on a screen")]
    fn at(&self, (x, y): BackendCoord) -> Pos2 {
        self.rect.min + egui::vec2(x as f32, y as f32) / UNITS
    }

    /// At least one pixel wide, and whole pixels.
    #[expect(clippy::cast_precision_loss, reason = "a few units")]
    fn stroke<S: BackendStyle>(&self, style: &S) -> Stroke {
        let pixels = style.stroke_width() as f32 / UNITS * self.painter.pixels_per_point();
        let width = pixels.max(1.0) / self.painter.pixels_per_point();
        Stroke::new(width, colour(style.color()))
    }

    /// A line along an axis, put where it is as sharp as the screen allows.
    fn hairline(&self, [mut a, mut b]: [Pos2; 2], mut stroke: Stroke) -> Shape {
        let pixel = 1.0 / self.painter.pixels_per_point();
        stroke.width = (stroke.width / pixel).round().max(1.0) * pixel;
        let odd = (stroke.width / pixel).round() % 2.0 > 0.5;
        let sharp = |place: f32| {
            if odd {
                self.painter.round_to_pixel_center(place)
            } else {
                (place / pixel).round() * pixel
            }
        };
        if same(a.x, b.x) {
            (a.x, b.x) = (sharp(a.x), sharp(b.x));
        } else {
            (a.y, b.y) = (sharp(a.y), sharp(b.y));
        }
        Shape::line_segment([a, b], stroke)
    }

    fn push(&mut self, shape: Shape) {
        self.recording.shapes.push(shape);
    }

    fn galley<T: BackendTextStyle>(&self, text: &str, style: &T) -> Arc<Galley> {
        let colour = colour(style.color());
        typeset::line(self.painter, text, font(style), colour)
    }
}

fn same(a: f32, b: f32) -> bool {
    (a - b).abs() < 0.5 / UNITS
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an opacity between 0 and 1 becomes a byte"
)]
fn colour(colour: BackendColor) -> Color32 {
    let (red, green, blue) = colour.rgb;
    let alpha = (colour.alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    Color32::from_rgba_unmultiplied(red, green, blue, alpha)
}

#[expect(clippy::cast_possible_truncation, reason = "the size of a letter")]
fn font<T: BackendTextStyle>(style: &T) -> FontId {
    let size = (style.size() / EM) as f32 / UNITS;
    match style.style() {
        FontStyle::Bold => theme::semibold(size),
        _ => FontId::new(size, FontFamily::Proportional),
    }
}

/// Whether a polygon turns the same way at every corner.
fn is_convex(corners: &[Pos2]) -> bool {
    let turn = |index: usize| {
        let at = |offset: usize| corners[(index + offset) % corners.len()];
        let (first, second) = (at(1) - at(0), at(2) - at(1));
        first.x * second.y - first.y * second.x
    };
    let turns = (0..corners.len()).map(turn);
    turns.clone().all(|turn| turn >= 0.0) || turns.clone().all(|turn| turn <= 0.0)
}

/// Triangles around the middle: right for every shape whose corners can be seen from there, such as a star.
#[expect(clippy::cast_precision_loss, reason = "a few corners")]
fn fan(corners: &[Pos2], colour: Color32) -> Shape {
    let sum = corners
        .iter()
        .fold(egui::Vec2::ZERO, |sum, corner| sum + corner.to_vec2());
    let middle = (sum / corners.len() as f32).to_pos2();
    let mut mesh = Mesh::default();
    mesh.colored_vertex(middle, colour);
    for corner in corners {
        mesh.colored_vertex(*corner, colour);
    }
    let count = u32::try_from(corners.len()).unwrap_or(0);
    for index in 0..count {
        mesh.add_triangle(0, 1 + index, 1 + (index + 1) % count);
    }
    Shape::mesh(mesh)
}

impl DrawingBackend for Backend<'_> {
    type ErrorType = Infallible;

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the size of a window"
    )]
    fn get_size(&self) -> (u32, u32) {
        let size = self.rect.size() * UNITS;
        (size.x.round() as u32, size.y.round() as u32)
    }

    fn ensure_prepared(&mut self) -> DrawResult {
        Ok(())
    }

    fn present(&mut self) -> DrawResult {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> DrawResult {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> DrawResult {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> DrawResult {
        let mut points: Vec<Pos2> = path.into_iter().map(|point| self.at(point)).collect();
        points.dedup();
        let stroke = self.stroke(style);
        let shape = match points.as_slice() {
            [] | [_] => return Ok(()),
            &[a, b] if same(a.x, b.x) || same(a.y, b.y) => self.hairline([a, b], stroke),
            _ => Shape::line(points, stroke),
        };
        self.push(shape);
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> DrawResult {
        let pixels_per_point = self.painter.pixels_per_point();
        let corners = [upper_left, bottom_right].map(|corner| {
            let at = self.at(corner) * pixels_per_point;
            at.round() / pixels_per_point
        });
        let rect = Rect::from_two_pos(corners[0], corners[1]);
        let shape = if fill {
            Shape::rect_filled(rect, 0.0, colour(style.color()))
        } else {
            Shape::rect_stroke(rect, 0.0, self.stroke(style), egui::StrokeKind::Middle)
        };
        self.push(shape);
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a few units")]
    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> DrawResult {
        let (centre, radius) = (self.at(centre), radius as f32 / UNITS);
        let shape = if fill {
            Shape::circle_filled(centre, radius, colour(style.color()))
        } else {
            Shape::circle_stroke(centre, radius, self.stroke(style))
        };
        self.push(shape);
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> DrawResult {
        let corners: Vec<Pos2> = corners.into_iter().map(|corner| self.at(corner)).collect();
        let colour = colour(style.color());
        if corners.len() < 3 {
            return Ok(());
        }
        if is_convex(&corners) {
            self.push(Shape::convex_polygon(corners, colour, Stroke::NONE));
            return Ok(());
        }
        self.push(fan(&corners, colour));
        // A mesh has hard edges; a fine line softens them.
        let edge = Stroke::new(0.5, colour);
        self.push(Shape::closed_line(corners, edge));
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        at: BackendCoord,
    ) -> DrawResult {
        let font = font(style);
        let anchor = style.anchor();
        // As far from the place as in SVG, so that both look the same.
        let down = match anchor.v_pos {
            VPos::Top => 0.76,
            VPos::Center => 0.27,
            VPos::Bottom => -0.27,
        };
        let is_upright = matches!(style.transform(), FontTransform::Rotate270);
        let to_baseline = if is_upright {
            egui::vec2(down * font.size, 0.0)
        } else {
            egui::vec2(0.0, down * font.size)
        };
        self.recording.texts.push(Text {
            words: text.to_owned(),
            at: self.at(at) + to_baseline,
            is_upright,
            anchor: match anchor.h_pos {
                HPos::Left => Align::Min,
                HPos::Center => Align::Center,
                HPos::Right => Align::Max,
            },
            font,
            colour: colour(style.color()),
        });
        Ok(())
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the size of a text"
    )]
    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let size = self.galley(text, style).size() * UNITS;
        Ok((size.x.ceil() as u32, size.y.ceil() as u32))
    }
}

#[cfg(test)]
mod tests;
