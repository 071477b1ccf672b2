//! The shapes of a text on one line, for pictures: fonts chosen by character, shaped, in order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, Mutex, PoisonError};

use harfrust::{
    Direction as RunDirection, ShapeOptions, ShaperData, ShaperInstance, UnicodeBuffer,
};
use skrifa::instance::Size;
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

use super::direction::{Direction, levels, visual_order};
use super::script::{Han, is_extending, is_format};
use super::system_fonts::{FontKey, SystemFont, SystemFonts, covers};

type Point = (f32, f32);

/// A piece of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Curve {
    /// A straight line from the first point to the second.
    Line(Point, Point),
    /// A quadratic Bézier curve: start, control point, end.
    Quadratic(Point, Point, Point),
    /// A cubic Bézier curve: start, two control points, end.
    Cubic(Point, Point, Point, Point),
}

/// The outlines of a line of text: `x` from its left edge, `y` downwards from its baseline.
#[derive(Debug, Clone, Default)]
pub struct Outlines {
    /// The pieces of all glyphs' outlines.
    pub curves: Vec<Curve>,
    /// Width of the line, in the unit of the points.
    pub width: f32,
}

impl Outlines {
    /// Sets `text` in the font whose file is `main`, `size` pixels an em; what it lacks comes from the system's fonts.
    pub fn new(text: &str, main: &[u8], weight: u16, size: f32) -> Self {
        let direction = Direction::from_text(text, None);
        let fonts = Fonts::for_text(text, main, weight);
        let runs = runs(text, &levels(text, direction), &fonts);
        let order = visual_order(&runs.iter().map(|run| run.level).collect::<Vec<_>>());
        let mut outlines = Self::default();
        for run in order.into_iter().map(|index| &runs[index]) {
            let face = match run.font {
                Some(index) => Face::from_font(&fonts.found[index]),
                None => Face {
                    data: main,
                    index: 0,
                    weight: None,
                },
            };
            outlines.append(&text[run.bytes.clone()], run.level, face, size);
        }
        outlines
    }

    fn append(&mut self, text: &str, level: u8, face: Face<'_>, size: f32) {
        let Ok(font) = FontRef::from_index(face.data, face.index) else {
            return;
        };
        let variation = face.weight.map(|value| harfrust::Variation {
            tag: skrifa::Tag::new(b"wght"),
            value,
        });
        let instance = ShaperInstance::from_variations(&font, variation);
        let data = ShaperData::new(&font);
        let shaper = data.shaper(&font).instance(Some(&instance)).build();
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        buffer.set_direction(if level % 2 == 1 {
            RunDirection::RightToLeft
        } else {
            RunDirection::LeftToRight
        });
        let glyph_buffer = shaper.shape(buffer, ShapeOptions::new());
        let location = font
            .axes()
            .location(face.weight.map(|weight| ("wght", weight)));
        let units = font
            .metrics(Size::unscaled(), &location)
            .units_per_em
            .max(1);
        let scale = size / f32::from(units);
        let glyphs = font.outline_glyphs();
        for (info, position) in glyph_buffer
            .glyph_infos()
            .iter()
            .zip(glyph_buffer.glyph_positions())
        {
            let mut pen = Pen {
                curves: &mut self.curves,
                origin: (
                    self.width + position.x_offset as f32 * scale,
                    -position.y_offset as f32 * scale,
                ),
                start: (0.0, 0.0),
                at: (0.0, 0.0),
            };
            if let Some(glyph) = glyphs.get(GlyphId::new(info.glyph_id)) {
                let settings = DrawSettings::unhinted(Size::new(size), &location);
                // A glyph that cannot be drawn leaves its place empty.
                let _ = glyph.draw(settings, &mut pen);
            }
            self.width += position.x_advance as f32 * scale;
        }
    }
}

/// A face to shape with.
#[derive(Clone, Copy)]
struct Face<'a> {
    data: &'a [u8],
    index: u32,
    weight: Option<f32>,
}

impl<'a> Face<'a> {
    fn from_font(font: &'a SystemFont) -> Self {
        Self {
            data: &font.data,
            index: font.index,
            weight: font.weight,
        }
    }
}

/// The additional fonts of a text, and which of its characters use them.
#[derive(Default)]
struct Fonts {
    found: Vec<SystemFont>,
    of_character: HashMap<char, usize>,
}

impl Fonts {
    fn for_text(text: &str, main: &[u8], weight: u16) -> Self {
        let mut fonts = Self::default();
        let han = Han::from_text(text);
        for character in text.chars() {
            let is_known = fonts.of_character.contains_key(&character);
            if is_known || is_format(character) || covers(main, 0, character) {
                continue;
            }
            let known = fonts
                .found
                .iter()
                .position(|font| covers(&font.data, font.index, character));
            let index = known.or_else(|| {
                let key = FontKey {
                    character,
                    weight,
                    han,
                };
                fonts.found.push(look_up(key)?);
                Some(fonts.found.len() - 1)
            });
            if let Some(index) = index {
                fonts.of_character.insert(character, index);
            }
        }
        fonts
    }
}

/// Fonts that were looked for, so that a figure with many labels looks once.
static LOOKED_UP: LazyLock<Mutex<LookedUp>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct LookedUp {
    system: Option<SystemFonts>,
    found: HashMap<FontKey, Option<SystemFont>>,
}

fn look_up(key: FontKey) -> Option<SystemFont> {
    let mut looked_up = LOOKED_UP.lock().unwrap_or_else(PoisonError::into_inner);
    let LookedUp { system, found } = &mut *looked_up;
    let find = || system.get_or_insert_with(SystemFonts::scan).find(key);
    found.entry(key).or_insert_with(find).clone()
}

/// A stretch of text with one level in one font.
struct Run {
    bytes: Range<usize>,
    level: u8,
    /// Index into [`Fonts::found`].
    font: Option<usize>,
}

fn runs(text: &str, levels: &[u8], fonts: &Fonts) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for ((at, character), &level) in text.char_indices().zip(levels) {
        let end = at + character.len_utf8();
        let own = fonts.of_character.get(&character).copied();
        // A mark stays with its letter, a space within its font.
        let stays = |run: &Run| {
            let keeps = |index: usize| {
                let font = &fonts.found[index];
                covers(&font.data, font.index, character)
            };
            let is_neutral = own.is_none() && !character.is_alphanumeric();
            is_extending(character) || run.font == own || is_neutral && run.font.is_some_and(keeps)
        };
        match runs.last_mut() {
            Some(run) if run.level == level && stays(run) => run.bytes.end = end,
            _ => runs.push(Run {
                bytes: at..end,
                level,
                font: own,
            }),
        }
    }
    runs
}

/// Collects an outline; fonts have `y` upwards.
struct Pen<'a> {
    curves: &'a mut Vec<Curve>,
    origin: Point,
    start: Point,
    at: Point,
}

impl Pen<'_> {
    fn place(&self, x: f32, y: f32) -> Point {
        (self.origin.0 + x, self.origin.1 - y)
    }
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.at = self.place(x, y);
        self.start = self.at;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let end = self.place(x, y);
        self.curves.push(Curve::Line(self.at, end));
        self.at = end;
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        let (control, end) = (self.place(cx0, cy0), self.place(x, y));
        self.curves.push(Curve::Quadratic(self.at, control, end));
        self.at = end;
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        let (first, second, end) = (self.place(cx0, cy0), self.place(cx1, cy1), self.place(x, y));
        self.curves.push(Curve::Cubic(self.at, first, second, end));
        self.at = end;
    }

    fn close(&mut self) {
        if self.at != self.start {
            self.curves.push(Curve::Line(self.at, self.start));
            self.at = self.start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTER: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.otf");

    #[test]
    fn letters_stand_beside_each_other_on_the_baseline() {
        let one = Outlines::new("l", INTER, 400, 20.0);
        let two = Outlines::new("ll", INTER, 400, 20.0);
        assert!(one.width > 2.0 && one.width < 12.0, "{}", one.width);
        assert!((two.width - 2.0 * one.width).abs() < 0.5);
        assert_eq!(two.curves.len(), 2 * one.curves.len());
        let lowest = one.curves.iter().map(|curve| match curve {
            Curve::Line(_, (_, y)) | Curve::Quadratic(.., (_, y)) | Curve::Cubic(.., (_, y)) => *y,
        });
        assert!(lowest.fold(f32::MIN, f32::max).abs() < 0.5);
    }

    #[test]
    fn runs_change_with_level_and_font() {
        let fonts = Fonts::default();
        let text = "a 1 b";
        let runs = runs(text, &[0, 0, 2, 0, 0], &fonts);
        let ranges: Vec<Range<usize>> = runs.into_iter().map(|run| run.bytes).collect();
        assert_eq!(ranges, [0..2, 2..3, 3..5]);
    }
}
