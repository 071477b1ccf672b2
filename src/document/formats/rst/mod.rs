//! reStructuredText.
//!
//! Translated: titles, paragraphs, lists, definitions, quotes, line blocks, footnotes, tables whose cells are paragraphs, and
//! what directives hold that are known to hold text. Left alone: literal blocks, code, comments, targets, options, unknown
//! directives. Underlines of titles are made as long as the title becomes.

mod blocks;
mod inline;
mod names;
mod spelling;
mod tables;

use std::collections::HashMap;
use std::ops::Range;

use super::edits::Edits;
use super::marked::MarkedPlace;
use super::slots::{Slot, SlotFile};
use super::{DocumentFormat, Encoding, Kept};
use crate::builder::{Builder, Failure};
use crate::reading::begin_text;
use crate::view::Translation;
use blocks::RstReader;
use encoding_rs::Encoding as Legacy;
use names::RstNames;
use spelling::RstSpelling;
use tables::Table;
pub(super) use tables::width;

/// reStructuredText files.
pub(super) struct Rst;

/// How much of a file is searched for its encoding.
const HEAD: usize = 512;

impl DocumentFormat for Rst {
    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let declared = declared(&bytes);
        let (text, encoding) = Encoding::decode_as(bytes, declared)?;
        let start = begin_text(&text, encoding, builder)?;
        let mut reader = RstReader::new(&text, builder);
        reader.document(start)?;
        let (paragraphs, tables) = (reader.paragraphs, reader.tables);
        let names = RstNames::new(&text);
        Ok(SlotFile::kept(
            RstFormat { names, tables },
            text,
            encoding,
            paragraphs,
        ))
    }
}

/// Returns the encoding after `coding:` in the first lines, as editors read it.
fn declared(bytes: &[u8]) -> Option<&'static Legacy> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    let mut lines = head.lines().take(2);
    let (_, rest) = lines.find_map(|line| {
        line.split_once("coding:")
            .or_else(|| line.split_once("coding="))
    })?;
    let label = rest.trim_start();
    let end = label.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
    Legacy::for_label(&label.as_bytes()[..end.unwrap_or(label.len())])
}

/// A paragraph, and what has to fit it.
#[derive(Debug)]
struct RstParagraph {
    place: MarkedPlace,
    /// Names of references, by the codes that close them.
    references: HashMap<usize, String>,
    /// Lines above and below a title.
    lines: Vec<Range<usize>>,
    is_title: bool,
}

#[derive(Debug)]
struct RstFormat {
    names: RstNames,
    tables: Vec<Table>,
}

impl RstParagraph {
    /// The translated paragraph, if there is anything to write.
    fn written(&self, text: &str, translation: &Translation) -> Option<String> {
        let spans = self.place.hugged(translation.spans(self.place.unit)?);
        let mut spelling = RstSpelling::new(self, text);
        let none = Edits::default();
        Some(self.place.written(text, &spans, &none, &mut spelling))
    }
}

impl Slot for RstParagraph {
    type Source = String;
    type Facts = RstFormat;

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let Some(mut written) = self.written(&file.source, translation) else {
            return;
        };
        let place = self.place.bytes.clone();
        let needed = width(&written);
        let mut target = self
            .is_title
            .then(|| file.facts.names.target(&file.source[place.clone()]))
            .flatten();
        for line in &self.lines {
            let mark = file.source[line.clone()].chars().next().unwrap_or('=');
            let length = needed.max(line.len());
            let mut row = mark.to_string().repeat(length);
            if line.start < place.start
                && let Some(target) = target.take()
            {
                row.insert_str(0, &target);
            }
            if row.len() > line.len() {
                edits.replace(line.clone(), row);
            }
        }
        written.insert_str(0, &target.unwrap_or_default());
        edits.replace(place, written);
    }

    fn end(file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        for table in &file.facts.tables {
            if let Some(written) = table.written(&file.source, translation) {
                edits.replace(table.range.clone(), written);
            }
        }
    }
}
