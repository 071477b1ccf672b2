//! The pieces of a paragraph in its order.

use std::ops::Range;

use super::events::{Child, Dialect, Event, Piece, RunChild};
use crate::formats::xml::{Id, Kind, Xml};

pub(super) struct RunReader<'x> {
    pub(super) dialect: &'x dyn Dialect,
    pub(super) xml: &'x Xml,
    pub(super) events: Vec<Event>,
    /// From the first to the last piece of content.
    pub(super) bytes: Option<Range<usize>>,
    pub(super) is_bare: bool,
    /// Whether elements stand for characters in it.
    pub(super) has_elements: bool,
}

impl RunReader<'_> {
    pub(super) fn children(&mut self, parent: Id) {
        for child in self.xml.children(parent) {
            self.child(child);
        }
    }

    fn covers(&mut self, range: &Range<usize>) {
        let bytes = self.bytes.get_or_insert_with(|| range.clone());
        *bytes = bytes.start.min(range.start)..bytes.end.max(range.end);
    }

    fn child(&mut self, id: Id) {
        let range = self.xml.range(id);
        let beside = Piece::outside_runs;
        match self.xml.kind(id) {
            Kind::Element => {}
            Kind::Text if self.xml.slice(range.clone()).trim().is_empty() => return,
            _ => {
                self.covers(&range);
                let name = "other";
                let piece = beside(range);
                return self.events.push(Event::Hidden { name, piece });
            }
        }
        let child = self.dialect.child(self.xml, id);
        if child == Child::Properties {
            return;
        }
        self.covers(&range);
        match child {
            Child::Properties | Child::Dropped => {}
            Child::Run => self.run(id),
            Child::BareText => {
                self.is_bare = true;
                let text = self.text(id);
                let piece = beside(range);
                self.events.push(Event::Text { text, piece });
            }
            Child::Wrapper { name, content } => self.wrapper(id, name, content),
            Child::Point(name) => self.events.push(Event::Point {
                name,
                piece: beside(range),
            }),
            Child::Placed { name, begins } => self.events.push(Event::Placed {
                name,
                begins,
                piece: beside(range),
            }),
            Child::LineBreak => self.events.push(Event::LineBreak {
                piece: beside(range),
            }),
            Child::Opaque(name, shown) => self.events.push(Event::Opaque {
                name,
                shown,
                piece: beside(range),
            }),
        }
    }

    /// An element around runs: what is in it before them belongs to its beginning.
    fn wrapper(&mut self, id: Id, name: &'static str, content: Option<&str>) {
        let (outer, xml) = (self.xml.range(id), self.xml);
        let holder = content.map_or(Some(id), |content| xml.child(id, content));
        let Some(holder) = holder.filter(|&holder| !xml.is_empty_tag(holder)) else {
            let piece = Piece::outside_runs(outer);
            return self.events.push(Event::Point { name, piece });
        };
        let is_lead = |&child: &Id| {
            !xml.is_element(child) || self.dialect.child(xml, child) == Child::Properties
        };
        let lead = xml.children(holder).take_while(is_lead).last();
        let inner = xml.inner(holder);
        let begin = lead.map_or(inner.start, |lead| xml.range(lead).end);
        let piece = Piece::outside_runs(outer.start..begin);
        self.events.push(Event::Open { name, piece });
        for child in xml
            .children(holder)
            .filter(|&child| xml.range(child).start >= begin)
        {
            self.child(child);
        }
        let piece = Piece::outside_runs(inner.end..outer.end);
        self.events.push(Event::Close { name, piece });
    }

    fn run(&mut self, run: Id) {
        let xml = self.xml;
        let mut properties = None;
        for child in xml.elements(run) {
            let piece = Piece {
                bytes: xml.range(child),
                run: Some(run),
                properties,
            };
            let event = match self.dialect.run_child(xml, child) {
                RunChild::Properties => {
                    properties = Some(child);
                    continue;
                }
                RunChild::Dropped => continue,
                RunChild::Text => Event::Text {
                    text: self.text(child),
                    piece,
                },
                RunChild::Character(character) => {
                    self.has_elements = true;
                    let text = character.to_string();
                    Event::Text { text, piece }
                }
                RunChild::Point(name) => Event::Point { name, piece },
                RunChild::Hidden(name) => Event::Hidden { name, piece },
                RunChild::LineBreak => Event::LineBreak { piece },
                RunChild::Opaque(name, shown) => Event::Opaque { name, shown, piece },
                mark @ (RunChild::FieldBegin
                | RunChild::FieldMiddle
                | RunChild::FieldEnd
                | RunChild::Instruction) => Event::Field {
                    instruction: match mark {
                        RunChild::Instruction => xml.whole_text(child),
                        _ => String::new(),
                    },
                    mark,
                    piece,
                },
            };
            self.events.push(event);
        }
    }

    fn text(&self, id: Id) -> String {
        let text = self.xml.whole_text(id);
        let keeps = self.xml.attribute(id, "space").as_deref() == Some("preserve");
        if keeps || !self.dialect.trims_space() {
            text
        } else {
            text.trim_matches([' ', '\t', '\n', '\r']).to_owned()
        }
    }
}
