//! Failures of the workbench.

#![allow(missing_docs, reason = "the message of a variant describes it")]

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason, and one for the errors of each crate that is used here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("{0}")]
    Base(#[from] BaseError),
    #[error("{0}")]
    Contrast(#[from] canopy_contrast::error::Error),
    #[error("{0}")]
    Evaluate(#[from] canopy_evaluate::error::Error),
    #[error("{0}")]
    Project(#[from] canopy_project::error::Error),
    #[error("{0}")]
    Train(#[from] canopy_train::error::Error),
}

canopy_base::reads_and_writes!(Error);
canopy_base::from_crates!(
    Error,
    canopy_chart::error::Error,
    canopy_corpus::error::Error,
    canopy_document::error::Error,
    canopy_explain::error::Error,
    canopy_metrics::error::Error,
    canopy_models::error::Error,
    canopy_nn::error::Error,
    canopy_qa::error::Error,
    canopy_translate::error::Error
);
