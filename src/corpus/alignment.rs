//! Which text of one language belongs to which of the other, where nobody has said so.
//!
//! `lengths.rs` is Gale and Church's method, `anchors.rs` finds what reads the same in every language,
//! `texts.rs` takes both from a document, `structure.rs` looks at kinds of paragraphs, and `documents.rs` goes from a document's paragraphs to its sentences.

mod anchors;
mod documents;
mod lengths;
mod structure;
mod texts;

pub(super) use documents::{Aligned, Aligner};
pub(super) use lengths::length_ratio;
