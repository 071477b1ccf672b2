//! Terminology: termbases and their files, look-up in source texts, use in target texts, terms taken from documents.
//!
//! Texts in, places and terms out. How a search is made to use a term is said by `search`, which knows ids only.

mod extraction;
mod forms;
mod function_words;
mod look_up;
mod saving;
mod stems;
mod tables;
mod tbx;
mod termbase;
#[cfg(test)]
mod tests;
mod usage;

pub use extraction::{ExtractedTerm, Extraction};
pub use forms::TermForms;
pub use look_up::{TermIndex, TermMatch};
pub use stems::{Stems, Word, words};
pub use termbase::{Term, Termbase};
pub use usage::{TargetWords, TermUsage};
