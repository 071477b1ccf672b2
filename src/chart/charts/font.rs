//! The font of figures.

use std::sync::Once;

use plotters::style::{FontStyle, register_font};

use crate::typesetting::{covers, is_simple};

/// Family of all text in figures: Inter, which [`register_fonts`] makes known; a browser that lacks it takes another.
pub const FONT: &str = "Inter, sans-serif";

/// plotters takes a font's line height where others take its em; this is the one over the other, as plotters has it.
pub const EM: f64 = 1.24;

const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
const SEMIBOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.otf");

/// The file of the font and its weight.
pub(super) fn font_file(is_bold: bool) -> (&'static [u8], u16) {
    if is_bold {
        (SEMIBOLD, 600)
    } else {
        (REGULAR, 400)
    }
}

/// Whether the font has all letters of a text, each a shape of its own from left to right.
pub(super) fn has_letters_of(text: &str) -> bool {
    is_simple(text) && (text.is_ascii() || text.chars().all(|letter| covers(REGULAR, 0, letter)))
}

/// Makes Inter known to plotters, regular and semibold.
pub fn register_fonts() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        for (style, font) in [(FontStyle::Normal, REGULAR), (FontStyle::Bold, SEMIBOLD)] {
            let registered = register_font(FONT, style, font);
            assert!(registered.is_ok(), "the font can be read");
        }
    });
}
