//! How good a translation is: texts in, numbers out.
//!
//! Scores compare with what others publish, so each says by its signature how it was counted. No model and no corpus is
//! known here.

mod bleu;
mod markup;
mod tokenize;

pub use bleu::{Bleu, corpus_bleu};
pub use markup::{MarkupPlacement, markup_placement};
pub use tokenize::tokenize_13a;
