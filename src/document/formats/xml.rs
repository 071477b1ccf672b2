//! XML as a tree of elements with the bytes they come from.
//!
//! Nothing is expanded: what a document type declares is left alone, and a reference to it stays one. So no file grows by
//! being read; one that would grow without limit in other programs is refused.

mod escapes;
mod parsing;

use std::borrow::Cow;
use std::ops::Range;

use self::escapes::meaning;
pub(super) use self::escapes::unescaped;
pub(crate) use self::escapes::{escaped, escaped_attribute};
use self::parsing::{Tree, Whole};
use crate::builder::Failure;

/// A well-formed text and its nodes in the order in which they begin.
#[derive(Debug)]
pub(super) struct Xml {
    /// The name of the part, for messages.
    pub part: String,
    pub text: String,
    nodes: Vec<Node>,
    /// Namespaces; that of a name is its place here.
    namespaces: Vec<String>,
}

/// The number of a node.
pub(super) type Id = usize;

#[derive(Debug)]
struct Node {
    kind: Kind,
    parent: u32,
    next: u32,
    /// All of it, from the first to the last byte.
    start: u32,
    end: u32,
    /// End of an element's start tag and beginning of its end tag.
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

/// The name of the outermost element of a text, as it is written, of which only the beginning need be there.
pub(super) fn outermost(beginning: &str) -> Option<&str> {
    let mut rest = beginning.trim_start_matches('\u{FEFF}').trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!DOCTYPE") => {
                let before_end = rest.split('>').next().unwrap_or_default();
                if before_end.contains('[') { "]>" } else { ">" }
            }
            _ => break,
        };
        rest = rest[rest.find(end)? + end.len()..].trim_start();
    }
    let tag = rest.strip_prefix('<')?;
    tag.split(|c: char| c.is_whitespace() || matches!(c, '/' | '>'))
        .next()
}

impl Xml {
    /// The value of an attribute, by its local name.
    pub(super) fn value(&self, element: Id, name: &str) -> Option<String> {
        self.attribute(element, name).map(Cow::into_owned)
    }

    /// The elements of this name, whatever they are in.
    pub(super) fn named<'x>(&'x self, name: &'x str) -> impl Iterator<Item = Id> + 'x {
        let all = self.descendants(self.root());
        all.filter(move |&id| self.name(id) == name)
    }

    /// Reads a part.
    ///
    /// # Errors
    /// If it is not well formed, or nested too deep.
    pub(super) fn read(part: &str, text: String) -> Result<Self, Failure> {
        Self::read_as(part, text, Whole::Document)
    }

    /// Reads a part whose outermost element has this name.
    ///
    /// # Errors
    /// As [`Self::read`], and if the element is another one.
    pub(super) fn read_rooted(part: &str, text: String, root: &str) -> Result<Self, Failure> {
        let xml = Self::read(part, text)?;
        if xml.name(xml.root()) == root {
            return Ok(xml);
        }
        Err(xml.damaged(format!("its outermost element is no {root}")))
    }

    /// Reads a file that others include as an entity: with several outermost elements, and prefixes that those declare.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn read_entity(part: &str, text: String) -> Result<Self, Failure> {
        Self::read_as(part, text, Whole::Entity)
    }

    fn read_as(part: &str, text: String, whole: Whole) -> Result<Self, Failure> {
        if u32::try_from(text.len()).is_err() {
            return Err(Failure::TooLarge {
                part: part.to_owned(),
                limit: u64::from(u32::MAX),
            });
        }
        let (nodes, namespaces) = Tree::read(part, &text, whole)?;
        Ok(Self {
            part: part.to_owned(),
            text,
            nodes,
            namespaces,
        })
    }

    /// The outermost element.
    pub(super) fn root(&self) -> Id {
        let is_root = |node: &Node| node.kind == Kind::Element;
        self.nodes.iter().position(is_root).unwrap_or_default()
    }

    /// All outermost elements.
    pub(super) fn roots(&self) -> impl Iterator<Item = Id> {
        (0..self.len()).filter(|&id| self.is_element(id) && self.parent(id).is_none())
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn kind(&self, id: Id) -> Kind {
        self.nodes[id].kind
    }

    pub(super) fn is_element(&self, id: Id) -> bool {
        self.kind(id) == Kind::Element
    }

    pub(super) fn parent(&self, id: Id) -> Option<Id> {
        number(self.nodes[id].parent)
    }

    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        // Nodes are in the order in which they begin.
        let first = Some(id + 1).filter(|&first| {
            let node = self.nodes.get(first);
            node.is_some_and(|node| node.parent as usize == id)
        });
        let next = |&id: &Id| number(self.nodes[id].next);
        std::iter::successors(first, next)
    }

    /// The elements in an element.
    pub(super) fn elements(&self, id: Id) -> impl Iterator<Item = Id> {
        self.children(id).filter(|&child| self.is_element(child))
    }

    /// All nodes in a node, in order.
    pub(super) fn descendants(&self, id: Id) -> impl Iterator<Item = Id> {
        let end = self.nodes[id].end;
        (id + 1..self.nodes.len()).take_while(move |&other| self.nodes[other].start < end)
    }

    pub(super) fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(self.parent(id), |&id| self.parent(id))
    }

    /// The first child element of that name, in whatever namespace.
    pub(super) fn child(&self, id: Id, name: &str) -> Option<Id> {
        self.elements(id).find(|&child| self.name(child) == name)
    }

    /// An element's name without its prefix; empty for what is no element.
    pub(super) fn name(&self, id: Id) -> &str {
        let name = self.qualified(id);
        name.rsplit_once(':').map_or(name, |(_, local)| local)
    }

    /// An element's name as it is written.
    pub(super) fn qualified(&self, id: Id) -> &str {
        if !self.is_element(id) {
            return "";
        }
        let tag =
            &self.text[self.nodes[id].start as usize + 1..self.nodes[id].inner_start as usize];
        let end = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
        tag.split(end).next().unwrap_or_default()
    }

    pub(super) fn namespace(&self, id: Id) -> &str {
        &self.namespaces[usize::from(self.nodes[id].namespace)]
    }

    /// The bytes of a node.
    pub(super) fn range(&self, id: Id) -> Range<usize> {
        self.nodes[id].start as usize..self.nodes[id].end as usize
    }

    /// The bytes between an element's tags; empty at its end if it closes itself.
    pub(super) fn inner(&self, id: Id) -> Range<usize> {
        self.nodes[id].inner_start as usize..self.nodes[id].inner_end as usize
    }

    /// The bytes of an element's start tag.
    pub(super) fn start_tag(&self, id: Id) -> Range<usize> {
        self.nodes[id].start as usize..self.nodes[id].inner_start as usize
    }

    /// The bytes of an element's end tag.
    pub(super) fn end_tag(&self, id: Id) -> Range<usize> {
        self.nodes[id].inner_end as usize..self.nodes[id].end as usize
    }

    /// Whether an element closes itself: `<a/>`.
    pub(super) fn is_empty_tag(&self, id: Id) -> bool {
        self.end_tag(id).is_empty()
    }

    /// An element with other content.
    pub(super) fn filled(&self, element: Id, content: &str) -> String {
        let start = self.slice(self.start_tag(element));
        let name = self.qualified(element);
        if self.is_empty_tag(element) {
            let start = start.trim_end_matches("/>").trim_end();
            format!("{start}>{content}</{name}>")
        } else {
            format!("{start}{content}</{name}>")
        }
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        &self.text[range]
    }

    /// The value of an attribute, whatever prefix its name has.
    pub(super) fn attribute(&self, id: Id, name: &str) -> Option<Cow<'_, str>> {
        let range = self.attribute_range(id, name)?;
        Some(self.decoded(range))
    }

    /// The value of an attribute with its prefix.
    pub(super) fn qualified_attribute(&self, id: Id, name: &str) -> Option<Cow<'_, str>> {
        let attributes = self.attributes(id);
        let range = attributes.into_iter().find(|(found, _)| *found == name)?.1;
        Some(self.decoded(range))
    }

    /// The bytes of an attribute's value; the one without a prefix before any other.
    pub(super) fn attribute_range(&self, id: Id, name: &str) -> Option<Range<usize>> {
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
    pub(super) fn attributes(&self, id: Id) -> Vec<(&str, Range<usize>)> {
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
    pub(super) fn text_of(&self, id: Id) -> Option<Cow<'_, str>> {
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
    pub(super) fn whole_text(&self, id: Id) -> String {
        let texts = self.descendants(id).filter_map(|node| self.text_of(node));
        texts.collect::<Vec<_>>().concat()
    }

    pub(super) fn damaged(&self, reason: impl Into<String>) -> Failure {
        Failure::Damaged {
            part: self.part.clone(),
            reason: reason.into(),
        }
    }
}

fn number(id: u32) -> Option<Id> {
    (id != NONE).then_some(id as usize)
}

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

#[cfg(test)]
mod tests;
