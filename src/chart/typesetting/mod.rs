//! From characters to places: the scripts of a text, its direction, where its lines may break, fonts of the system.
//!
//! Strings in; levels, places and outlines out. What a window makes of them is in the crate `canopy-gui`, what a picture
//! makes of them in [`crate::charts`].

mod breaks;
mod direction;
mod outlines;
mod script;
mod system_fonts;

pub use breaks::line_breaks;
pub use direction::{Direction, levels, mirrored, visual_order};
pub use outlines::{Curve, Outlines};
pub use script::{
    Han, font_script, is_extending, is_ideographic, is_simple, joins, script_name, wide_signs,
};
pub use system_fonts::{FontKey, SystemFont, SystemFonts, covers};
