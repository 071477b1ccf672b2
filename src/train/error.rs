//! Failures of trainings.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason, and one for the errors of each crate that is used here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(
        "{reason}; {tries} tries with half the learning rate each time did not help: check the weights and the documents that it began with, or resume from the last checkpoint with a much smaller learning_rate or learning_rate_factor"
    )]
    Diverged { reason: String, tries: u32 },
    #[error("the run folder is in use; resume its run, or name another folder: {path:?}")]
    RunExists { path: PathBuf },
    #[error("another Canopy is training in this folder: {path:?}")]
    RunBusy { path: PathBuf },
    #[error("the run to resume does not exist; it may have been renamed: {path:?}")]
    NoRun { path: PathBuf },
    #[error("no run is under way here; start or resume it: {path:?}")]
    NotRunning { path: PathBuf },
    #[error(
        "the run folder has format version {found}, this program reads {known}; resume it with the Canopy that wrote it: {path:?}"
    )]
    RunVersion {
        found: u32,
        known: u32,
        path: PathBuf,
    },
    #[error(
        "the corpus has changed since the run began, so the run cannot be resumed; restore the old one, or start another run: {path:?}"
    )]
    CorpusChanged { path: PathBuf },
    #[error(
        "the {what} of the run changed after it began, so it cannot be resumed; restore the old file, or start another run: {path:?}"
    )]
    SourceChanged { what: &'static str, path: PathBuf },
    #[error("the corpus of the run is not there ({cause}); restore it: {path:?}")]
    CorpusGone {
        path: PathBuf,
        #[source]
        cause: Box<Error>,
    },
    #[error(
        "no checkpoint was written at step {step}, the last one is intact: {cause}; free space on the disk and resume from there"
    )]
    Checkpoint {
        step: usize,
        #[source]
        cause: Box<Error>,
    },
    #[error("nothing was looked up: {problem}")]
    NotLookedUp { problem: &'static str },
    #[error("there are no events of a training run here: {path:?}")]
    NoEvents { path: PathBuf },
    #[error("this run trains on {host} and can only be resumed there: {path:?}")]
    RemoteRun { host: String, path: PathBuf },
    #[error("{0}")]
    Contrast(#[from] canopy_contrast::error::Error),
    #[error("{0}")]
    Base(#[from] BaseError),
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
    canopy_tokenize::error::Error,
    canopy_translate::error::Error
);
