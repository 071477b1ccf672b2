//! Failures of translations, and of the models and machines that make them.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;
use canopy_base::error::find;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; errors of the crates that are used here are in `Base`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("no graphics adapter was found; choose the CPU")]
    NoGpu,
    #[error(
        "{wanted} devices were requested, but {found} graphics adapters work here; request no more than that, or train on the CPU"
    )]
    TooFewDevices { wanted: usize, found: usize },
    #[error(
        "the device failed at sentence {sentence}: {message}; translate on the CPU, or open the program again"
    )]
    DeviceFailed { sentence: String, message: String },
    /// A model folder of Canopy's own that states other languages than a person.
    #[error(
        "the model folder is not usable: it is trained to translate from {from} to {to}: {path:?}"
    )]
    OwnLanguages {
        from: String,
        to: String,
        path: PathBuf,
    },
    #[error("this model translates from {has}, not from {requested}")]
    Languages { requested: String, has: String },
    #[error("the starter model is missing or removed")]
    NoStarterModel,
    #[error("no sentence of its context can be left out: {problem}")]
    NotLeftOut { problem: &'static str },
    #[error(
        "{address:?} is not the address of another machine; it looks like remote:workstation or remote:10.0.0.7:8600"
    )]
    RemoteAddress { address: String },
    #[error("{host} requires its key")]
    RemoteKey { host: String },
    #[error("{host} cannot be reached ({reason})")]
    RemoteLost { reason: String, host: String },
    #[error("{host} refuses: {message}")]
    RemoteRefused { message: String, host: String },
    #[error("{reason}: the catalogue {place}")]
    Catalogue { reason: String, place: String },
    #[error("{address:?} is not a catalogue")]
    CatalogueAddress { address: String },
    #[error("no catalogue lists {requested}; {advice}")]
    NotListed { requested: String, advice: String },
    #[error("{name} is not installed: {reason}")]
    Download { reason: String, name: String },
    #[error("{0}")]
    Base(#[from] BaseError),
}

/// Whether another device may do what failed so, of an error of any crate.
pub fn is_of_device(error: &(dyn std::error::Error + 'static)) -> bool {
    find::<BaseError>(error).is_some_and(BaseError::is_of_device)
        || matches!(find(error), Some(Error::DeviceFailed { .. }))
}

canopy_base::crate_error!(
    Error,
    canopy_corpus::error::Error,
    canopy_document::error::Error,
    canopy_explain::error::Error,
    canopy_llm::error::Error,
    canopy_metrics::error::Error,
    canopy_models::error::Error,
    canopy_nn::error::Error,
    canopy_qa::error::Error,
    canopy_tokenize::error::Error
);
