//! SRX: rules for where sentences end, as other tools keep them in files.
//!
//! Segmentation Rules eXchange 2.0, LISA 2008, and 1.0. A file has named lists of rules and a map from languages to lists. The
//! first rule that matches at a place says whether a segment ends there; where none does, none ends.

mod file;
mod pattern;
mod rules;

pub(super) use file::SrxFile;
pub(super) use rules::Rules;
