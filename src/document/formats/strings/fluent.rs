//! Fluent: `key = text { $argument }` with attributes, terms, and variants by a selector, as Mozilla's programs have it.
//!
//! The text of each variant is translated on its own, the syntax around it stays (<https://projectfluent.org>, its syntax 1.0).

use std::ops::Range;

use fluent_syntax::ast::{self, Entry, Expression, InlineExpression, PatternElement, VariantKey};
use fluent_syntax::parser;

use super::message::{Message, MessagePlace, Piece};
use super::{Dialect, Percent, damaged, is_prose, line_end};
use crate::builder::{Builder, Context, Failure};
use crate::formats::edits::Edits;
use crate::formats::slots::{Slot, SlotFile};
use crate::formats::{DocumentFormat, Encoding, Kept};
use crate::view::Translation;
use crate::words::Words;

/// Braces that a message has at most: the parser goes as deep as they do.
const MAX_BRACES: usize = 500;
/// Attributes that are no text: keys, and what style sheets and browsers read.
const NO_TEXT: Words = Words("accesskey key keycode modifiers style src href");
/// Terms whose names say this are names themselves.
const NAMES: [&str; 2] = ["brand", "vendor"];
/// The indent of the further lines of a value that has none yet.
const INDENT: &str = "    ";
const DIALECT: Dialect = Dialect {
    percent: Percent::Literal,
    braces: false,
    ..Dialect::PLAIN
};

/// Files of messages.
pub(in crate::formats) struct Fluent;

impl DocumentFormat for Fluent {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        let mut reader = FluentReader {
            text: &text,
            builder,
            values: Vec::new(),
        };
        for range in entries(&text) {
            let entry = &text[range.clone()];
            if entry.matches('{').count() > MAX_BRACES {
                return Err(damaged(name, &text, range.start, "too many braces"));
            }
            let resource = parser::parse(entry).map_err(|(_, errors)| {
                let error = errors.first();
                let place = error.map_or(0, |error| error.pos.start);
                let reason = error.map_or_else(String::new, |error| error.kind.to_string());
                damaged(name, &text, range.start + place, &reason)
            })?;
            for entry in &resource.body {
                reader.entry(entry);
            }
        }
        let mut values = reader.values;
        // Variants before what holds them.
        values.sort_by_key(|value| value.range.end);
        Ok(SlotFile::kept((), text, encoding, values))
    }
}

/// The bytes of each message and term with the comment above it.
fn entries(text: &str) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let (mut place, mut is_comment) = (0, false);
    let lines = text.trim_start_matches('\u{FEFF}');
    let mark = text.len() - lines.len();
    for line in lines.split_inclusive('\n') {
        let begins = line.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '-' | '#'));
        if begins && !is_comment || starts.is_empty() {
            starts.push(mark + place);
        }
        is_comment = line.starts_with('#');
        place += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| start..end)
        .collect()
}

struct FluentReader<'t, 'b> {
    text: &'t str,
    builder: &'b mut Builder,
    values: Vec<FluentValue>,
}

/// The text of a message, an attribute or a variant.
#[derive(Debug)]
struct FluentValue {
    range: Range<usize>,
    place: MessagePlace,
    /// The bytes of its selectors with their variants.
    selectors: Vec<Range<usize>>,
}

impl<'t> FluentReader<'t, '_> {
    fn entry(&mut self, entry: &Entry<&'t str>) {
        let (id, value, attributes, comment) = match entry {
            Entry::Message(it) => (it.id.name, it.value.as_ref(), &it.attributes, &it.comment),
            Entry::Term(it) => (it.id.name, Some(&it.value), &it.attributes, &it.comment),
            _ => return,
        };
        let is_term = matches!(entry, Entry::Term(_));
        if is_term && NAMES.iter().any(|name| id.contains(name)) {
            return;
        }
        let note = comment.as_ref().map(|comment| comment.content.join("\n"));
        let context = |id: String| Context::named(Some(id), note.clone());
        if let Some(value) = value {
            let context = context(format!("{}{id}", if is_term { "-" } else { "" }));
            self.value(value, self.end(id), &context);
        }
        for attribute in attributes {
            let name = attribute.id.name;
            // Those of a term are for selectors.
            if !is_term && !NO_TEXT.contains(name) {
                let context = context(format!("{id}.{name}"));
                self.value(&attribute.value, self.end(name), &context);
            }
        }
    }

    /// Reads a pattern that begins after `place`.
    fn value(&mut self, pattern: &ast::Pattern<&'t str>, mut place: usize, context: &Context) {
        let (mut message, mut selectors) = (Message::new(DIALECT), Vec::new());
        let mut range: Option<Range<usize>> = None;
        for element in &pattern.elements {
            let bytes = match element {
                PatternElement::TextElement { value } => {
                    message.text(value);
                    self.start(value)..self.end(value)
                }
                PatternElement::Placeable { expression } => {
                    let start = place + self.text[place..].find('{').unwrap_or_default();
                    let bytes = start..self.end_of(expression);
                    let written = &self.text[bytes.clone()];
                    match expression {
                        Expression::Inline(InlineExpression::StringLiteral { value }) => {
                            message.raw("ph", value, written);
                        }
                        Expression::Inline(_) => message.raw("ph", written, written),
                        Expression::Select { .. } => {
                            let shown = written.split("->").next().unwrap_or_default();
                            message.nested(selectors.len(), &format!("{} }}", shown.trim_end()));
                            selectors.push(bytes.clone());
                        }
                    }
                    bytes
                }
            };
            place = bytes.end;
            range = Some(range.map_or(bytes.start, |range| range.start)..bytes.end);
        }
        let is_text = pattern.elements.len() > 1
            || range
                .as_ref()
                .is_some_and(|range| is_prose(&self.text[range.clone()]));
        if is_text
            && let Some(range) = range
            && let Some(place) = message.unit(self.builder, context.clone())
        {
            self.values.push(FluentValue {
                range,
                place,
                selectors,
            });
        }
        for element in &pattern.elements {
            if let PatternElement::Placeable {
                expression: Expression::Select { variants, .. },
            } = element
            {
                for variant in variants {
                    let (VariantKey::Identifier { name: key }
                    | VariantKey::NumberLiteral { value: key }) = variant.key;
                    self.value(&variant.value, self.end(key), &context.with_note(key));
                }
            }
        }
    }

    fn start(&self, slice: &'t str) -> usize {
        slice.as_ptr().addr() - self.text.as_ptr().addr()
    }

    fn end(&self, slice: &'t str) -> usize {
        self.start(slice) + slice.len()
    }

    /// Where the braces around an expression end.
    fn end_of(&self, expression: &Expression<&'t str>) -> usize {
        let last = match expression {
            Expression::Inline(inline) => self.last_of(inline),
            Expression::Select { variants, .. } => {
                variants
                    .last()
                    .map_or(0, |variant| match variant.value.elements.last() {
                        Some(PatternElement::TextElement { value }) => self.end(value),
                        Some(PatternElement::Placeable { expression }) => self.end_of(expression),
                        None => 0,
                    })
            }
        };
        last + self.text[last..].find('}').map_or(0, |at| at + 1)
    }

    /// Where the last word of an expression ends.
    fn last_of(&self, inline: &InlineExpression<&'t str>) -> usize {
        let of_attribute = |id: &ast::Identifier<&'t str>,
                            attribute: &Option<ast::Identifier<_>>| {
            self.end(
                attribute
                    .as_ref()
                    .map_or(id.name, |attribute| attribute.name),
            )
        };
        match inline {
            InlineExpression::StringLiteral { value }
            | InlineExpression::NumberLiteral { value } => self.end(value),
            InlineExpression::VariableReference { id } => self.end(id.name),
            InlineExpression::MessageReference { id, attribute } => of_attribute(id, attribute),
            InlineExpression::FunctionReference { id, arguments } => {
                self.last_argument(arguments).max(self.end(id.name))
            }
            InlineExpression::TermReference {
                id,
                attribute,
                arguments,
            } => {
                let arguments = arguments.as_ref();
                let last = arguments.map_or(0, |arguments| self.last_argument(arguments));
                last.max(of_attribute(id, attribute))
            }
            InlineExpression::Placeable { expression } => self.end_of(expression),
        }
    }

    fn last_argument(&self, arguments: &ast::CallArguments<&'t str>) -> usize {
        let named = arguments.named.iter().map(|named| &named.value);
        let all = arguments.positional.iter().chain(named);
        all.map(|argument| self.last_of(argument))
            .max()
            .unwrap_or(0)
    }
}

impl Slot for FluentValue {
    type Source = String;
    type Facts = ();

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let Some(pieces) = self.place.pieces(translation) else {
            return;
        };
        let (indent, begins_line) = layout(&file.source, &self.range);
        let mut spelling = FluentSpelling {
            written: String::new(),
            line_end: line_end(&file.source),
            indent: &indent,
            begins_line,
        };
        for piece in pieces {
            match piece {
                Piece::Text(text) => spelling.text(&text),
                Piece::Raw(written) => spelling.raw(&written),
                Piece::Inner(number) => {
                    let range = self.selectors[number].clone();
                    spelling.raw(&edits.slice(&file.source, range));
                }
            }
        }
        edits.replace(self.range.clone(), spelling.written);
    }
}

/// Returns the indent of the further lines of a value, and whether the value begins a line itself.
fn layout(file: &str, range: &Range<usize>) -> (String, bool) {
    let blanks = |text: &str| text[..text.len() - text.trim_start_matches(' ').len()].to_owned();
    let line = file[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let before = &file[line..range.start];
    let begins_line = before.trim_start_matches(' ').is_empty();
    let next = file[range.clone()].split('\n').nth(1);
    let indent = if begins_line {
        before.to_owned()
    } else if let Some(next) = next.filter(|next| !next.trim().is_empty()) {
        blanks(next)
    } else {
        format!("{}{INDENT}", blanks(before))
    };
    let indent = if indent.is_empty() {
        INDENT.to_owned()
    } else {
        indent
    };
    (indent, begins_line)
}

/// A value on its way into the file.
struct FluentSpelling<'f> {
    written: String,
    line_end: &'static str,
    indent: &'f str,
    /// Whether only white space precedes the next character.
    begins_line: bool,
}

impl FluentSpelling<'_> {
    fn text(&mut self, text: &str) {
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let is_syntax = match character {
                '{' | '}' => true,
                '[' | '*' | '.' => self.begins_line,
                _ => false,
            };
            if character == '\n' {
                self.written.push_str(self.line_end);
                if characters.peek().is_some_and(|next| *next != '\n') {
                    self.written.push_str(self.indent);
                }
            } else if is_syntax {
                self.written
                    .extend(["{\"", character.encode_utf8(&mut [0; 4]), "\"}"]);
            } else {
                self.written.push(character);
            }
            self.begins_line = character == '\n' || self.begins_line && character == ' ';
        }
    }

    /// Appends text of the file, after the indent if a line ended before it.
    fn raw(&mut self, written: &str) {
        if self.written.ends_with('\n') {
            self.written.push_str(self.indent);
        }
        self.written.push_str(written);
        self.begins_line = false;
    }
}

#[cfg(test)]
mod tests;
