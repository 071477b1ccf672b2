//! Failures of contrastive sets.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("{path:?}, item {item}: {problem}")]
    ContrastiveItem {
        problem: String,
        /// As the set names it, or its number from 1.
        item: String,
        path: PathBuf,
    },
    #[error("this is not a contrastive set: {problem}: {path:?}")]
    ContrastiveSet { problem: String, path: PathBuf },
    #[error("the documents of this contrastive set are not in {folder:?}: {path:?}")]
    NoSetDocuments { folder: PathBuf, path: PathBuf },
    #[error("{0}")]
    Base(#[from] BaseError),
}

canopy_base::reads_and_writes!(Error);
canopy_base::from_crates!(
    Error,
    canopy_corpus::error::Error,
    canopy_document::error::Error,
    canopy_metrics::error::Error,
    canopy_nn::error::Error,
    canopy_tokenize::error::Error,
    canopy_translate::error::Error
);
