//! Parallel documents: what a translator learns from and is scored on.
//!
//! The format on disk and its reader and writer, the split into training, development and test documents, the readers
//! of what others publish, and the segments that are scored. Texts only: ids are made where they are needed, and the
//! tree of a single document belongs to `canopy_document`.
//!
//! ```
//! use canopy_corpus::memory::TranslationMemory;
//!
//! let pairs = [("Close the page.", "Schließen Sie die Seite.")];
//! let memory = TranslationMemory::new(pairs.map(|(en, de)| (en.to_owned(), de.to_owned())));
//! let found = memory.best("Close this page.").expect("one that resembles it");
//! assert_eq!(found.target, "Schließen Sie die Seite.");
//! ```

#![warn(missing_docs, unreachable_pub)]

mod alignment;
mod alignment_table;
pub mod combine;
mod context_texts;
mod contexts;
pub mod ctxpro;
pub mod dividing;
pub mod document_folders;
pub mod error;
mod format;
mod frequency;
pub mod gettext;
mod held_out;
pub mod iwslt;
mod languages;
pub mod libreoffice_help;
mod markup;
pub mod memory;
pub mod parallel_text;
mod segment;
mod split;
mod statistics;
mod subwords;
pub mod survey;
pub mod synthetic;
pub mod tmx;
pub mod tsv;
mod unit;
mod writer;

pub use alignment_table::{
    AlignedPair, AlignmentCounts, AlignmentEdit, AlignmentRow, AlignmentTable, Column, RowState,
};
pub use context_texts::ContextTexts;
pub use contexts::{Chosen, ContextsInfo, DocumentContexts, read_contexts, write_contexts};
pub use format::{
    Corpus, CorpusInfo, Documents, FORMAT, ParallelDocument, ParallelParagraph, VERSION,
};
pub use frequency::WordCounts;
pub use languages::is_same_language;
pub use segment::{DocumentUnits, Segment, SegmentUnit, document_units, expected_forms, segments};
pub use split::Split;
pub use statistics::{SplitStatistics, Statistics};
pub use subwords::train_vocabulary;
pub use unit::{Expected, Unit, UnitStatus, visible};
pub use writer::CorpusWriter;
