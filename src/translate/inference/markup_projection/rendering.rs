//! The translation as a text with placeholders.

use std::ops::Range;

use super::placing::Placed;
use super::quotes::is_double_mark;
use super::source::{Kind, StrippedSource};
use super::words::Words;
use canopy_document::placeholder::{self, Placeholder};

struct Rendering<'a> {
    source: &'a StrippedSource,
    words: &'a Words<'a>,
    /// Whether the language writes spaces between words.
    has_spaces: bool,
    /// Points that show a text.
    shown: Vec<usize>,
    text: String,
    /// Space before the next word that is not written yet.
    space: &'a str,
}

pub(super) fn rendered(source: &StrippedSource, words: &Words, placed: &[Placed]) -> String {
    let has_spaces = words.len() < 2 || words.text.trim().contains(char::is_whitespace);
    let mut rendering = Rendering {
        source,
        words,
        has_spaces,
        shown: source.shown_points(),
        text: String::with_capacity(words.text.len() + 8),
        space: "",
    };
    let end = rendering.run(0, words.len(), placed);
    debug_assert_eq!(end, words.len(), "all words are written");
    rendering.text
}

impl Rendering<'_> {
    /// Writes the words of a span with the nodes in it.
    fn run(&mut self, start: usize, end: usize, placed: &[Placed]) -> usize {
        let mut next = start;
        for it in placed {
            self.write_words(next, it.words.start);
            next = it.words.end;
            if it.words.is_empty() {
                self.between(it);
            } else {
                self.around(it);
            }
        }
        self.write_words(next, end);
        end
    }

    fn write_words(&mut self, start: usize, end: usize) {
        for place in start..end {
            self.write(place, self.words.word(place));
        }
    }

    /// Writes what stands for a word, and takes note of the space after it.
    fn write(&mut self, place: usize, shown: &str) {
        let space = std::mem::take(&mut self.space);
        self.text.push_str(space);
        self.text.push_str(shown);
        self.remember_space(place);
    }

    fn remember_space(&mut self, place: usize) {
        let end = self.words.ranges[place].end;
        let next = self
            .words
            .ranges
            .get(place + 1)
            .map_or(end, |next| next.start);
        let space = &self.words.text[end..next];
        // Pieces of a vocabulary may bring a space each.
        let is_one = space.bytes().all(|byte| byte == b' ');
        self.space = if is_one {
            &space[..space.len().min(1)]
        } else {
            space
        };
    }

    /// Writes a node that encloses or replaces words.
    fn around(&mut self, placed: &Placed) {
        let space = std::mem::take(&mut self.space);
        self.text.push_str(space);
        let last = placed.words.end - 1;
        match placed.node.kind {
            Kind::Pair(number) => {
                self.text.push(placeholder::open(number));
                if placed.node.is_initial && placed.children.is_empty() {
                    self.initial(&placed.words);
                } else {
                    self.run(placed.words.start, placed.words.end, &placed.children);
                    self.text.push(placeholder::CLOSE);
                }
            }
            Kind::Read => {
                self.run(placed.words.start, placed.words.end, &placed.children);
            }
            Kind::Quoted([open, close]) => {
                let is_quoted = self.is_quoted(&placed.words);
                self.text.push_str(if is_quoted { "" } else { open });
                self.run(placed.words.start, placed.words.end, &placed.children);
                self.text.push_str(if is_quoted { "" } else { close });
            }
            Kind::Point(number) => self.text.push(placeholder::point(number)),
            Kind::Literal => self
                .text
                .push_str(&self.source.text[placed.node.range.clone()]),
        }
        // Markup at the end of a pair may have used it up.
        if !placed.node.kind.encloses() {
            self.remember_space(last);
        }
    }

    /// Writes the rest of a pair that encloses the first letter of these words alone.
    fn initial(&mut self, words: &Range<usize>) {
        let word = self.words.word(words.start);
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        self.text.push_str(first);
        self.text.push(placeholder::CLOSE);
        self.write(words.start, rest);
        self.write_words(words.start + 1, words.end);
    }

    /// Whether a quotation mark is at an end of some words, within or without.
    fn is_quoted(&self, words: &Range<usize>) -> bool {
        let is_mark = |place: Option<usize>| {
            let place = place.filter(|&place| place < self.words.len());
            place.is_some_and(|place| self.words.word(place).contains(is_double_mark))
        };
        let ends = [
            words.start.checked_sub(1),
            Some(words.start),
            Some(words.end),
            words.end.checked_sub(1),
        ];
        ends.into_iter().any(is_mark)
    }

    /// Writes a node between two words, with the spaces that it has in the source.
    fn between(&mut self, placed: &Placed) {
        let [before, after] = placed.node.is_spaced;
        let is_at_start = self.visible_end().is_none();
        let is_at_end = placed.words.start >= self.words.len();
        let had_space = !std::mem::take(&mut self.space).is_empty();
        let space_before = before && !is_at_start && self.has_spaces && !self.ends_in_space();
        if space_before {
            self.text.push(' ');
        }
        self.write_empty(placed);
        let next = self.words.ranges.get(placed.words.start);
        let next = next.and_then(|range| self.words.text[range.clone()].chars().next());
        let begins_word = next.is_some_and(char::is_alphanumeric);
        let node = placed.node;
        let keeps_space = had_space && (!space_before || after) && (after || !node.is_break);
        // What was loose in the source must not cling to a word here.
        let is_loose = (before || after) && !node.touches_word && begins_word && self.has_spaces;
        let wants_space = keeps_space || is_loose && (after || is_at_start || had_space);
        if wants_space && !is_at_end {
            self.space = " ";
        }
    }

    fn write_empty(&mut self, placed: &Placed) {
        match placed.node.kind {
            Kind::Pair(number) => {
                self.text.push(placeholder::open(number));
                for child in &placed.children {
                    self.write_empty(child);
                }
                self.text.push(placeholder::CLOSE);
            }
            Kind::Read | Kind::Quoted(_) => {
                for child in &placed.children {
                    self.write_empty(child);
                }
            }
            Kind::Point(number) => self.text.push(placeholder::point(number)),
            Kind::Literal => self
                .text
                .push_str(&self.source.text[placed.node.range.clone()]),
        }
    }

    /// The last character that is seen, which may stand for code.
    fn visible_end(&self) -> Option<char> {
        let mut characters = self.text.chars().rev();
        characters.find(|&character| match Placeholder::from_char(character) {
            None => true,
            Some(Placeholder::Point(number)) => self.shown.contains(&number),
            Some(_) => false,
        })
    }

    fn ends_in_space(&self) -> bool {
        self.visible_end().is_some_and(char::is_whitespace)
    }
}
