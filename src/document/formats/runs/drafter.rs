//! A draft of pieces.

use super::events::{Code, Dialect, Event, Piece};
use super::fields::Item;
use super::looks::Look;
use crate::view::Draft;

/// Makes a draft of items.
pub(super) struct Drafter<'d> {
    pub(super) dialect: &'d dyn Dialect,
    pub(super) draft: Draft,
    pub(super) codes: Vec<Code>,
    pub(super) base: Option<Look>,
    /// Open formatting, and the number of its code.
    pub(super) look: Option<(Look, usize)>,
    /// Elements that are open, by the number of their code.
    pub(super) wrappers: Vec<usize>,
}

impl Drafter<'_> {
    pub(super) fn item(&mut self, item: Item, look: Option<Look>) {
        match item {
            Item::One(Event::Text { text, .. }) => self.text(&text, look),
            Item::One(Event::Open { name, piece }) => self.open(name, vec![piece]),
            Item::One(Event::Close { name, piece }) => self.close(name, vec![piece]),
            Item::Open(name, pieces) => self.open(name, pieces),
            Item::Close(name, pieces) => self.close(name, pieces),
            Item::One(Event::Point { name, piece }) => {
                self.draft.point(name);
                self.codes.push(Code::Pieces(vec![piece]));
            }
            // A mark of no field.
            Item::One(Event::Field { piece, .. }) => {
                self.draft.point("field");
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::One(Event::Hidden { name, piece }) => {
                self.draft.hidden(name);
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::One(Event::Placed {
                name,
                begins,
                piece,
            }) => {
                self.draft.placed(name, begins);
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::One(Event::LineBreak { piece }) => {
                self.draft.line_break();
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::One(Event::Opaque { name, shown, piece }) => {
                self.draft.opaque(name, &shown);
                self.codes.push(Code::Pieces(vec![piece]));
            }
            Item::Point(name, pieces) => {
                self.draft.point(name);
                self.codes.push(Code::Pieces(pieces));
            }
            Item::Opaque(name, shown, pieces) => {
                self.draft.opaque(name, &shown);
                self.codes.push(Code::Pieces(pieces));
            }
        }
    }

    fn text(&mut self, text: &str, look: Option<Look>) {
        if text.is_empty() {
            return;
        }
        let base = self.base.as_ref().map_or("", |base| &base.seen);
        let seen = look.as_ref().map_or("", |look| &look.seen);
        let now = self.look.as_ref().map_or(base, |(look, _)| &look.seen);
        if now != seen {
            let is_base = base == seen;
            self.end_look();
            if let Some(look) = look.filter(|_| !is_base) {
                let code = self.draft.open("span");
                self.codes.push(Code::Look(look.properties));
                self.look = Some((look, code));
            }
        }
        let mut rest = text;
        while let Some(escape) = self.dialect.escape(rest) {
            self.lines(&rest[..escape.start]);
            self.draft.point("mark");
            self.codes
                .push(Code::Escape(rest[escape.clone()].to_owned()));
            rest = &rest[escape.end..];
        }
        self.lines(rest);
    }

    fn lines(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 && self.dialect.keeps_lines() {
                self.draft.line_break();
                self.codes.push(Code::Character('\n'));
            } else if number > 0 {
                self.draft.text("\n");
            }
            if !line.is_empty() {
                self.draft.text(line);
            }
        }
    }

    /// A look never goes across the beginning or the end of an element.
    pub(super) fn end_look(&mut self) {
        if let Some((_, code)) = self.look.take() {
            self.draft.close(code, "span");
            self.codes.push(Code::LookEnd);
        }
    }

    fn open(&mut self, name: &'static str, pieces: Vec<Piece>) {
        self.end_look();
        let code = self.draft.open(name);
        self.codes.push(Code::Pieces(pieces));
        self.wrappers.push(code);
    }

    fn close(&mut self, name: &'static str, pieces: Vec<Piece>) {
        self.end_look();
        match self.wrappers.pop() {
            Some(open) => self.draft.close(open, name),
            None => self.draft.point(name),
        };
        self.codes.push(Code::Pieces(pieces));
    }
}
