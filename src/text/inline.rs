//! A run of inline content, atom by atom, and the sentences in it.

use std::{collections::HashMap, ops::Range};

use super::{
    document::Markup,
    placeholder::{self, CLOSE, Placeholder},
    segment::{self, INVISIBLE, LINE_BREAK, PARAGRAPH_BREAK, Segmentation},
    verbatim::verbatim,
};
use crate::error::Result;

/// A sentence with more tags is divided: placeholders are numbered up to 255.
const MAX_TAGS: usize = 200;

/// The characters and tags of a paragraph with the bytes they come from, as readers collect them.
#[derive(Debug, Default)]
pub(super) struct Run {
    atoms: Vec<Atom>,
    /// Open inline elements: name and atom.
    open: Vec<(String, usize)>,
    holds_letter: bool,
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
    pub fn text(&mut self, text: &str, start: usize) {
        for (place, character) in text.char_indices() {
            let place = start + place;
            self.character(character, place..place + character.len_utf8());
        }
    }

    /// A character reference or escape: what it means, and the bytes that say so.
    pub fn decoded(&mut self, text: &str, range: Range<usize>) {
        let mut place = range.clone();
        for character in text.chars() {
            self.character(character, place);
            // A reference may mean two characters: the second has no bytes of its own.
            place = range.end..range.end;
        }
    }

    fn character(&mut self, character: char, range: Range<usize>) {
        if Placeholder::of(character).is_some() {
            return self.opaque(range);
        }
        self.holds_letter |= character.is_alphabetic();
        self.push(Kind::Char(character), range);
    }

    pub fn open(&mut self, name: &str, range: Range<usize>) {
        self.open.push((name.to_owned(), self.atoms.len()));
        self.tag(range);
    }

    /// Closes the innermost open element of that name; what was opened inside it stays without partner.
    pub fn close(&mut self, name: &str, range: Range<usize>) {
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

    /// The same for an element whose content is not translated.
    pub fn close_opaque(&mut self, name: &str, range: Range<usize>) {
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
    pub fn abandon(&mut self, name: &str) {
        self.open.retain(|(open, _)| open != name);
    }

    pub fn tag(&mut self, range: Range<usize>) {
        self.push(Kind::Tag, range);
    }

    pub fn line_break(&mut self, range: Range<usize>) {
        self.push(Kind::LineBreak, range);
    }

    pub fn opaque(&mut self, range: Range<usize>) {
        self.push(Kind::Opaque, range);
    }

    fn push(&mut self, kind: Kind, range: Range<usize>) {
        self.atoms.push(Atom { kind, range });
    }

    /// Elements that are open now.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    pub fn holds_letter(&self) -> bool {
        self.holds_letter
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// From the first to the last byte that is not white space.
    pub fn range(&self) -> Range<usize> {
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

    /// The sentences of the run; what holds no letter is left out.
    ///
    /// # Errors
    /// If a rule takes too long.
    pub fn sentences(&self, how: Segmentation<'_>) -> Result<Vec<Piece>> {
        match self.with_verbatim_words() {
            Some(run) => run.pieces(how),
            None => self.pieces(how),
        }
    }

    /// The run as one sentence, without what encloses it; as several only if it has too many tags for one.
    pub fn one_sentence(&self) -> Vec<Piece> {
        let with_verbatim = self.with_verbatim_words();
        let run = with_verbatim.as_ref().unwrap_or(self);
        let parts = run.divided(run.inner(0..run.atoms.len())).into_iter();
        parts
            .filter_map(|part| run.piece(run.inner(part)))
            .collect()
    }

    /// The characters that tell the run from others.
    pub fn ink(&self) -> String {
        let with_verbatim = self.with_verbatim_words();
        let (text, _) = with_verbatim.as_ref().unwrap_or(self).outline();
        segment::ink(&text).0
    }

    /// Where sentences begin behind the first one once `edit` is made, in characters of [`Run::ink`]; none where it cannot be
    /// made.
    ///
    /// # Errors
    /// If a rule takes too long.
    pub fn edited_places(
        &self,
        how: Segmentation<'_>,
        edit: PieceEdit,
    ) -> Result<Option<Vec<usize>>> {
        let with_verbatim = self.with_verbatim_words();
        let run = with_verbatim.as_ref().unwrap_or(self);
        let parts = run.parts(how)?;
        let (text, atoms) = run.outline();
        let (_, ink) = segment::ink(&text);
        // The character at an atom, or the next one behind it.
        let character = |atom: usize| {
            let place = atoms.partition_point(|(_, other)| *other < atom);
            let place = atoms.get(place).map_or(usize::MAX, |(place, _)| *place);
            ink.partition_point(|other| *other < place)
        };
        let mut places: Vec<usize> = parts.iter().map(|part| character(part.start)).collect();
        let lettered = (0..parts.len()).filter(|&part| run.holds_letter_in(&parts[part]));
        let lettered: Vec<usize> = lettered.collect();
        match edit {
            PieceEdit::Join { piece } => {
                let Some(&[part, next]) = lettered.get(piece..piece + 2) else {
                    return Ok(None);
                };
                places.drain(part + 1..=next);
            }
            PieceEdit::Split { piece, chars } => {
                let Some(&part) = lettered.get(piece) else {
                    return Ok(None);
                };
                let whole = parts[part].clone();
                let at = Writer::new(run, whole.clone()).atom_at(chars);
                let halves = [whole.start..at, at..whole.end];
                if !halves.iter().all(|half| run.holds_letter_in(half)) {
                    return Ok(None);
                }
                places.insert(part + 1, character(at));
            }
        }
        places.retain(|place| *place > 0);
        places.dedup();
        Ok(Some(places))
    }

    /// The same run with addresses and paths as what is not translated; none if it has no such.
    fn with_verbatim_words(&self) -> Option<Self> {
        let (mut atoms, mut places) = (Vec::new(), vec![0; self.atoms.len()]);
        let mut index = 0;
        while index < self.atoms.len() {
            let word = self.word_at(index);
            let text: String = word.iter().filter_map(Atom::letter).collect();
            let found = verbatim(&text).map(|range| {
                let before = text[..range.start].chars().count();
                before..before + text[range].chars().count()
            });
            let found = found.unwrap_or(0..0);
            let end = index + word.len().max(1);
            for (place, atom) in (0..).zip(&self.atoms[index..end]) {
                let is_inside = found.contains(&place) && place > found.start;
                if !is_inside {
                    atoms.push(atom.clone());
                }
                places[index + place] = atoms.len() - 1;
                if found.contains(&place) {
                    let last = atoms.len() - 1;
                    atoms[last].kind = Kind::Opaque;
                    atoms[last].range.end = atom.range.end;
                }
            }
            index = end;
        }
        if atoms.len() == self.atoms.len() {
            return None;
        }
        for atom in &mut atoms {
            if let Kind::Open(partner) | Kind::Close(partner) = &mut atom.kind {
                *partner = places[*partner];
            }
        }
        Some(Self {
            atoms,
            open: Vec::new(),
            holds_letter: self.holds_letter,
        })
    }

    /// The characters from an atom on up to white space or a tag; none if it is no such character.
    fn word_at(&self, start: usize) -> &[Atom] {
        let ends = |atom: &Atom| atom.letter().is_none() || atom.is_space();
        let atoms = &self.atoms[start..];
        &atoms[..atoms.iter().position(ends).unwrap_or(atoms.len())]
    }

    fn pieces(&self, how: Segmentation<'_>) -> Result<Vec<Piece>> {
        let parts = self.parts(how)?.into_iter();
        Ok(parts.filter_map(|part| self.piece(part)).collect())
    }

    /// The atoms of each sentence.
    fn parts(&self, how: Segmentation<'_>) -> Result<Vec<Range<usize>>> {
        let (text, atoms) = self.outline();
        let atom_at = |place: usize| atoms[atoms.partition_point(|(start, _)| *start < place)].1;
        let mut parts = Vec::new();
        for range in segment::sentence_ranges(&text, how)? {
            let last = range.end
                - text[range.clone()]
                    .chars()
                    .next_back()
                    .map_or(0, char::len_utf8);
            let divided = self.divided(atom_at(range.start)..atom_at(last) + 1);
            parts.extend(divided.into_iter().map(|part| self.inner(part)));
        }
        Ok(parts)
    }

    /// The text as the segmenter sees it, and for each of its characters place and atom.
    fn outline(&self) -> (String, Vec<(usize, usize)>) {
        let (mut text, mut places, mut spaced) = (String::new(), Vec::new(), true);
        let mut last_break = None;
        for (index, atom) in self.atoms.iter().enumerate() {
            let shown = match atom.kind {
                Kind::Char(_) if atom.is_space() && spaced => continue,
                Kind::Char(_) if atom.is_space() => ' ',
                Kind::Char(character) => character,
                Kind::Open(_) => placeholder::open(0),
                Kind::Close(_) => CLOSE,
                Kind::Tag => INVISIBLE,
                Kind::LineBreak if last_break.is_some() => PARAGRAPH_BREAK,
                Kind::LineBreak => LINE_BREAK,
                Kind::Opaque => placeholder::point(0),
            };
            match atom.kind {
                Kind::LineBreak => last_break = Some(index),
                Kind::Char(_) if !atom.is_space() => last_break = None,
                Kind::Opaque => last_break = None,
                _ => {}
            }
            spaced = shown == ' ' || spaced && !matches!(atom.kind, Kind::Char(_) | Kind::Opaque);
            places.push((text.len(), index));
            text.push(shown);
        }
        (text, places)
    }

    /// Cuts a sentence with too many tags, between words where there are any.
    fn divided(&self, atoms: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut tags) = (Vec::new(), atoms.start, 0);
        for index in atoms.clone() {
            let atom = &self.atoms[index];
            tags += usize::from(!matches!(atom.kind, Kind::Char(_)));
            if tags >= MAX_TAGS && (atom.is_space() || tags > MAX_TAGS + 50) {
                parts.push(start..index);
                (start, tags) = (index, 1);
            }
        }
        parts.push(start..atoms.end);
        parts
    }

    /// Leaves outside what encloses the atoms or stands at their beginning or end without being text.
    fn inner(&self, mut part: Range<usize>) -> Range<usize> {
        let is_space = |index: usize| self.atoms[index].is_space();
        loop {
            while !part.is_empty() && is_space(part.start) {
                part.start += 1;
            }
            while !part.is_empty() && is_space(part.end - 1) {
                part.end -= 1;
            }
            if part.is_empty() {
                break;
            }
            let (first, last) = (part.start, part.end - 1);
            if self.closing(first, &part) == Some(last) {
                part = first + 1..last;
                continue;
            }
            match (self.leading(&part), self.trailing(&part)) {
                (Some(next), _) => part.start = next,
                (None, Some(end)) => part.end = end,
                (None, None) => break,
            }
        }
        part
    }

    /// The first atom after one that needs no translator at the beginning of `part`.
    fn leading(&self, part: &Range<usize>) -> Option<usize> {
        let atom = &self.atoms[part.start];
        match self.closing(part.start, part) {
            Some(close) => self.is_hollow(part.start + 1..close).then_some(close + 1),
            None => atom.is_tag().then_some(part.start + 1),
        }
    }

    fn trailing(&self, part: &Range<usize>) -> Option<usize> {
        let last = part.end - 1;
        let atom = &self.atoms[last];
        match self.opening(last, part) {
            Some(open) => self.is_hollow(open + 1..last).then_some(open),
            None => atom.is_tag().then_some(last),
        }
    }

    /// The partner of an opening tag, if it lies in `part`.
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

    /// Nothing but tags and white space.
    fn is_hollow(&self, mut part: Range<usize>) -> bool {
        part.all(|index| self.atoms[index].is_space() || self.atoms[index].is_tag())
    }

    fn piece(&self, part: Range<usize>) -> Option<Piece> {
        self.holds_letter_in(&part)
            .then(|| Writer::new(self, part).written())
    }

    fn holds_letter_in(&self, part: &Range<usize>) -> bool {
        self.atoms[part.clone()].iter().any(Atom::is_letter)
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

/// Writes the atoms of one sentence as text with numbered placeholders.
struct Writer<'r> {
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
    fn new(run: &'r Run, part: Range<usize>) -> Self {
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
    fn atom_at(mut self, chars: usize) -> usize {
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

    fn written(mut self) -> Piece {
        let mut index = self.part.start;
        while index < self.part.end {
            index = self.atom(index);
        }
        self.piece
    }

    /// Writes what begins at atom `index` and says where to go on.
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
