//! JSON as a tree of values with the bytes they come from; comments and commas at the end are passed over, as many programs
//! do.

use std::ops::Range;

use super::damaged;
use crate::builder::{Failure, MAX_DEPTH};
use crate::formats::Encoding;
use crate::reading::text_start;

/// A value.
#[derive(Debug)]
pub(super) struct Value {
    /// All of it; of a string with its quotation marks.
    pub range: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Object(Vec<(Key, Value)>),
    Array(Vec<Value>),
    /// The decoded text; `None` if that is no text (half of a surrogate pair).
    String(Option<String>),
    /// A number, `true`, `false` or `null`.
    Other,
}

#[derive(Debug)]
pub(super) struct Key {
    /// Where it begins.
    pub start: usize,
    pub text: String,
}

impl Value {
    pub(super) fn members(&self) -> &[(Key, Value)] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        let found = self.members().iter().find(|(key, _)| key.text == name);
        found.map(|(_, value)| value)
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => text.as_deref(),
            _ => None,
        }
    }
}

/// Reads a file.
pub(super) fn read(name: &str, text: &str) -> Result<Value, Failure> {
    let mut parser = Parser {
        text,
        place: 0,
        depth: 0,
    };
    let value = parser.file();
    value.map_err(|reason| match reason {
        Problem::At(offset, reason) => damaged(name, text, offset, reason),
        Problem::TooDeep => Failure::PartTooDeep {
            part: name.to_owned(),
        },
    })
}

enum Problem {
    At(usize, &'static str),
    TooDeep,
}

struct Parser<'t> {
    text: &'t str,
    place: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn file(&mut self) -> Result<Value, Problem> {
        self.place = text_start(self.text);
        let value = self.value()?;
        match self.next()? {
            None => Ok(value),
            Some(_) => Err(Problem::At(self.place, "there is more behind the end")),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.place..]
    }

    /// The next character that is neither white space nor in a comment.
    fn next(&mut self) -> Result<Option<char>, Problem> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
            self.place += rest.len() - trimmed.len();
            let length = if trimmed.starts_with("//") {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let end = comment.find("*/");
                end.ok_or(Problem::At(self.place, "a comment does not end"))? + 4
            } else {
                return Ok(trimmed.chars().next());
            };
            self.place += length;
        }
    }

    fn value(&mut self) -> Result<Value, Problem> {
        let next = self.next()?;
        let start = self.place;
        let kind = match next {
            Some('{') => Kind::Object(self.members()?),
            Some('[') => Kind::Array(self.elements()?),
            Some('"') => Kind::String(self.string()?),
            Some(_) => {
                self.literal()?;
                Kind::Other
            }
            None => return Err(Problem::At(start, "a value is missing")),
        };
        Ok(Value {
            range: start..self.place,
            kind,
        })
    }

    fn literal(&mut self) -> Result<(), Problem> {
        let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        let rest = self.rest();
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && word.parse::<f64>().is_ok();
        if !is_number && !matches!(word, "true" | "false" | "null") {
            return Err(Problem::At(self.place, "this is not a value"));
        }
        self.place += word.len();
        Ok(())
    }

    fn enters(&mut self) -> Result<(), Problem> {
        self.depth += 1;
        self.place += 1;
        if self.depth > MAX_DEPTH {
            return Err(Problem::TooDeep);
        }
        Ok(())
    }

    fn members(&mut self) -> Result<Vec<(Key, Value)>, Problem> {
        self.enters()?;
        let mut members = Vec::new();
        while self.goes_on('}', members.is_empty())? {
            if self.next()? != Some('"') {
                return Err(Problem::At(
                    self.place,
                    "a key in quotation marks is missing",
                ));
            }
            let key = Key {
                start: self.place,
                text: self.string()?.unwrap_or_default(),
            };
            if self.next()? != Some(':') {
                return Err(Problem::At(self.place, "a colon is missing"));
            }
            self.place += 1;
            members.push((key, self.value()?));
        }
        Ok(members)
    }

    fn elements(&mut self) -> Result<Vec<Value>, Problem> {
        self.enters()?;
        let mut elements = Vec::new();
        while self.goes_on(']', elements.is_empty())? {
            elements.push(self.value()?);
        }
        Ok(elements)
    }

    /// Whether something follows; passes over the comma before it, or over what closes.
    fn goes_on(&mut self, close: char, is_first: bool) -> Result<bool, Problem> {
        let mut next = self.next()?;
        if next == Some(',') && !is_first {
            self.place += 1;
            next = self.next()?;
        } else if !is_first && next.is_some_and(|next| next != close) {
            return Err(Problem::At(self.place, "a comma is missing"));
        }
        match next {
            Some(character) if character == close => {
                self.place += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(_) => Ok(true),
            None => Err(Problem::At(self.place, "a brace or bracket is not closed")),
        }
    }

    fn string(&mut self) -> Result<Option<String>, Problem> {
        let start = self.place;
        let unclosed = Problem::At(start, "a string is not closed");
        let mut units = Vec::new();
        let mut value = String::new();
        let mut is_text = true;
        let mut place = start + 1;
        loop {
            let rest = &self.text[place..];
            let Some(character) = rest.chars().next() else {
                return Err(unclosed);
            };
            place += character.len_utf8();
            let meaning = match character {
                '\\' => {
                    let Some((length, unit)) = escape(&rest[1..]) else {
                        return Err(Problem::At(place, "an escape that JSON does not have"));
                    };
                    place += length;
                    if rest[1..].starts_with('u') {
                        units.push(unit);
                        continue;
                    }
                    char::from_u32(u32::from(unit))
                }
                '\n' => return Err(unclosed),
                other => Some(other),
            };
            is_text &= flush(&mut units, &mut value);
            if character == '"' {
                break;
            }
            value.extend(meaning);
        }
        self.place = place;
        Ok(is_text.then_some(value))
    }
}

/// Appends what UTF-16 units mean; whether they mean anything.
fn flush(units: &mut Vec<u16>, value: &mut String) -> bool {
    if units.is_empty() {
        return true;
    }
    let text = String::from_utf16(units);
    units.clear();
    value.push_str(text.as_deref().unwrap_or_default());
    text.is_ok()
}

/// Decodes what is after a backslash: its length and its unit of UTF-16.
fn escape(rest: &str) -> Option<(usize, u16)> {
    let simple = match rest.chars().next()? {
        '"' => '"',
        '\\' => '\\',
        '/' => '/',
        'b' => '\u{8}',
        'f' => '\u{C}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let digits = rest.get(1..5)?;
            let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let unit = u16::from_str_radix(digits, 16).ok()?;
            return is_hexadecimal.then_some((5, unit));
        }
        _ => return None,
    };
    Some((1, u16::try_from(u32::from(simple)).ok()?))
}

/// How a file spells its strings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelling {
    encoding: Encoding,
    /// Nothing but ASCII, everything else as `\u1234`.
    is_ascii: bool,
    /// `\/` for `/`.
    escapes_slash: bool,
    /// `\u003c` for `<`.
    escapes_tags: bool,
}

impl Spelling {
    pub(super) fn new(text: &str, encoding: Encoding) -> Self {
        let has_escape = || {
            text.match_indices("\\u").any(|(at, _)| {
                let digits = text.get(at + 2..at + 6);
                digits
                    .and_then(|it| u32::from_str_radix(it, 16).ok())
                    .is_some_and(|it| it > 0x7F)
            })
        };
        Self {
            encoding,
            is_ascii: text.is_ascii() && has_escape(),
            escapes_slash: text.contains("\\/"),
            escapes_tags: !text.contains('<')
                && (text.contains("\\u003c") || text.contains("\\u003C")),
        }
    }

    /// A string in quotation marks.
    pub(super) fn spelt(self, text: &str) -> String {
        let mut written = String::with_capacity(text.len() + 2);
        written.push('"');
        for character in text.chars() {
            match character {
                '"' => written.push_str("\\\""),
                '\\' => written.push_str("\\\\"),
                '\n' => written.push_str("\\n"),
                '\r' => written.push_str("\\r"),
                '\t' => written.push_str("\\t"),
                '/' if self.escapes_slash => written.push_str("\\/"),
                '<' | '>' if self.escapes_tags => push_units(character, &mut written),
                _ if character.is_control() => push_units(character, &mut written),
                _ if self.is_ascii && !character.is_ascii() => push_units(character, &mut written),
                _ if !self.encoding.holds(character) => push_units(character, &mut written),
                _ => written.push(character),
            }
        }
        written.push('"');
        written
    }
}

/// A character as `\u1234`, or as two of them.
pub(super) fn push_units(character: char, written: &mut String) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        written.extend([format!("\\u{unit:04x}")]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Value, Failure> {
        read("a.json", text)
    }

    #[test]
    fn every_value_knows_its_bytes() {
        let text = "\u{FEFF}// a\n{\"k\": [1, \"a\\u00e9\\ud83d\\ude00\\n\", {\"x\": null,},], /* b */ \"l\": \"\\ud83d\"}\n";
        let value = parsed(text).expect("readable");
        let Some(Kind::Array(elements)) = value.member("k").map(|value| &value.kind) else {
            panic!("{value:?}");
        };
        assert_eq!(elements[1].text(), Some("aé😀\n"));
        assert_eq!(
            &text[elements[1].range.clone()],
            "\"a\\u00e9\\ud83d\\ude00\\n\""
        );
        let half = value.member("l").expect("a member");
        assert!(matches!(half.kind, Kind::String(None)));
    }

    #[test]
    fn damage_is_reported_with_its_line() {
        for (text, line) in [
            ("", 1),
            ("{", 1),
            ("{\n\"a\": \"b\n\"}", 2),
            ("{\n\"a\" \"b\"}", 2),
            ("{\"a\": 1 \"b\": 2}", 1),
            ("{\"a\": tru}", 1),
            ("{\"a\": \"\\q\"}", 1),
            ("{}\n\n{}", 3),
            ("[1,,2]", 1),
            ("/* a", 1),
            ("{a: 1}", 1),
        ] {
            let Err(Failure::Damaged { reason, .. }) = parsed(text) else {
                panic!("{text:?} is read");
            };
            assert!(
                reason.starts_with(&format!("line {line}:")),
                "{text:?}: {reason}"
            );
        }
        assert!(matches!(
            parsed(&"[".repeat(100_000)),
            Err(Failure::PartTooDeep { .. })
        ));
    }

    #[test]
    fn strings_are_spelt_as_the_file_spells_them() {
        let spelt = |file: &str| Spelling::new(file, Encoding::Utf8).spelt("<a/é😀\"\\\u{1}");
        assert_eq!(spelt("{}"), "\"<a/é😀\\\"\\\\\\u0001\"");
        assert_eq!(
            spelt("\"\\u00e9\\/\""),
            "\"<a\\/\\u00e9\\ud83d\\ude00\\\"\\\\\\u0001\""
        );
        assert_eq!(spelt("\"\\u003cb\""), "\"\\u003ca/é😀\\\"\\\\\\u0001\"");
    }
}
