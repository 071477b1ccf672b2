//! Text with elements in it, as most XML has it: paragraphs whose inline elements are codes.

use std::collections::HashMap;
use std::ops::Range;

use super::Encoding;
use super::edits::Edits;
use super::xml::{Id, Kind, Xml, escaped};
use crate::builder::{Builder, Context};
use crate::view::{Draft, Part};

/// The role of an element in the text around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// Begins and ends paragraphs.
    Block,
    /// Text in it continues.
    Inline,
    /// Begins what the code ends that names the same.
    Begin(String),
    End(String),
    /// Text in it continues, and a reader sees nothing of it: its tags go where the text around it is translated.
    Transparent,
    /// Words that are not translated; what a reader sees of them.
    Opaque(String),
    /// Nothing a reader sees, at this place in the text.
    Point,
    LineBreak,
    /// Not for translators: it moves to the end of the sentence.
    Hidden,
    /// Not for translators: marks where text begins, or else where it ends.
    Placed {
        begins: bool,
    },
    /// Shows a space.
    Space,
    /// A place in the text where something hangs that has paragraphs of its own.
    Anchor,
    /// A block that is left alone.
    Skipped,
}

/// A paragraph in its file.
#[derive(Debug)]
pub(super) struct MixedPlace {
    pub unit: usize,
    pub bytes: Range<usize>,
    codes: Vec<Code>,
}

#[derive(Debug)]
enum Code {
    /// As it is written in the file.
    Source(Range<usize>),
    /// The end of a line in the text.
    Line,
}

/// A paragraph that was collected but is no unit yet.
#[derive(Debug, Default)]
pub(super) struct MixedDraft {
    pub draft: Draft,
    codes: Vec<Code>,
    bytes: Option<Range<usize>>,
    /// Whether the ends of lines are part of the text.
    keeps_lines: bool,
    /// Elements that hang in it and have paragraphs of their own.
    pub anchors: Vec<Id>,
    /// Its elements with the numbers of their codes, that of the end tag last.
    pub elements: Vec<(Id, usize, Option<usize>)>,
    /// Codes that have begun, by their names.
    begun: HashMap<String, usize>,
}

impl MixedDraft {
    pub(super) fn keeping_lines() -> Self {
        Self {
            keeps_lines: true,
            ..Self::default()
        }
    }

    /// Makes a unit of it, if there is anything to translate.
    pub(super) fn unit(self, builder: &mut Builder, context: Context) -> Option<MixedPlace> {
        let unit = builder.unit_of_text(self.draft, context)?;
        Some(MixedPlace {
            unit,
            bytes: self.bytes?,
            codes: self.codes,
        })
    }

    fn covers(&mut self, range: &Range<usize>) {
        let bytes = self.bytes.get_or_insert_with(|| range.clone());
        *bytes = bytes.start.min(range.start)..bytes.end.max(range.end);
    }

    fn code(&mut self, range: Range<usize>) {
        self.codes.push(Code::Source(range));
    }

    fn text(&mut self, text: &str) {
        if !self.keeps_lines {
            return self.draft.text(text);
        }
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.draft.line_break();
                self.codes.push(Code::Line);
            }
            self.draft.text(line);
        }
    }

    /// Adds the children of an element, all of which are inline.
    pub(super) fn children(&mut self, xml: &Xml, parent: Id, role: &dyn Fn(Id) -> Role) {
        for child in xml.children(parent) {
            self.node(xml, child, role);
        }
    }

    /// Adds a node of inline content.
    pub(super) fn node(&mut self, xml: &Xml, id: Id, role: &dyn Fn(Id) -> Role) {
        let range = xml.range(id);
        self.covers(&range);
        match xml.kind(id) {
            Kind::Element => self.element(xml, id, role),
            Kind::Other => {
                if xml.slice(range.clone()).starts_with("<?") {
                    self.draft.point("pi");
                } else {
                    self.draft.hidden("comment");
                }
                self.code(range);
            }
            Kind::Text | Kind::CData | Kind::Reference => {
                if let Some(text) = xml.text_of(id) {
                    self.text(&text);
                } else {
                    // What the document type declares.
                    self.draft.opaque("entity", xml.slice(range.clone()));
                    self.code(range);
                }
            }
        }
    }

    fn element(&mut self, xml: &Xml, id: Id, role: &dyn Fn(Id) -> Role) {
        let (range, name) = (xml.range(id), xml.name(id));
        let code = match role(id) {
            Role::Inline if !xml.is_empty_tag(id) => {
                let open = self.draft.open(name);
                self.code(xml.start_tag(id));
                self.children(xml, id, role);
                let close = self.draft.close(open, name);
                self.code(xml.end_tag(id));
                self.elements.push((id, open, Some(close)));
                return;
            }
            Role::Begin(key) => {
                let open = self.draft.open(name);
                self.begun.insert(key, open);
                open
            }
            Role::End(key) => match self.begun.remove(&key) {
                Some(open) => self.draft.close(open, name),
                None => self.draft.point(name),
            },
            Role::Transparent => return self.children(xml, id, role),
            Role::Space => self.draft.space(name),
            Role::Opaque(shown) => self.draft.opaque(name, &shown),
            Role::LineBreak => self.draft.line_break(),
            Role::Hidden => self.draft.hidden(name),
            Role::Placed { begins } => self.draft.placed(name, begins),
            Role::Anchor => {
                self.anchors.push(id);
                self.draft.point(name)
            }
            Role::Inline | Role::Point | Role::Block | Role::Skipped => self.draft.point(name),
        };
        self.elements.push((id, code, None));
        self.code(range);
    }
}

impl MixedPlace {
    /// The translated paragraph as in the file.
    pub(super) fn written(
        &self,
        xml: &Xml,
        encoding: Encoding,
        parts: &[Part],
        edits: &Edits,
    ) -> String {
        let mut written = String::new();
        for part in parts {
            match part {
                Part::Text(text) => written += &spelt(text, encoding),
                Part::Code(number) => match &self.codes[*number] {
                    Code::Source(range) => written += &edits.slice(&xml.text, range.clone()),
                    Code::Line => written.push('\n'),
                },
            }
        }
        written
    }
}

/// Text between tags; as a reference what the encoding does not have.
pub(super) fn spelt(text: &str, encoding: Encoding) -> String {
    let escaped = escaped(text);
    if escaped.chars().all(|character| encoding.holds(character)) {
        return escaped;
    }
    let spell = |character: char| {
        if encoding.holds(character) {
            character.to_string()
        } else {
            format!("&#{};", u32::from(character))
        }
    };
    escaped.chars().map(spell).collect()
}

/// Reads a document whose elements are blocks and inline ones: every run of inline content between two blocks is a
/// paragraph.
pub(super) struct MixedReader<'x, 'b> {
    pub xml: &'x Xml,
    pub builder: &'b mut Builder,
    pub role: &'x dyn Fn(Id) -> Role,
    /// The role of a paragraph in this element.
    pub context: &'x dyn Fn(Id) -> Context,
    pub places: Vec<MixedPlace>,
}

impl MixedReader<'_, '_> {
    /// Everything in an element that holds blocks, text, or both.
    pub(super) fn blocks(&mut self, parent: Id) {
        let mut collected = MixedDraft::default();
        for child in self.xml.children(parent) {
            match (self.xml.kind(child), self.role_of(child)) {
                (Kind::Element, Role::Block) => {
                    self.paragraph(std::mem::take(&mut collected), parent);
                    self.blocks(child);
                }
                (Kind::Element, Role::Skipped) => {
                    self.paragraph(std::mem::take(&mut collected), parent);
                }
                // Comments between blocks are in no paragraph.
                (Kind::Other, _) if collected.draft.is_empty() => {}
                _ => collected.node(self.xml, child, self.role),
            }
        }
        self.paragraph(collected, parent);
    }

    fn role_of(&self, id: Id) -> Role {
        match self.xml.kind(id) {
            Kind::Element => (self.role)(id),
            _ => Role::Inline,
        }
    }

    fn paragraph(&mut self, mut collected: MixedDraft, parent: Id) {
        let anchors = std::mem::take(&mut collected.anchors);
        if collected.draft.holds_letter() {
            let context = (self.context)(parent);
            self.places.extend(collected.unit(self.builder, context));
        }
        for anchor in anchors {
            self.blocks(anchor);
        }
    }
}
