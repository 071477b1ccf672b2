//! Failures, in words that a user can act on.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::{Path, PathBuf};

use crate::device_failure::{DeviceFailure, in_short};
use crate::panics::{at, log_note};

pub use crate::panics::{caught, panic_message};

/// The result of everything that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; a wrong tensor shape is our bug and panics instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {path:?}: {cause}")]
    Read {
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("cannot write {path:?}: {cause}{}", kept(.path))]
    Write {
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("{field} is {found}; it may be {allowed}")]
    Config {
        field: &'static str,
        found: String,
        allowed: String,
    },
    #[error(
        "{path:?} has {found} lines, {like:?} has {expected}: line {line} has no counterpart; every file needs one line for each segment"
    )]
    UnequalLines {
        found: usize,
        expected: usize,
        line: usize,
        like: PathBuf,
        path: PathBuf,
    },
    #[error("the model folder is not usable: {reason}: {path:?}")]
    Model { reason: String, path: PathBuf },
    #[error(
        "no training document holds a pair that is new and short enough to learn from; add pages to the corpus: {path:?}"
    )]
    NothingToLearn { path: PathBuf },
    #[error(
        "the device ran out of memory even with {batch_tokens} target tokens in a batch; take a smaller preset or another device"
    )]
    OutOfMemory { batch_tokens: usize },
    #[error(
        "the device was lost: {message}; restart the program and resume the run from its last checkpoint"
    )]
    DeviceLost { message: String },
    #[error(
        "the scores of sentence {sentence} are not probabilities: one has the logarithm {found}; the weights of the model are damaged, or the device computes wrongly: restore the model folder, or translate on the CPU"
    )]
    InvalidScores { sentence: String, found: f32 },
    #[error("the settings are not usable: {reason}: {path:?}")]
    Settings { reason: String, path: PathBuf },
    #[error(
        "two documents have the same name and would both become {path:?}; translate them into different folders"
    )]
    SameName { path: PathBuf },
    #[error("{path:?} already exists; name another place")]
    Exists { path: PathBuf },
    #[error("{path:?} is read here and would be lost; name another place to write to")]
    OverInput { path: PathBuf },
    #[error(
        "byte {offset} is 0, so this is not text; name a file of text without such bytes: {path:?}"
    )]
    Binary { offset: usize, path: PathBuf },
    #[error("the text is UTF-16; save it as UTF-8 and open it again: {path:?}")]
    Utf16 { path: PathBuf },
    #[error(
        "byte {offset}, in line {line}, is not UTF-8; save the text as UTF-8 and open it again: {path:?}"
    )]
    NotUtf8 {
        offset: usize,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "line {line} is longer than {limit} bytes; break it into lines and open it again: {path:?}"
    )]
    LongLine {
        line: usize,
        limit: usize,
        path: PathBuf,
    },
    #[error("cannot start a thread: {cause}")]
    Thread {
        #[source]
        cause: std::io::Error,
    },
    #[error("no model is open")]
    NoModel,
    #[error(
        "internal error: {}{}; nothing else was lost, try again{}",
        in_short(.message), at(.place.as_ref()), log_note()
    )]
    Panicked {
        message: String,
        /// File and line, if they are known.
        place: Option<String>,
    },
    #[error("the system's random number generator failed: {reason}")]
    NoRandomNumbers { reason: String },
    #[error("{what} is done on this machine; choose another device than {host}")]
    OnlyHere { what: &'static str, host: String },
    /// An error of a crate that builds on this one; [`find`] finds it by its type.
    #[error("{0}")]
    Crate(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// For `map_err`: an input/output error while reading `path`.
    pub fn read(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Self {
        move |cause| Self::Read {
            path: path.as_ref().to_owned(),
            cause,
        }
    }

    /// For `map_err`: an input/output error while writing `path`.
    pub fn write(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Self {
        move |cause| Self::Write {
            path: path.as_ref().to_owned(),
            cause,
        }
    }
}

impl Error {
    /// Whether another device may do what failed here.
    pub fn is_of_device(&self) -> bool {
        match self {
            Self::DeviceLost { .. } | Self::OutOfMemory { .. } | Self::InvalidScores { .. } => true,
            Self::Panicked { message, .. } => DeviceFailure::from_message(message).is_some(),
            _ => false,
        }
    }
}

/// A note on the file that stood where nothing could be written.
fn kept(path: &Path) -> &'static str {
    if path.is_file() {
        "; the existing file was left as it was"
    } else {
        ""
    }
}

/// Finds the error of a kind in an error of a crate that wraps those of the crates below it.
///
/// ```
/// use canopy_base::error::{Error, find};
///
/// #[derive(Debug, thiserror::Error)]
/// enum Above {
///     #[error("{0}")]
///     Base(#[from] Error),
/// }
///
/// let error = Above::from(Error::NoModel);
/// assert!(matches!(find(&error), Some(Error::NoModel)));
/// ```
pub fn find<'e, E: std::error::Error + 'static>(
    error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e E> {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.find_map(|error| error.downcast_ref())
}

/// Ties the error of a crate, which has this crate's as its variant `Base`, to [`Error`] and to the errors of other crates:
/// `?` makes each of the next one up, and [`find`] finds it there. Gives it the constructors [`Error::read`] and [`Error::write`].
///
/// ```
/// use canopy_base::error::{Error as BaseError, find};
///
/// #[derive(Debug, thiserror::Error)]
/// pub enum Error {
///     #[error("a page is missing")]
///     NoPage,
///     #[error("{0}")]
///     Base(#[from] BaseError),
/// }
///
/// canopy_base::crate_error!(Error);
///
/// let above = BaseError::from(Error::NoPage);
/// assert_eq!(above.to_string(), "a page is missing");
/// assert!(matches!(find(&above), Some(Error::NoPage)));
/// ```
#[macro_export]
macro_rules! crate_error {
    ($error:ident $(, $used:ty)*) => {
        $crate::reads_and_writes!($error);
        $crate::from_crates!($error $(, $used)*);

        impl From<$error> for $crate::error::Error {
            fn from(error: $error) -> Self {
                match error {
                    $error::Base(error) => error,
                    error => Self::Crate(Box::new(error)),
                }
            }
        }
    };
}

/// Makes errors of other crates the variant `Base` of an error.
#[macro_export]
macro_rules! from_crates {
    ($error:ident $(, $used:ty)*) => {
        $(impl From<$used> for $error {
            fn from(error: $used) -> Self {
                Self::Base(error.into())
            }
        })*
    };
}

/// Gives the error of a crate, which wraps [`Error`] as `Base`, the constructors [`Error::read`] and [`Error::write`].
#[macro_export]
macro_rules! reads_and_writes {
    ($error:ty) => {
        impl $error {
            /// For `map_err`: an input/output error while reading `path`.
            #[allow(dead_code, reason = "not every crate does both")]
            pub fn read(path: impl AsRef<std::path::Path>) -> impl FnOnce(std::io::Error) -> Self {
                let read = $crate::error::Error::read(path);
                move |cause| Self::Base(read(cause))
            }

            /// For `map_err`: an input/output error while writing `path`.
            #[allow(dead_code, reason = "not every crate does both")]
            pub fn write(path: impl AsRef<std::path::Path>) -> impl FnOnce(std::io::Error) -> Self {
                let write = $crate::error::Error::write(path);
                move |cause| Self::Base(write(cause))
            }
        }
    };
}
