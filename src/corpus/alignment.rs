//! Alignment of the texts of one language with those of the other.
//!
//! `lengths.rs` is Gale and Church's method, `anchors.rs` finds what reads the same in every language, `texts.rs` takes
//! both from a document, `structure.rs` looks at kinds of paragraphs, `comparison.rs` goes from paragraphs to the sentences
//! in them, of whole documents or a part, `rows.rs` is what comes of it, and `documents.rs` makes a document of pairs.

mod anchors;
mod comparison;
mod documents;
mod lengths;
mod rows;
mod structure;
mod texts;

pub(super) use comparison::Comparison;
pub(super) use documents::{Aligned, Aligner};
pub(super) use lengths::length_ratio;
pub(super) use rows::unpaired_sentences;
pub use rows::{AlignmentRow, Column, RowState};
