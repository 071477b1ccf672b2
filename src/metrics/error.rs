//! Failures of judgements and comparisons of sentences.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; errors of the crates that are used here are in `Base`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the judgement is damaged: {problem}: {path:?}")]
    BrokenJudgement { problem: String, path: PathBuf },
    #[error(
        "the embedding of sentence {row} is not a vector: number {column} of it is {found}; encode the sentences again"
    )]
    Embedding {
        found: f32,
        /// Counted from 0, as is the column.
        row: usize,
        column: usize,
    },
    #[error("{0}")]
    Base(#[from] BaseError),
}

canopy_base::crate_error!(Error, canopy_document::error::Error);
