//! Failures of the command line.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason, and one for the errors of each crate that is used here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("{failed} of {num} documents failed; run the batch again to retry only these")]
    Batch { failed: usize, num: usize },
    #[error(
        "{path:?} has {found} lines, the documents have {expected} segments; write one segment per line, as `canopy evaluate --hypotheses` does"
    )]
    UnequalSegments {
        found: usize,
        expected: usize,
        path: PathBuf,
    },
    #[error(
        "the reference file has only empty lines; give the file of reference translations: {path:?}"
    )]
    NoReferences { path: PathBuf },
    #[error(
        "these rows belong to other documents, or to sentences with other boundaries; align the documents again: {path:?}"
    )]
    OtherAlignment { path: PathBuf },
    #[error("{count} runs failed; the errors are below the table")]
    RunsFailed { count: usize },
    #[error(
        "{document} declares translations to {target}, and {reason}; add a model with `canopy model import`, or give the language of its translations with --to"
    )]
    DeclaredTarget {
        document: String,
        target: String,
        reason: String,
    },
    #[error(
        "no installed model translates from {from} to {to} by itself; leave out --no-pivot to go through {pivot}"
    )]
    NoRoute {
        from: String,
        to: String,
        pivot: String,
    },
    #[error(
        "--output must name a folder when several documents are translated; {path:?} is not one"
    )]
    NotAFolder { path: PathBuf },
    #[error("a trace covers one document, but {count} were given; translate them one at a time")]
    TraceOfSeveral { count: usize },
    #[error("the translation and its trace would both become {path:?}; name two files")]
    TraceOverTranslation { path: PathBuf },
    #[error(
        "no segment of the {split} documents can be scored; choose others, import a text as {split} documents, or take a larger corpus: {path:?}"
    )]
    NothingToEvaluate { split: &'static str, path: PathBuf },
    #[error("the system names no data folder; give one with --store")]
    NoStore,
    #[error("{0}")]
    Base(#[from] BaseError),
    #[error("{0}")]
    Contrast(#[from] canopy_contrast::error::Error),
    #[error("{0}")]
    Evaluate(#[from] canopy_evaluate::error::Error),
    #[error("{0}")]
    Gui(#[from] canopy_gui::error::Error),
    #[error("{0}")]
    Project(#[from] canopy_project::error::Error),
    #[error("{0}")]
    Server(#[from] canopy_server::error::Error),
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
    canopy_llm::error::Error,
    canopy_metrics::error::Error,
    canopy_models::error::Error,
    canopy_nn::error::Error,
    canopy_qa::error::Error,
    canopy_tokenize::error::Error,
    canopy_translate::error::Error
);
