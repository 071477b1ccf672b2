//! Puts paragraphs in their sections and sentences in their paragraphs, in reading order.

use super::{
    document::{Document, Format, Paragraph, ParagraphKind, Section, Sentence},
    inline::Run,
    tags,
};

/// How deep elements, quotes and lists may be nested.
pub const MAX_DEPTH: usize = 512;

/// Why a text cannot be read; where, in bytes.
#[derive(Debug)]
pub(super) enum Failure {
    TooDeep { offset: usize },
}

/// What a reader knows about a run of inline content.
#[derive(Debug)]
pub(super) struct Context {
    pub kind: ParagraphKind,
    /// Of a heading: it begins a section.
    pub level: Option<u8>,
    pub id: Option<String>,
}

/// A document under construction; it gets its text at the end.
pub(super) struct Builder {
    document: Document,
    language: Option<String>,
}

impl Builder {
    pub fn new(name: &str, format: Format) -> Self {
        let document = Document {
            name: name.to_owned(),
            format,
            original: String::new(),
            sections: vec![Section {
                parent: None,
                level: 0,
                heading: None,
            }],
            paragraphs: Vec::new(),
            sentences: Vec::new(),
        };
        Self {
            document,
            language: None,
        }
    }

    /// The language the document says it is written in.
    pub fn set_language(&mut self, language: Option<&str>) {
        self.language = language.filter(|code| code.len() >= 2).map(str::to_owned);
    }

    pub fn paragraph_count(&self) -> usize {
        self.document.paragraphs.len()
    }

    /// Adds a paragraph, if there is anything to translate in it.
    pub fn paragraph(&mut self, run: &Run, context: Context) {
        let pieces = run.sentences(self.language.as_deref());
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
            }));
        self.document.paragraphs.push(Paragraph {
            section: self.document.sections.len() - 1,
            kind: context.kind,
            id: context.id,
            range: run.range(),
            sentences: first..self.document.sentences.len(),
        });
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
    pub fn name_only_paragraph(&mut self, first: usize, id: String) {
        if let [paragraph] = &mut self.document.paragraphs[first..] {
            paragraph.id.get_or_insert(id);
        }
    }

    pub fn finish(mut self, original: String) -> Document {
        for sentence in &mut self.document.sentences {
            sentence.points = tags::points(&sentence.markup, &original, self.document.format);
        }
        self.document.original = original;
        self.document
    }
}
