//! Where the sentences of a run begin and end.

use std::ops::Range;

use super::super::placeholder::{self, CLOSE};
use super::super::segment::{self, INVISIBLE, LINE_BREAK, PARAGRAPH_BREAK, Segmentation};
use super::super::variables::{Found, tag_name};
use super::super::verbatim::{Kept, kept};
use super::lines::with_finished_lines;
use super::writer::Writer;
use super::{Atom, Kind, Piece, PieceEdit, Run};
use crate::error::Result;

/// A sentence with more tags is divided: placeholders are numbered up to 255.
const MAX_TAGS: usize = 200;

impl Run {
    /// The sentences of the run; what holds no letter is left out.
    ///
    /// # Errors
    /// If a rule takes too long.
    pub(crate) fn sentences(&self, how: Segmentation<'_>) -> Result<Vec<Piece>> {
        match self.with_verbatim_words() {
            Some(run) => run.pieces(how),
            None => self.pieces(how),
        }
    }

    /// The run as one sentence, without what encloses it; as several only if it has too many tags for one.
    pub(crate) fn one_sentence(&self) -> Vec<Piece> {
        let with_verbatim = self.with_verbatim_words();
        let run = with_verbatim.as_ref().unwrap_or(self);
        let parts = run.divided(run.inner(0..run.atoms.len())).into_iter();
        parts
            .filter_map(|part| run.piece(run.inner(part)))
            .collect()
    }

    /// The characters that distinguish the run from others.
    pub(crate) fn ink(&self) -> String {
        let with_verbatim = self.with_verbatim_words();
        let (text, _) = with_verbatim.as_ref().unwrap_or(self).outline();
        segment::ink(&text).0
    }

    /// Where sentences begin after the first one once `edit` is made, in characters of [`Run::ink`]; none where it cannot be
    /// made.
    ///
    /// # Errors
    /// If a rule takes too long.
    pub(crate) fn edited_places(
        &self,
        how: Segmentation<'_>,
        edit: PieceEdit,
    ) -> Result<Option<Vec<usize>>> {
        let with_verbatim = self.with_verbatim_words();
        let run = with_verbatim.as_ref().unwrap_or(self);
        let parts = run.parts(how)?;
        let (text, atoms) = run.outline();
        let (_, ink) = segment::ink(&text);
        // The character at an atom, or the next one after it.
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

    /// The run with addresses, paths and variables as untranslated atoms; none if it holds none of them.
    fn with_verbatim_words(&self) -> Option<Self> {
        let (mut atoms, mut places) = (Vec::new(), vec![0; self.atoms.len()]);
        let mut tags = Tags::default();
        let mut index = 0;
        let mut is_any = false;
        while index < self.atoms.len() {
            let letters = self.letters_from(index);
            let mut found = self.kept_in(letters);
            is_any |= !found.is_empty();
            let end = index + letters.len().max(1);
            for (place, atom) in (0..).zip(&self.atoms[index..end]) {
                while found.first().is_some_and(|kept| kept.range.end <= place) {
                    found.remove(0);
                }
                let kept = found.first().filter(|kept| kept.range.start <= place);
                match kept {
                    Some(kept) if place > kept.range.start => {
                        let last: &mut Atom = &mut atoms[places[index + place - 1]];
                        last.range.end = atom.range.end;
                    }
                    _ => atoms.push(atom.clone()),
                }
                places[index + place] = atoms.len() - 1;
                match kept {
                    Some(kept) if place == kept.range.start => {
                        let text = letters[kept.range.clone()].iter();
                        let text: String = text.filter_map(Atom::letter).collect();
                        let last = atoms.len() - 1;
                        atoms[last].kind = tags.kind(kept.found, &text, last);
                    }
                    Some(_) => {}
                    None => tags.pass(atom, atoms.len() - 1),
                }
            }
            index = end;
        }
        if !is_any {
            return None;
        }
        for atom in &mut atoms {
            if let Kind::Open(partner) | Kind::Close(partner) = &mut atom.kind {
                *partner = places[*partner];
            }
        }
        for (open, close) in tags.pairs {
            atoms[open].kind = Kind::Open(close);
            atoms[close].kind = Kind::Close(open);
        }
        Some(Self {
            atoms,
            open: Vec::new(),
            holds_letter: self.holds_letter,
            is_string: self.is_string,
        })
    }

    /// The characters from an atom on up to a tag; none if it is no character.
    fn letters_from(&self, start: usize) -> &[Atom] {
        let ends = |atom: &Atom| atom.letter().is_none();
        let atoms = &self.atoms[start..];
        &atoms[..atoms.iter().position(ends).unwrap_or(atoms.len())]
    }

    /// Ranges of kept characters, counted in characters.
    fn kept_in(&self, letters: &[Atom]) -> Vec<Kept> {
        let text: String = letters.iter().filter_map(Atom::letter).collect();
        let mut found = kept(&text, self.is_string);
        let (mut byte, mut chars) = (0, 0);
        let mut place = |at: usize| {
            chars += text[byte..at].chars().count();
            byte = at;
            chars
        };
        for kept in &mut found {
            kept.range = place(kept.range.start)..place(kept.range.end);
        }
        found
    }

    fn pieces(&self, how: Segmentation<'_>) -> Result<Vec<Piece>> {
        let parts = self.parts(how)?.into_iter();
        Ok(parts.filter_map(|part| self.piece(part)).collect())
    }

    /// The atoms of each sentence.
    fn parts(&self, how: Segmentation<'_>) -> Result<Vec<Range<usize>>> {
        let (mut text, atoms) = self.outline();
        if let Segmentation::Usual(language) = how {
            text = with_finished_lines(text, language);
        }
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

    /// Leaves outside what encloses the atoms or is at their beginning or end without being text.
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

/// The tags in the text of a string, as they are met.
#[derive(Default)]
struct Tags {
    /// Names and atoms of those that are open; an element of the file that is open has no name.
    open: Vec<(String, usize)>,
    pairs: Vec<(usize, usize)>,
}

impl Tags {
    /// The kind of what was found at an atom.
    fn kind(&mut self, found: Found, text: &str, atom: usize) -> Kind {
        match found {
            Found::Placeholder | Found::PercentSign => return Kind::Opaque,
            Found::Break => return Kind::LineBreak,
            Found::Point | Found::Control => {}
            Found::Open => self.open.push((tag_name(text).to_owned(), atom)),
            Found::Close => {
                let name = tag_name(text);
                let open = self
                    .open
                    .iter()
                    .rev()
                    .take_while(|(open, _)| !open.is_empty());
                let depth = open.map(|(open, _)| open == name).position(|same| same);
                if let Some(depth) = depth {
                    let at = self.open.len() - 1 - depth;
                    self.pairs.push((self.open[at].1, atom));
                    self.open.truncate(at);
                }
            }
        }
        Kind::Tag
    }

    /// Elements of the file do not cross those of its text.
    fn pass(&mut self, atom: &Atom, place: usize) {
        match atom.kind {
            Kind::Open(_) => self.open.push((String::new(), place)),
            Kind::Close(_) => {
                let last = self.open.iter().rposition(|(open, _)| open.is_empty());
                self.open.truncate(last.unwrap_or(0));
            }
            _ => {}
        }
    }
}
