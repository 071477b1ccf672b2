//! A paragraph in its file, and how its translation is written there.

use std::ops::Range;

use super::events::{Code, Dialect};
use crate::formats::edits::Edits;
use crate::formats::xml::{Id, Xml, escaped};
use crate::view::Part;

/// A paragraph in its file.
#[derive(Debug)]
pub(in crate::formats) struct RunPlace {
    pub unit: usize,
    /// The bytes that the unit's runs take.
    pub(super) bytes: Range<usize>,
    /// The properties of most of its text.
    pub(super) base: Option<Id>,
    pub(super) codes: Vec<Code>,
    /// The prefix of names, with its colon.
    pub(super) prefix: String,
    /// Whether text is without a run around it where nothing about it is special.
    pub(super) is_bare: bool,
    /// Whether elements stand for the characters for which the format has some.
    pub(super) has_elements: bool,
}

impl RunPlace {
    /// Where its content ends in the part.
    pub(crate) fn end(&self) -> usize {
        self.bytes.end
    }

    /// Writes a translated paragraph; changes within its codes are kept.
    pub(crate) fn write(
        &self,
        dialect: &dyn Dialect,
        xml: &Xml,
        parts: &[Part],
        edits: &mut Edits,
    ) {
        let mut writer = Writer {
            place: self,
            xml,
            edits,
            dialect,
            open: None,
            looks: vec![self.base],
            pending: String::new(),
            written: String::with_capacity(self.bytes.len()),
        };
        for part in parts {
            match part {
                Part::Text(text) => writer.translated(text),
                Part::Code(number) => writer.code(&self.codes[*number]),
            }
        }
        writer.end_run();
        writer.flush();
        let mut written = writer.written;
        written.shrink_to_fit();
        edits.replace(self.bytes.clone(), written);
    }
}

/// A run that is written.
struct OpenRun {
    properties: Option<Id>,
    /// Namespaces that its start tag declares.
    declarations: String,
}

/// Writes runs.
pub(super) struct Writer<'p> {
    place: &'p RunPlace,
    xml: &'p Xml,
    edits: &'p Edits,
    dialect: &'p dyn Dialect,
    /// The run that is open.
    open: Option<OpenRun>,
    /// The properties of text, the innermost last.
    looks: Vec<Option<Id>>,
    /// Text that is not written yet.
    pending: String,
    written: String,
}

impl Writer<'_> {
    /// Text that must not be read as an escape: the line it begins with is one itself then.
    fn translated(&mut self, text: &str) {
        let mut rest = text;
        while let Some(escape) = self.dialect.escape(rest) {
            self.text(&rest[..escape.start]);
            self.text("_x005F");
            self.text(&rest[escape.clone()]);
            rest = &rest[escape.end..];
        }
        self.text(rest);
    }

    /// Text continues where it was, as long as it looks the same.
    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let look = self.looks.last().copied().flatten();
        if self.place.is_bare && look.is_none() {
            self.end_run();
        } else {
            self.begin_run(look.and_then(|look| self.xml.parent(look)), look);
        }
        self.pending += text;
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.pending);
        if text.is_empty() {
            return;
        }
        let mut rest = text.as_str();
        while let Some((place, character, element)) = self.next_element(rest) {
            self.text_element(&rest[..place]);
            let prefix = &self.place.prefix;
            self.written.extend(["<", prefix, element, "/>"]);
            rest = &rest[place + character.len_utf8()..];
        }
        self.text_element(rest);
    }

    /// The first character that an element stands for.
    fn next_element(&self, text: &str) -> Option<(usize, char, &'static str)> {
        if !self.place.has_elements {
            return None;
        }
        text.char_indices().find_map(|(place, character)| {
            let element = self.dialect.element_of(character)?;
            Some((place, character, element))
        })
    }

    fn text_element(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let prefix = &self.place.prefix;
        let is_space = |c: char| c.is_ascii_whitespace();
        let keeps = self.dialect.trims_space()
            && (text.starts_with(is_space)
                || text.ends_with(is_space)
                || text.contains("  ")
                || text.contains('\n'));
        let space = if keeps { " xml:space=\"preserve\"" } else { "" };
        let text = escaped(text);
        let name = self.dialect.text_element();
        self.written.extend([
            "<", prefix, name, space, ">", &text, "</", prefix, name, ">",
        ]);
    }

    fn code(&mut self, code: &Code) {
        match code {
            Code::Look(properties) => self.looks.push(*properties),
            Code::LookEnd => {
                if self.looks.len() > 1 {
                    self.looks.pop();
                }
            }
            Code::Character(character) => self.text(character.encode_utf8(&mut [0; 4])),
            Code::Escape(escape) => self.text(escape),
            Code::Pieces(pieces) => {
                for piece in pieces {
                    match piece.run {
                        Some(run) => self.begin_run(Some(run), piece.properties),
                        None => self.end_run(),
                    }
                    self.flush();
                    self.written += &self.edits.slice(&self.xml.text, piece.bytes.clone());
                }
            }
        }
    }

    /// Goes on in a run of these properties; `source` is the run from which they or what follows comes.
    fn begin_run(&mut self, source: Option<Id>, properties: Option<Id>) {
        let slice = |id: Option<Id>| id.map_or("", |id| self.xml.slice(self.xml.range(id)));
        let declarations = source.map_or(String::new(), |source| declarations(self.xml, source));
        let goes_on = |open: &OpenRun| {
            let is_declared = declarations.is_empty() || declarations == open.declarations;
            is_declared && slice(open.properties) == slice(properties)
        };
        if self.open.as_ref().is_some_and(goes_on) {
            return;
        }
        self.end_run();
        self.flush();
        let prefix = &self.place.prefix;
        self.written.extend(["<", prefix, "r", &declarations, ">"]);
        if let Some(properties) = properties {
            let range = self.xml.range(properties);
            self.written += &self.edits.slice(&self.xml.text, range);
        }
        self.open = Some(OpenRun {
            properties,
            declarations,
        });
    }

    fn end_run(&mut self) {
        if self.open.is_none() && self.place.is_bare {
            // It continues.
            return;
        }
        self.flush();
        if self.open.take().is_some() {
            let prefix = &self.place.prefix;
            self.written.extend(["</", prefix, "r>"]);
        }
    }
}

/// The namespaces that a run declares, as attributes: what is in it may need them.
fn declarations(xml: &Xml, run: Id) -> String {
    if !xml.slice(xml.start_tag(run)).contains("xmlns") {
        return String::new();
    }
    let declared = xml.attributes(run).into_iter();
    let declared = declared.filter(|(name, _)| name.starts_with("xmlns"));
    // The value with its quotation marks.
    let written = declared
        .map(|(name, value)| format!(" {name}={}", xml.slice(value.start - 1..value.end + 1)));
    written.collect()
}
