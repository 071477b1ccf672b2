//! Text of any script, laid out for egui.
//!
//! egui 0.37 shapes what it sets, so that Arabic joins and Devanagari forms its clusters, but it knows one direction and
//! breaks lines at spaces and between ideographs alone. What is more than simple is therefore cut into pieces of one
//! direction, set by egui piece by piece, broken by [`canopy_chart::typesetting::line_breaks`] and put in order here. The result
//! is a [`Galley`] like any other; in text from the right, what is drawn last is on the left.

mod alignment;
mod clusters;
mod lines;
mod rows;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use egui::text::{CCursor, LayoutJob};
use egui::{Color32, FontId, Galley, Id, Rect, RichText, Ui, Vec2, pos2};

use super::system_fonts::has_wide;
use canopy_chart::typesetting::{Direction, is_simple};

/// A text to be laid out.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub job: LayoutJob,
    /// Where its lines begin.
    pub direction: Direction,
    /// Characters that stay together and in their order, whatever is around them: chips.
    pub objects: Vec<Range<usize>>,
}

impl Text {
    /// A text that begins where its first letter says.
    pub(crate) fn new(job: LayoutJob) -> Self {
        let direction = Direction::from_text(&job.text, None);
        Self {
            job,
            direction,
            objects: vec![],
        }
    }
}

/// Lays out a text; what was laid out in the last frame is kept.
pub(crate) fn galley(ui: &Ui, text: Text) -> Arc<Galley> {
    painted(ui.painter(), text)
}

/// Typesets a text with a painter alone.
pub(crate) fn painted(painter: &egui::Painter, text: Text) -> Arc<Galley> {
    let is_plain = is_simple(&text.job.text) && text.direction == Direction::LeftToRight;
    // Pieces are set along a line that begins on the left.
    if is_plain || text.job.halign != egui::Align::LEFT || text.job.justify {
        return painter.layout_job(text.job);
    }
    let ctx = painter.ctx();
    let id = Id::unique("typeset galleys");
    let galleys = ctx.data_mut(|data| {
        data.get_temp_mut_or_default::<Arc<Mutex<Galleys>>>(id)
            .clone()
    });
    let mut galleys = galleys.lock().unwrap_or_else(PoisonError::into_inner);
    let pixels_per_point = painter.pixels_per_point();
    galleys.begin(ctx.cumulative_pass_nr(), painter);
    let key = key(&text, pixels_per_point);
    if let Some(galley) = galleys.get(key) {
        return galley;
    }
    let has_wide = has_wide(ctx);
    let galley = painter.fonts_mut(|fonts| {
        let mut setter = clusters::Setter::new(fonts, pixels_per_point, has_wide);
        Arc::new(rows::galley(&mut setter, &text))
    });
    galleys.insert(key, galley.clone());
    galley
}

/// A text on one line.
pub(crate) fn line(
    painter: &egui::Painter,
    text: &str,
    font: FontId,
    color: Color32,
) -> Arc<Galley> {
    let job = LayoutJob::simple_singleline(text.to_owned(), font, color);
    painted(painter, Text::new(job))
}

/// The text of a field of one line, as [`egui::TextEdit::layouter`] wants it.
pub(crate) fn one_line(ui: &Ui, text: &dyn egui::TextBuffer, _width: f32) -> Arc<Galley> {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let visuals = ui.visuals();
    let color = visuals.override_text_color;
    let color = color.unwrap_or_else(|| visuals.widgets.inactive.text_color());
    line(ui.painter(), text.as_str(), font, color)
}

/// A label over as many lines as it needs.
pub(crate) fn label(ui: &mut Ui, text: &str, font: FontId, color: Color32) -> egui::Response {
    if is_simple(text) {
        return ui.label(RichText::new(text).font(font).color(color));
    }
    let job = LayoutJob::simple(text.to_owned(), font, color, ui.available_width());
    let galley = galley(ui, Text::new(job));
    ui.label(galley)
}

fn key(text: &Text, pixels_per_point: f32) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.job.hash(&mut hasher);
    text.direction.hash(&mut hasher);
    text.objects.hash(&mut hasher);
    pixels_per_point.to_bits().hash(&mut hasher);
    hasher.finish()
}

/// Galleys, as long as they are drawn.
#[derive(Default)]
struct Galleys {
    /// egui lays it out anew whenever it forgets its letters, so that ours point at nothing any more.
    witness: Option<Arc<Galley>>,
    pass: u64,
    kept: HashMap<u64, (u64, Arc<Galley>)>,
}

impl Galleys {
    fn begin(&mut self, pass: u64, painter: &egui::Painter) {
        if self.pass == pass && self.witness.is_some() {
            return;
        }
        let witness =
            painter.layout_no_wrap("·".to_owned(), FontId::default(), Color32::PLACEHOLDER);
        let is_same = |kept: &Arc<Galley>| Arc::ptr_eq(kept, &witness);
        if !self.witness.as_ref().is_some_and(is_same) {
            self.kept.clear();
        }
        // Text that a frame uses twice is laid out once; text that two frames do not use is forgotten.
        let before = self.pass;
        self.kept.retain(|_, (used, _)| *used >= before);
        self.witness = Some(witness);
        self.pass = pass;
    }

    fn get(&mut self, key: u64) -> Option<Arc<Galley>> {
        let (used, galley) = self.kept.get_mut(&key)?;
        *used = self.pass;
        Some(galley.clone())
    }

    fn insert(&mut self, key: u64, galley: Arc<Galley>) {
        self.kept.insert(key, (self.pass, galley));
    }
}

/// The places of characters, a rectangle for each stretch of a row; those without width are left out.
pub(crate) fn places(galley: &Galley, chars: &Range<usize>) -> Vec<Rect> {
    let mut places: Vec<Rect> = vec![];
    let mut first = 0;
    for (index, row) in galley.rows.iter().enumerate() {
        let count = row.row.glyphs.len();
        let mut in_row: Vec<(f32, f32)> = vec![];
        for at in chars.start.max(first)..chars.end.min(first + count) {
            let glyph = &row.row.glyphs[at - first];
            let (start, end) = (glyph.pos.x, glyph.max_x());
            if (end - start).abs() > 0.0 {
                in_row.push((row.pos.x + start.min(end), row.pos.x + start.max(end)));
            }
        }
        // White space at the end of a line reaches past it.
        let is_last = index + 1 == galley.rows.len();
        if !is_last && chars.start >= first + trimmed(row) && chars.start < first + count {
            in_row.clear();
        }
        in_row.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (top, bottom) = (row.pos.y, row.pos.y + row.row.size.y);
        let row_start = places.len();
        for (left, right) in in_row {
            match places[row_start..].last_mut() {
                Some(last) if left <= last.right() + 1.0 => last.max.x = last.right().max(right),
                _ => places.push(Rect::from_min_max(pos2(left, top), pos2(right, bottom))),
            }
        }
        first += count + usize::from(row.ends_with_newline);
    }
    places
}

/// The characters of a row without the white space at its end.
fn trimmed(row: &egui::epaint::text::PlacedRow) -> usize {
    let glyphs = row.row.glyphs.iter();
    let spaces = glyphs.rev().take_while(|glyph| glyph.chr.is_whitespace());
    row.row.glyphs.len() - spaces.count()
}

/// Whether any part of a text runs from right to left.
pub(crate) fn has_right_to_left(galley: &Galley) -> bool {
    let mut glyphs = galley.rows.iter().flat_map(|row| &row.row.glyphs);
    glyphs.any(|glyph| glyph.advance_width < 0.0)
}

/// The caret nearest to a place; egui's own takes letters to be in the order in which they are read.
pub(crate) fn cursor_at(galley: &Galley, at: Vec2) -> CCursor {
    let mut first = 0;
    let last = galley.rows.len().saturating_sub(1);
    for (index, row) in galley.rows.iter().enumerate() {
        let count = row.row.glyphs.len();
        if at.y < row.pos.y + row.row.size.y || index == last {
            let carets = row
                .row
                .glyphs
                .iter()
                .enumerate()
                .flat_map(|(place, glyph)| {
                    let edges = [(glyph.pos.x, place), (glyph.max_x(), place + 1)];
                    edges.map(|(x, place)| ((row.pos.x + x - at.x).abs(), place))
                });
            let nearest = carets.min_by(|a, b| a.0.total_cmp(&b.0));
            let place = nearest.map_or(0, |(_, place)| place);
            return CCursor {
                index: (first + place).into(),
                prefer_next_row: place < count,
            };
        }
        first += count + usize::from(row.ends_with_newline);
    }
    CCursor::default()
}

#[cfg(test)]
mod tests;
