//! Choices of a German translation that its English sentence leaves open, and that the document decides: how *you* is
//! addressed, and which gender *it* has.
//!
//! The choice of a segment is recognised by words alone, on both sides, so a few are wrong or missed; a system is
//! right where its translation makes the same choice as the reference. Only the segments whose reference makes one count.

mod metric;
mod pronoun;
mod rule;
pub(crate) mod words;

pub use metric::{ChoiceAccuracy, ChoiceKind};
pub use pronoun::Gender;
pub use rule::{Decided, Deciding, deciding, repeated_choices};
pub use words::begins_sentence;
