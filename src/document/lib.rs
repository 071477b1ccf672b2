//! Documents as trees of sections, paragraphs and sentences.
//!
//! [`document`] opens a file of any [`Format`](document::Format), cuts its text into sentences with placeholders for
//! markup, and writes it again with the translations in their places and all else as it was. The other modules serve those
//! who edit, compare and export sentences. Tokens, models and corpora live in other crates.
//!
//! ```
//! use canopy_document::document::{Document, Format};
//!
//! let page = "<p>Open the file. Close it.</p>".to_owned();
//! let page = Document::parse("page.html", Format::Html, page)?;
//! assert_eq!(page.sentences[1].text, "Close it.");
//! let german = ["Öffnen Sie die Datei.", "Schließen Sie sie."];
//! let german = german.map(|text| Some(text.to_owned()));
//! assert_eq!(page.translated(&german), "<p>Öffnen Sie die Datei. Schließen Sie sie.</p>");
//! # Ok::<(), canopy_document::error::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

mod abbreviations;
mod builder;
pub mod changes;
pub mod csv;
pub mod document;
pub mod editable;
pub mod error;
mod escape;
pub mod export;
mod formats;
mod inline;
mod outline;
pub mod pictograms;
pub mod placeholder;
pub mod placeholder_map;
pub mod pseudo;
mod reading;
mod segment;
mod segmentation;
mod srx;
pub mod tags;
#[cfg(test)]
mod testing;
mod variables;
mod verbatim;
mod view;
mod words;
mod writing;

pub use builder::MAX_DEPTH;
pub use formats::is_right_to_left;
pub use reading::MAX_LINE_BYTES;
pub use reading::decoded;
pub use segment::cut_into_sentences;
pub use writing::is_unwritable;
