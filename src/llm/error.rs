//! Failures of language models.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; errors of the crates that are used here are in `Base`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("this language model is not usable, {field}: {problem}: {path:?}")]
    LanguageModel {
        /// Where in the file: a key, a tensor, a part.
        field: String,
        problem: String,
        path: PathBuf,
    },
    #[error("{0}")]
    Base(#[from] BaseError),
}

canopy_base::crate_error!(Error);
