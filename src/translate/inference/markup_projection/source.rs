//! A source sentence without its markup, and the tree that the markup forms.

use std::ops::Range;

use super::literals::literals;
use super::marks::unread_marks;
use super::quotes::{lacks_marks, quoted};
use canopy_document::pictograms::pictograms;
use canopy_document::placeholder::{self, Placeholder};

/// The markup of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Pair(usize),
    /// A tag, or a span such as code that is not translated.
    Point(usize),
    /// A word that stays as it is.
    Literal,
    /// A pair that the model reads and writes; its range begins and ends with the placeholders.
    Read,
    /// Words whose quotation marks, these, the translation has lost.
    Quoted([&'static str; 2]),
}

impl Kind {
    /// Whether it is around words that are translated.
    pub(crate) fn encloses(self) -> bool {
        matches!(self, Self::Pair(_) | Self::Read | Self::Quoted(_))
    }
}

/// A piece of markup in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub kind: Kind,
    /// The bytes of the stripped text that it encloses, or that it shows; empty if there are none.
    pub range: Range<usize>,
    /// Whether white space is before and after it.
    pub is_spaced: [bool; 2],
    /// Whether a word is right after it.
    pub touches_word: bool,
    /// Whether it shows white space itself, as a line break does.
    pub is_break: bool,
    /// Whether it encloses the first letter of a word alone, as drop caps and access keys do.
    pub is_initial: bool,
    pub children: Vec<Node>,
}

/// A sentence as a model without placeholders reads it, and the markup that was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrippedSource {
    /// The text as the model reads it.
    pub text: String,
    pub(super) nodes: Vec<Node>,
}

/// A node under construction.
struct Open {
    kind: Kind,
    start: usize,
    space_before: bool,
    children: Vec<Node>,
}

impl StrippedSource {
    /// The texts that must be in a translation as they are: code, addresses, words that programs fill in.
    pub fn kept(&self) -> Vec<&str> {
        fn collect<'s>(text: &'s str, nodes: &[Node], kept: &mut Vec<&'s str>) {
            for node in nodes {
                if !node.kind.encloses() && !node.range.is_empty() {
                    kept.push(&text[node.range.clone()]);
                }
                collect(text, &node.children, kept);
            }
        }
        let mut kept = Vec::new();
        collect(&self.text, &self.nodes, &mut kept);
        kept
    }

    /// Splits a text with placeholders, whose points show `points`.
    pub fn from_text(text: &str, points: &[String]) -> Self {
        let mut stripped = Self::without(text, points, &|_| true);
        stripped.add_literals();
        stripped
    }

    /// The source for a model that reads placeholders: without tags that show nothing or a pictogram, and without pairs that
    /// begin or end within a word, nor what is in these. None if there are no such, and no quotation marks that a
    /// translation could lose.
    pub fn around_read(text: &str, points: &[String]) -> Option<Self> {
        // A picture is no word of its sentence.
        let is_picture =
            |shown: &str| matches!(&pictograms(shown)[..], [run] if *run == (0..shown.len()));
        let words = points.iter().map(|shown| match shown {
            shown if is_picture(shown) => String::new(),
            shown => shown.clone(),
        });
        let points: Vec<String> = words.collect();
        let mut unread = unread_marks(&Self::without(text, &points, &|_| true));
        // Tabulators part columns: what is before and after one is no sentence together.
        unread.retain(|&number| points.get(number).is_none_or(|shown| shown != "\t"));
        let stripped = Self::without(text, &points, &|number| unread.contains(&number));
        let is_needed = !unread.is_empty() || !quoted(&stripped.text).is_empty();
        is_needed.then_some(stripped)
    }

    /// Without the markup of these numbers.
    fn without(text: &str, points: &[String], is_taken: &dyn Fn(usize) -> bool) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let root = Open {
            kind: Kind::Literal,
            start: 0,
            space_before: true,
            children: Vec::new(),
        };
        let (mut shown, mut open) = (String::new(), vec![root]);
        for (index, &character) in characters.iter().enumerate() {
            let is_spaced = || [&characters[..index], &characters[index + 1..]];
            match Placeholder::from_char(character) {
                None if character.is_whitespace() && character != '\u{A0}' => space(&mut shown),
                None => shown.push(character),
                Some(Placeholder::Open(number)) => {
                    let [before, after] = is_spaced();
                    let last = open.last().and_then(|parent| parent.children.last());
                    let last = last.map(|last| shown[last.range.start..].chars().count());
                    let touches = before.last().copied().and_then(Placeholder::from_char);
                    let is_begun = last.is_some_and(|chars| chars > 1) && !begins_small(after);
                    if touches == Some(Placeholder::Close) && is_begun {
                        space(&mut shown);
                    }
                    let start = shown.len();
                    if !is_taken(number) {
                        shown.push(character);
                    }
                    open.push(Open {
                        kind: if is_taken(number) {
                            Kind::Pair(number)
                        } else {
                            Kind::Read
                        },
                        start,
                        space_before: ends_in_space(before, points),
                        children: Vec::new(),
                    });
                }
                Some(Placeholder::Point(number)) if !is_taken(number) => shown.push(character),
                Some(Placeholder::Point(number)) => {
                    let [before, after] = is_spaced();
                    let text = points.get(number).map_or("", String::as_str);
                    if !text.is_empty() && text.trim().is_empty()
                        || text.is_empty() && parts_words(&shown, after)
                    {
                        space(&mut shown);
                    }
                    let start = shown.len();
                    shown.push_str(&placeholder::stripped(text.trim()));
                    push(
                        &mut open,
                        Node {
                            kind: Kind::Point(number),
                            touches_word: begins_with_word(after),
                            is_break: !text.is_empty() && text.trim().is_empty(),
                            is_initial: false,
                            range: start..shown.len(),
                            is_spaced: [
                                ends_in_space(before, points),
                                begins_with_space(after, points),
                            ],
                            children: Vec::new(),
                        },
                    );
                }
                // One without an opening one is no markup of ours.
                Some(Placeholder::Close) if open.len() == 1 => {}
                Some(Placeholder::Close) => {
                    let after = is_spaced()[1];
                    if open.last().is_some_and(|open| open.kind == Kind::Read) {
                        shown.push(character);
                    }
                    close(
                        &mut open,
                        shown.len(),
                        [begins_with_space(after, points), begins_with_word(after)],
                    );
                }
            }
        }
        while open.len() > 1 {
            close(&mut open, shown.len(), [true, false]);
        }
        let mut stripped = Self {
            nodes: open.pop().map(|root| root.children).unwrap_or_default(),
            text: shown,
        };
        stripped.trim();
        stripped
    }

    /// Whether there is nothing to put back into a translation.
    pub fn is_whole_in(&self, translation: &str) -> bool {
        let mut is_plain = true;
        visit(&self.nodes, &mut |node| is_plain &= node.kind == Kind::Read);
        is_plain && !lacks_marks(&self.text, translation)
    }

    fn trim(&mut self) {
        let text = self.text.trim_end();
        trim_nodes(&mut self.nodes, text);
        self.text.truncate(text.len());
    }

    /// Makes nodes of the words that stay as they are and no node shows already.
    fn add_literals(&mut self) {
        for range in literals(&self.text) {
            insert(&mut self.nodes, range);
        }
    }

    /// The points that show a text of their own.
    pub(super) fn shown_points(&self) -> Vec<usize> {
        let mut numbers = Vec::new();
        visit(&self.nodes, &mut |node| match node.kind {
            Kind::Point(number) if !node.range.is_empty() => numbers.push(number),
            _ => {}
        });
        numbers
    }

    /// Where words must be cut, so that tags are between them.
    pub(super) fn boundaries(&self) -> Vec<usize> {
        let mut places = Vec::new();
        visit(&self.nodes, &mut |node| {
            places.extend([node.range.start, node.range.end]);
        });
        places
    }

    /// Texts that stay as they are.
    pub(super) fn kept_texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        visit(&self.nodes, &mut |node| {
            if !node.kind.encloses() && !node.range.is_empty() {
                texts.push(node.range.clone());
            }
        });
        texts.into_iter().map(|range| &self.text[range]).collect()
    }
}

pub(super) fn visit(nodes: &[Node], each: &mut impl FnMut(&Node)) {
    for node in nodes {
        each(node);
        visit(&node.children, each);
    }
}

fn space(shown: &mut String) {
    if !shown.is_empty() && !shown.ends_with(' ') {
        shown.push(' ');
    }
}

fn push(open: &mut [Open], node: Node) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(node);
    }
}

fn close(open: &mut Vec<Open>, end: usize, [space_after, touches_word]: [bool; 2]) {
    if let Some(closed) = open.pop() {
        push(
            open,
            Node {
                kind: closed.kind,
                range: closed.start..end,
                is_spaced: [closed.space_before, space_after],
                touches_word,
                is_break: false,
                is_initial: false,
                children: closed.children,
            },
        );
    }
}

/// Whether the place has white space or nothing, markup aside that shows nothing.
fn ends_in_space(before: &[char], points: &[String]) -> bool {
    let mut before = before.iter().rev();
    let last = before.find(|&&c| is_shown(c, points));
    last.is_none_or(|c| c.is_whitespace())
}

fn begins_with_space(after: &[char], points: &[String]) -> bool {
    let first = after.iter().find(|&&c| is_shown(c, points));
    first.is_none_or(|c| c.is_whitespace())
}

/// Whether a tag that shows nothing parts two words, as an image does in `Print<img>Save`: a capital follows a small letter.
fn parts_words(shown: &str, after: &[char]) -> bool {
    let mut after = after
        .iter()
        .filter(|&&c| Placeholder::from_char(c).is_none());
    let is_small = |c: Option<&char>| c.is_some_and(|c| c.is_lowercase());
    shown.ends_with(char::is_lowercase)
        && after.next().is_some_and(|c| c.is_uppercase())
        && is_small(after.next())
}

/// Whether a pair that touches another one may continue with its word, as runs of different looks do.
fn begins_small(after: &[char]) -> bool {
    let first = after.iter().find(|&&c| Placeholder::from_char(c).is_none());
    first.is_none_or(|c| c.is_lowercase() || !c.is_alphanumeric())
}

fn begins_with_word(after: &[char]) -> bool {
    let first = after.iter().find(|&&c| Placeholder::from_char(c).is_none());
    first.is_some_and(|c| c.is_alphanumeric())
}

/// Whether a reader sees a character: tags are not seen, code is, and line breaks are nothing that spaces cling to.
fn is_shown(character: char, points: &[String]) -> bool {
    match Placeholder::from_char(character) {
        None => true,
        Some(Placeholder::Point(number)) => points
            .get(number)
            .is_some_and(|text| !text.trim().is_empty()),
        Some(_) => false,
    }
}

/// Lets ranges begin and end at words.
fn trim_nodes(nodes: &mut [Node], text: &str) {
    for node in nodes {
        let (start, end) = (
            node.range.start.min(text.len()),
            node.range.end.min(text.len()),
        );
        let inner = &text[start..end];
        let lead = inner.len() - inner.trim_start().len();
        node.range = if inner.trim().is_empty() {
            start..start
        } else {
            start + lead..start + inner.trim_end().len()
        };
        trim_nodes(&mut node.children, text);
    }
}

/// Puts a literal among the nodes, in the innermost pair that holds it; what crosses a boundary is dropped.
fn insert(nodes: &mut Vec<Node>, range: Range<usize>) {
    let overlaps = |node: &Node| node.range.start < range.end && range.start < node.range.end;
    if let Some(node) = nodes.iter_mut().find(|node| overlaps(node)) {
        let holds = node.range.start <= range.start && range.end <= node.range.end;
        if holds && node.kind.encloses() {
            insert(&mut node.children, range);
        }
        return;
    }
    let is_inside = |node: &Node| {
        node.range.is_empty() && range.start < node.range.start && node.range.start < range.end
    };
    if nodes.iter().any(is_inside) {
        return;
    }
    let place =
        nodes.partition_point(|node| node.range.end <= range.start && node.range.start < range.end);
    nodes.insert(
        place,
        Node {
            kind: Kind::Literal,
            range,
            is_spaced: [true, true],
            touches_word: false,
            is_break: false,
            is_initial: false,
            children: Vec::new(),
        },
    );
}
