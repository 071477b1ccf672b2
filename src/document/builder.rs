//! Puts paragraphs in their sections and sentences in their paragraphs, in reading order.

use std::ops::Range;
use std::sync::Arc;

use super::document::Part;
use super::{
    document::{
        Document, Exchange, Format, Markup, Paragraph, ParagraphKind, Section, Sentence, Syntax,
    },
    formats::{Column, Encoding, Kept, ReadingOptions},
    inline::{Piece, Run},
    placeholder,
    segmentation::{ParagraphSource, Segmenter},
    tags,
    view::Draft,
};
use crate::error::{Error, Result};

/// How deep elements, quotes and lists may be nested.
pub const MAX_DEPTH: usize = 512;

/// Why a file cannot be read or written.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Elements, quotes or lists, from this line on.
    TooDeep {
        line: usize,
    },
    /// As [`Self::TooDeep`], in a part of a file.
    PartTooDeep {
        part: String,
    },
    /// A byte of zero: no text has it.
    Binary {
        offset: usize,
    },
    NotUtf8 {
        offset: usize,
        bytes: Vec<u8>,
    },
    /// It is not, or not only, in the encoding that it declares.
    Encoding {
        name: &'static str,
    },
    /// A line longer than [`MAX_LINE_BYTES`](super::MAX_LINE_BYTES).
    LongLine {
        line: usize,
    },
    /// The file, or this part of it, is not as its format wants it.
    Damaged {
        part: String,
        reason: String,
    },
    Encrypted,
    /// A part that is larger than `limit` bytes once it is unpacked.
    TooLarge {
        part: String,
        limit: u64,
    },
    /// The file's encoding does not have a character of the translation.
    Unencodable {
        character: char,
        name: &'static str,
    },
    /// A table without such a column.
    NoColumn {
        name: String,
        known: String,
    },
    /// No file of this format can hold a character of the translation.
    Unwritable {
        character: char,
    },
}

/// Facts about a run of inline content.
#[derive(Debug, Default, Clone)]
pub(super) struct Context {
    pub kind: ParagraphKind,
    /// Level of a heading, which begins a section.
    pub level: Option<u8>,
    pub id: Option<String>,
    /// The file's note about it to translators.
    pub note: Option<String>,
    /// How many characters its translation may have.
    pub max_chars: Option<usize>,
    /// The role of the paragraph in its file, if it is no running text.
    pub part: Option<Part>,
    /// Whether it is one sentence, whatever is in it.
    pub is_sentence: bool,
}

impl Context {
    /// A paragraph of this kind; of a heading with its level.
    pub(crate) fn new(kind: ParagraphKind, level: Option<u8>) -> Self {
        Self {
            kind,
            level,
            ..Self::default()
        }
    }

    /// A run of text with the name that its file gives it, and the file's note.
    pub(crate) fn named(id: Option<String>, note: Option<String>) -> Self {
        Self {
            id,
            note,
            ..Self::default()
        }
    }

    /// Appends a line to the note.
    pub(crate) fn with_note(&self, more: &str) -> Self {
        let note = match &self.note {
            Some(note) => format!("{note}\n{more}"),
            None => more.to_owned(),
        };
        Self {
            note: Some(note),
            ..self.clone()
        }
    }
}

/// A document under construction.
pub(super) struct Builder {
    document: Document,
    language: Option<String>,
    segmenter: Segmenter,
    /// Why sentences could not be found.
    failure: Option<Error>,
    /// Whether units are strings of programs.
    holds_strings: bool,
}

impl Builder {
    pub(crate) fn new(name: &str, format: Format) -> Self {
        Self {
            document: Document::empty(name, format),
            language: None,
            segmenter: Segmenter::default(),
            failure: None,
            holds_strings: false,
        }
    }

    pub(crate) fn set_options(&mut self, options: &ReadingOptions, segmenter: Segmenter) {
        self.document.reading = options.clone();
        self.segmenter = segmenter;
    }

    pub(crate) fn options(&self) -> &ReadingOptions {
        &self.document.reading
    }

    /// The columns of a table that are chosen; none if the table says itself what is text.
    pub(crate) fn columns(&self) -> &[Column] {
        &self.document.reading.columns
    }

    /// Says which document a file for the exchange of translations was made of, and when.
    pub(crate) fn set_exchange(&mut self, exchange: Exchange) {
        self.document.exchange = Some(exchange);
    }

    /// The language that the file says its translations are in.
    pub(crate) fn set_target_language(&mut self, language: Option<&str>) {
        let said = language.map(str::trim).filter(|code| !code.is_empty());
        self.document.target_language = said.map(str::to_owned);
    }

    /// Says that units may have the placeholders and tags of programs in their text.
    pub(crate) fn set_strings(&mut self) {
        self.holds_strings = true;
    }

    /// The encoding of a file that has no other way to write what this one lacks.
    pub(crate) fn set_encoding(&mut self, encoding: Encoding) {
        self.document.encoding = encoding;
    }

    /// Adds a translation of another text that the file brings along; of several for one text the first one counts.
    pub(crate) fn add_match(&mut self, source: &str, target: &str) {
        let (source, target) = (placeholder::folded(source), placeholder::folded(target));
        if !source.is_empty() && !target.is_empty() {
            self.document.matches.entry(source).or_insert(target);
        }
    }

    /// The language the document says it is written in.
    pub(crate) fn set_language(&mut self, language: Option<&str>) {
        self.language = language.filter(|code| code.len() >= 2).map(str::to_owned);
        self.document.source_language.clone_from(&self.language);
    }

    pub(crate) fn paragraph_count(&self) -> usize {
        self.document.paragraphs.len()
    }

    /// The text that the paragraphs' ranges are meant in, once all of them are read.
    pub(crate) fn set_text(&mut self, text: String, syntax: Syntax) {
        (self.document.original, self.document.syntax) = (text, syntax);
    }

    /// Adds a unit to the view, and a paragraph if there is anything to translate in it; the unit's number.
    pub(crate) fn unit(&mut self, draft: Draft, context: Context) -> usize {
        let holds_text = draft.holds_letter();
        let (mut unit, mut run) = draft.finish(&mut self.document.original);
        run.is_string = self.holds_strings;
        let first = self.document.sentences.len();
        if holds_text {
            self.paragraph(&run, context);
        }
        unit.sentences = first..self.document.sentences.len();
        self.document.units.push(unit);
        self.document.units.len() - 1
    }

    /// As [`Self::unit`], if there is text to translate.
    pub(crate) fn unit_of_text(&mut self, draft: Draft, context: Context) -> Option<usize> {
        draft.holds_letter().then(|| self.unit(draft, context))
    }

    /// The sentences of a unit.
    pub(crate) fn sentences_of(&mut self, unit: usize) -> &mut [Sentence] {
        let sentences = self.document.units[unit].sentences.clone();
        &mut self.document.sentences[sentences]
    }

    /// The placeholder of a unit's code in its sentence; none if it stands for several codes, or outside of the sentence.
    pub(crate) fn placeholder(&self, unit: usize, code: usize) -> Option<char> {
        let unit = &self.document.units[unit];
        let code = unit.view_of(code);
        let sentence = self.document.sentences[unit.sentences.clone()]
            .iter()
            .find(|sentence| {
                sentence.range.start <= code.start && code.end <= sentence.range.end
            })?;
        let is_it = |(number, markup): (usize, &Markup)| match markup {
            Markup::Pair { open, .. } if *open == code => Some(placeholder::open(number)),
            Markup::Pair { close, .. } if *close == code => Some(placeholder::CLOSE),
            Markup::Point { range } if *range == code => Some(placeholder::point(number)),
            _ => None,
        };
        sentence.markup.iter().enumerate().find_map(is_it)
    }

    /// A translation that the file has of a unit, with the placeholders of what stays of the text itself.
    pub(crate) fn with_points(&self, unit: usize, mut text: String) -> String {
        let sentences = self.document.units[unit].sentences.clone();
        let [sentence] = &self.document.sentences[sentences] else {
            return text;
        };
        let mut replace = |range: &Range<usize>, from: usize, placeholder: char| {
            let literal = &self.document.original[range.clone()];
            let found = text.get(from..)?.find(literal)? + from;
            text.replace_range(
                found..found + literal.len(),
                placeholder.encode_utf8(&mut [0; 4]),
            );
            Some(found)
        };
        for (number, markup) in sentence.markup.iter().enumerate() {
            match markup {
                Markup::Point { range } => {
                    replace(range, 0, placeholder::point(number));
                }
                Markup::Pair { open, close } => {
                    if let Some(at) = replace(open, 0, placeholder::open(number)) {
                        replace(close, at, placeholder::CLOSE);
                    }
                }
            }
        }
        text
    }

    /// Adds a paragraph, if there is anything to translate in it.
    pub(crate) fn paragraph(&mut self, run: &Run, context: Context) {
        let pieces = if context.is_sentence {
            run.one_sentence()
        } else {
            self.pieces(run, context.kind == ParagraphKind::Heading)
        };
        if pieces.is_empty() {
            return;
        }
        let index = self.document.paragraphs.len();
        if let Some(level) = context.level {
            self.begin_section(level, index);
        }
        let first = self.document.sentences.len();
        self.document
            .sentences
            .extend(pieces.into_iter().map(|piece| Sentence {
                paragraph: index,
                range: piece.range,
                text: piece.text,
                markup: piece.markup,
                points: Vec::new(),
                known: None,
            }));
        self.document.paragraphs.push(Paragraph {
            section: self.document.sections.len() - 1,
            kind: context.kind,
            id: context.id,
            note: context.note,
            max_chars: context.max_chars,
            part: context.part,
            range: run.range(),
            sentences: first..self.document.sentences.len(),
        });
    }

    fn pieces(&mut self, run: &Run, is_title: bool) -> Vec<Piece> {
        let Document {
            name,
            sentences,
            reading,
            ..
        } = &mut self.document;
        let source = ParagraphSource {
            document: name,
            language: self.language.as_deref(),
            is_title,
        };
        let pieces = self
            .segmenter
            .pieces(run, &source, sentences.len(), reading);
        pieces.unwrap_or_else(|failure| {
            self.failure.get_or_insert(failure);
            Vec::new()
        })
    }

    fn begin_section(&mut self, level: u8, heading: usize) {
        let sections = &mut self.document.sections;
        let mut parent = sections.len() - 1;
        while let Some(above) = sections[parent]
            .parent
            .filter(|_| sections[parent].level >= level)
        {
            parent = above;
        }
        sections.push(Section {
            parent: Some(parent),
            level,
            heading: Some(heading),
        });
    }

    /// Names the paragraph number `first`, if it has no name and is the last one.
    pub(crate) fn name_only_paragraph(&mut self, first: usize, id: String) {
        if let [paragraph] = &mut self.document.paragraphs[first..] {
            paragraph.id.get_or_insert(id);
        }
    }

    /// The document.
    ///
    /// # Errors
    /// If its sentences could not be found, or not be changed as requested.
    pub(crate) fn finish(mut self, kept: Kept) -> Result<Document> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if !self.segmenter.is_done() {
            return Err(Error::OneSegment);
        }
        let Document {
            original, syntax, ..
        } = &self.document;
        let points = |sentence: &Sentence| tags::points(&sentence.markup, original, *syntax);
        let points: Vec<_> = self.document.sentences.iter().map(points).collect();
        for (sentence, points) in self.document.sentences.iter_mut().zip(points) {
            sentence.points = points;
        }
        self.document.kept = Some(Arc::new(kept));
        Ok(self.document)
    }
}
