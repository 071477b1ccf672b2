//! The client of `canopy serve --compute`: searches, traces and trainings on another machine, over HTTP.
//!
//! Jobs go over, not tensors: ids of a document in, hypotheses out, one answer for many tokens. Files go over once and are
//! known by their content. What a server does with them is in `server/compute`.

mod client;
mod files;
mod host;
mod keys;
mod messages;
mod search;

pub use client::{Client, Traffic};
pub use files::{Files, StoredFile};
pub use host::RemoteHost;
pub use keys::{key_of, keys_file, read_keys, save_key, set_key};
pub use messages::{
    Begun, Description, Found, Missing, ModelReference, PROGRAM, PROTOCOL, Polled,
    RerankerReference, RootedFiles, RunFile, SearchRequest, SentHypothesis, SentText,
    TRAINING_ENDED, TRAINING_LENGTH, TrainingList, VERSION_HEADER, version,
};
pub use search::RemoteModel;
