//! A run of inline content, atom by atom, and the sentences in it.

mod lines;
mod sentences;
mod writer;

use std::ops::Range;

use super::document::Markup;
use super::placeholder::Placeholder;
use super::writing::is_unwritable;

/// The characters and tags of a paragraph with the bytes they come from, as readers collect them.
#[derive(Debug, Default)]
pub(super) struct Run {
    atoms: Vec<Atom>,
    /// Open inline elements: name and atom.
    open: Vec<(String, usize)>,
    holds_letter: bool,
    /// Whether its text is a string of a program, with placeholders and tags in it.
    pub is_string: bool,
}

#[derive(Debug, Clone)]
struct Atom {
    kind: Kind,
    range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Char(char),
    /// Tags of a pair name each other.
    Open(usize),
    Close(usize),
    /// A tag without partner.
    Tag,
    LineBreak,
    /// Text that is not translated.
    Opaque,
}

/// A sentence before it has a place in a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub range: Range<usize>,
    pub text: String,
    pub markup: Vec<Markup>,
}

/// A change of the sentences of a run, by the number of a sentence in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum PieceEdit {
    /// Cuts a sentence before the character of this number.
    Split { piece: usize, chars: usize },
    /// Joins a sentence with the next one.
    Join { piece: usize },
}

impl Run {
    /// Source text that stands for itself and begins at byte `start`.
    pub(crate) fn text(&mut self, text: &str, start: usize) {
        for (place, character) in text.char_indices() {
            let place = start + place;
            self.character(character, place..place + character.len_utf8());
        }
    }

    /// A character reference or escape: what it means, and the bytes that say so.
    pub(crate) fn decoded(&mut self, text: &str, range: Range<usize>) {
        let mut place = range.clone();
        for character in text.chars() {
            self.character(character, place);
            // A reference may mean two characters: the second has no bytes of its own.
            place = range.end..range.end;
        }
    }

    fn character(&mut self, character: char, range: Range<usize>) {
        if Placeholder::from_char(character).is_some() {
            return self.opaque(range);
        }
        // It stays in its place, and need not be read or written.
        if is_unwritable(character) && character != '\u{C}' {
            return self.tag(range);
        }
        self.holds_letter |= character.is_alphabetic();
        self.push(Kind::Char(character), range);
    }

    pub(crate) fn open(&mut self, name: &str, range: Range<usize>) {
        self.open.push((name.to_owned(), self.atoms.len()));
        self.tag(range);
    }

    /// Closes the innermost open element of that name; what was opened inside it stays without partner.
    pub(crate) fn close(&mut self, name: &str, range: Range<usize>) {
        let close = self.atoms.len();
        self.tag(range);
        let Some(at) = self.open.iter().rposition(|(open, _)| open == name) else {
            return;
        };
        let open = self.open[at].1;
        self.open.truncate(at);
        self.atoms[open].kind = Kind::Open(close);
        self.atoms[close].kind = Kind::Close(open);
    }

    /// Closes an element whose content is not translated.
    pub(crate) fn close_opaque(&mut self, name: &str, range: Range<usize>) {
        let Some(at) = self.open.iter().rposition(|(open, _)| open == name) else {
            return self.tag(range);
        };
        let open = self.open[at].1;
        self.open.truncate(at);
        let start = self.atoms[open].range.start;
        self.atoms.truncate(open);
        self.holds_letter = self.atoms.iter().any(Atom::is_letter);
        self.opaque(start..range.end);
    }

    /// Gives up waiting for the end of an element, because it cannot hold another one of its name.
    pub(crate) fn abandon(&mut self, name: &str) {
        self.open.retain(|(open, _)| open != name);
    }

    pub(crate) fn tag(&mut self, range: Range<usize>) {
        self.push(Kind::Tag, range);
    }

    pub(crate) fn line_break(&mut self, range: Range<usize>) {
        self.push(Kind::LineBreak, range);
    }

    pub(crate) fn opaque(&mut self, range: Range<usize>) {
        self.push(Kind::Opaque, range);
    }

    fn push(&mut self, kind: Kind, range: Range<usize>) {
        self.atoms.push(Atom { kind, range });
    }

    /// Elements that are open now.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn holds_letter(&self) -> bool {
        self.holds_letter
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// From the first to the last byte that is not white space.
    pub(crate) fn range(&self) -> Range<usize> {
        let ink = |atom: &&Atom| !atom.is_space();
        let start = self
            .atoms
            .iter()
            .find(ink)
            .map_or(0, |atom| atom.range.start);
        start
            ..self
                .atoms
                .iter()
                .rev()
                .find(ink)
                .map_or(start, |atom| atom.range.end)
    }

    /// The partner of an opening tag, if it is in `part`.
    fn closing(&self, index: usize, part: &Range<usize>) -> Option<usize> {
        match self.atoms[index].kind {
            Kind::Open(close) if part.contains(&close) => Some(close),
            _ => None,
        }
    }

    fn opening(&self, index: usize, part: &Range<usize>) -> Option<usize> {
        match self.atoms[index].kind {
            Kind::Close(open) if part.contains(&open) => Some(open),
            _ => None,
        }
    }
}

impl Atom {
    fn letter(&self) -> Option<char> {
        match self.kind {
            Kind::Char(letter) => Some(letter),
            _ => None,
        }
    }

    fn is_letter(&self) -> bool {
        self.letter().is_some_and(char::is_alphabetic)
    }

    fn is_space(&self) -> bool {
        matches!(self.kind, Kind::Char(' ' | '\t' | '\n' | '\r' | '\u{C}'))
    }

    fn is_tag(&self) -> bool {
        !matches!(self.kind, Kind::Char(_) | Kind::Opaque)
    }
}
