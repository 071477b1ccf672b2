//! The nodes of a text that is well formed.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::escapes::{is_character, meaning, unescaped};
use super::{Kind, NONE, Node};
use crate::builder::{Failure, MAX_DEPTH};
use crate::formats::entities;

/// The namespace of `xml:lang` and `xml:space`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// At least as many nodes as a text has, and not many more.
fn most_nodes(text: &str) -> usize {
    let pairs = text.as_bytes().windows(2);
    let begin = pairs.map(|pair| match *pair {
        [b'<', next] => usize::from(next != b'/'),
        [b'>', next] => usize::from(next != b'<'),
        // What follows a reference is a text of its own.
        [b'&', _] => 2,
        _ => 0,
    });
    begin.sum::<usize>() + 1
}

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// It has one outermost element, which declares all prefixes.
    Document,
    /// A part of one.
    Entity,
}

/// A tree under construction.
pub(super) struct Tree<'t> {
    part: &'t str,
    text: &'t str,
    nodes: Vec<Node>,
    namespaces: Vec<String>,
    /// Prefixes that are known here, the innermost last, with the numbers of their namespaces.
    scopes: Vec<(String, u16)>,
    /// Open elements: their number, their last child and how many prefixes were known before.
    open: Vec<(u32, u32, usize)>,
    has_root: bool,
    whole: Whole,
}

impl<'t> Tree<'t> {
    /// The nodes of a text, and its namespaces.
    ///
    /// # Errors
    /// If it is not well formed, or nested too deep.
    pub(super) fn read(
        part: &'t str,
        text: &'t str,
        whole: Whole,
    ) -> Result<(Vec<Node>, Vec<String>), Failure> {
        let mut tree = Self {
            part,
            text,
            // To grow would leave as much memory behind as the nodes take.
            nodes: Vec::with_capacity(most_nodes(text)),
            namespaces: vec![String::new(), XML.to_owned()],
            scopes: vec![("xml".to_owned(), 1)],
            open: Vec::new(),
            has_root: false,
            whole,
        };
        tree.nodes()?;
        Ok((tree.nodes, tree.namespaces))
    }

    fn nodes(&mut self) -> Result<(), Failure> {
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
            Kind::CData => true,
            Kind::Reference => self.whole == Whole::Document,
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
            if *last != NONE {
                self.nodes[*last as usize].next = id;
            }
            *last = id;
        }
        self.nodes.push(Node {
            kind,
            parent,
            next: NONE,
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
        let is_second = self.open.is_empty() && std::mem::replace(&mut self.has_root, true);
        if is_second && self.whole == Whole::Document {
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
            None if prefix.is_empty() || self.whole == Whole::Entity => 0,
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
            // No file has this many; all further ones share one.
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
