//! Marks within words: a bookmark in `docu|ment`, a drop cap, an access key.
//!
//! A model reads the word whole. Where the translation has the same word, the mark is at the same place in it; otherwise
//! a point goes to the beginning of the word, and a pair around it.

use std::collections::BTreeSet;
use std::ops::Range;

use super::source::{Kind, Node, StrippedSource, visit};
use super::words::Words;

/// A source whose marks are between words, as its translation allows.
pub(super) struct Settled {
    pub source: StrippedSource,
    /// Where words are cut.
    pub source_cuts: Vec<usize>,
    pub target_cuts: Vec<usize>,
    /// Words that both texts have, with a mark in them.
    same: Vec<(Range<usize>, Range<usize>)>,
}

/// The numbers of the tags that show nothing, and of the pairs that begin or end within a word with all markup in them.
pub(super) fn unread_marks(source: &StrippedSource) -> BTreeSet<usize> {
    fn add(nodes: &[Node], words: &Uncut, is_within: bool, unread: &mut BTreeSet<usize>) {
        for node in nodes {
            let cuts = |place: usize| words.around(place).is_some();
            let is_pair = matches!(node.kind, Kind::Pair(_));
            let is_cut = is_pair && (cuts(node.range.start) || cuts(node.range.end));
            let number = match node.kind {
                Kind::Point(number) if node.range.is_empty() => Some(number),
                Kind::Pair(number) if is_within || is_cut => Some(number),
                _ => None,
            };
            unread.extend(number);
            add(&node.children, words, is_within || is_cut, unread);
        }
    }
    let mut unread = BTreeSet::new();
    add(&source.nodes, &Uncut::new(source), false, &mut unread);
    unread
}

/// The words of a source as if no mark stood in them.
struct Uncut<'s> {
    words: Words<'s>,
    /// Where one pair ends and another one begins: two words touch there, such as the keys of two systems.
    joints: BTreeSet<usize>,
}

impl<'s> Uncut<'s> {
    fn new(source: &'s StrippedSource) -> Self {
        let (mut starts, mut ends) = (BTreeSet::new(), BTreeSet::new());
        visit(&source.nodes, &mut |node| {
            if matches!(node.kind, Kind::Pair(_)) && !node.range.is_empty() {
                starts.insert(node.range.start);
                ends.insert(node.range.end);
            }
        });
        Self {
            words: Words::new(&source.text, &[]),
            joints: starts.intersection(&ends).copied().collect(),
        }
    }

    /// The word that has a place inside, not at its ends.
    fn around(&self, place: usize) -> Option<Range<usize>> {
        let ranges = &self.words.ranges;
        let index = ranges.partition_point(|word| word.end <= place);
        let word = ranges.get(index)?;
        (word.start < place && !self.joints.contains(&place)).then(|| word.clone())
    }
}

/// Moves the marks within words which the translation does not have.
pub(super) fn settled(source: &StrippedSource, target: &str, target_cuts: Vec<usize>) -> Settled {
    let uncut = Uncut::new(source);
    let (source_words, target_words) = (&uncut.words, &Words::new(target, &[]));
    let mut places = Vec::new();
    visit(&source.nodes, &mut |node| {
        if is_movable(node) {
            places.extend([node.range.start, node.range.end]);
        }
    });
    let mut settled = Settled {
        source: source.clone(),
        source_cuts: Vec::new(),
        target_cuts,
        same: Vec::new(),
    };
    for place in places {
        let Some(word) = uncut.around(place) else {
            continue;
        };
        let same = same_word(source_words, target_words, &word)
            .or_else(|| same_ordinal(source_words, target_words, &word, place));
        if let Some(same) = same {
            settled.target_cuts.push(same.start + place - word.start);
            if !settled.same.iter().any(|(known, _)| *known == word) {
                settled.same.push((word, same));
            }
        }
    }
    let stays = |word: &Range<usize>| settled.same.iter().any(|(known, _)| known == word);
    let moving = Moving {
        text: &source.text,
        words: &uncut,
        stays: &stays,
    };
    let whole = 0..source.text.len();
    moving.settle(&mut settled.source.nodes, &whole);
    settled.source_cuts = settled.source.boundaries();
    settled
}

/// Whether a mark may move to the beginning of a word or around it: one that shows a text of its own stays between its words.
fn is_movable(node: &Node) -> bool {
    matches!(node.kind, Kind::Pair(_)) || node.range.is_empty()
}

/// The word of the translation that is the same as one of the source, if both texts have it equally often.
fn same_word(source: &Words, target: &Words, word: &Range<usize>) -> Option<Range<usize>> {
    let text = &source.text[word.clone()];
    let places = |words: &Words| -> Vec<Range<usize>> {
        let ranges = words.ranges.iter();
        ranges
            .filter(|it| &words.text[(*it).clone()] == text)
            .cloned()
            .collect()
    };
    let (own, other) = (places(source), places(target));
    let number = own.iter().position(|it| it == word)?;
    (own.len() == other.len()).then(|| other[number].clone())
}

/// The ordinal of the translation that has the digits before `place` of one of the source, with what follows them: `2nd`,
/// `2.`, `2ème`.
fn same_ordinal(
    source: &Words,
    target: &Words,
    word: &Range<usize>,
    place: usize,
) -> Option<Range<usize>> {
    let digits = &source.text[word.start..place];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let places = |words: &Words| -> Vec<Range<usize>> {
        let is_it = |it: &&Range<usize>| {
            let rest = words.text[(*it).clone()].strip_prefix(digits);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        words.ranges.iter().filter(is_it).cloned().collect()
    };
    let (own, other) = (places(source), places(target));
    let number = own.iter().position(|it| it == word)?;
    let found = other.get(number).filter(|_| own.len() == other.len())?;
    let is_bare = found.len() == digits.len();
    match target.text[found.end..].chars().next() {
        Some('.') if is_bare => Some(found.start..found.end + 1),
        _ => (!is_bare).then(|| found.clone()),
    }
}

struct Moving<'s> {
    text: &'s str,
    words: &'s Uncut<'s>,
    /// Whether marks stay within a word.
    stays: &'s dyn Fn(&Range<usize>) -> bool,
}

impl Moving<'_> {
    fn word_around(&self, place: usize) -> Option<Range<usize>> {
        self.words.around(place).filter(|word| !(self.stays)(word))
    }

    /// Moves marks that enclosing ones hold in these bytes.
    fn settle(&self, nodes: &mut [Node], within: &Range<usize>) {
        let mut before = within.start;
        for node in nodes {
            if is_movable(node) {
                self.move_out(node, before, within);
            }
            let range = node.range.clone();
            self.settle(&mut node.children, &range);
            before = before.max(range.end);
        }
    }

    fn move_out(&self, node: &mut Node, before: usize, within: &Range<usize>) {
        let Range { start, end } = node.range.clone();
        let [first, last] = [start, end].map(|place| self.word_around(place));
        let is_point = start == end;
        let is_initial = last.as_ref().is_some_and(|word| word.start == start);
        node.is_initial = is_initial && self.text[start..end].chars().count() == 1;
        if first.is_none() && last.is_none() {
            return;
        }
        let new_start = first.map_or(start, |word| word.start.max(before).max(within.start));
        let new_end = match last {
            _ if is_point => new_start,
            Some(word) => word.end.min(within.end).max(new_start),
            None => end.max(new_start),
        };
        node.range = new_start..new_end;
        let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        node.is_spaced = [
            is_space(self.text[..new_start].chars().next_back()),
            is_space(self.text[new_end..].chars().next()),
        ];
        node.touches_word = self.text[new_end..].starts_with(char::is_alphanumeric);
    }
}

impl Settled {
    /// Aligns the parts of words that are the same to themselves.
    pub(crate) fn trust_same(&self, source: &Words, target: &Words, weights: &mut [Vec<f32>]) {
        for (own, other) in &self.same {
            let (own, other) = (source.within(own), target.within(other));
            if own.len() != other.len() {
                continue;
            }
            for (part, place) in own.zip(other) {
                weights[place].fill(0.0);
                weights[place][part] = 1.0;
            }
        }
    }
}
