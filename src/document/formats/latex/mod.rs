//! LaTeX.
//!
//! Translated: the body's paragraphs, headings, captions, lists, tables, footnotes, the title. Left alone: the preamble,
//! definitions, mathematics, listings, comments, pictures, bibliographies. Commands inside a sentence are placeholders: what
//! marks words goes around them, references and citations stand where they stood.

mod blocks;
mod commands;
mod definitions;
mod macros;
mod reading;
mod scanning;
mod spelling;
mod symbols;

use super::edits::Edits;
use super::marked::Place;
use super::{DocumentFormat, Encoding, Kept, WriteBack};
use crate::builder::{Builder, Failure};
use crate::document::Document;
use crate::reading::{BYTE_ORDER_MARK, check_lines};
use crate::view::Translation;
use encoding_rs::Encoding as Legacy;
use reading::Reader;
use spelling::{LatexSpelling, Style};

/// LaTeX files.
pub(super) struct Latex;

/// How much of a file is searched for what it says of itself.
const HEAD: usize = 8_192;

impl DocumentFormat for Latex {
    fn is_content(&self, bytes: &[u8]) -> bool {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
        let mut lines = head.lines().map(str::trim_start);
        lines
            .find(|line| !line.is_empty() && !line.starts_with('%'))
            .is_some_and(|line| line.starts_with("\\documentclass"))
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let declared = declared(&bytes);
        let (text, mut encoding) = Encoding::decode_as(bytes, declared)?;
        check_lines(&text)?;
        if let Some(legacy) = declared.filter(|_| text.is_ascii()) {
            // What is written into it must be in the encoding that it declares.
            encoding = Encoding::Legacy(legacy);
        }
        builder.set_encoding(encoding);
        builder.set_language(language(&text));
        let start = text
            .strip_prefix(BYTE_ORDER_MARK)
            .map_or(0, |_| BYTE_ORDER_MARK.len());
        let mut reader = Reader::new(&text, builder);
        reader.document(start)?;
        let places = reader.places;
        let style = Style::of(&text, encoding);
        Ok(Box::new(LatexFile {
            text,
            places,
            style,
        }))
    }
}

/// The encoding that a file names as an option of `inputenc`, if it is none of Unicode's.
fn declared(bytes: &[u8]) -> Option<&'static Legacy> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    let (before, _) = head.split_once("]{inputenc}")?;
    let (_, options) = before.rsplit_once('[')?;
    let label = match options.rsplit(',').next()?.trim() {
        "latin1" | "ansinew" | "cp1252" => "windows-1252",
        "latin2" => "iso-8859-2",
        "latin3" => "iso-8859-3",
        "latin4" => "iso-8859-4",
        "latin5" => "windows-1254",
        "latin9" => "iso-8859-15",
        "latin10" => "iso-8859-16",
        "applemac" => "macintosh",
        "cp1250" => "windows-1250",
        "cp1251" => "windows-1251",
        "cp1257" => "windows-1257",
        "cp866" => "ibm866",
        "koi8-r" => "koi8-r",
        "koi8-u" => "koi8-u",
        "iso88595" => "iso-8859-5",
        _ => return None,
    };
    Legacy::for_label(label.as_bytes())
}

/// The language that a file names for hyphenation.
fn language(text: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 16] = [
        ("ngerman", "de"),
        ("german", "de"),
        ("french", "fr"),
        ("francais", "fr"),
        ("spanish", "es"),
        ("italian", "it"),
        ("portuguese", "pt"),
        ("brazil", "pt"),
        ("dutch", "nl"),
        ("polish", "pl"),
        ("czech", "cs"),
        ("russian", "ru"),
        ("english", "en"),
        ("american", "en"),
        ("british", "en"),
        ("USenglish", "en"),
    ];
    let (before, _) = text.split_once("]{babel}")?;
    let (_, options) = before.rsplit_once('[')?;
    // The last one is that of the document.
    let last = options.rsplit(',').next()?.trim();
    let found = NAMES.iter().find(|(name, _)| *name == last)?;
    Some(found.1)
}

#[derive(Debug)]
struct LatexFile {
    text: String,
    places: Vec<Place>,
    style: Style,
}

impl WriteBack for LatexFile {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = Edits::default();
        // A footnote ends before the paragraph in which it stands.
        let mut places: Vec<&Place> = self.places.iter().collect();
        places.sort_by_key(|place| place.bytes.end);
        for place in places {
            if let Some(spans) = translation.spans(place.unit) {
                let mut spelling = LatexSpelling::new(&self.style, &self.text, place);
                let written = place.written(&self.text, &spans, &edits, &mut spelling);
                edits.replace(place.bytes.clone(), written);
            }
        }
        self.style.encoding.encode_all(edits.applied(&self.text))
    }
}
