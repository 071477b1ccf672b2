//! Documents as trees of sections, paragraphs and sentences; their file formats; segmentation; subwords.
//!
//! Strings and ids live here, no tensors.
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
//! # Ok::<(), canopy_base::error::Error>(())
//! ```

mod abbreviations;
mod builder;
pub mod changes;
pub mod csv;
pub mod document;
pub mod editable;
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
