//! A document in, its translation out: [`Translator`] owns a model and its vocabulary.
//!
//! No threads, and no files besides the model folder.

mod context_difference;
mod contrastive;
mod device;
mod evaluation;
mod parts;
mod starter;
mod tracing;
mod translation;
mod translator;

pub use crate::search::SearchOptions;
pub use contrastive::{ContextOptions, SetScores};
pub use device::{ComputeDevice, DeviceChoice};
pub use evaluation::{translate_segments, translate_segments_while};
pub use starter::starter_model;
pub use translation::{Flag, Translation};
pub use translator::{KnownTranslations, ModelInfo, Reads, Step, Translator};
