//! XML as a tree of elements with the bytes they come from.
//!
//! Nothing is expanded: what a document type declares is left alone, and a reference to it stays one. So no file grows by
//! being read; one that would grow beyond all measure elsewhere is refused.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::entities;
use crate::text::builder::{Failure, MAX_DEPTH};

/// A well-formed text and its nodes in the order in which they begin.
#[derive(Debug)]
pub(super) struct Xml {
    /// The name of the part, for messages.
    pub part: String,
    pub text: String,
    nodes: Vec<Node>,
    /// Of namespaces; a name's is told by its place here.
    namespaces: Vec<String>,
}

/// The number of a node.
pub(super) type Id = usize;

#[derive(Debug)]
struct Node {
    kind: Kind,
    parent: u32,
    next: u32,
    first_child: u32,
    /// All of it, from the first to the last byte.
    start: u32,
    end: u32,
    /// Of an element, the end of its start tag and the beginning of its end tag.
    inner_start: u32,
    inner_end: u32,
    namespace: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Element,
    Text,
    CData,
    /// A reference such as `&amp;` or `&#10;`.
    Reference,
    /// A comment, a processing instruction, a declaration.
    Other,
}

const NONE: u32 = u32::MAX;

impl Xml {
    /// Reads a part.
    ///
    /// # Errors
    /// If it is not well formed, or nested too deep.
    pub fn read(part: &str, text: String) -> Result<Self, Failure> {
        if u32::try_from(text.len()).is_err() {
            return Err(Failure::TooLarge {
                part: part.to_owned(),
                limit: u64::from(u32::MAX),
            });
        }
        let mut tree = Tree {
            part,
            text: &text,
            nodes: Vec::new(),
            namespaces: vec![String::new(), XML.to_owned()],
            scopes: vec![("xml".to_owned(), 1)],
            open: Vec::new(),
            has_root: false,
        };
        tree.read()?;
        let Tree {
            nodes, namespaces, ..
        } = tree;
        Ok(Self {
            part: part.to_owned(),
            text,
            nodes,
            namespaces,
        })
    }

    /// The outermost element.
    pub fn root(&self) -> Id {
        let is_root = |node: &Node| node.kind == Kind::Element;
        self.nodes.iter().position(is_root).unwrap_or_default()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn kind(&self, id: Id) -> Kind {
        self.nodes[id].kind
    }

    pub fn is_element(&self, id: Id) -> bool {
        self.kind(id) == Kind::Element
    }

    pub fn parent(&self, id: Id) -> Option<Id> {
        number(self.nodes[id].parent)
    }

    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        let next = |&id: &Id| number(self.nodes[id].next);
        std::iter::successors(number(self.nodes[id].first_child), next)
    }

    /// The elements in an element.
    pub fn elements(&self, id: Id) -> impl Iterator<Item = Id> {
        self.children(id).filter(|&child| self.is_element(child))
    }

    /// All nodes in a node, in order.
    pub fn descendants(&self, id: Id) -> impl Iterator<Item = Id> {
        let end = self.nodes[id].end;
        (id + 1..self.nodes.len()).take_while(move |&other| self.nodes[other].start < end)
    }

    pub fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(self.parent(id), |&id| self.parent(id))
    }

    /// The first child element of that name, in whatever namespace.
    pub fn child(&self, id: Id, name: &str) -> Option<Id> {
        self.elements(id).find(|&child| self.name(child) == name)
    }

    /// An element's name without its prefix; empty for what is no element.
    pub fn name(&self, id: Id) -> &str {
        let name = self.qualified(id);
        name.rsplit_once(':').map_or(name, |(_, local)| local)
    }

    /// An element's name as it is written.
    pub fn qualified(&self, id: Id) -> &str {
        if !self.is_element(id) {
            return "";
        }
        let tag =
            &self.text[self.nodes[id].start as usize + 1..self.nodes[id].inner_start as usize];
        let end = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
        tag.split(end).next().unwrap_or_default()
    }

    pub fn namespace(&self, id: Id) -> &str {
        &self.namespaces[usize::from(self.nodes[id].namespace)]
    }

    /// The bytes of a node.
    pub fn range(&self, id: Id) -> Range<usize> {
        self.nodes[id].start as usize..self.nodes[id].end as usize
    }

    /// The bytes between an element's tags; empty at its end if it closes itself.
    pub fn inner(&self, id: Id) -> Range<usize> {
        self.nodes[id].inner_start as usize..self.nodes[id].inner_end as usize
    }

    /// The bytes of an element's start tag.
    pub fn start_tag(&self, id: Id) -> Range<usize> {
        self.nodes[id].start as usize..self.nodes[id].inner_start as usize
    }

    /// The bytes of an element's end tag.
    pub fn end_tag(&self, id: Id) -> Range<usize> {
        self.nodes[id].inner_end as usize..self.nodes[id].end as usize
    }

    /// Whether an element closes itself: `<a/>`.
    pub fn is_empty_tag(&self, id: Id) -> bool {
        self.end_tag(id).is_empty()
    }

    pub fn slice(&self, range: Range<usize>) -> &str {
        &self.text[range]
    }

    /// The value of an attribute, whatever prefix its name has.
    pub fn attribute(&self, id: Id, name: &str) -> Option<Cow<'_, str>> {
        let range = self.attribute_range(id, name)?;
        Some(self.decoded(range))
    }

    /// The value of an attribute with its prefix.
    pub fn qualified_attribute(&self, id: Id, name: &str) -> Option<Cow<'_, str>> {
        let attributes = self.attributes(id);
        let range = attributes.into_iter().find(|(found, _)| *found == name)?.1;
        Some(self.decoded(range))
    }

    /// The bytes of an attribute's value; the one without a prefix before any other.
    pub fn attribute_range(&self, id: Id, name: &str) -> Option<Range<usize>> {
        let local = |found: &str| {
            found
                .rsplit_once(':')
                .is_some_and(|(_, local)| local == name)
        };
        let mut attributes = self.attributes(id);
        let exact = attributes.iter().position(|(found, _)| *found == name);
        let place = exact.or_else(|| attributes.iter().position(|(found, _)| local(found)))?;
        Some(attributes.swap_remove(place).1)
    }

    /// The names of an element's attributes, and the bytes of their values.
    pub fn attributes(&self, id: Id) -> Vec<(&str, Range<usize>)> {
        if !self.is_element(id) {
            return Vec::new();
        }
        let tag = self.start_tag(id);
        attributes(&self.text[tag.clone()], tag.start)
    }

    fn decoded(&self, range: Range<usize>) -> Cow<'_, str> {
        let raw = &self.text[range];
        if raw.contains('&') {
            Cow::Owned(unescaped(raw))
        } else {
            Cow::Borrowed(raw)
        }
    }

    /// Resolves a node of text; `None` for a reference to something that is not known here.
    pub fn text_of(&self, id: Id) -> Option<Cow<'_, str>> {
        let raw = &self.text[self.range(id)];
        match self.kind(id) {
            // A processor of XML sees the ends of Windows' lines as those of Unix.
            Kind::Text if raw.contains('\r') => {
                Some(raw.replace("\r\n", "\n").replace('\r', "\n").into())
            }
            Kind::Text => Some(raw.into()),
            Kind::CData => {
                let inner = raw.strip_prefix("<![CDATA[")?.strip_suffix("]]>")?;
                Some(inner.into())
            }
            Kind::Reference => meaning(raw).map(|character| character.to_string().into()),
            _ => None,
        }
    }

    /// All text in an element.
    pub fn whole_text(&self, id: Id) -> String {
        let texts = self.descendants(id).filter_map(|node| self.text_of(node));
        texts.collect::<Vec<_>>().concat()
    }

    pub fn damaged(&self, reason: impl Into<String>) -> Failure {
        Failure::Damaged {
            part: self.part.clone(),
            reason: reason.into(),
        }
    }
}

fn number(id: u32) -> Option<Id> {
    (id != NONE).then_some(id as usize)
}

/// The namespace of `xml:lang` and `xml:space`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The names of a start tag's attributes, and the bytes of their values; the tag begins at byte `start`.
fn attributes(tag: &str, start: usize) -> Vec<(&str, Range<usize>)> {
    let mut found = Vec::new();
    let name_end = tag
        .find(|c: char| c.is_ascii_whitespace())
        .unwrap_or(tag.len());
    let mut place = name_end;
    while let Some(equals) = tag[place..].find('=').map(|at| at + place) {
        let name = tag[place..equals].trim();
        let Some(quote) = tag[equals..].find(['"', '\'']).map(|at| at + equals) else {
            break;
        };
        let mark = tag.as_bytes()[quote] as char;
        let Some(end) = tag[quote + 1..].find(mark).map(|at| at + quote + 1) else {
            break;
        };
        found.push((name, start + quote + 1..start + end));
        place = end + 1;
    }
    found
}

/// Resolves `&name;` or `&#number;`, if it is one of those that every XML has.
fn meaning(reference: &str) -> Option<char> {
    let name = reference.strip_prefix('&')?.strip_suffix(';')?;
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).filter(|&character| is_character(character))?
        }
    })
}

/// The text with its references replaced; unknown ones stay.
pub(super) fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').map_or(1, |end| end + 1);
        match meaning(&rest[..end]) {
            Some(character) => text.push(character),
            None => text.push_str(&rest[..end]),
        }
        rest = &rest[end..];
    }
    text + rest
}

/// Whether XML may have this character at all.
pub(super) fn is_character(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Text as it stands between tags.
pub(in crate::text) fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '\r' => written.push_str("&#13;"),
            _ => written.push(character),
        }
    }
    written
}

/// Text as it stands in an attribute, in either kind of quotation marks.
pub(in crate::text) fn escaped_attribute(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            '\'' => written.push_str("&apos;"),
            '\t' => written.push_str("&#9;"),
            '\n' => written.push_str("&#10;"),
            '\r' => written.push_str("&#13;"),
            _ => written.push(character),
        }
    }
    written
}

/// A tree under construction.
struct Tree<'t> {
    part: &'t str,
    text: &'t str,
    nodes: Vec<Node>,
    namespaces: Vec<String>,
    /// Prefixes that are known here, the innermost last, with the numbers of their namespaces.
    scopes: Vec<(String, u16)>,
    /// Open elements: their number, their last child and how many prefixes were known before.
    open: Vec<(u32, u32, usize)>,
    has_root: bool,
}

impl Tree<'_> {
    fn read(&mut self) -> Result<(), Failure> {
        let start = self
            .text
            .strip_prefix('\u{FEFF}')
            .map_or(0, |_| '\u{FEFF}'.len_utf8());
        let mut reader = Reader::from_str(&self.text[start..]);
        reader.config_mut().check_comments = true;
        loop {
            let from = start + position(reader.buffer_position());
            let event = reader.read_event();
            let to = start + position(reader.buffer_position());
            let event = event.map_err(|error| self.damaged(&error.to_string(), to))?;
            let (kind, range) = match &event {
                Event::Start(tag) | Event::Empty(tag) => {
                    let is_empty = matches!(event, Event::Empty(_));
                    self.start(tag, from..to, is_empty)?;
                    continue;
                }
                Event::End(_) => {
                    self.end(from..to)?;
                    continue;
                }
                Event::Eof => break,
                Event::Text(_) => (Kind::Text, from..to),
                Event::CData(_) => (Kind::CData, from..to),
                Event::GeneralRef(_) => (Kind::Reference, from..to),
                Event::DocType(_) => {
                    self.check_entities(from..to)?;
                    (Kind::Other, from..to)
                }
                _ => (Kind::Other, from..to),
            };
            self.node(kind, range)?;
        }
        if self.open.is_empty() && self.has_root {
            Ok(())
        } else {
            Err(self.damaged(
                "an element is not closed, or there is none",
                self.text.len(),
            ))
        }
    }

    /// Refuses entities that would take a program that resolves them down with it.
    fn check_entities(&self, doctype: Range<usize>) -> Result<(), Failure> {
        let sizes = entities::sizes(&self.text[doctype]);
        match sizes.into_iter().find(|(_, size)| *size > entities::MAX) {
            Some((name, _)) => Err(Failure::Damaged {
                part: self.part.to_owned(),
                reason: format!(
                    "its entity {name} grows to more than {} bytes, or without end",
                    entities::MAX
                ),
            }),
            None => Ok(()),
        }
    }

    fn damaged(&self, reason: &str, at: usize) -> Failure {
        let at = at.min(self.text.len());
        let line = self.text.as_bytes()[..at]
            .split(|&byte| byte == b'\n')
            .count();
        Failure::Damaged {
            part: self.part.to_owned(),
            reason: format!("no well-formed XML in line {line}: {reason}"),
        }
    }

    fn node(&mut self, kind: Kind, range: Range<usize>) -> Result<u32, Failure> {
        let raw = &self.text[range.clone()];
        let is_outside = self.open.is_empty();
        let is_text = match kind {
            Kind::Text => !raw.trim().is_empty(),
            Kind::CData | Kind::Reference => true,
            _ => false,
        };
        if is_outside && is_text {
            return Err(self.damaged("text outside of the root element", range.start));
        }
        if kind == Kind::Reference && raw.starts_with("&#") && meaning(raw).is_none() {
            return Err(self.damaged("a reference to no character", range.start));
        }
        if let Some(bad) = raw.find(|c| !is_character(c)) {
            return Err(self.damaged("a character that XML does not have", range.start + bad));
        }
        Ok(self.push(kind, range, 0))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the text is shorter than u32::MAX"
    )]
    fn push(&mut self, kind: Kind, range: Range<usize>, namespace: u16) -> u32 {
        let id = self.nodes.len() as u32;
        let (start, end) = (range.start as u32, range.end as u32);
        let mut parent = NONE;
        if let Some((above, last, _)) = self.open.last_mut() {
            parent = *above;
            match *last {
                NONE => self.nodes[*above as usize].first_child = id,
                last => self.nodes[last as usize].next = id,
            }
            *last = id;
        }
        self.nodes.push(Node {
            kind,
            parent,
            next: NONE,
            first_child: NONE,
            start,
            end,
            inner_start: end,
            inner_end: end,
            namespace,
        });
        id
    }

    fn start(
        &mut self,
        tag: &BytesStart,
        range: Range<usize>,
        is_empty: bool,
    ) -> Result<(), Failure> {
        if self.open.is_empty() && std::mem::replace(&mut self.has_root, true) {
            return Err(self.damaged("a second root element", range.start));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Failure::PartTooDeep {
                part: self.part.to_owned(),
            });
        }
        let known = self.scopes.len();
        for attribute in tag.attributes() {
            let attribute =
                attribute.map_err(|error| self.damaged(&error.to_string(), range.start))?;
            let name = std::str::from_utf8(attribute.key.as_ref()).unwrap_or_default();
            let value = std::str::from_utf8(&attribute.value).unwrap_or_default();
            if value.contains('<') || value.contains(|c| !is_character(c)) {
                return Err(self.damaged("an attribute with `<` in it", range.start));
            }
            let prefix = match name.split_once(':') {
                None if name == "xmlns" => "",
                Some(("xmlns", prefix)) => prefix,
                _ => continue,
            };
            let number = self.namespace(&unescaped(value));
            self.scopes.push((prefix.to_owned(), number));
        }
        let name = tag.name();
        let name = std::str::from_utf8(name.as_ref()).unwrap_or_default();
        let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
        let scope = self.scopes.iter().rev().find(|(known, _)| known == prefix);
        let namespace = match scope {
            Some((_, number)) => *number,
            None if prefix.is_empty() => 0,
            None => {
                let reason = format!("the prefix {prefix} is not declared");
                return Err(self.damaged(&reason, range.start));
            }
        };
        let id = self.push(Kind::Element, range, namespace);
        if is_empty {
            self.scopes.truncate(known);
        } else {
            self.open.push((id, NONE, known));
        }
        Ok(())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the text is shorter than u32::MAX"
    )]
    fn end(&mut self, range: Range<usize>) -> Result<(), Failure> {
        let Some((id, _, known)) = self.open.pop() else {
            return Err(self.damaged("an end tag without its start tag", range.start));
        };
        self.scopes.truncate(known);
        let node = &mut self.nodes[id as usize];
        (node.inner_end, node.end) = (range.start as u32, range.end as u32);
        Ok(())
    }

    fn namespace(&mut self, name: &str) -> u16 {
        let known = self.namespaces.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            // So many there are in no file; all beyond share one.
            if self.namespaces.len() < usize::from(u16::MAX) {
                self.namespaces.push(name.to_owned());
            }
            self.namespaces.len() - 1
        });
        u16::try_from(number).unwrap_or(u16::MAX)
    }
}

fn position(place: u64) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
