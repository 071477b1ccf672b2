//! Layers and systems: tensors in, tensors out, and on request what they attended to.
//!
//! Sentences of a batch are runs of rows in one matrix `[rows, d_model]`; no row is padding. Files, threads and windows
//! are unknown here.

mod attention;
mod batch;
mod bert;
mod config;
mod context;
mod context_attention;
mod context_config;
mod context_parameters;
mod counting;
mod decoder;
mod document_window;
mod documents;
mod embedding;
mod encoder;
mod encoder_sublayer;
mod executor;
mod feed_forward;
mod identity_init;
mod input_layer;
mod knn_lookup;
mod layout;
mod linear;
#[cfg(test)]
mod loops;
mod mechanism;
mod network;
mod norm;
mod packed;
mod packed_batch;
mod parts;
mod pooling;
mod positions;
mod prepared;
mod preset;
mod query_spans;
mod read_only;
mod recorder;
mod rnn_search;
mod rows;
mod sentence_selection;
mod sinusoids;
mod source2token;
mod ssru;
mod system;
mod systems;
#[cfg(test)]
mod tests;
mod transformer;
mod universal;
mod unread;
mod validation;
mod variant;
mod warm_start;

pub use attention::{MultiHeadAttention, MultiHeadAttentionConfig};
pub use batch::Batch;
pub use bert::{Bert, BertBatch, BertConfig, BertLayer, BertReader, BertReading, BertSequence};
pub use config::{Architecture, MemoryUse, ModelConfig, NormPosition, Positions};
pub use context::{ContextGate, ContextGateConfig, ContextLayer, ContextLayerConfig, WARM};
pub use context_attention::{ContextSublayer, GatedMemory, LayeredContext};
pub use context_config::{
    Context, ContextReach, ContextSentence, FlatLevel, Fusion, MemorySource, MergeKind, Placement,
    Reach, Side,
};
pub use counting::{Counting, LEVELS, Place};
pub use decoder::{Decoder, DecoderLayer, DecoderMemory, DecoderOutput, DecoderState};
pub use document_window::DocumentWindow;
pub use documents::Documents;
pub use embedding::Embedding;
pub use encoder::{Encoder, EncoderOutput};
pub use encoder_sublayer::EncoderSublayer;
pub use executor::{
    BatchSetup, Batching, Decode, DraftStates, Executor, ExecutorKind, SearchMemory, SentenceStates,
};
pub use feed_forward::{FeedForward, FeedForwardConfig};
pub use input_layer::InputLayer;
pub use knn_lookup::RetrievedToken;
pub use layout::{Layout, Sublayer};
pub use linear::Linear;
pub use mechanism::{ContextWeights, ReadSentences};
pub use network::Network;
pub use norm::Norm;
pub use packed::{
    GpuState, GpuTransformer, PackedDecoderOutput, PackedEncoderOutput, PackedSource, PackedState,
    PackedTransformer, TranslationStates, VocabularySubset,
};
pub use packed_batch::PackedBatch;
pub use parts::{Cost, Part, PartGroup};
pub use pooling::{Pooling, normalised, pooled};
pub use positions::PositionTables;
pub use prepared::{Memory, PreparedMemory, SelectedMemory, VisibleMemory, WordMemory};
pub use preset::Preset;
pub use query_spans::{QuerySpan, Visible};
pub use recorder::{
    AttentionKind, AttentionRecorder, AttentionWeights, GateActivations, HeadWeights,
    RecordedLayer, RecordedVisits, Recording, SentenceWeights,
};
pub use rnn_search::{
    AdditiveAttention, AdditiveAttentionConfig, Alignment, BidirectionalEncoder,
    BidirectionalEncoderConfig, Gate, GruCell, GruCellConfig, GruInput, RnnDecoder, RnnEncoded,
    RnnSearch, RnnSearchConfig, RnnState,
};
pub use sentence_selection::{SelectedSentences, relevance};
pub use source2token::{Source2Token, Source2TokenConfig};
pub use ssru::Ssru;
pub use system::{Model, Reranker};
pub use systems::{
    BertFusion, Capsules, ConditionalAttention, ConditionalAttentionConfig, ConditionalHeads,
    ConditionalHeadsConfig, ContentTree, ContextAttention, DocumentTree, FlatAttention,
    FlatAttentionConfig, FlatSegments, GatedContext, HanContext, HanContextConfig,
    HierarchicalConditionalAttention, HierarchicalConditionalAttentionConfig, Merge, MergeConfig,
    MultiDimSource2Token, MultiDimSource2TokenConfig, PreviousEncoder, QueryCapsules,
    QueryCapsulesConfig, RoutedCapsules, SelectiveAttention, SelectiveAttentionConfig,
    SentenceAttention, Traversal, TraversalRule, TreeChoice, TreeHeads, TreeKeys, TreeMemory,
    TreeSearch, Visit, keep_top_t, path_sums, top_t,
};
pub use transformer::Transformer;
pub use universal::{Universal, UniversalConfig};
pub use unread::UnreadWeights;
pub use variant::{
    Activation, DecoderCell, SENTENCE_BREAK, SearchRule, SineColumns, SineFrequencies, Sinusoids,
    SpecialTokens, Variant,
};
