//! Failures of documents: formats, segmentation, what is written.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; errors of the crates that are used here are in `Base`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(
        "sentences are split where both parts hold words, joined within a paragraph, and stay one where the file has them so"
    )]
    OneSegment,
    #[error("{path:?}, line {line}: {problem}")]
    Srx {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error("{path:?} has no rules for the language {language}, only for: {known}")]
    SrxLanguage {
        language: String,
        known: String,
        path: PathBuf,
    },
    #[error("{name} does not name its language, which selects the rules of {path:?}")]
    SrxOfWhich { name: String, path: PathBuf },
    #[error(
        "cannot write a {kind}, only its translated text; use the extension .{extension}: {path:?}"
    )]
    WrittenOtherwise {
        kind: String,
        extension: &'static str,
        path: PathBuf,
    },
    #[error("no known format ({known}); give it such a name: {path:?}")]
    UnknownFormat { known: String, path: PathBuf },
    #[error(
        "elements are nested deeper than {limit} in line {line}; is one of them not closed? {path:?}"
    )]
    TooDeep {
        limit: usize,
        line: usize,
        path: PathBuf,
    },
    #[error("{path:?} is damaged: {part}: {reason}")]
    Damaged {
        part: String,
        reason: String,
        path: PathBuf,
    },
    #[error("{path:?} is encrypted; save it without a password and open it again")]
    Encrypted { path: PathBuf },
    #[error("{part} takes more than {limit} bytes once it is unpacked: {path:?}")]
    TooLarge {
        part: String,
        limit: u64,
        path: PathBuf,
    },
    #[error(
        "the text is not in the declared encoding {name}; save it as UTF-8 and open it again: {path:?}"
    )]
    Encoding { name: &'static str, path: PathBuf },
    #[error(
        "{name} does not have the character {character:?}; save the source as UTF-8 and translate it again: {path:?}"
    )]
    Unencodable {
        character: char,
        name: &'static str,
        path: PathBuf,
    },
    #[error(
        "a translation contains the character {character:?}, which no document format can represent: {path:?}"
    )]
    Unwritable { character: char, path: PathBuf },
    #[error("no column is called {name}; there are {known}: {path:?}")]
    NoColumn {
        name: String,
        known: String,
        path: PathBuf,
    },
    #[error("{0}")]
    Base(#[from] BaseError),
}

canopy_base::crate_error!(Error);
