//! Failures of traces and views of them.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; errors of the crates that are used here are in `Base`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("this is not a trace: {path:?}")]
    NoTrace { path: PathBuf },
    #[error(
        "the trace has format version {found}, this program reads {known}; open it with the Canopy that wrote it, or trace the translation again: {path:?}"
    )]
    TraceVersion {
        found: u64,
        known: u32,
        path: PathBuf,
    },
    #[error("the trace is damaged: {problem}: {path:?}")]
    BrokenTrace { problem: String, path: PathBuf },
    #[error(
        "the trace was not written because its numbers are invalid: {problem}; the model may be damaged: {path:?}"
    )]
    ImpossibleTrace { problem: String, path: PathBuf },
    #[error(
        "{path:?} names no format for the trace; use the extension .json (text) or .trace (binary)"
    )]
    TraceExtension { path: PathBuf },
    #[error("{requested}: {there}")]
    NotInTrace { requested: String, there: String },
    #[error(
        "this trace has no attention to other sentences; models that read each sentence by itself have none: look at cross-attention or self-attention, or, with the document, at the memory"
    )]
    NoContextTraced,
    #[error("this trace has {missing}; {advice}")]
    NotTraced {
        missing: &'static str,
        advice: &'static str,
    },
    #[error(
        "{path:?} names no format; use the extension .svg or .png for a figure, .csv or .json for its numbers"
    )]
    ExplanationExtension { path: PathBuf },
    #[error("{0}")]
    Base(#[from] BaseError),
}

canopy_base::crate_error!(
    Error,
    canopy_chart::error::Error,
    canopy_document::error::Error,
    canopy_metrics::error::Error
);
