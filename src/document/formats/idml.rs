//! InDesign documents (IDML): stories in a package.
//!
//! Translated: the paragraphs of every story in the order of the document, tables, foot- and endnotes. Left alone: notes of
//! editors unless comments are requested, deletions, anchored objects (their own stories are translated), texts of
//! variables, languages, the backing story.

mod direction;

use std::collections::HashMap;
use std::ops::Range;

use super::direction::directed;
use super::edits::Edits;
use super::mixed::spelt;
use super::package::{self, Package, Part};
use super::xml::{Id, Kind, Xml};
use super::{DocumentFormat, Kept, WriteBack};
use crate::builder::{Builder, Context, Failure};
use crate::document::{Document, ParagraphKind};
use crate::view::{self, Draft, Translation};

/// InDesign documents.
pub(super) struct Idml;

const MAIN: &str = "designmap.xml";

impl DocumentFormat for Idml {
    fn is_content(&self, bytes: &[u8]) -> bool {
        package::holds(bytes, |name| name == MAIN)
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let package = Package::open(bytes)?;
        let main = package.xml(MAIN)?.xml;
        let is_story =
            |&id: &Id| main.name(id) == "Story" && main.qualified(id).starts_with("idPkg:");
        let names = main.elements(main.root()).filter(is_story);
        let names: Vec<String> = names.filter_map(|id| main.value(id, "src")).collect();
        let mut stories = Vec::new();
        for name in names {
            let part = package.xml(&name)?;
            let mut reader = StoryReader {
                xml: &part.xml,
                builder,
                places: Vec::new(),
                current: StoryParagraph::default(),
                kind: ParagraphKind::Text,
            };
            reader.blocks(part.xml.root());
            let places = reader.places;
            stories.push(Story { name, part, places });
        }
        Ok(Box::new(IdmlFile { package, stories }))
    }
}

#[derive(Debug)]
struct Story {
    name: String,
    part: Part,
    places: Vec<StoryPlace>,
}

#[derive(Debug)]
struct IdmlFile {
    package: Package,
    stories: Vec<Story>,
}

/// A piece of a paragraph in the file.
#[derive(Debug)]
enum Piece {
    /// A content element, or its content next to a processing instruction; its text, decoded.
    Text(String),
    /// A processing instruction in a content element.
    Inside(Range<usize>),
    /// An element between content elements.
    Outside(Range<usize>),
    /// One content element ends, and another one begins.
    Split,
    /// An element around what follows, and its end.
    Begin(Range<usize>),
    End(Range<usize>),
}

/// A paragraph as it is collected: its pieces, each with the range of characters that it is in.
#[derive(Debug, Default)]
struct StoryParagraph {
    pieces: Vec<(Option<Id>, Piece)>,
    bytes: Option<Range<usize>>,
    /// Footnotes and notes of editors, which have paragraphs of their own.
    notes: Vec<Id>,
}

/// The markup behind a code.
#[derive(Debug, Clone)]
enum Code {
    /// From here on characters look like those of this range; its start tag with its properties.
    Style(usize),
    Unstyle,
    Inside(Range<usize>),
    Outside(Range<usize>),
    Split,
    /// A tag around text, within which characters look alike, and its end.
    Begin(Range<usize>),
    End(Range<usize>),
}

/// A paragraph in its story.
#[derive(Debug)]
struct StoryPlace {
    unit: usize,
    bytes: Range<usize>,
    codes: Vec<Code>,
    /// The start tags of its ranges of characters, with their properties.
    styles: Vec<Range<usize>>,
    /// The style of most of its letters; where it begins, and where it ends.
    usual: usize,
    first: usize,
    last: usize,
}

struct StoryReader<'x, 'b> {
    xml: &'x Xml,
    builder: &'b mut Builder,
    places: Vec<StoryPlace>,
    current: StoryParagraph,
    kind: ParagraphKind,
}

impl StoryReader<'_, '_> {
    /// Everything in an element that holds ranges of paragraphs.
    fn blocks(&mut self, parent: Id) {
        let xml = self.xml;
        for child in xml.elements(parent) {
            match xml.name(child) {
                "ParagraphStyleRange" => {
                    self.range(child);
                    self.boundary();
                }
                "Table" => self.table(child),
                "Properties" | "StoryPreference" | "InCopyExportOption" | "Row" | "Column" => {}
                "Note" if !self.builder.options().comments => {}
                // Text without a paragraph's style around it.
                "CharacterStyleRange" => self.characters(child),
                _ => self.blocks(child),
            }
        }
    }

    fn table(&mut self, table: Id) {
        let kind = std::mem::replace(&mut self.kind, ParagraphKind::TableCell);
        let outside = std::mem::take(&mut self.current);
        self.blocks(table);
        self.boundary();
        self.current = outside;
        self.kind = kind;
    }

    fn range(&mut self, range: Id) {
        let xml = self.xml;
        for child in xml.elements(range) {
            match xml.name(child) {
                "CharacterStyleRange" => self.characters(child),
                "Properties" => {}
                "Table" => {
                    self.boundary();
                    self.table(child);
                }
                // Elements around several ranges of characters: each is a text for itself.
                "HyperlinkTextSource" | "XMLElement" | "CrossReferenceSource" | "Change"
                    if xml.attribute(child, "ChangeType").as_deref() != Some("DeletedText") =>
                {
                    self.boundary();
                    self.range(child);
                    self.boundary();
                }
                _ => self.boundary(),
            }
        }
    }

    fn characters(&mut self, style: Id) {
        self.children(style, style);
    }

    fn children(&mut self, style: Id, parent: Id) {
        let xml = self.xml;
        for child in xml.elements(parent) {
            match xml.name(child) {
                "Content" => self.content(style, child),
                "Br" => self.boundary(),
                "Properties" => {}
                "Table" => {
                    self.boundary();
                    self.table(child);
                    self.boundary();
                }
                "ParagraphStyleRange" | "CharacterStyleRange" => {
                    self.boundary();
                    self.blocks(parent);
                    self.boundary();
                    return;
                }
                "HyperlinkTextSource" | "XMLElement" | "CrossReferenceSource"
                    if is_simple(xml, child) =>
                {
                    self.put(style, xml.range(child), Piece::Begin(xml.start_tag(child)));
                    self.children(style, child);
                    self.put(style, xml.range(child), Piece::End(xml.end_tag(child)));
                }
                "Note" if !self.builder.options().comments => {
                    self.put(style, xml.range(child), Piece::Outside(xml.range(child)));
                }
                "Footnote" | "Endnote" | "Note" => {
                    self.current.notes.push(child);
                    self.put(style, xml.range(child), Piece::Outside(xml.range(child)));
                }
                _ => self.put(style, xml.range(child), Piece::Outside(xml.range(child))),
            }
        }
    }

    fn put(&mut self, style: Id, range: Range<usize>, piece: Piece) {
        let bytes = self.current.bytes.get_or_insert_with(|| range.clone());
        *bytes = bytes.start.min(range.start)..bytes.end.max(range.end);
        self.current.pieces.push((Some(style), piece));
    }

    fn content(&mut self, style: Id, content: Id) {
        let xml = self.xml;
        let range = xml.range(content);
        if xml.is_empty_tag(content) || xml.inner(content).is_empty() {
            return self.put(style, range.clone(), Piece::Outside(range));
        }
        let follows_text = matches!(self.current.pieces.last(), Some((Some(last), Piece::Text(_) | Piece::Inside(_))) if *last == style);
        if follows_text {
            self.put(style, range.clone(), Piece::Split);
        }
        for child in xml.children(content) {
            let piece = match (xml.kind(child), xml.text_of(child)) {
                (Kind::Text | Kind::CData | Kind::Reference, Some(text)) => {
                    Piece::Text(text.into_owned())
                }
                _ => Piece::Inside(xml.range(child)),
            };
            self.put(style, range.clone(), piece);
        }
    }

    fn boundary(&mut self) {
        let paragraph = std::mem::take(&mut self.current);
        let notes = paragraph.notes.clone();
        let context = Context::new(self.kind, None);
        self.places
            .extend(paragraph.place(self.xml, self.builder, context));
        for note in notes {
            let kind = std::mem::replace(&mut self.kind, ParagraphKind::Text);
            self.blocks(note);
            self.boundary();
            self.kind = kind;
        }
    }
}

/// Whether an element within a range of characters holds nothing but text.
fn is_simple(xml: &Xml, id: Id) -> bool {
    !xml.is_empty_tag(id) && xml.elements(id).all(|child| xml.name(child) == "Content")
}

impl StoryParagraph {
    /// Makes a unit of it, if there is anything to translate.
    fn place(self, xml: &Xml, builder: &mut Builder, context: Context) -> Option<StoryPlace> {
        let mut ids: Vec<Id> = Vec::new();
        let mut letters: Vec<usize> = Vec::new();
        let mut styles_of = Vec::with_capacity(self.pieces.len());
        for (style, piece) in &self.pieces {
            let style = (*style)?;
            let known = ids.iter().position(|id| *id == style);
            let number = known.unwrap_or_else(|| {
                ids.push(style);
                letters.push(0);
                ids.len() - 1
            });
            if let Piece::Text(text) = piece {
                letters[number] += text.chars().filter(|c| c.is_alphabetic()).count();
            }
            styles_of.push(number);
        }
        let most = *letters.iter().max()?;
        if most == 0 {
            return None;
        }
        let usual = letters.iter().position(|count| *count == most)?;
        let (first, last) = (*styles_of.first()?, *styles_of.last()?);
        let mut drafted = Drafted::default();
        let mut wrappers = Vec::new();
        let mut open: Option<(usize, usize)> = None;
        for ((_, piece), style) in self.pieces.into_iter().zip(styles_of) {
            let is_open = open.map(|(style, _)| style);
            if wrappers.is_empty() && is_open != Some(style).filter(|style| *style != usual) {
                if let Some((_, code)) = open.take() {
                    drafted.close(code, "style", Code::Unstyle);
                }
                if style != usual {
                    open = Some((style, drafted.open("style", Code::Style(style))));
                }
            }
            match piece {
                Piece::Text(text) => drafted.text(&text),
                Piece::Inside(range) => drafted.point("mark", Code::Inside(range)),
                Piece::Outside(range) => drafted.point("object", Code::Outside(range)),
                Piece::Split => drafted.hidden("split", Code::Split),
                Piece::Begin(range) => wrappers.push(drafted.open("link", Code::Begin(range))),
                Piece::End(range) => {
                    if let Some(code) = wrappers.pop() {
                        drafted.close(code, "link", Code::End(range));
                    }
                }
            }
        }
        if let Some((_, code)) = open {
            drafted.close(code, "style", Code::Unstyle);
        }
        let unit = builder.unit(drafted.draft, context);
        Some(StoryPlace {
            unit,
            bytes: self.bytes?,
            codes: drafted.codes,
            styles: ids.iter().map(|&id| style_tag(xml, id)).collect(),
            usual,
            first,
            last,
        })
    }
}

/// The start tag of a range of characters with its properties, which come before its text.
fn style_tag(xml: &Xml, id: Id) -> Range<usize> {
    let tag = xml.start_tag(id);
    match xml.child(id, "Properties") {
        Some(properties) => tag.start..xml.range(properties).end,
        None => tag,
    }
}

#[derive(Default)]
struct Drafted {
    draft: Draft,
    codes: Vec<Code>,
}

impl Drafted {
    fn text(&mut self, text: &str) {
        // A line that was broken by hand.
        for (number, line) in text.split('\u{2028}').enumerate() {
            if number > 0 {
                self.draft.line_break();
                self.codes.push(Code::Inside(0..0));
            }
            self.draft.text(line);
        }
    }

    fn open(&mut self, name: &str, code: Code) -> usize {
        self.codes.push(code);
        self.draft.open(name)
    }

    fn close(&mut self, open: usize, name: &str, code: Code) {
        self.codes.push(code);
        self.draft.close(open, name);
    }

    fn point(&mut self, name: &str, code: Code) {
        self.codes.push(code);
        self.draft.point(name);
    }

    fn hidden(&mut self, name: &str, code: Code) {
        self.codes.push(code);
        self.draft.hidden(name);
    }
}

impl WriteBack for IdmlFile {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut changed = HashMap::new();
        for Story { name, part, places } in &self.stories {
            let Part { xml, encoding } = part;
            let mut edits = Edits::default();
            // A footnote ends before its paragraph.
            let mut places: Vec<&StoryPlace> = places.iter().collect();
            places.sort_by_key(|place| place.bytes.end);
            for place in places {
                if let Some(parts) = translation.parts(place.unit) {
                    let mut writer = Writer::new(place, part, &edits);
                    writer.parts(&parts);
                    edits.replace(place.bytes.clone(), writer.finished());
                }
            }
            let text = edits.applied(&xml.text);
            let text = directed(name, text, translation, &direction::Paragraphs)?;
            if text != xml.text {
                changed.insert(name.clone(), encoding.encode_xml(text)?);
            }
        }
        self.package.written(&changed)
    }
}

/// Writes a paragraph: content elements in ranges of characters.
struct Writer<'p> {
    place: &'p StoryPlace,
    part: &'p Part,
    edits: &'p Edits,
    written: String,
    /// The range of characters that is open in the file, and those that are open in the translation.
    style: usize,
    styles: Vec<usize>,
    is_in_content: bool,
    /// Tags that are open around text.
    depth: usize,
}

impl<'p> Writer<'p> {
    fn new(place: &'p StoryPlace, part: &'p Part, edits: &'p Edits) -> Self {
        Self {
            place,
            part,
            edits,
            written: String::new(),
            style: place.first,
            styles: Vec::new(),
            is_in_content: false,
            depth: 0,
        }
    }

    fn parts(&mut self, parts: &[view::Part]) {
        for (index, part) in parts.iter().enumerate() {
            let is_end = || parts[index + 1..].iter().all(|part| !self.turns(part));
            match part {
                // A bracket at an end needs no range of its own.
                view::Part::Text(text)
                    if self.styles.is_empty()
                        && !text.contains(char::is_alphabetic)
                        && (self.written.is_empty() || is_end()) =>
                {
                    self.text(text);
                }
                part => self.part(part),
            }
        }
    }

    /// Whether a part may begin another range of characters.
    fn turns(&self, part: &view::Part) -> bool {
        match part {
            view::Part::Text(_) => true,
            view::Part::Code(number) => {
                !matches!(self.place.codes[*number], Code::Unstyle | Code::Split)
            }
        }
    }

    /// Text in the range that is open.
    fn text(&mut self, text: &str) {
        if !std::mem::replace(&mut self.is_in_content, true) {
            self.written += "<Content>";
        }
        self.written += &spelt(text, self.part.encoding);
    }

    fn part(&mut self, part: &view::Part) {
        let code = match part {
            view::Part::Text(text) => {
                self.turn();
                self.text(text);
                return;
            }
            view::Part::Code(number) => self.place.codes[*number].clone(),
        };
        match code {
            Code::Style(style) => self.styles.push(style),
            Code::Unstyle => {
                // A range that has lost its words stays.
                if self.styles.last().is_some_and(|style| *style != self.style) {
                    self.turn();
                }
                self.styles.pop();
            }
            Code::Inside(range) => {
                self.begin_content();
                if range.is_empty() {
                    self.written.push('\u{2028}');
                }
                self.written += &self.edits.slice(&self.part.xml.text, range);
            }
            Code::Begin(range) => {
                self.turn();
                self.end_content();
                self.depth += 1;
                self.written += self.part.xml.slice(range);
            }
            Code::End(range) => {
                self.end_content();
                self.depth -= 1;
                self.written += self.part.xml.slice(range);
            }
            Code::Outside(range) => {
                self.turn();
                self.end_content();
                self.written += &self.edits.slice(&self.part.xml.text, range);
            }
            Code::Split => {
                self.begin_content();
                self.written += "</Content><Content>";
            }
        }
    }

    /// Goes on in the range of characters that the translation wants.
    fn turn(&mut self) {
        let wanted = self.styles.last().copied().unwrap_or(self.place.usual);
        self.turn_to(wanted);
    }

    fn turn_to(&mut self, style: usize) {
        if style == self.style || self.depth > 0 {
            return;
        }
        self.end_content();
        let tag = self.part.xml.slice(self.place.styles[style].clone());
        self.written += "</CharacterStyleRange>";
        self.written += tag;
        self.style = style;
    }

    fn begin_content(&mut self) {
        self.turn();
        if !std::mem::replace(&mut self.is_in_content, true) {
            self.written += "<Content>";
        }
    }

    fn end_content(&mut self) {
        if std::mem::take(&mut self.is_in_content) {
            self.written += "</Content>";
        }
    }

    fn finished(mut self) -> String {
        self.end_content();
        self.turn_to(self.place.last);
        self.written
    }
}
