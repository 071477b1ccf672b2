//! Greedy and beam search over anything that scores next tokens; scores of tokens that are given.
//!
//! Written once for all models, against the trait [`Decode`]; markup is kept by [`Markup`], which knows what each
//! hypothesis may still place.

mod batch;
mod beam;
mod document_search;
mod encodings;
mod forced_decoding;
mod invalid_scores;
mod markup;
mod oom_retry;
mod pass;
mod reranking;
mod terms;
#[cfg(test)]
mod tests;
pub mod windows;

pub use crate::model::Decode;
pub use batch::{SourceFrame, SourceSentence, SourceText, search_documents, search_sentences};
pub use beam::{Hypothesis, Limits, SearchOptions, search};
pub use document_search::SearchEvent;
pub use encodings::EncodingCache;
pub use forced_decoding::{Candidates, ForcedScores, force_documents};
pub use invalid_scores::InvalidScores;
pub use markup::{ForcedPlaceholder, Markup};
pub use terms::{TermConstraints, TermForce};
pub use windows::{LARGEST, Window, windows};
