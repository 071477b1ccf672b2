//! The font of figures.

use std::sync::Once;

use plotters::style::{FontStyle, register_font};

/// Family of all text in figures: Inter, which [`register_fonts`] makes known; a browser that lacks it takes another.
pub const FONT: &str = "Inter, sans-serif";

/// plotters takes a font's line height where others take its em; this is the one over the other, as plotters has it.
pub const EM: f64 = 1.24;

/// Makes Inter known to plotters, regular and semibold.
pub fn register_fonts() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let regular: &[u8] = include_bytes!("../../assets/fonts/Inter-Regular.otf");
        let semibold: &[u8] = include_bytes!("../../assets/fonts/Inter-SemiBold.otf");
        for (style, font) in [(FontStyle::Normal, regular), (FontStyle::Bold, semibold)] {
            let registered = register_font(FONT, style, font);
            assert!(registered.is_ok(), "the font can be read");
        }
    });
}
