//! Failures of model folders and models of other programs.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; errors of the crates that are used here are in `Base`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the encoder folder is not usable: {reason}: {path:?}")]
    Encoder { reason: String, path: PathBuf },
    #[error("the weights are not usable: {reason}: {path:?}")]
    Weights { reason: String, path: PathBuf },
    #[error("not a readable translation model: {reason}: {path:?}")]
    UnknownModel {
        reason: String,
        other: Option<OtherKind>,
        path: PathBuf,
    },
    #[error("the model folder is not usable: it has no model.toml: {path:?}")]
    NoDescription { path: PathBuf },
    /// `found` says by what it is recognised, or is empty.
    #[error("a large language model, not a translation model{found}: {path:?}")]
    LanguageModel { found: String, path: PathBuf },
    #[error("this imported model is not usable: {reason}: {path:?}")]
    Foreign { reason: String, path: PathBuf },
    #[error("{0}")]
    Base(#[from] BaseError),
}

/// The kind of a file or folder that is no model, but that the program reads elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherKind {
    Document,
    Memory,
    Termbase,
    /// In a form that only a server of language models reads.
    LanguageModel,
    Shortlist,
    /// A training run without a checkpoint.
    Run,
    Corpus,
    Encoder,
    Project,
    /// A model folder of Canopy's in an archive.
    PackedModel,
}

canopy_base::crate_error!(
    Error,
    canopy_corpus::error::Error,
    canopy_nn::error::Error,
    canopy_tokenize::error::Error
);
