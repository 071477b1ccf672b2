//! One value as units: its text with placeholders and tags as codes, and back.

use super::icu::{self, Apostrophes, Pattern};
use crate::builder::{Builder, Context};
use crate::document::{Known, Standing};
use crate::placeholder;
use crate::variables::{Dialect, Found, tag_name};
use crate::view::{Draft, Part, Translation};

/// A value under construction.
#[derive(Debug)]
pub(in crate::formats) struct Message {
    pub draft: Draft,
    dialect: Dialect,
    codes: Vec<Code>,
    /// Tags of the text that are open: their names and codes.
    open: Vec<(String, usize)>,
}

/// The meaning of a code.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Code {
    /// Part of the value.
    Text(String),
    /// Part of the file, which is not escaped.
    Raw(String),
    /// A code whose text is kept in a list: by its number.
    Inner(usize),
}

/// A piece of a value that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats) enum Piece {
    /// To be escaped.
    Text(String),
    /// As the file has it.
    Raw(String),
    Inner(usize),
}

impl Message {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self {
            draft: Draft::default(),
            dialect,
            codes: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Adds text, in which placeholders and tags are found.
    pub(crate) fn text(&mut self, text: &str) {
        let (mut start, mut place) = (0, 0);
        while let Some(character) = text[place..].chars().next() {
            let found = match character {
                '\n' => Some((1, None)),
                '\r' if text[place..].starts_with("\r\n") => Some((2, None)),
                '\t' => Some((1, Some(Found::Point))),
                _ if character.is_ascii_control()
                    || matches!(character, '\u{FFFE}' | '\u{FFFF}') =>
                {
                    Some((character.len_utf8(), Some(Found::Control)))
                }
                _ => self
                    .dialect
                    .find(text, place)
                    .map(|(length, found)| (length, Some(found))),
            };
            let Some((length, found)) = found else {
                place += character.len_utf8();
                continue;
            };
            self.plain(&text[start..place]);
            self.found(&text[place..place + length], found);
            place += length;
            start = place;
        }
        self.plain(&text[start..]);
    }

    /// Adds text that is nothing but text.
    pub(crate) fn plain(&mut self, text: &str) {
        if !text.is_empty() {
            self.draft.text(text);
        }
    }

    /// Adds what was found in the text; the end of a line if it is `None`.
    fn found(&mut self, text: &str, found: Option<Found>) {
        match found {
            Some(Found::PercentSign) => return self.draft.text("%"),
            Some(Found::Placeholder) => {
                self.draft.opaque("ph", text);
            }
            Some(Found::Point) => {
                self.draft
                    .point(if text == "\t" { "tab" } else { tag_name(text) });
            }
            Some(Found::Control) => {
                self.draft.opaque("control", "\u{FFFD}");
            }
            Some(Found::Break) | None => {
                self.draft.line_break();
            }
            Some(Found::Open) => {
                let name = tag_name(text);
                let code = self.draft.open(name);
                self.open.push((name.to_owned(), code));
            }
            Some(Found::Close) => {
                let name = tag_name(text);
                if let Some(at) = self.open.iter().rposition(|(open, _)| open == name) {
                    let (_, code) = self.open[at];
                    self.open.truncate(at);
                    self.draft.close(code, name);
                } else {
                    self.draft.point(name);
                }
            }
        }
        self.codes.push(Code::Text(text.to_owned()));
    }

    /// Adds what stays as the file has it; a reader sees `shown` of it.
    pub(crate) fn raw(&mut self, name: &str, shown: &str, written: &str) {
        if shown.is_empty() {
            self.draft.point(name);
        } else {
            self.draft.opaque(name, shown);
        }
        self.codes.push(Code::Raw(written.to_owned()));
    }

    /// Begins an element of the file; its code.
    pub(crate) fn open(&mut self, name: &str, written: &str) -> usize {
        self.codes.push(Code::Raw(written.to_owned()));
        self.draft.open(name)
    }

    /// Ends the element that `open` began. Tags of the text that began in it have no partner outside of it.
    pub(crate) fn close(&mut self, open: usize, name: &str, written: &str) {
        self.open.retain(|(_, code)| *code < open);
        self.codes.push(Code::Raw(written.to_owned()));
        self.draft.close(open, name);
    }

    /// Adds what is translated on its own.
    pub(super) fn nested(&mut self, number: usize, shown: &str) {
        self.draft.opaque("ph", shown);
        self.codes.push(Code::Inner(number));
    }

    /// Makes a unit of it; none if it has no text.
    pub(crate) fn unit(self, builder: &mut Builder, context: Context) -> Option<MessagePlace> {
        let unit = builder.unit_of_text(self.draft, context)?;
        Some(MessagePlace {
            unit,
            codes: self.codes,
            dialect: self.dialect,
        })
    }
}

/// The unit of a value.
#[derive(Debug)]
pub(in crate::formats) struct MessagePlace {
    pub unit: usize,
    codes: Vec<Code>,
    dialect: Dialect,
}

impl MessagePlace {
    /// The text to write; `None` if there is nothing new.
    pub(crate) fn pieces(&self, translation: &Translation) -> Option<Vec<Piece>> {
        let parts = translation.parts(self.unit)?;
        let mut pieces: Vec<Piece> = Vec::with_capacity(parts.len());
        for part in parts {
            let piece = match part {
                Part::Text(text) if self.dialect.doubles_percent => {
                    Piece::Text(text.replace('%', "%%"))
                }
                Part::Text(text) => Piece::Text(text),
                Part::Code(number) => match &self.codes[number] {
                    Code::Text(text) => Piece::Text(text.clone()),
                    Code::Raw(written) => Piece::Raw(written.clone()),
                    Code::Inner(number) => Piece::Inner(*number),
                },
            };
            match (pieces.last_mut(), piece) {
                (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
                (Some(Piece::Raw(last)), Piece::Raw(written)) => last.push_str(&written),
                (_, piece) => pieces.push(piece),
            }
        }
        Some(pieces)
    }

    /// The translation of a value that is nothing but text.
    pub(crate) fn text(&self, translation: &Translation) -> Option<String> {
        let pieces = self.pieces(translation)?.into_iter();
        let text = pieces.map(|piece| match piece {
            Piece::Text(text) | Piece::Raw(text) => text,
            Piece::Inner(_) => String::new(),
        });
        Some(text.collect())
    }

    /// Says which translation the file has already.
    pub(crate) fn set_known(&self, builder: &mut Builder, target: &str, standing: Standing) {
        let text = self.known(builder, target);
        if let [sentence] = builder.sentences_of(self.unit) {
            sentence.known = Some(Known { text, standing });
        }
    }

    /// A translation with the placeholders of its source, as far as they are the same.
    fn known(&self, builder: &Builder, target: &str) -> String {
        let mut message = Message::new(self.dialect);
        message.text(target);
        let mut used = vec![false; self.codes.len()];
        let mut known = String::new();
        for (text, code) in message.draft.spelt() {
            let Some(code) = code else {
                known.push_str(text);
                continue;
            };
            let same = |&number: &usize| !used[number] && self.codes[number] == message.codes[code];
            let found = (0..self.codes.len()).find(same);
            let Some(number) = found else {
                match &message.codes[code] {
                    Code::Text(text) if text.trim().is_empty() => known.push(' '),
                    Code::Text(text) => known.push_str(text),
                    _ => {}
                }
                continue;
            };
            used[number] = true;
            known.extend(builder.placeholder(self.unit, number));
        }
        builder.with_points(self.unit, placeholder::folded(&known))
    }
}

/// A value that is text alone: one unit, or a message of ICU with a unit for each branch.
#[derive(Debug)]
pub(in crate::formats) enum Text {
    Plain(MessagePlace),
    Icu(Pattern),
}

impl Text {
    /// Whether a value is a message of ICU with a plural or a choice.
    pub(crate) fn is_icu(value: &str) -> bool {
        icu::is_complex(value) && Pattern::read(value, Apostrophes::Optional).is_some()
    }

    /// Reads a value; a message of ICU is recognised by its plural or choice.
    pub(crate) fn read(
        value: &str,
        dialect: Dialect,
        builder: &mut Builder,
        context: Context,
    ) -> Option<Self> {
        if icu::is_complex(value)
            && let Some(pattern) = Pattern::read(value, Apostrophes::Optional)
        {
            return Self::pattern(pattern, dialect, builder, context);
        }
        let mut message = Message::new(dialect.in_value(value));
        message.text(value);
        message.unit(builder, context).map(Self::Plain)
    }

    /// Reads a value as a message of ICU in any case, if it can be parsed as one.
    pub(crate) fn read_icu(
        value: &str,
        apostrophes: Apostrophes,
        dialect: Dialect,
        builder: &mut Builder,
        context: Context,
    ) -> Option<Self> {
        match Pattern::read(value, apostrophes) {
            Some(pattern) => Self::pattern(pattern, dialect, builder, context),
            None => Self::read(value, dialect, builder, context),
        }
    }

    fn pattern(
        mut pattern: Pattern,
        dialect: Dialect,
        builder: &mut Builder,
        context: Context,
    ) -> Option<Self> {
        let dialect = Dialect {
            percent: super::Percent::Literal,
            braces: false,
            ..dialect
        };
        pattern
            .units(dialect, builder, &context)
            .then_some(Self::Icu(pattern))
    }

    /// Says which translation the file has already: of a message of ICU, branch by branch where both have the same.
    pub(crate) fn set_known(&self, builder: &mut Builder, target: &str, standing: Standing) {
        match self {
            Self::Plain(place) => place.set_known(builder, target, standing),
            Self::Icu(pattern) => pattern.set_known(builder, target, standing),
        }
    }

    /// The translated value in pieces, of which those of the file are not to be escaped; `None` if there is nothing new.
    pub(crate) fn pieces(&self, translation: &Translation) -> Option<Vec<Piece>> {
        match self {
            Self::Plain(place) => place.pieces(translation),
            Self::Icu(pattern) => Some(vec![Piece::Text(pattern.written(translation)?)]),
        }
    }

    /// The translated value; `None` if there is nothing new.
    pub(crate) fn written(&self, translation: &Translation) -> Option<String> {
        match self {
            Self::Plain(place) => place.text(translation),
            Self::Icu(pattern) => pattern.written(translation),
        }
    }
}
