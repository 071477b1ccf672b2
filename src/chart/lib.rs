//! Figures on any plotters backend; scripts, directions and line breaks of texts, fonts of the system.

pub mod charts;
pub mod typesetting;
