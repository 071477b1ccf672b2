//! Drawings that are kept between frames.

use egui::epaint::TextShape;
use egui::{Align, Color32, FontId, Galley, Painter, Pos2, Shape};

use super::typeset;

/// Shapes that were drawn, to be painted as often as wanted.
#[derive(Debug, Clone, Default)]
pub(super) struct Recording {
    pub shapes: Vec<Shape>,
    /// Over the shapes. Laid out when painted: egui forgets letters that no frame uses.
    pub texts: Vec<Text>,
}

/// A text on one line.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub words: String,
    /// Where it is anchored, on its baseline.
    pub at: Pos2,
    pub anchor: Align,
    pub font: FontId,
    pub colour: Color32,
    /// Runs upwards; its baseline is on the right of where it begins.
    pub is_upright: bool,
}

impl Recording {
    /// Number of shapes and texts.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.shapes.len() + self.texts.len()
    }

    pub(crate) fn paint(&self, painter: &Painter) {
        painter.extend(self.shapes.iter().cloned());
        for text in &self.texts {
            let galley = typeset::line(painter, &text.words, text.font.clone(), text.colour);
            if text.is_upright {
                let at = Pos2::new(text.at.x - baseline(&galley), text.at.y);
                let shape = TextShape::new(at, galley, text.colour);
                painter.add(shape.with_angle(-std::f32::consts::FRAC_PI_2));
                continue;
            }
            let left = match text.anchor {
                Align::Min => text.at.x,
                Align::Center => text.at.x - galley.size().x / 2.0,
                Align::Max => text.at.x - galley.size().x,
            };
            let top = text.at.y - baseline(&galley);
            painter.galley(Pos2::new(left, top), galley, text.colour);
        }
    }
}

/// From the top of a text to the baseline of its letters.
fn baseline(galley: &Galley) -> f32 {
    let first = galley.rows.first();
    let glyph = first.and_then(|row| Some((row.pos, row.row.glyphs.first()?.pos)));
    glyph.map_or(0.0, |(row, glyph)| row.y + glyph.y)
}
