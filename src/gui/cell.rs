//! One side of a sentence: its text with placeholders as small chips.

use std::ops::Range;
use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Align, Color32, FontFamily, FontId, Galley, Painter, Pos2, Rect, Shape, Stroke, Ui, Vec2, pos2,
    vec2,
};

use super::terms::TermSpan;
use super::theme::{self, Palette};
use super::typeset;
use canopy_app::find::Mark;
use canopy_app::markup::{Piece, Token, pieces};
use canopy_chart::typesetting::{Direction, Han};
use canopy_document::document::ParagraphKind;

pub(crate) const CHIP_SIZE: f32 = 10.5;

/// Letters of what a chip shows.
const MAX_SHOWN: usize = 28;

/// Size, line height and colour of a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CellStyle {
    pub size: f32,
    pub line_height: f32,
    pub color: Color32,
    pub bold: bool,
    /// Whose Chinese characters.
    pub han: Option<Han>,
}

impl CellStyle {
    pub(crate) fn new(kind: ParagraphKind, level: u8, palette: &Palette) -> Self {
        let (size, line_height) = match (kind, level) {
            (ParagraphKind::Heading, 0 | 1) => (20.0, 29.0),
            (ParagraphKind::Heading, 2) => (17.0, 26.0),
            (ParagraphKind::Heading | ParagraphKind::Title, _) => (15.0, 23.0),
            _ => (14.5, 23.0),
        };
        let bold = matches!(kind, ParagraphKind::Title | ParagraphKind::Heading);
        Self {
            size,
            line_height,
            color: if bold { palette.strong } else { palette.text },
            bold,
            han: None,
        }
    }

    pub(crate) fn font_id(&self) -> FontId {
        FontId::new(self.size, theme::family(self.bold, self.han))
    }

    fn format(&self) -> TextFormat {
        TextFormat {
            font_id: self.font_id(),
            line_height: Some(self.line_height),
            color: self.color,
            valign: Align::Center,
            ..TextFormat::default()
        }
    }
}

/// The text and marks of a cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Content<'a> {
    /// With placeholders.
    pub text: &'a str,
    /// The text of single tags.
    pub points: &'a [String],
    /// Where it holds what is looked for.
    pub marks: &'a [Mark],
    /// Its code.
    pub language: Option<&'a str>,
}

/// A laid out side of a sentence.
pub(crate) struct Cell {
    pub galley: Arc<Galley>,
    chips: Vec<(Range<usize>, Token)>,
    /// Characters of the galley.
    marks: Vec<Mark>,
    mark_height: f32,
    pub direction: Direction,
}

impl Cell {
    pub(crate) fn new(
        ui: &Ui,
        content: Content<'_>,
        style: CellStyle,
        width: f32,
        palette: &Palette,
    ) -> Self {
        let mut job = LayoutJob {
            wrap: TextWrapping::wrap_at_width(width),
            ..LayoutJob::default()
        };
        let mut chips = vec![];
        let mut marks = vec![];
        let (mut num_chars, mut num_shown) = (0, 0);
        for piece in pieces(content.text) {
            match piece {
                Piece::Text(run) => {
                    job.append(run, 0.0, style.format());
                    let len = run.chars().count();
                    marks.extend(content.marks.iter().filter_map(|mark| {
                        let first = mark.chars.start.max(num_shown);
                        let end = mark.chars.end.min(num_shown + len);
                        // Chips are before it in the galley alone.
                        let chips = num_chars - num_shown;
                        (first < end).then(|| Mark {
                            chars: first + chips..end + chips,
                            is_current: mark.is_current,
                        })
                    }));
                    num_chars += len;
                    num_shown += len;
                }
                Piece::Token(token) => {
                    let start = num_chars;
                    let sized = |size: f32, color: Color32| TextFormat {
                        font_id: FontId::new(size, FontFamily::Proportional),
                        color,
                        ..style.format()
                    };
                    let mut append = |text: &str, format: TextFormat| {
                        job.append(text, 0.0, format);
                        num_chars += text.chars().count();
                    };
                    append(&chip_label(token), sized(CHIP_SIZE, palette.chip_text));
                    if let Some(shown) = chip_text(token, content.points) {
                        append(&shown, sized(style.size - 2.0, style.color));
                    }
                    chips.push((start..num_chars, token));
                }
            }
        }
        let plain = without_chips(&job.text, &chips);
        let direction = Direction::from_text(&plain, content.language);
        let text = typeset::Text {
            job,
            direction,
            objects: chips.iter().map(|(chars, _)| chars.clone()).collect(),
        };
        Self {
            galley: typeset::galley(ui, text),
            chips,
            marks,
            mark_height: 1.3 * style.size,
            direction,
        }
    }

    pub(crate) fn height(&self) -> f32 {
        self.galley.rect.height()
    }

    /// Draws the text with its chips, its top left corner at `pos`.
    pub(crate) fn paint(&self, painter: &Painter, pos: Pos2, palette: &Palette) {
        for mark in &self.marks {
            let share = if mark.is_current { 0.55 } else { 0.25 };
            let color = theme::blend(palette.page, palette.edited, share);
            for rect in self.mark_rects(mark) {
                painter.rect_filled(rect.translate(pos.to_vec2()), 3.0, color);
            }
        }
        for (rect, token) in self.chip_rects(pos) {
            let token = match self.direction {
                Direction::LeftToRight => token,
                Direction::RightToLeft => turned(token),
            };
            painter.add(chip_shape(rect, token, palette.chip));
        }
        painter.galley(pos, self.galley.clone(), palette.text);
    }

    /// A dotted line under each term; a text looks the same with it and without.
    pub(crate) fn underline(
        &self,
        painter: &Painter,
        pos: Pos2,
        spans: &[TermSpan],
        palette: &Palette,
    ) {
        let stroke = Stroke::new(1.2, palette.accent);
        for rect in spans.iter().flat_map(|span| self.rects(&span.chars)) {
            let rect = rect.translate(pos.to_vec2());
            let y = rect.bottom() - 0.5;
            let line = [pos2(rect.left(), y), pos2(rect.right(), y)];
            painter.extend(Shape::dashed_line(&line, stroke, 2.0, 2.0));
        }
    }

    /// A background behind what is selected.
    pub(crate) fn paint_selection(
        &self,
        painter: &Painter,
        pos: Pos2,
        chars: &Range<usize>,
        palette: &Palette,
    ) {
        let color = theme::blend(palette.page, palette.accent, 0.3);
        for rect in self.rects(chars) {
            painter.rect_filled(rect.translate(pos.to_vec2()), 2.0, color);
        }
    }

    /// A line before a character of the text, as a reader sees it.
    pub(crate) fn paint_caret(
        &self,
        painter: &Painter,
        pos: Pos2,
        before: usize,
        palette: &Palette,
    ) {
        let ltr = self.direction == Direction::LeftToRight;
        let rects = self.rects(&(before..before + 1));
        let x = match rects.first() {
            Some(rect) if ltr => Some((rect.left(), *rect)),
            Some(rect) => Some((rect.right(), *rect)),
            None => None,
        };
        if let Some((x, rect)) = x {
            let line = [pos2(x, rect.top()), pos2(x, rect.bottom())];
            let line = line.map(|end| end + pos.to_vec2());
            painter.line_segment(line, Stroke::new(1.6, palette.accent));
        }
    }

    /// The term under the pointer.
    pub(crate) fn term_at<'s>(
        &self,
        pos: Pos2,
        pointer: Pos2,
        spans: &'s [TermSpan],
    ) -> Option<&'s TermSpan> {
        spans.iter().find(|span| {
            let mut rects = self.rects(&span.chars).into_iter();
            rects.any(|rect| rect.translate(pos.to_vec2()).contains(pointer))
        })
    }

    /// The character of the text, as a reader sees it, that follows a caret at this place.
    pub(crate) fn char_at(&self, at: Vec2) -> usize {
        let place = typeset::cursor_at(&self.galley, at).index.0;
        let of_chips = self
            .chips
            .iter()
            .map(|(chars, _)| chars.len().min(place.saturating_sub(chars.start)));
        place - of_chips.sum::<usize>()
    }

    /// A rectangle for each line that characters of the text are on, chips aside.
    fn rects(&self, chars: &Range<usize>) -> Vec<Rect> {
        if chars.is_empty() {
            return Vec::new();
        }
        let in_galley = |shown: usize| {
            let mut place = shown;
            for (chip, _) in &self.chips {
                if chip.start <= place {
                    place += chip.len();
                }
            }
            place
        };
        self.mark_rects(&Mark {
            chars: in_galley(chars.start)..in_galley(chars.end - 1) + 1,
            is_current: false,
        })
    }

    /// The placeholder under the pointer.
    pub(crate) fn token_at(&self, pos: Pos2, pointer: Pos2) -> Option<Token> {
        self.chip_rects(pos)
            .find(|(rect, _)| rect.contains(pointer))
            .map(|(_, token)| token)
    }

    /// A rectangle for each line that a mark is on.
    fn mark_rects(&self, mark: &Mark) -> Vec<Rect> {
        let places = typeset::places(&self.galley, &mark.chars).into_iter();
        let as_high = |place: Rect| {
            Rect::from_center_size(place.center(), vec2(place.width(), self.mark_height))
        };
        places.map(as_high).collect()
    }

    fn chip_rects(&self, pos: Pos2) -> impl Iterator<Item = (Rect, Token)> {
        self.chips.iter().filter_map(move |(chars, token)| {
            let place = typeset::places(&self.galley, chars).into_iter().next()?;
            let middle = place.center().y;
            let gap = 1.5;
            let rect = Rect::from_min_max(
                pos2(place.left() + gap, middle - 7.5),
                pos2(place.right() - gap, middle + 7.5),
            );
            Some((rect.translate(pos.to_vec2()), *token))
        })
    }
}

/// Returns the text without its chips, whose letters are no language.
fn without_chips(text: &str, chips: &[(Range<usize>, Token)]) -> String {
    let is_chip = |place: &usize| chips.iter().any(|(chars, _)| chars.contains(place));
    let letters = text.chars().enumerate();
    letters
        .filter(|(place, _)| !is_chip(place))
        .map(|(_, letter)| letter)
        .collect()
}

/// Where text runs from right to left, what opens points to the left.
pub(crate) fn turned(token: Token) -> Token {
    match token {
        Token::Open(number) => Token::Close(number),
        Token::Close(number) => Token::Open(number),
        Token::Point(number) => Token::Point(number),
    }
}

/// Number with room for the chip around it; no-break spaces, so that a chip is never torn.
fn chip_label(token: Token) -> String {
    match token {
        Token::Open(number) => format!("\u{a0}\u{a0}{}\u{a0}\u{a0}\u{a0}", number + 1),
        Token::Close(number) => format!("\u{a0}\u{a0}\u{a0}{}\u{a0}\u{a0}", number + 1),
        Token::Point(number) => format!("\u{a0}\u{a0}{}\u{a0}\u{a0}", number + 1),
    }
}

/// The text in a chip next to its number: inline code, an address.
fn chip_text(token: Token, points: &[String]) -> Option<String> {
    let Token::Point(number) = token else {
        return None;
    };
    let shown = points.get(number)?.trim();
    let mut text: String = shown.chars().take(MAX_SHOWN).collect();
    if text.len() < shown.len() {
        text.push('…');
    }
    (!text.is_empty()).then(|| text.replace(char::is_whitespace, "\u{a0}") + "\u{a0}\u{a0}")
}

/// An opening chip points into its text, a closing one back; a single tag is round.
pub(crate) fn chip_shape(rect: Rect, token: Token, fill: Color32) -> Shape {
    let tip = 4.0;
    let points = match token {
        Token::Point(_) => return Shape::rect_filled(rect, 7.5, fill),
        Token::Open(_) => vec![
            rect.left_top() + vec2(0.0, 2.0),
            rect.left_top() + vec2(2.0, 0.0),
            rect.right_top() - vec2(tip, 0.0),
            rect.right_center(),
            rect.right_bottom() - vec2(tip, 0.0),
            rect.left_bottom() + vec2(2.0, 0.0),
            rect.left_bottom() - vec2(0.0, 2.0),
        ],
        Token::Close(_) => vec![
            rect.left_center(),
            rect.left_top() + vec2(tip, 0.0),
            rect.right_top() - vec2(2.0, 0.0),
            rect.right_top() + vec2(0.0, 2.0),
            rect.right_bottom() - vec2(0.0, 2.0),
            rect.right_bottom() - vec2(2.0, 0.0),
            rect.left_bottom() + vec2(tip, 0.0),
        ],
    };
    Shape::convex_polygon(points, fill, Stroke::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_shows_code_and_the_beginning_of_an_address() {
        let points = [
            "a  b".to_owned(),
            format!("https://{}", "x".repeat(40)),
            String::new(),
        ];
        let shown = |token| chip_text(token, &points);
        let first = shown(Token::Point(0)).expect("code");
        assert_eq!(first, "a\u{a0}\u{a0}b\u{a0}\u{a0}");
        let second = shown(Token::Point(1)).expect("an address");
        assert_eq!(second.chars().count(), MAX_SHOWN + 3);
        assert_eq!(shown(Token::Point(2)), None);
        assert_eq!(shown(Token::Open(0)), None);
    }
}
