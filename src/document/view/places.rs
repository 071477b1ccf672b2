//! Places in a translation for codes that mark a place of the text and show nothing, such as bookmarks.
//!
//! Translators do not see them, so the translation does not say where they go. A code next to a placeholder stays next to it.
//! Codes around words that the translation has once, such as a number or a name, are around these. Any other code
//! is at the edge of the word that is as far into its stretch of the text as the code is in the source.

use std::ops::Range;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::{Code, Role};
use crate::document::{Markup, Sentence};
use crate::placeholder::Placeholder;

/// Where a code goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The byte of the translation that follows it.
    pub at: usize,
    /// The number of the code in its unit.
    pub code: usize,
}

/// The part of a placeholder that is one character of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Open(usize),
    Close(usize),
    Point(usize),
}

/// The text of a source between two placeholders, with the codes that get a place in it.
#[derive(Debug, Default)]
struct Stretch {
    before: Option<Token>,
    after: Option<Token>,
    text: String,
    /// Bytes of the text, numbers, and whether text begins there rather than ends.
    codes: Vec<(usize, usize, bool)>,
}

/// Returns the places of a sentence's codes in its translation, in the order of the source, which they keep.
///
/// `codes` are those of the unit, `numbers` the ones in the sentence.
pub(super) fn places(
    sentence: &Sentence,
    translation: &str,
    view: &str,
    codes: &[Code],
    numbers: Range<usize>,
) -> Vec<Place> {
    let is_placed = |number: &usize| matches!(codes[*number].role, Role::Placed { .. });
    if !numbers.clone().any(|number| is_placed(&number)) {
        return Vec::new();
    }
    let target = Target::new(translation);
    let mut places: Vec<Place> = Vec::new();
    for stretch in stretches(sentence, view, codes, numbers) {
        target.place(&stretch, &mut places);
    }
    places
}

/// Cuts the source of a sentence at its placeholders.
fn stretches(
    sentence: &Sentence,
    view: &str,
    codes: &[Code],
    numbers: Range<usize>,
) -> Vec<Stretch> {
    let mut marks: Vec<(Range<usize>, Token)> = Vec::new();
    for (number, markup) in sentence.markup.iter().enumerate() {
        match markup {
            Markup::Pair { open, close } => {
                marks.push((open.clone(), Token::Open(number)));
                marks.push((close.clone(), Token::Close(number)));
            }
            Markup::Point { range } => marks.push((range.clone(), Token::Point(number))),
        }
    }
    marks.sort_by_key(|(range, _)| range.start);
    let mut stretches = vec![Stretch::default()];
    let (mut place, mut number) = (sentence.range.start, numbers.start);
    for (range, token) in marks
        .into_iter()
        .map(|(range, token)| (range, Some(token)))
        .chain([(sentence.range.end..sentence.range.end, None)])
    {
        let stretch = stretches.last_mut().expect("one from the beginning");
        while number < numbers.end && codes[number].view.start < range.start.max(place) {
            let Code {
                view: code, role, ..
            } = &codes[number];
            if code.start >= place {
                stretch.text += &view[place..code.start];
                place = code.end;
                if let Role::Placed { begins } = *role {
                    stretch.codes.push((stretch.text.len(), number, begins));
                }
            }
            number += 1;
        }
        if let Some(text) = view.get(place..range.start) {
            stretch.text += text;
        }
        stretch.after = token;
        place = place.max(range.end);
        stretches.push(Stretch {
            before: token,
            ..Stretch::default()
        });
    }
    stretches.pop();
    stretches
}

/// A translation with its placeholders.
struct Target<'t> {
    text: &'t str,
    tokens: Vec<(Range<usize>, Token)>,
}

impl<'t> Target<'t> {
    fn new(text: &'t str) -> Self {
        let (mut tokens, mut open) = (Vec::new(), Vec::new());
        for (place, character) in text.char_indices() {
            let token = match Placeholder::from_char(character) {
                Some(Placeholder::Open(number)) => {
                    open.push(number);
                    Token::Open(number)
                }
                Some(Placeholder::Point(number)) => Token::Point(number),
                Some(Placeholder::Close) => match open.pop() {
                    Some(number) => Token::Close(number),
                    None => continue,
                },
                None => continue,
            };
            tokens.push((place..place + character.len_utf8(), token));
        }
        Self { text, tokens }
    }

    fn range_of(&self, token: Option<Token>) -> Option<Range<usize>> {
        let token = token?;
        let found = self.tokens.iter().find(|(_, it)| *it == token);
        found.map(|(range, _)| range.clone())
    }

    /// The text in which the codes of a stretch are placed.
    fn stretch(&self, stretch: &Stretch) -> Range<usize> {
        let start = self.range_of(stretch.before).map_or(0, |range| range.end);
        let end = self.tokens.iter().map(|(range, _)| range.start);
        start
            ..end
                .filter(|&end| end >= start)
                .min()
                .unwrap_or(self.text.len())
    }

    fn place(&self, stretch: &Stretch, places: &mut Vec<Place>) {
        let range = self.stretch(stretch);
        let before = self.range_of(stretch.before).map(|range| range.end);
        let after = self.range_of(stretch.after).map(|range| range.start);
        let mut same: Option<(usize, usize)> = None;
        for (index, &(offset, code, begins)) in stretch.codes.iter().enumerate() {
            let last = places.last().map_or(0, |place| place.at);
            let (is_first, is_last) = (offset == 0, offset == stretch.text.len());
            let beside = match (before.filter(|_| is_first), after.filter(|_| is_last)) {
                (Some(_), Some(after)) if begins => Some(after),
                (before, after) => before.or(after),
            };
            let next = stretch.codes.get(index + 1).map(|&(offset, ..)| offset);
            let found = next.and_then(|next| self.same(&stretch.text[offset..next], &range));
            let at = if let Some((_, end)) = same.take().filter(|&(behind, _)| behind == offset) {
                end
            } else if index > 0 && stretch.codes[index - 1].0 == offset {
                // Nothing is between them.
                last
            } else if let Some(at) = beside {
                at
            } else if let Some(found) = found.filter(|found| found.start >= last) {
                same = next.map(|next| (next, found.end));
                found.start
            } else {
                // Text between two codes stays between them, if there is a place after it.
                let share = Share::before(&stretch.text, offset);
                let behind = last + usize::from(index > 0);
                let edge = |from| self.edge(&range, share, begins, from);
                let side = if begins { range.start } else { range.end };
                edge(behind).or_else(|| edge(last)).unwrap_or(side)
            };
            let at = at.max(last);
            places.push(Place { at, code });
        }
    }

    /// Where the translation has the words of the source, if it has them once.
    fn same(&self, words: &str, range: &Range<usize>) -> Option<Range<usize>> {
        let words = words.trim();
        if !words.contains(char::is_alphanumeric) {
            return None;
        }
        let text = &self.text[range.clone()];
        let mut found = text.match_indices(words).filter(|(start, _)| {
            let end = start + words.len();
            is_edge(text, *start) && is_edge(text, end)
        });
        let (start, _) = found.next()?;
        let start = range.start + start;
        found.next().is_none().then(|| start..start + words.len())
    }

    /// The edge of a word next to a share of a stretch, from byte `from` on; none if there is none.
    fn edge(&self, range: &Range<usize>, share: Share, begins: bool, from: usize) -> Option<usize> {
        let text = &self.text[range.clone()];
        let length = text.chars().count();
        let distance = |chars: usize| (chars * share.whole).abs_diff(share.before * length);
        let starts = text.char_indices().map(|(byte, _)| byte);
        let edges = starts.chain([text.len()]).enumerate();
        let edges = edges.filter(|&(_, byte)| {
            let side = if begins {
                text[byte..].chars().next()
            } else {
                last_sign(&text[..byte])
            };
            let is_side = side.is_some_and(char::is_alphanumeric);
            is_side && is_edge(text, byte) && range.start + byte >= from
        });
        let nearest = edges.min_by_key(|&(chars, _)| distance(chars));
        nearest.map(|(_, byte)| range.start + byte)
    }
}

/// How much of a text precedes a place in it, in characters.
#[derive(Debug, Clone, Copy)]
struct Share {
    before: usize,
    whole: usize,
}

impl Share {
    fn before(text: &str, byte: usize) -> Self {
        Self {
            before: text[..byte].chars().count(),
            whole: text.chars().count().max(1),
        }
    }
}

/// Whether a place is between two words, or at the end of a text; never before a mark that belongs to the sign before it.
fn is_edge(text: &str, byte: usize) -> bool {
    let (before, after) = (last_sign(&text[..byte]), text[byte..].chars().next());
    if after.is_some_and(is_mark) {
        return false;
    }
    let is_letter = |letter: char| letter.is_alphanumeric() && !has_no_spaces(letter);
    !(before.is_some_and(is_letter) && after.is_some_and(is_letter))
}

/// The last sign of a text, whatever marks are on it.
fn last_sign(text: &str) -> Option<char> {
    text.chars().rfind(|&sign| !is_mark(sign))
}

fn is_mark(sign: char) -> bool {
    !sign.is_ascii() && sign.general_category_group() == GeneralCategoryGroup::Mark
}

/// Whether a letter is of a script that is written without spaces: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
fn has_no_spaces(letter: char) -> bool {
    matches!(letter, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_between_words_and_not_before_a_mark() {
        let edges = |text: &str| -> Vec<usize> {
            let bytes = text.char_indices().map(|(byte, _)| byte);
            bytes
                .chain([text.len()])
                .filter(|&byte| is_edge(text, byte))
                .collect()
        };
        assert_eq!(edges("ab c."), [0, 2, 3, 4, 5]);
        // Between `e` and its accent there is no place, nor after the accent within a word.
        assert_eq!(edges("e\u{301}t"), [0, 4]);
        // Chinese words have no spaces around them.
        assert_eq!(edges("打开"), [0, 3, 6]);
    }
}
