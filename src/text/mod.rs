//! Documents as trees of sections, paragraphs and sentences; their file formats; segmentation; subwords.
//!
//! Strings and ids live here, no tensors.

mod abbreviations;
pub mod bpe_dropout;
mod builder;
pub mod changes;
pub mod csv;
pub(crate) mod digest;
pub mod disk;
pub mod document;
pub mod editable;
mod escape;
pub mod export;
pub mod file;
pub mod folder;
mod formats;
mod inline;
pub mod lines;
mod outline;
pub(crate) mod pictograms;
pub mod placeholder;
pub mod placeholder_map;
pub mod pseudo;
mod reading;
mod segment;
mod segmentation;
mod srx;
pub(crate) mod tags;
mod variables;
mod verbatim;
mod view;
pub mod vocabulary;
mod word_pieces;
mod writing;

pub use builder::MAX_DEPTH;
pub use formats::is_right_to_left;
pub use reading::MAX_LINE_BYTES;
pub(crate) use reading::decoded;
pub(crate) use segment::cut_into_sentences;
pub use word_pieces::WordPieces;
pub use writing::is_unwritable;
