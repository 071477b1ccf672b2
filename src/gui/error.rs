//! Failures of the window.

#![allow(missing_docs, reason = "the message of a variant describes it")]

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

const WHERE_A_DRIVER_IS: &str = if cfg!(target_os = "linux") {
    " (mesa-vulkan-drivers has one for every machine)"
} else {
    ""
};

/// One variant a reason, and one for the errors of each crate that is used here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot open a window: {reason}; without a display use `canopy translate`")]
    Window { reason: String },
    /// There is a display, but nothing that draws on it.
    #[error(
        "cannot open a window: no driver for Vulkan or OpenGL is found{}; `canopy translate` needs none",
        WHERE_A_DRIVER_IS
    )]
    NoDriver,
    #[error("{0}")]
    Base(#[from] BaseError),
    #[error("{0}")]
    App(#[from] canopy_app::error::Error),
}

canopy_base::reads_and_writes!(Error);
canopy_base::from_crates!(
    Error,
    canopy_chart::error::Error,
    canopy_corpus::error::Error,
    canopy_document::error::Error,
    canopy_explain::error::Error,
    canopy_metrics::error::Error,
    canopy_nn::error::Error,
    canopy_qa::error::Error,
    canopy_translate::error::Error
);
