//! Layers and systems: tensors in, tensors out, and on request what they attended to.
//!
//! Sentences of a batch are runs of rows in one matrix `[rows, d_model]`; no row is padding. Files, threads and windows
//! are unknown here.

mod additive;
mod attention;
mod choice;
mod conditional;
mod config;
mod context;
mod decoder;
mod documents;
mod embedding;
mod encoder;
mod feed_forward;
mod flat;
mod han;
mod hierarchical;
mod hierarchical_conditional;
mod layout;
mod norm;
mod positions;
mod preset;
mod recurrent;
mod selective;
mod source2token;
mod transformer;
mod traversal;
mod tree;
mod zhang;

pub use additive::{AdditiveAttention, AdditiveAttentionConfig, Alignment};
pub use attention::{MultiHeadAttention, MultiHeadAttentionConfig};
pub use choice::{Kept, relevance};
pub use conditional::{
    ConditionalAttention, ConditionalAttentionConfig, ConditionalHeads, ConditionalHeadsConfig,
    keep_top_t,
};
pub use config::{ModelConfig, NormPosition, Positions};
pub use context::{ContextGate, ContextGateConfig, ContextLayer, ContextLayerConfig};
pub use decoder::{Decoder, DecoderLayer, DecoderState};
pub use documents::{Documents, Reach};
pub use embedding::{Embedding, Rows};
pub use encoder::{Encoder, EncoderOutput, EncoderSublayer};
pub use feed_forward::{FeedForward, FeedForwardConfig};
pub use flat::{FlatAttention, FlatAttentionConfig, FlatLevel};
pub use han::{HanContext, HanContextConfig};
pub use hierarchical::{
    HierarchicalEncodingLayer, HierarchicalEncodingLayerConfig, HierarchicalStates,
};
pub use hierarchical_conditional::{
    DocumentTree, HierarchicalConditionalAttention, HierarchicalConditionalAttentionConfig,
    TreeChoice, TreeHeads,
};
pub use layout::{Layout, Sublayer};
pub use norm::Norm;
pub use positions::{Counting, PlaceTables};
pub use preset::{Preset, presets};
pub use recurrent::{
    BidirectionalEncoder, BidirectionalEncoderConfig, Gate, GruCell, GruCellConfig, GruInput,
};
pub use selective::{SelectiveAttention, SelectiveAttentionConfig};
pub use source2token::{Source2Token, Source2TokenConfig};
pub use transformer::Transformer;
pub use traversal::{Traversal, TraversalRule, TreeSearch, Visit, top_t};
pub use tree::{
    ContentTree, Merge, MergeConfig, MergeKind, MultiDimSource2Token, MultiDimSource2TokenConfig,
    path_sums,
};
pub use zhang::{ZhangEncoderLayer, ZhangEncoderLayerConfig, ZhangStates};
