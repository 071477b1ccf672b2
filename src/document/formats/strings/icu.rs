//! Messages of ICU: `{count, plural, one{# file} other{# files}}`. The text of each branch is translated on its own, the
//! syntax around it stays.
//!
//! "MessageFormat" and "MessagePattern" of ICU: arguments, apostrophes, `#` of plurals. Java's `MessageFormat` differs in its
//! apostrophes.

use super::message::{Message, MessagePlace, Piece};
use crate::builder::{Builder, Context};
use crate::document::Standing;
use crate::variables::Dialect;
use crate::view::Translation;

/// The meaning of an apostrophe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum Apostrophes {
    /// It begins quoted syntax only before syntax (ICU).
    Optional,
    /// It always begins quoted text (Java); two are one.
    Required,
    /// It is only itself (Flutter, by default).
    Literal,
}

/// How deep messages may be nested.
const MAX_DEPTH: usize = 16;

/// A message with its branches.
#[derive(Debug)]
pub(in crate::formats) struct Pattern {
    source: String,
    apostrophes: Apostrophes,
    /// Whether `#` stands for a number here.
    is_plural: bool,
    nodes: Vec<Node>,
    /// Its own text's unit.
    place: Option<MessagePlace>,
}

#[derive(Debug)]
enum Node {
    /// The decoded text.
    Text(String),
    /// An argument or quoted text: as it is written, and what a reader sees.
    Fixed { written: String, shown: String },
    /// An argument with branches: what is before, between and after them.
    Branches {
        syntax: Vec<String>,
        branches: Vec<Pattern>,
    },
}

/// Whether a text has an argument with branches, as far as is known without reading it.
pub(super) fn is_complex(value: &str) -> bool {
    value.contains('{')
        && ["plural", "select", "selectordinal"].iter().any(|kind| {
            value.match_indices(kind).any(|(at, _)| {
                value[..at].trim_end().ends_with(',')
                    && value[at + kind.len()..].trim_start().starts_with(',')
            })
        })
}

impl Pattern {
    /// Reads a message; one whose apostrophes make no sense as quotation marks has them as themselves.
    pub(crate) fn read(source: &str, apostrophes: Apostrophes) -> Option<Self> {
        let literally = || Self::parse(source, Apostrophes::Literal);
        Self::parse(source, apostrophes).or_else(literally)
    }

    /// Parses a message; `None` if the text is not one.
    fn parse(source: &str, apostrophes: Apostrophes) -> Option<Self> {
        let mut parser = Parser {
            text: source,
            place: 0,
            apostrophes,
        };
        let pattern = parser.pattern(false, 0)?;
        (parser.place == source.len()).then_some(pattern)
    }

    /// Makes units of its own text and of its branches; whether there is any.
    pub(crate) fn units(
        &mut self,
        dialect: Dialect,
        builder: &mut Builder,
        context: &Context,
    ) -> bool {
        let mut message = Message::new(dialect);
        for (number, node) in self.nodes.iter().enumerate() {
            match node {
                Node::Text(text) => message.text(text),
                Node::Fixed { written, shown } => message.raw("ph", shown, written),
                Node::Branches { syntax, .. } => {
                    let name = syntax[0].split(',').next().unwrap_or_default();
                    message.nested(number, &format!("{name}}}"));
                }
            }
        }
        self.place = message.unit(builder, context.clone());
        let mut is_any = self.place.is_some();
        for node in &mut self.nodes {
            if let Node::Branches { syntax, branches } = node {
                for (before, branch) in syntax.iter().zip(branches) {
                    let selector = before.trim_end_matches('{').trim_end();
                    let selector = selector.rsplit([',', '}', ' ', '\n', '\t']).next();
                    let context = context.with_note(selector.unwrap_or_default());
                    is_any |= branch.units(dialect, builder, &context);
                }
            }
        }
        is_any
    }

    /// The translated message; `None` if there is nothing new.
    pub(crate) fn written(&self, translation: &Translation) -> Option<String> {
        let inner: Vec<Option<String>> = self
            .nodes
            .iter()
            .map(|node| node.written_branches(translation))
            .collect();
        let own = self
            .place
            .as_ref()
            .and_then(|place| place.pieces(translation));
        if own.is_none() && inner.iter().all(Option::is_none) {
            return None;
        }
        let pieces = own.unwrap_or_else(|| {
            let piece = |(number, node): (usize, &Node)| match node {
                Node::Text(text) => Piece::Text(text.clone()),
                Node::Fixed { written, .. } => Piece::Raw(written.clone()),
                Node::Branches { .. } => Piece::Inner(number),
            };
            self.nodes.iter().enumerate().map(piece).collect()
        });
        let mut written = String::new();
        let mut pieces = pieces.into_iter().peekable();
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Text(text) => {
                    let is_before_syntax = match pieces.peek() {
                        Some(Piece::Raw(next)) => next.starts_with(['{', '\'', '#']),
                        // The end of a branch, or of the message.
                        Some(Piece::Inner(_)) | None => true,
                        Some(Piece::Text(_)) => false,
                    };
                    self.escape(&text, is_before_syntax, &mut written);
                }
                Piece::Raw(raw) => written.push_str(&raw),
                Piece::Inner(number) => match &inner[number] {
                    Some(changed) => written.push_str(changed),
                    None => written.push_str(&self.nodes[number].source()),
                },
            }
        }
        Some(written)
    }

    /// Says which translation the file has already: itself where a branch has no counterpart, so that it stays.
    pub(crate) fn set_known(&self, builder: &mut Builder, target: &str, standing: Standing) {
        let other = Self::parse(target, self.apostrophes);
        self.set_known_parts(builder, other.as_ref(), standing);
    }

    fn set_known_parts(&self, builder: &mut Builder, other: Option<&Self>, standing: Standing) {
        if let Some(place) = &self.place {
            place.set_known(builder, other.map_or("", |other| &other.source), standing);
        }
        let of_other = other.map_or(&[][..], |other| &other.nodes);
        let mut others = of_other.iter().filter_map(Node::branches);
        for branches in self.nodes.iter().filter_map(Node::branches) {
            let other = others.next().unwrap_or_default();
            for (number, branch) in branches.iter().enumerate() {
                branch.set_known_parts(builder, other.get(number), standing);
            }
        }
    }

    fn escape(&self, text: &str, is_before_syntax: bool, written: &mut String) {
        let is_syntax = |c: char| matches!(c, '{' | '}') || c == '#' && self.is_plural;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek().copied();
            match character {
                '\'' => {
                    let counts = match next {
                        Some(next) => is_syntax(next) || matches!(next, '\'' | '|' | '#'),
                        None => is_before_syntax,
                    };
                    let is_doubled = match self.apostrophes {
                        Apostrophes::Required => true,
                        Apostrophes::Optional => counts,
                        Apostrophes::Literal => false,
                    };
                    written.push_str(if is_doubled { "''" } else { "'" });
                }
                _ if is_syntax(character) => written.extend(['\'', character, '\'']),
                _ => written.push(character),
            }
        }
    }
}

impl Node {
    fn branches(&self) -> Option<&[Pattern]> {
        match self {
            Self::Branches { branches, .. } => Some(branches),
            _ => None,
        }
    }

    fn source(&self) -> String {
        match self {
            Self::Branches { syntax, branches } => {
                let mut written = syntax[0].clone();
                for (branch, after) in branches.iter().zip(&syntax[1..]) {
                    written.extend([branch.source.as_str(), after.as_str()]);
                }
                written
            }
            Self::Text(text) | Self::Fixed { written: text, .. } => text.clone(),
        }
    }

    fn written_branches(&self, translation: &Translation) -> Option<String> {
        let Self::Branches { syntax, branches } = self else {
            return None;
        };
        let translated: Vec<Option<String>> = branches
            .iter()
            .map(|branch| branch.written(translation))
            .collect();
        if translated.iter().all(Option::is_none) {
            return None;
        }
        let mut written = syntax[0].clone();
        for ((branch, new), after) in branches.iter().zip(&translated).zip(&syntax[1..]) {
            written += new.as_ref().unwrap_or(&branch.source);
            written += after;
        }
        Some(written)
    }
}

struct Parser<'t> {
    text: &'t str,
    place: usize,
    apostrophes: Apostrophes,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.place..]
    }

    /// A message up to the brace that closes it, or to the end.
    fn pattern(&mut self, is_plural: bool, depth: usize) -> Option<Pattern> {
        let start = self.place;
        let (mut nodes, mut text) = (Vec::new(), String::new());
        while let Some(character) = self.rest().chars().next() {
            let fixed = match character {
                '}' if depth > 0 => break,
                '}' => return None,
                '{' => self.argument(depth)?,
                '#' if is_plural => {
                    self.place += 1;
                    fixed("#", "#")
                }
                '\'' => match self.apostrophe(is_plural) {
                    Some(Quoted::Apostrophe) => {
                        text.push('\'');
                        continue;
                    }
                    Some(Quoted::Text { written, shown }) => fixed(&written, &shown),
                    None => {
                        text.push('\'');
                        self.place += 1;
                        continue;
                    }
                },
                _ => {
                    text.push(character);
                    self.place += character.len_utf8();
                    continue;
                }
            };
            if !text.is_empty() {
                nodes.push(Node::Text(std::mem::take(&mut text)));
            }
            nodes.push(fixed);
        }
        if !text.is_empty() {
            nodes.push(Node::Text(text));
        }
        Some(Pattern {
            source: self.text[start..self.place].to_owned(),
            apostrophes: self.apostrophes,
            is_plural,
            nodes,
            place: None,
        })
    }

    /// The quotation that an apostrophe begins; `None` if it is only itself.
    fn apostrophe(&mut self, is_plural: bool) -> Option<Quoted> {
        let rest = &self.text[self.place..];
        if self.apostrophes == Apostrophes::Literal {
            return None;
        }
        if rest.starts_with("''") {
            self.place += 2;
            return Some(Quoted::Apostrophe);
        }
        let next = rest[1..].chars().next();
        let begins = match self.apostrophes {
            Apostrophes::Required => true,
            Apostrophes::Literal => false,
            Apostrophes::Optional => {
                matches!(next, Some('{' | '}')) || is_plural && next == Some('#')
            }
        };
        if !begins {
            return None;
        }
        let (mut shown, mut end) = (String::new(), 1);
        loop {
            let quoted = &rest[end..];
            if quoted.starts_with("''") {
                shown.push('\'');
                end += 2;
                continue;
            }
            let Some(character) = quoted.chars().next() else {
                break;
            };
            end += character.len_utf8();
            if character == '\'' {
                break;
            }
            shown.push(character);
        }
        self.place += end;
        let written = rest[..end].to_owned();
        Some(Quoted::Text { written, shown })
    }

    /// An argument, from its opening brace on.
    fn argument(&mut self, depth: usize) -> Option<Node> {
        let start = self.place;
        let rest = &self.text[start..];
        let name_end = rest[1..].find([',', '}', '{'])? + 1;
        let name = rest[1..name_end].trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return None;
        }
        if rest[name_end..].starts_with(',') {
            let kind_end = rest[name_end + 1..].find([',', '}', '{'])? + name_end + 1;
            let kind = rest[name_end + 1..kind_end].trim();
            if matches!(kind, "plural" | "select" | "selectordinal")
                && rest[kind_end..].starts_with(',')
            {
                if depth >= MAX_DEPTH {
                    return None;
                }
                self.place = start + kind_end + 1;
                return self.branches(start, kind != "select", depth);
            }
        }
        let length = balanced(rest)?;
        self.place = start + length;
        let written = &rest[..length];
        Some(fixed(written, written))
    }

    fn branches(&mut self, start: usize, is_plural: bool, depth: usize) -> Option<Node> {
        let (mut syntax, mut branches) = (Vec::new(), Vec::new());
        let mut from = start;
        loop {
            let next = self.rest().find(['{', '}'])?;
            let selector = &self.rest()[..next];
            let closes = self.rest()[next..].starts_with('}');
            self.place += next + 1;
            if closes {
                if !selector.trim().is_empty() || branches.is_empty() {
                    return None;
                }
                syntax.push(self.text[from..self.place].to_owned());
                return Some(Node::Branches { syntax, branches });
            }
            if selector.trim().is_empty() {
                return None;
            }
            syntax.push(self.text[from..self.place].to_owned());
            branches.push(self.pattern(is_plural, depth + 1)?);
            from = self.place;
            if !self.rest().starts_with('}') {
                return None;
            }
            self.place += 1;
        }
    }
}

enum Quoted {
    Apostrophe,
    Text { written: String, shown: String },
}

fn fixed(written: &str, shown: &str) -> Node {
    Node::Fixed {
        written: written.to_owned(),
        shown: shown.to_owned(),
    }
}

/// The length of what begins with a brace, up to the one that closes it.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(place + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
