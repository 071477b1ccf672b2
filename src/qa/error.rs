//! Failures of termbases, checks and suggestions of a language model.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; errors of the crates that are used here are in `Base`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("{path:?}, line {line}: {problem}")]
    Termbase {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "the extension gives the format of a termbase: .tbx, .csv, .tsv, or .txt or .utf8 for an OmegaT glossary: {path:?}"
    )]
    TermbaseEnding { path: PathBuf },
    #[error(
        "there is no Hunspell dictionary for {language} on this system; install one (hunspell-{language} on Debian), or leave the check out"
    )]
    NoDictionary { language: String },
    #[error("not a Hunspell dictionary: {reason}: {path:?}")]
    Dictionary { reason: String, path: PathBuf },
    #[error("this termbase has terms in {has}, not from {expected}: {path:?}")]
    TermLanguages {
        has: String,
        expected: String,
        path: PathBuf,
    },
    #[error("{reason}: the language model at {address}")]
    Llm { reason: String, address: String },
    #[error("the language model {model} answers without a translation")]
    LlmSilent { model: String },
    #[error(
        "{address:?} is not the address of a language model; it looks like http://localhost:11434/v1 or https://host/v1"
    )]
    LlmAddress { address: String },
    #[error("{0}")]
    Base(#[from] BaseError),
}

canopy_base::crate_error!(
    Error,
    canopy_corpus::error::Error,
    canopy_document::error::Error
);
