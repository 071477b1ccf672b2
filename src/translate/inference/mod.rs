//! A document in, its translation out: [`Translator`] owns a model and its vocabulary.
//!
//! No threads, and no files other than the model folder.

mod bert_sequences;
mod confidence;
mod context_difference;
mod context_preview;
mod contexts;
mod detection;
mod device;
mod evaluation;
mod forced_documents;
mod installed_models;
mod language_model;
mod leave_one_out;
mod markup_projection;
mod model_choice;
mod other_languages;
mod parts;
mod pipeline;
mod preparation;
mod reading;
mod sentence_encoder;
mod starter;
mod tracing;
mod translation;
mod translator;

pub use bert_sequences::{bert_sequences, contexts_among};
pub use canopy_nn::search::SearchOptions;
pub use confidence::{unlike, unlike_in_mean};
pub use context_difference::ContextGain;
pub use context_preview::{PreviewedContext, context_preview};
pub use contexts::{ContextReport, ContextType, Selecting, SimilarContext, select_contexts};
pub use detection::{
    DetectedLanguage, detected_among, detected_language, detected_of_translations,
    read_in_its_language,
};
pub use device::{
    ComputeDevice, DeviceChoice, destroy_gpu, disable_display_probe, gpu_is_lost, other_adapters,
    window_is_drawn_by,
};
pub use evaluation::{SegmentRequest, translate_segments};
pub use installed_models::{
    CopyProgress, DownloadedFrom, InstalledModel, KnownOfModel, described_model, imported_files,
    install_known_model, install_model, install_model_while, installed_models, may_be_model,
    pair_of_languages, remove_model, state_languages, stated_language,
};
pub use language_model::{
    Answer, Chat, DocumentChat, Effort, HeadScore, LanguageModelFiles, LanguageModelTranslator,
    Languages, LocalChat, RemoteChat, Resources, place_language_model,
};
pub use leave_one_out::{ChangedContext, ContextProbe};
pub use markup_projection::{
    Alignment, Projected, StrippedSource, WordLink, projected, word_ranges,
};
pub use model_choice::{
    DefaultModels, Leg, Route, any_to_any_pairs, forget_default, pair_key, reachable, route,
    route_between, set_where_none,
};
pub use pipeline::{
    DocumentModel, DocumentRequest, FormalityConstraints, FormalityOption, KnownTranslations,
    OnEvent, Plan, Step, TranslationEvent, TranslationRequest,
};
pub use reading::ModelReader;
pub use sentence_encoder::SentenceEncoder;
pub use starter::{asset_folders, is_starter, starter_model, starter_model_for};
pub use tracing::TraceCost;
pub use translation::{Flag, Translation};
pub use translator::{
    AlignmentHeads, ForeignDescription, ImportedModel, LanguageResources, LoadedModel,
    MeanLogProbs, ModelInfo, Reads, TermMode, TermUse, TraceRequest, Translator, TranslatorOptions,
    WordAligner, foreign_parts, import_model, is_translatable,
};
