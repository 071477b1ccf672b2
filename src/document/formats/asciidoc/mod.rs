//! AsciiDoc.
//!
//! Translated: titles, paragraphs, lists, tables, admonitions, quotes, footnotes, texts of links. Left alone: listings,
//! literal and passthrough blocks, comments, attributes and their references, macros.

mod blocks;
mod inline;
mod names;
mod spelling;
mod tables;

use super::edits::Edits;
use super::marked::MarkedPlace;
use super::slots::{Slot, SlotFile};
use super::{DocumentFormat, Encoding, Kept};
use crate::builder::{Builder, Failure};
use crate::reading::begin_text;
use crate::view::Translation;
use blocks::AsciiDocReader;
use names::AsciiDocNames;
use spelling::AsciiDocSpelling;
use tables::is_cell_spec;

/// AsciiDoc files.
pub(super) struct AsciiDoc;

impl DocumentFormat for AsciiDoc {
    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode_as(bytes, None)?;
        let start = begin_text(&text, encoding, builder)?;
        let mut reader = AsciiDocReader::new(&text, builder);
        reader.document(start)?;
        let mut paragraphs = reader.paragraphs;
        // A footnote ends before its paragraph.
        paragraphs.sort_by_key(|paragraph| paragraph.place.bytes.end);
        Ok(SlotFile::kept((), text, encoding, paragraphs))
    }
}

/// A paragraph in its file.
#[derive(Debug)]
struct AsciiDocParagraph {
    place: MarkedPlace,
    is_cell: bool,
    /// Whether it has a name by which others may refer to it.
    is_heading: bool,
}

impl Slot for AsciiDocParagraph {
    type Source = String;
    type Facts = ();

    /// Keeps the names of changed headings that are referred to by name.
    fn begin(file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let headings = file.slots.iter().filter(|it| it.is_heading);
        let translated = headings.filter(|it| translation.spans(it.place.unit).is_some());
        let names = AsciiDocNames::new(&file.source);
        for heading in translated {
            names.keep(&heading.place.bytes, edits);
        }
    }

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let (AsciiDocParagraph { place, is_cell, .. }, text) = (self, &file.source);
        let Some(spans) = translation.spans(place.unit) else {
            return;
        };
        let mut spelling = AsciiDocSpelling::new(place, *is_cell, text);
        let mut written = place.written(text, &place.hugged(spans), edits, &mut spelling);
        let last = written.rsplit(' ').next().unwrap_or_default();
        // The last word must not be an attribute of the next cell.
        if text[place.bytes.end..].starts_with('|') && is_cell_spec(last) {
            written.push(' ');
        }
        edits.replace(place.bytes.clone(), written);
    }
}
