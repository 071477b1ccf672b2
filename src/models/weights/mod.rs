//! Models on disk: named tensors in safetensors files and the folder that holds a whole model or encoder.

mod average;
mod context_search;
mod encoder;
mod folder;
mod kept;
mod kept_file;
mod loading;
mod outline;
mod tensor_file;
mod tensors;
mod unread;
mod version;

pub use average::averaged_model;
pub use context_search::ContextSearch;
pub use encoder::{EncoderFolder, EncoderKind, EncoderNetwork, EncoderPlace, EncoderVocabulary};
pub use folder::{
    Languages, ModelFolder, RerankerFolder, SearchPreference, TrainingRecord, bert_sequence,
};
pub use kept::KeptTensors;
pub(crate) use kept_file::KeptFile;
pub use loading::{load_from, load_module};
pub use outline::Outline;
pub(crate) use tensor_file::words;
pub use tensors::Place;
pub(crate) use tensors::not_finite_at;
pub use tensors::{
    NamedTensors, Precision, check_finite, module_tensors, not_finite, read_tensors, write_tensors,
};
pub use unread::load_unread;
