//! The text of a sentence, with numbered placeholders for its tags.

use std::collections::HashMap;
use std::ops::Range;

use super::super::document::Markup;
use super::super::placeholder::{self, CLOSE};
use super::{Atom, Kind, Piece, Run};

/// Writes the atoms of one sentence as text with numbered placeholders.
pub(super) struct Writer<'r> {
    run: &'r Run,
    part: Range<usize>,
    piece: Piece,
    /// Where a pair ends that several tags open together: first closing tag and last.
    joined: HashMap<usize, usize>,
    spaced: bool,
    /// The last atom was a tag that the next one can join.
    joinable: bool,
}

impl<'r> Writer<'r> {
    pub(super) fn new(run: &'r Run, part: Range<usize>) -> Self {
        let (first, last) = (&run.atoms[part.start], &run.atoms[part.end - 1]);
        let piece = Piece {
            range: first.range.start..last.range.end,
            text: String::new(),
            markup: Vec::new(),
        };
        Self {
            run,
            part,
            piece,
            joined: HashMap::new(),
            spaced: true,
            joinable: false,
        }
    }

    /// The atom that writes the character number `chars` of the sentence, or the end.
    pub(super) fn atom_at(mut self, chars: usize) -> usize {
        let mut index = self.part.start;
        while index < self.part.end {
            let next = self.atom(index);
            if self.piece.text.chars().count() > chars {
                return index;
            }
            index = next;
        }
        self.part.end
    }

    pub(super) fn written(mut self) -> Piece {
        let mut index = self.part.start;
        while index < self.part.end {
            index = self.atom(index);
        }
        self.piece
    }

    /// Writes what begins at atom `index` and says where to continue.
    fn atom(&mut self, index: usize) -> usize {
        let atom = &self.run.atoms[index];
        match atom.kind {
            Kind::Char(_) if atom.is_space() => {
                if !self.spaced {
                    self.piece.text.push(' ');
                }
                self.spaced = true;
            }
            Kind::Char(character) => {
                self.piece.text.push(character);
                self.spaced = false;
            }
            Kind::Open(_) if self.run.closing(index, &self.part).is_some() => {
                return self.pair(index);
            }
            Kind::Close(_) if self.run.opening(index, &self.part).is_some() => {
                self.piece.text.push(CLOSE);
                self.joinable = false;
                return self.joined.remove(&index).unwrap_or(index) + 1;
            }
            Kind::Opaque => self.point(atom.range.clone(), false),
            _ => self.point(atom.range.clone(), true),
        }
        if matches!(atom.kind, Kind::Char(_)) {
            self.joinable = false;
        }
        index + 1
    }

    fn point(&mut self, range: Range<usize>, is_tag: bool) {
        match self.piece.markup.last_mut() {
            Some(Markup::Point { range: last })
                if is_tag && self.joinable && last.end == range.start =>
            {
                last.end = range.end;
                return;
            }
            _ => {}
        }
        self.piece
            .text
            .push(placeholder::point(self.piece.markup.len()));
        self.piece.markup.push(Markup::Point { range });
        (self.joinable, self.spaced) = (is_tag, false);
    }

    /// An element, together with those that begin and end right where it does; one without content becomes a point.
    fn pair(&mut self, outer: usize) -> usize {
        let atoms = &self.run.atoms;
        let Some(outer_close) = self.run.closing(outer, &self.part) else {
            return outer + 1;
        };
        if atoms[outer + 1..outer_close].iter().all(Atom::is_tag) {
            self.point(atoms[outer].range.start..atoms[outer_close].range.end, true);
            return outer_close + 1;
        }
        let touches = |left: usize| atoms[left].range.end == atoms[left + 1].range.start;
        let (mut open, mut close) = (outer, outer_close);
        while self.run.closing(open + 1, &self.part) == Some(close - 1)
            && touches(open)
            && touches(close - 1)
        {
            (open, close) = (open + 1, close - 1);
        }
        self.piece
            .text
            .push(placeholder::open(self.piece.markup.len()));
        self.piece.markup.push(Markup::Pair {
            open: atoms[outer].range.start..atoms[open].range.end,
            close: atoms[close].range.start..atoms[outer_close].range.end,
        });
        self.joined.insert(close, outer_close);
        self.joinable = false;
        open + 1
    }
}
