//! `.strings` of Apple: `"key" = "value";` with comments, in UTF-8 or UTF-16; those that are property lists in XML, too.

use std::ops::Range;

use super::json_text::push_units;
use super::{Dialect, Text, damaged, lists, plist};
use crate::builder::{Builder, Context, Failure};
use crate::formats::slots::{SlotFile, ValueFile, ValueSlot, ValueSpelling};
use crate::formats::{DocumentFormat, Encoding, Kept};
use crate::reading::check_lines;

/// Strings of Apple's programs.
pub(in crate::formats) struct Strings;

impl DocumentFormat for Strings {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        if bytes.starts_with(b"bplist") {
            return plist::read(name, bytes, builder);
        }
        let (text, encoding) = Encoding::decode(bytes)?;
        builder.set_encoding(encoding);
        let head = text.trim_start_matches('\u{FEFF}').trim_start();
        if head.starts_with("<?xml")
            || head.starts_with("<!DOCTYPE plist")
            || head.starts_with("<plist")
        {
            return plist::read(name, encoding.encode(&text)?, builder);
        }
        check_lines(&text)?;
        if lists::is_lists(&text) {
            return Ok(lists::read(text, encoding, builder));
        }
        let mut scanner = AppleScanner {
            name,
            text: &text,
            place: 0,
            notes: Vec::new(),
        };
        let mut slots = Vec::new();
        while let Some(entry) = scanner.entry()? {
            let Some((range, value)) = entry.value else {
                continue;
            };
            let context = Context::named(Some(entry.key), entry.note);
            let read = Text::read(&value, Dialect::PLAIN, builder, context);
            slots.extend(read.map(|read| ValueSlot::new(range, read)));
        }
        Ok(SlotFile::kept(AppleSpelling, text, encoding, slots))
    }
}

struct StringEntry {
    key: String,
    /// With its bytes, those of the quotation marks included; none where the key is all there is.
    value: Option<(Range<usize>, String)>,
    note: Option<String>,
}

struct AppleScanner<'t> {
    name: &'t str,
    text: &'t str,
    place: usize,
    notes: Vec<String>,
}

impl<'t> AppleScanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.place..]
    }

    fn damaged(&self, at: usize, reason: &str) -> Failure {
        damaged(self.name, self.text, at, reason)
    }

    /// The next character that is neither white space nor in a comment.
    fn next(&mut self) -> Result<Option<char>, Failure> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
            self.place += rest.len() - trimmed.len();
            let (note, length) = if let Some(comment) = trimmed.strip_prefix("//") {
                let end = comment.find(['\n', '\r']).unwrap_or(comment.len());
                (&comment[..end], end + 2)
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let end = comment
                    .find("*/")
                    .ok_or_else(|| self.damaged(self.place, "a comment does not end"))?;
                (&comment[..end], end + 4)
            } else {
                return Ok(trimmed.chars().next());
            };
            self.notes.push(note.trim().to_owned());
            self.place += length;
        }
    }

    fn entry(&mut self) -> Result<Option<StringEntry>, Failure> {
        self.notes.clear();
        let Some(_) = self.next()? else {
            return Ok(None);
        };
        let notes = self
            .notes
            .iter()
            .filter(|note| !note.is_empty() && *note != "No comment provided by engineer.");
        let notes: Vec<&str> = notes.map(String::as_str).collect();
        let note = Some(notes.join("\n")).filter(|note| !note.is_empty());
        let (_, key) = self.string()?;
        let mut value = None;
        match self.next()? {
            Some('=') => {
                self.place += 1;
                self.next()?;
                value = Some(self.string()?);
                self.semicolon()?;
            }
            Some(';') => self.place += 1,
            _ => return Err(self.damaged(self.place, "there is no `=` behind a key")),
        }
        Ok(Some(StringEntry { key, value, note }))
    }

    fn semicolon(&mut self) -> Result<(), Failure> {
        let end = self.place;
        if self.next()? == Some(';') {
            self.place += 1;
            return Ok(());
        }
        Err(self.damaged(end, "there is no semicolon after a value"))
    }

    /// A string in quotation marks, or a word without them.
    fn string(&mut self) -> Result<(Range<usize>, String), Failure> {
        let start = self.place;
        let rest = self.rest();
        let Some(mark) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            let ends = |c: char| {
                !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$' | ':'))
            };
            let length = rest.find(ends).unwrap_or(rest.len());
            if length == 0 {
                return Err(self.damaged(start, "this is not a string"));
            }
            self.place += length;
            return Ok((start..self.place, rest[..length].to_owned()));
        };
        let mut value = String::new();
        let mut units: Vec<u16> = Vec::new();
        let mut place = 1;
        loop {
            let Some(character) = rest[place..].chars().next() else {
                return Err(self.damaged(start, "a string does not end"));
            };
            place += character.len_utf8();
            let mut meaning = Some(character);
            if character == '\\' {
                let (length, unit) = escape(&rest[place..]);
                place += length;
                if rest[place - length..].starts_with(['U', 'u']) && length > 1 {
                    units.push(unit.unwrap_or_default());
                    continue;
                }
                meaning = unit.and_then(|unit| char::from_u32(u32::from(unit)));
            }
            value.push_str(&String::from_utf16_lossy(&units));
            units.clear();
            if character == mark {
                break;
            }
            value.extend(meaning);
        }
        self.place = start + place;
        Ok((start..self.place, value))
    }
}

/// Decodes what is after a backslash: its length and its unit of UTF-16.
fn escape(rest: &str) -> (usize, Option<u16>) {
    let number = |digits: &str, radix: u32, most: usize| {
        let length = digits
            .chars()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .count();
        Some((length, u16::from_str_radix(&digits[..length], radix).ok()?))
    };
    let Some(character) = rest.chars().next() else {
        return (0, Some(u16::from(b'\\')));
    };
    let simple = match character {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{C}',
        'v' => '\u{B}',
        'U' | 'u' => {
            if let Some((length, unit)) = number(&rest[1..], 16, 4) {
                return (length + 1, Some(unit));
            }
            character
        }
        '0'..='7' => {
            if let Some((length, unit)) = number(rest, 8, 3) {
                return (length, Some(unit));
            }
            character
        }
        other => other,
    };
    let unit = u16::try_from(u32::from(simple)).ok();
    // A character outside the first plane stands for itself.
    if unit.is_none() {
        return (0, None);
    }
    (character.len_utf8(), unit)
}

#[derive(Debug)]
struct AppleSpelling;

impl ValueSpelling for AppleSpelling {
    type Style = ();

    fn spelt(&self, text: &str, value: &ValueSlot<Self>, file: &ValueFile<Self>) -> String {
        let old = &file.source[value.range.clone()];
        // The end of a line may stand for itself.
        let keeps_lines = old.contains('\n');
        let mut written = String::from("\"");
        for character in text.chars() {
            match character {
                '"' => written.push_str("\\\""),
                '\\' => written.push_str("\\\\"),
                '\n' if !keeps_lines => written.push_str("\\n"),
                '\r' if !keeps_lines => written.push_str("\\r"),
                '\t' if !old.contains('\t') => written.push_str("\\t"),
                '\n' | '\r' | '\t' => written.push(character),
                _ if character.is_control() || !file.encoding.holds(character) => {
                    let mut units = String::new();
                    push_units(character, &mut units);
                    written.push_str(&units.replace("\\u", "\\U"));
                }
                _ => written.push(character),
            }
        }
        written.push('"');
        written
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Format;
    use crate::testing::{assert_damaged, read, rewritten};

    #[test]
    fn entries_are_read_and_written_with_their_escapes() {
        let text = "/* A title */\n\"k \\\"1\\\"\" = \"Say \\\"%@\\\" \\U00e9\\n\";\n// No\nkey2 = 'Open; it';\nonly;\n";
        let document = read(Format::Strings, text);
        let paragraph = &document.paragraphs[0];
        assert_eq!(
            (paragraph.id.as_deref(), paragraph.note.as_deref()),
            (Some("k \"1\""), Some("A title"))
        );
        assert_eq!(document.sentences[0].plain_text(), "Say \"%@\" é");
        assert_eq!(document.sentences[1].plain_text(), "Open; it");
        let written = rewritten(&document, None, |text| format!("\\{text}"));
        assert_eq!(
            written,
            "/* A title */\n\"k \\\"1\\\"\" = \"\\\\Say \\\"%@\\\" é\\n\";\n// No\nkey2 = \"\\\\Open; it\";\nonly;\n"
        );
    }

    #[test]
    fn damage_is_reported_with_its_line() {
        let cases = [
            ("\"a\" = \"b\"\n\"c\" = \"d\";", 1),
            ("\n\"a\" = \"b;\n", 2),
            ("\"a\" \"b\";", 1),
            ("/* x", 1),
            ("a b c", 1),
        ];
        assert_damaged(Format::Strings, &cases);
    }
}
