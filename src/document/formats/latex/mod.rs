//! LaTeX.
//!
//! Translated: the body's paragraphs, headings, captions, lists, tables, footnotes, the title. Left alone: the preamble,
//! definitions, mathematics, listings, comments, pictures, bibliographies. Commands inside a sentence are placeholders: what
//! marks words goes around them, references and citations stay in place.

mod blocks;
mod commands;
mod definitions;
mod macros;
mod reading;
mod scanning;
mod spelling;
mod symbols;

use super::edits::Edits;
use super::marked::MarkedPlace;
use super::slots::{Slot, SlotFile};
use super::{DocumentFormat, Encoding, Kept};
use crate::builder::{Builder, Failure};
use crate::reading::{check_lines, text_start};
use crate::view::Translation;
use crate::words::Words;
use encoding_rs::Encoding as Legacy;
use reading::LatexReader;
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
        let start = text_start(&text);
        let mut reader = LatexReader::new(&text, builder);
        reader.document(start)?;
        let mut places = reader.places;
        // A footnote ends before its paragraph.
        places.sort_by_key(|place| place.bytes.end);
        let style = Style::new(&text, encoding);
        Ok(SlotFile::kept(
            style,
            text,
            encoding,
            places.into_iter().map(LatexParagraph).collect(),
        ))
    }
}

/// The encoding that a file names as an option of `inputenc`, if it is not one of Unicode's.
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
    const NAMES: Words = Words(
        "ngerman=de german=de french=fr francais=fr spanish=es italian=it portuguese=pt brazil=pt dutch=nl
         polish=pl czech=cs russian=ru english=en american=en british=en USenglish=en",
    );
    let (before, _) = text.split_once("]{babel}")?;
    let (_, options) = before.rsplit_once('[')?;
    // The last one is that of the document.
    let last = options.rsplit(',').next()?.trim();
    let mut names = NAMES.iter().filter_map(|name| name.split_once('='));
    names.find(|(name, _)| *name == last).map(|(_, code)| code)
}

/// A paragraph in its file.
#[derive(Debug)]
struct LatexParagraph(MarkedPlace);

impl Slot for LatexParagraph {
    type Source = String;
    type Facts = Style;

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let Self(place) = self;
        if let Some(spans) = translation.spans(place.unit) {
            let mut spelling = LatexSpelling::new(&file.facts, &file.source, place);
            let written = place.written(&file.source, &spans, edits, &mut spelling);
            edits.replace(place.bytes.clone(), written);
        }
    }
}
