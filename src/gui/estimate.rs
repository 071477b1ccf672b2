//! Guesses how many rows a text fills, without laying it out: thousands of sentences in a few milliseconds.

use egui::{FontId, Ui};

use canopy_chart::typesetting::{is_extending, is_ideographic};
use canopy_document::placeholder::Placeholder;

/// Latin, Greek and Cyrillic; of other scripts the widths are guessed.
const NUM_CACHED: usize = 0x530;
/// About what a chip takes.
const CHIP_WIDTH: f32 = 18.0;

/// Widths of the characters of each font that documents use.
#[derive(Default)]
pub(crate) struct CharWidths {
    fonts: Vec<(FontId, Vec<f32>)>,
    pixels_per_point: f32,
}

impl CharWidths {
    /// The number of rows of `text` at `width`.
    pub(crate) fn rows(&mut self, ui: &Ui, font: &FontId, text: &str, width: f32) -> f32 {
        if (self.pixels_per_point - ui.pixels_per_point()).abs() > 1e-3 {
            *self = Self {
                fonts: vec![],
                pixels_per_point: ui.pixels_per_point(),
            };
        }
        let index = self
            .fonts
            .iter()
            .position(|(known, _)| known == font)
            .unwrap_or_else(|| {
                self.fonts.push((font.clone(), vec![f32::NAN; NUM_CACHED]));
                self.fonts.len() - 1
            });
        let widths = &mut self.fonts[index].1;
        rows(text, width, |character| {
            // Whose fonts are fetched when they come into view: ideographs are as wide as they are high.
            if is_ideographic(character) {
                return font.size;
            }
            match widths.get_mut(character as usize) {
                Some(width) => {
                    if width.is_nan() {
                        *width = ui.fonts_mut(|fonts| fonts.glyph_width(font, character));
                    }
                    *width
                }
                None if is_extending(character) => 0.0,
                None => 0.55 * font.size,
            }
        })
    }
}

fn rows(text: &str, width: f32, mut char_width: impl FnMut(char) -> f32) -> f32 {
    let (mut rows, mut line, mut word) = (1.0, 0.0, 0.0);
    for character in text.chars() {
        word += if Placeholder::from_char(character).is_some() {
            CHIP_WIDTH
        } else {
            char_width(character)
        };
        if character.is_whitespace() || is_ideographic(character) {
            line += word;
            word = 0.0;
        }
        if line + word > width && line > 0.0 {
            rows += 1.0;
            line = 0.0;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_estimated_by_words() {
        for (text, expected) in [
            ("aaaa bbbb cccc", 3.0),
            ("aaaa", 1.0),
            ("", 1.0),
            ("aa bb", 1.0),
        ] {
            assert!(
                (rows(text, 50.0, |_| 10.0) - expected).abs() < 0.1,
                "{text}"
            );
        }
    }
}
