//! Tags in the editor: drawn as chips, and each one character for the caret and for what deletes.
//!
//! The text that is edited spells a tag out, `⟨1⟩`. Its brackets are not drawn; a chip is drawn behind its number.

use std::ops::Range;

use egui::text::{CCursor, CCursorRange, TextFormat};
use egui::text_edit::{TextEditOutput, TextEditState};
use egui::{
    Color32, FontFamily, FontId, Galley, Id, Rect, Response, Sense, Shape, Ui, WidgetInfo, pos2,
    vec2,
};

use crate::cell::{CHIP_SIZE, chip_shape, turned};
use crate::theme::Palette;
use crate::typeset;
use canopy_app::markup::{Piece, Token, edited_pieces};
use canopy_chart::typesetting::Direction;

/// Room between the letters of a tag, which makes its chip as wide as one in a cell.
const SPACING: f32 = 1.2;

/// The tags of an edited text with their characters.
pub(super) fn tags(text: &str) -> Vec<(Range<usize>, Token)> {
    let (mut tags, mut chars) = (Vec::new(), 0);
    for piece in edited_pieces(text) {
        match piece {
            Piece::Text(run) => chars += run.chars().count(),
            Piece::Token(token) => {
                let len = token.to_string().chars().count();
                tags.push((chars..chars + len, token));
                chars += len;
            }
        }
    }
    tags
}

/// The letters of a tag, and how they look.
pub(super) fn letters(
    token: Token,
    plain: &TextFormat,
    palette: &Palette,
) -> [(String, TextFormat); 3] {
    let format = |color| TextFormat {
        font_id: FontId::new(CHIP_SIZE, plain.font_id.family.clone()),
        color,
        extra_letter_spacing: SPACING,
        valign: egui::Align::Center,
        ..plain.clone()
    };
    let spelt = token.to_string();
    let is_digit = |letter: char| letter.is_ascii_digit();
    let start = spelt.find(is_digit).unwrap_or_default();
    let end = spelt.rfind(is_digit).map_or(start, |last| last + 1);
    [
        (spelt[..start].to_owned(), format(Color32::TRANSPARENT)),
        (spelt[start..end].to_owned(), format(palette.chip_text)),
        (spelt[end..].to_owned(), format(Color32::TRANSPARENT)),
    ]
}

/// The chips behind the tags of a text that is laid out.
pub(super) fn shapes(
    text: &str,
    output: &TextEditOutput,
    direction: Direction,
    palette: &Palette,
) -> Shape {
    let chips = tags(text).into_iter().filter_map(|(chars, token)| {
        let place = place(&output.galley, &chars)?.translate(output.galley_pos.to_vec2());
        let middle = place.center().y;
        let rect = Rect::from_min_max(
            pos2(place.left() + 0.5, middle - 7.5),
            pos2(place.right() - 0.5, middle + 7.5),
        );
        let token = match direction {
            Direction::LeftToRight => token,
            Direction::RightToLeft => turned(token),
        };
        Some(chip_shape(rect, token, palette.chip))
    });
    Shape::Vec(chips.collect())
}

/// The rectangle of a tag on the row where it begins. Its letters are spaced, so that each is a place.
fn place(galley: &Galley, chars: &Range<usize>) -> Option<Rect> {
    let places = typeset::places(galley, chars);
    let first = *places.first()?;
    let on_row = places.iter().filter(|it| it.top() <= first.top());
    Some(on_row.fold(first, |whole, it| whole.union(*it)))
}

/// A tag to click on.
pub(super) fn button_ui(ui: &mut Ui, token: Token, palette: &Palette) -> Response {
    let number = token
        .to_string()
        .trim_matches(|letter: char| !letter.is_ascii_digit())
        .to_owned();
    let font = FontId::new(CHIP_SIZE + 1.0, FontFamily::Proportional);
    let (rect, response) = ui.allocate_exact_size(vec2(26.0, 19.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, token.to_string()));
    let fill = if response.hovered() || response.has_focus() {
        crate::theme::blend(palette.chip, palette.accent, 0.35)
    } else {
        palette.chip
    };
    ui.painter()
        .add(chip_shape(rect.shrink2(vec2(1.0, 1.5)), token, fill));
    let center = egui::Align2::CENTER_CENTER;
    ui.painter()
        .text(rect.center(), center, number, font, palette.chip_text);
    response
}

/// Where the caret was before the keys and clicks of a frame.
pub(super) fn caret(ui: &Ui, id: Id) -> Option<CCursorRange> {
    TextEditState::load(ui.ctx(), id)?.cursor.char_range()
}

/// Puts a caret that has come into a tag at its edge: the far one in the direction in which it went, the near one after a
/// click. A selection within a tag becomes the tag.
pub(super) fn keep_caret_out(ui: &Ui, id: Id, text: &str, before: Option<CCursorRange>) {
    let Some(mut state) = TextEditState::load(ui.ctx(), id) else {
        return;
    };
    let Some(range) = state.cursor.char_range() else {
        return;
    };
    let tags = tags(text);
    let tag_of = |cursor: CCursor| {
        let at = cursor.index.0;
        let mut tags = tags.iter().map(|(chars, _)| chars);
        tags.find(|chars| chars.start < at && at < chars.end)
    };
    let is_clicked = ui.input(|input| input.pointer.any_down() || input.pointer.any_released());
    let [first, last] = range.sorted_cursors();
    let snapped = |cursor: CCursor, before: Option<CCursor>| {
        let Some(tag) = tag_of(cursor) else {
            return cursor;
        };
        let at = cursor.index.0;
        let near_end = at - tag.start > tag.end - at;
        let to_end = match before.filter(|_| !is_clicked) {
            Some(before) if before.index.0 <= tag.start => true,
            Some(before) if before.index.0 >= tag.end => false,
            _ => near_end,
        };
        CCursor::new(if to_end { tag.end } else { tag.start })
    };
    let put = match (tag_of(first), tag_of(last)) {
        (Some(tag), Some(same)) if tag == same && first != last => {
            CCursorRange::two(CCursor::new(tag.start), CCursor::new(tag.end))
        }
        (None, None) => return,
        _ => CCursorRange {
            primary: snapped(range.primary, before.map(|range| range.primary)),
            secondary: snapped(range.secondary, before.map(|range| range.secondary)),
            ..range
        },
    };
    state.cursor.set_char_range(Some(put));
    state.store(ui.ctx(), id);
    ui.ctx().request_repaint();
}

/// A text in which a change has left no part of a tag, and the character at the caret; none if the change did
/// not cut a tag.
pub(super) fn without_cut_tags(before: &str, after: &str, caret: usize) -> Option<(String, usize)> {
    let old: Vec<char> = before.chars().collect();
    let new: Vec<char> = after.chars().collect();
    let pairs = |old: &[char], new: &[char]| -> usize {
        old.iter()
            .zip(new)
            .take_while(|(old, new)| old == new)
            .count()
    };
    let start = pairs(&old, &new).min(caret);
    let reversed = |letters: &[char]| {
        letters[start.min(letters.len())..]
            .iter()
            .rev()
            .copied()
            .collect::<Vec<char>>()
    };
    let same_end = pairs(&reversed(&old), &reversed(&new));
    let gone = start..old.len() - same_end;
    if gone.is_empty() {
        return None;
    }
    let tags = tags(before);
    let cut = tags.iter().map(|(chars, _)| chars).filter(|chars| {
        let is_touched = chars.start < gone.end && gone.start < chars.end;
        is_touched && !(gone.start <= chars.start && chars.end <= gone.end)
    });
    let whole = cut.fold(gone.clone(), |gone, chars| {
        gone.start.min(chars.start)..gone.end.max(chars.end)
    });
    if whole == gone {
        return None;
    }
    let written = &new[start..new.len() - same_end];
    let text = [&old[..whole.start], written, &old[whole.end..]].concat();
    Some((text.into_iter().collect(), whole.start + written.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_deletes_a_part_of_a_tag_deletes_it_whole() {
        let text = "a⟨1⟩b⟨/1⟩ c";
        // The character before the caret, the one behind it, and a word across an edge.
        for (after, caret, whole, at) in [
            ("a⟨1b⟨/1⟩ c", 3, "ab⟨/1⟩ c", 1),
            ("a1⟩b⟨/1⟩ c", 1, "ab⟨/1⟩ c", 1),
            ("a⟨1⟩b⟨x c", 7, "a⟨1⟩bx c", 6),
        ] {
            let expected = Some((whole.to_owned(), at));
            assert_eq!(without_cut_tags(text, after, caret), expected, "{after}");
        }
        for (after, caret) in [
            ("ab⟨/1⟩ c", 1),
            ("a⟨1⟩⟨/1⟩ c", 4),
            ("ax⟨1⟩b⟨/1⟩ c", 2),
            (text, 0),
        ] {
            assert_eq!(without_cut_tags(text, after, caret), None, "{after}");
        }
    }

    #[test]
    fn a_chip_stands_behind_the_whole_of_its_tag() {
        let ctx = egui::Context::default();
        crate::install_theme(&ctx);
        let _ = ctx.run_ui(egui::RawInput::default(), |ui| {
            let palette = Palette::from_ui(ui);
            let mut job = egui::text::LayoutJob::default();
            job.append("a", 0.0, TextFormat::default());
            for (letters, format) in letters(Token::Open(1), &TextFormat::default(), &palette) {
                job.append(&letters, 0.0, format);
            }
            let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
            let chip = place(&galley, &(1..4)).expect("a place");
            let glyphs = &galley.rows[0].row.glyphs;
            assert!(chip.left() <= glyphs[1].pos.x && chip.right() >= glyphs[3].max_x());
        });
    }

    #[test]
    fn tags_are_found_by_their_characters() {
        let found: Vec<Range<usize>> = tags("ä⟨1⟩b \\⟨1⟩ ⟨2/⟩")
            .into_iter()
            .map(|it| it.0)
            .collect();
        assert_eq!(found, [1..4, 11..15]);
    }
}
