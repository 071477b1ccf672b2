//! Layers and systems: tensors in, tensors out, and on request what they attended to.
//!
//! Sentences of a batch are runs of rows in one matrix `[rows, d_model]`; no row is padding. Files, threads and windows
//! are unknown here.

mod attention;
mod config;
mod decoder;
mod embedding;
mod encoder;
mod feed_forward;
mod layout;
mod norm;
mod preset;
mod transformer;

pub use attention::{MultiHeadAttention, MultiHeadAttentionConfig};
pub use config::{ModelConfig, NormPosition, Positions};
pub use decoder::{Decoder, DecoderLayer, DecoderState};
pub use embedding::{Embedding, Rows};
pub use encoder::{Encoder, EncoderOutput};
pub use feed_forward::{FeedForward, FeedForwardConfig};
pub use layout::{Layout, Sublayer};
pub use norm::Norm;
pub use preset::{Preset, presets};
pub use transformer::Transformer;
