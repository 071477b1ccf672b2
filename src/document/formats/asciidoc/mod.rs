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
use super::marked::Place;
use super::{DocumentFormat, Encoding, Kept, WriteBack};
use crate::builder::{Builder, Failure};
use crate::document::Document;
use crate::reading::{BYTE_ORDER_MARK, check_lines};
use crate::view::Translation;
use blocks::Reader;
use names::Names;
use spelling::AsciiDocSpelling;
use tables::is_cell_spec;

/// AsciiDoc files.
pub(super) struct AsciiDoc;

impl DocumentFormat for AsciiDoc {
    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode_as(bytes, None)?;
        builder.set_encoding(encoding);
        check_lines(&text)?;
        let start = text
            .strip_prefix(BYTE_ORDER_MARK)
            .map_or(0, |_| BYTE_ORDER_MARK.len());
        let mut reader = Reader::new(&text, builder);
        reader.document(start)?;
        let paragraphs = reader.paragraphs;
        Ok(Box::new(AsciiDocFile {
            text,
            encoding,
            paragraphs,
        }))
    }
}

/// A paragraph in its file.
#[derive(Debug)]
struct Paragraph {
    place: Place,
    is_cell: bool,
    /// Whether it has a name by which others may refer to it.
    is_heading: bool,
}

#[derive(Debug)]
struct AsciiDocFile {
    text: String,
    encoding: Encoding,
    paragraphs: Vec<Paragraph>,
}

impl AsciiDocFile {
    /// The names of headings that become others while somebody refers to them by what they are called.
    fn named(&self, translation: &Translation) -> Edits {
        let mut edits = Edits::default();
        let headings = self.paragraphs.iter().filter(|it| it.is_heading);
        let translated = headings.filter(|it| translation.spans(it.place.unit).is_some());
        let names = Names::of(&self.text);
        for heading in translated {
            names.keep(&heading.place.bytes, &mut edits);
        }
        edits
    }
}

impl WriteBack for AsciiDocFile {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = self.named(translation);
        // A footnote ends before the paragraph in which it stands.
        let mut paragraphs: Vec<&Paragraph> = self.paragraphs.iter().collect();
        paragraphs.sort_by_key(|paragraph| paragraph.place.bytes.end);
        for Paragraph { place, is_cell, .. } in paragraphs {
            if let Some(spans) = translation.spans(place.unit) {
                let spans = place.hugged(spans);
                let mut spelling = AsciiDocSpelling::new(place, *is_cell, &self.text);
                let mut written = place.written(&self.text, &spans, &edits, &mut spelling);
                let last = written.rsplit(' ').next().unwrap_or_default();
                // The last word must not tell of the next cell.
                if self.text[place.bytes.end..].starts_with('|') && is_cell_spec(last) {
                    written.push(' ');
                }
                edits.replace(place.bytes.clone(), written);
            }
        }
        self.encoding.encode_all(edits.applied(&self.text))
    }
}
