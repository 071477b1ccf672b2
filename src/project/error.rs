//! Failures of the work on documents.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason, and one for the errors of each crate that is used here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the extension gives the format of an alignment: .tmx, .tsv or .json: {path:?}")]
    AlignmentEnding { path: PathBuf },
    #[error("not the rows of an alignment: {problem}: {path:?}")]
    AlignmentRows { problem: String, path: PathBuf },
    #[error("cannot use the saved work: {reason}: {path:?}")]
    Project { reason: String, path: PathBuf },
    #[error("{}", together(.errors))]
    Projects { errors: Vec<Error> },
    #[error(
        "changes here cannot be saved along with the work of the other window; close the document there and open it here again: {path:?}"
    )]
    ProjectBusy { path: PathBuf },
    #[error("{0}")]
    Base(#[from] BaseError),
}

canopy_base::reads_and_writes!(Error);
canopy_base::from_crates!(
    Error,
    canopy_corpus::error::Error,
    canopy_document::error::Error,
    canopy_metrics::error::Error,
    canopy_qa::error::Error,
    canopy_translate::error::Error
);

/// Several errors in one message.
fn together(errors: &[Error]) -> String {
    let errors: Vec<String> = errors.iter().map(Error::to_string).collect();
    errors.join("; ")
}
