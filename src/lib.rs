//! Canopy: a desktop workbench for document-level machine translation.
//!
//! Re-exports each crate below `src` under the names of its modules, from strings to windows:
//!
//! - texts: [`text`], [`tokenizers`], [`corpus`], [`memory`], [`terms`], [`checks`], [`llm`]
//! - numbers about texts: [`metrics`], [`similarity`], [`judgement`], [`trace`], [`explain`]
//! - figures: [`charts`], [`typesetting`]
//! - networks: [`kernels`], [`model`], [`search`], [`weights`], [`interchange`], [`language_models`]
//! - work with them: [`inference`], [`catalogue`], [`remote`], [`training`], [`contrast`], [`evaluation`], [`contrastive`],
//!   [`results`]
//! - work of people on documents: [`project`]
//! - programs: [`jobs`], [`app`], [`gui`], [`server`], [`cli`]
//!
//! ```
//! use canopy::text::document::{Document, Format};
//!
//! let page = "<p>Open the file. Close it.</p>".to_owned();
//! let page = Document::parse("page.html", Format::Html, page)?;
//! assert_eq!(page.sentences.len(), 2);
//! let german = ["Öffnen Sie die Datei.", "Schließen Sie sie."];
//! let german: Vec<_> = german.map(|text| Some(text.to_owned())).into();
//! assert_eq!(page.translated(&german), "<p>Öffnen Sie die Datei. Schließen Sie sie.</p>");
//! # Ok::<(), canopy::error::Error>(())
//! ```

pub use canopy_app as app;
pub use canopy_app::jobs;
pub use canopy_base::error;
pub use canopy_chart::{charts, typesetting};
pub use canopy_cli as cli;
pub use canopy_contrast as contrast;
pub use canopy_corpus as corpus;
pub use canopy_evaluate::{contrastive, evaluation, results};
pub use canopy_explain as explain;
pub use canopy_explain::trace;
pub use canopy_gui as gui;
pub use canopy_kernels as kernels;
pub use canopy_kernels::never_purge_memory;
pub use canopy_llm as language_models;
pub use canopy_metrics as metrics;
pub use canopy_metrics::{judgement, similarity};
pub use canopy_models::{interchange, weights};
pub use canopy_nn::{model, search};
pub use canopy_project as project;
pub use canopy_qa::{checks, llm, terms};
pub use canopy_server as server;
pub use canopy_tokenize as tokenizers;
pub use canopy_train as training;
pub use canopy_translate::{catalogue, inference, remote};

/// Documents as trees of sections, paragraphs and sentences; file formats; subwords.
pub mod text {
    pub use canopy_base::{digest, disk, file, folder, lines};
    pub use canopy_document::*;
    pub use canopy_tokenize::{WordPieces, bpe_dropout, vocabulary};
}

/// Errors of crates that are re-exported in parts.
pub mod errors {
    pub use canopy_models::error as models;
    pub use canopy_nn::error as networks;
    pub use canopy_qa::error as qa;
    pub use canopy_translate::error as translate;
}

/// Translation memories, and the datastores and shortlists of networks.
pub mod memory {
    pub use canopy_corpus::memory::*;
    pub use canopy_nn::datastore::{Datastore, KnnConfig, Neighbours, StatesOfPairs, Subset};
    pub use canopy_nn::shortlist::{Shortlist, Vocabularies};
}
