//! Failures of the server.

#![allow(missing_docs, reason = "the message of a variant describes it")]

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason, and one for the errors of each crate that is used here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot serve at {address}: {cause}")]
    Serve {
        address: std::net::SocketAddr,
        #[source]
        cause: std::io::Error,
    },
    #[error("{address} can be reached by others, so a key is needed")]
    NeedsKey { address: std::net::SocketAddr },
    #[error("internal error: the model returned no translation")]
    NothingTranslated,
    #[error("{0}")]
    Base(#[from] BaseError),
    #[error("{0}")]
    Train(#[from] canopy_train::error::Error),
}

canopy_base::reads_and_writes!(Error);
canopy_base::from_crates!(
    Error,
    canopy_corpus::error::Error,
    canopy_document::error::Error,
    canopy_explain::error::Error,
    canopy_models::error::Error,
    canopy_nn::error::Error,
    canopy_translate::error::Error
);
