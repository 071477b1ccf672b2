//! Properties of Java: `key = value` lines, or the XML that `Properties.loadFromXML` reads.
//!
//! A file that is not UTF-8 is ISO 8859-1. What is outside that, and outside ASCII in a file that has nothing else, is written as
//! `\u1234`, which programs read in either encoding.

use std::ops::Range;

use super::element::ElementText;
use super::icu::Apostrophes;
use super::json_text::push_units;
use super::{Dialect, Text, damaged, is_prose};
use crate::builder::{Builder, Context, Failure};
use crate::formats::slots::{SlotFile, ValueFile, ValueSlot, ValueSpelling};
use crate::formats::xml::Xml;
use crate::formats::{DocumentFormat, Encoding, Kept};
use crate::reading::{check_lines, text_start};

/// Properties files.
pub(in crate::formats) struct Properties;

impl DocumentFormat for Properties {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        if is_xml(&bytes) {
            return read_xml(name, bytes, builder);
        }
        let (text, encoding) = Encoding::decode_as(bytes, Some(encoding_rs::WINDOWS_1252))?;
        check_lines(&text)?;
        let mut slots = Vec::new();
        for entry in entries(name, &text)? {
            if !is_prose(&entry.value) {
                continue;
            }
            let context = Context::named(Some(entry.key), entry.note);
            let read = if is_message(&entry.value) {
                let java = Apostrophes::Required;
                Text::read_icu(&entry.value, java, Dialect::PLAIN, builder, context)
            } else {
                Text::read(&entry.value, Dialect::PLAIN, builder, context)
            };
            slots.extend(read.map(|read| ValueSlot::new(entry.range, read)));
        }
        let is_ascii = text.trim_start_matches('\u{FEFF}').is_ascii();
        let format = PropertiesSpelling { is_ascii };
        Ok(SlotFile::kept(format, text, encoding, slots))
    }
}

/// Whether a value is a pattern of `MessageFormat`: it has numbered arguments, and no apostrophe hides words.
fn is_message(value: &str) -> bool {
    let has_argument = value
        .match_indices('{')
        .any(|(at, _)| value[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    let quoted = value.replace("''", "");
    let hides = quoted
        .split('\'')
        .skip(1)
        .step_by(2)
        .any(|part| part.chars().filter(|c| c.is_alphanumeric()).count() > 1);
    has_argument && !hides
}

/// A key with its value.
struct Property {
    key: String,
    value: String,
    /// The bytes of the value, without the end of its last line.
    range: Range<usize>,
    note: Option<String>,
}

fn entries(name: &str, text: &str) -> Result<Vec<Property>, Failure> {
    let (mut entries, mut notes) = (Vec::new(), Vec::new());
    let mut place = text_start(text);
    while place < text.len() {
        let end = logical_end(text, place);
        let line = &text[place..end];
        let content = line.trim_start_matches(is_blank);
        let start = end - content.len();
        if content.is_empty() {
            notes.clear();
        } else if content.starts_with(['#', '!']) {
            // A comment does not continue in the next line.
            let end = place
                + text[place..]
                    .find(['\n', '\r'])
                    .unwrap_or(text.len() - place);
            let note = text[start..end].trim_start_matches(['#', '!']).trim();
            notes.push(note.to_owned());
            place = next_line(text, end);
            continue;
        } else {
            let separator = separator(content);
            let value_start = start + separator.end;
            let decoded = |range: Range<usize>| {
                decoded(&text[range.clone()]).map_err(|at| {
                    damaged(
                        name,
                        text,
                        range.start + at,
                        "a \\u without four hexadecimal digits",
                    )
                })
            };
            notes.retain(|note: &String| !note.is_empty());
            entries.push(Property {
                key: decoded(start..start + separator.start)?,
                value: decoded(value_start..end)?,
                range: value_start..end,
                note: Some(notes.join("\n")).filter(|note| !note.is_empty()),
            });
            notes.clear();
        }
        place = next_line(text, end);
    }
    Ok(entries)
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\u{C}')
}

/// Where the line that begins at `start` ends, with the lines in which it continues.
fn logical_end(text: &str, start: usize) -> usize {
    let is_comment = text[start..]
        .trim_start_matches(is_blank)
        .starts_with(['#', '!']);
    let mut place = start;
    loop {
        let end = place
            + text[place..]
                .find(['\n', '\r'])
                .unwrap_or(text.len() - place);
        let line = &text[start..end];
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        let next = next_line(text, end);
        if is_comment || backslashes.is_multiple_of(2) || next == end || next >= text.len() {
            return end;
        }
        place = next;
    }
}

fn next_line(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    end + if rest.starts_with("\r\n") {
        2
    } else {
        usize::from(!rest.is_empty())
    }
}

/// The bytes between key and value.
fn separator(content: &str) -> Range<usize> {
    let mut is_escaped = false;
    let ends = |c: char| {
        let is_end = !is_escaped && (is_blank(c) || matches!(c, '=' | ':'));
        is_escaped = !is_escaped && c == '\\';
        is_end
    };
    let start = content.find(ends).unwrap_or(content.len());
    let after = content[start..].trim_start_matches(is_blank);
    let after = after.strip_prefix(['=', ':']).unwrap_or(after);
    let after = after.trim_start_matches(is_blank);
    // A value may begin in the next line.
    start..content.len() - after.len()
}

/// Resolves escapes and continued lines; the place of a damaged escape.
fn decoded(raw: &str) -> Result<String, usize> {
    let mut value = String::with_capacity(raw.len());
    let mut units: Vec<u16> = Vec::new();
    let mut rest = raw;
    while let Some(character) = rest.chars().next() {
        let place = raw.len() - rest.len();
        let after = &rest[character.len_utf8()..];
        if character != '\\' {
            flush(&mut units, &mut value);
            value.push(character);
            rest = after;
            continue;
        }
        let Some(escaped) = after.chars().next() else {
            break;
        };
        rest = &after[escaped.len_utf8()..];
        if escaped == 'u' {
            let (unit, length) = code_unit(rest).ok_or(place)?;
            units.push(unit);
            rest = &rest[length..];
            continue;
        }
        flush(&mut units, &mut value);
        match escaped {
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            'f' => value.push('\u{C}'),
            '\n' | '\r' => {
                rest = rest
                    .strip_prefix('\n')
                    .filter(|_| escaped == '\r')
                    .unwrap_or(rest);
                rest = rest.trim_start_matches(is_blank);
            }
            other => value.push(other),
        }
    }
    flush(&mut units, &mut value);
    Ok(value)
}

/// The number that four digits say, and how long they are: a line may end between them, as Java joins lines first.
fn code_unit(text: &str) -> Option<(u16, usize)> {
    let (mut digits, mut rest) = (String::new(), text);
    while digits.len() < 4 {
        if let Some(next) = rest.strip_prefix('\\') {
            let line = next.strip_prefix("\r\n");
            let line = line.or_else(|| next.strip_prefix(['\n', '\r']))?;
            rest = line.trim_start_matches(is_blank);
            continue;
        }
        let digit = rest.chars().next().filter(char::is_ascii_hexdigit)?;
        digits.push(digit);
        rest = &rest[1..];
    }
    let unit = u16::from_str_radix(&digits, 16).ok()?;
    Some((unit, text.len() - rest.len()))
}

fn flush(units: &mut Vec<u16>, value: &mut String) {
    value.push_str(&String::from_utf16_lossy(units));
    units.clear();
}

#[derive(Debug)]
struct PropertiesSpelling {
    /// Whether the file has no other characters than ASCII.
    is_ascii: bool,
}

impl ValueSpelling for PropertiesSpelling {
    type Style = ();

    /// Returns a value as it is after its key; in several lines where the source has several.
    fn spelt(&self, text: &str, value: &ValueSlot<Self>, file: &ValueFile<Self>) -> String {
        const WIDTH: usize = 80;
        let layout = continuation(&file.source[value.range.clone()]);
        let (mut written, mut line) = (String::new(), 0);
        let mut characters = text.chars().peekable();
        let mut is_first = true;
        while let Some(character) = characters.next() {
            let start = written.len();
            push(character, is_first, file, &mut written);
            is_first = false;
            line += written.len() - start;
            let breaks = character == '\n' || character == ' ' && line > WIDTH;
            if let (Some(layout), true, Some(next)) = (layout, breaks, characters.peek()) {
                // White space at the beginning of a line does not count.
                if !next.is_whitespace() {
                    written.extend(["\\", layout]);
                    line = 0;
                }
            }
        }
        written
    }
}

fn push(
    character: char,
    is_first: bool,
    file: &ValueFile<PropertiesSpelling>,
    written: &mut String,
) {
    let is_held = match file.encoding {
        Encoding::Legacy(_) => matches!(character, ' '..='~' | '\u{A0}'..='\u{FF}'),
        _ => !file.facts.is_ascii || character.is_ascii(),
    };
    match character {
        '\\' => written.push_str("\\\\"),
        '\n' => written.push_str("\\n"),
        '\t' => written.push_str("\\t"),
        '\r' => written.push_str("\\r"),
        '\u{C}' => written.push_str("\\f"),
        ' ' if is_first => written.push_str("\\ "),
        _ if !is_held || character.is_control() => push_units(character, written),
        _ => written.push(character),
    }
}

/// The end of a line and the white space before the next one, where a value has several.
fn continuation(old: &str) -> Option<&str> {
    let at = old.find(['\n', '\r'])?;
    let length = old[at..].len() - old[at..].trim_start().len();
    Some(&old[at..at + length])
}

fn is_xml(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]);
    let head = head.trim_start_matches('\u{FEFF}').trim_start();
    head.starts_with("<?xml")
        || head.starts_with("<!DOCTYPE properties")
        || head.starts_with("<properties")
}

fn read_xml(name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
    let (text, encoding) = Encoding::decode(bytes)?;
    let xml = Xml::read_rooted(name, text, "properties")?;
    let mut slots = Vec::new();
    for entry in xml
        .elements(xml.root())
        .filter(|&id| xml.name(id) == "entry")
    {
        let id = xml.value(entry, "key");
        let context = Context::named(id, None);
        if is_prose(&xml.whole_text(entry)) {
            slots.extend(ElementText::read(&xml, entry, builder, context));
        }
    }
    Ok(SlotFile::kept((), xml, encoding, slots))
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, Format};

    fn read(bytes: &[u8]) -> Document {
        Document::from_bytes("a", Format::Properties, bytes.to_vec()).expect("readable")
    }

    fn upper(bytes: &[u8], target: impl Fn(&str) -> String) -> Vec<u8> {
        let document = read(bytes);
        let translated: Vec<_> = document
            .sentences
            .iter()
            .map(|it| Some(target(&it.text)))
            .collect();
        document.written(&translated, None).expect("written")
    }

    #[test]
    fn keys_values_and_continued_lines_are_read_as_java_reads_them() {
        let text = b"# Note\r\n  ! More\na\\ b : Open \\\n    the file\\nnow\nc=img.png\nd Say \\u00e9\\\\\n\n#x\ne=\n# last\\\nf=Done";
        let document = read(text);
        let found: Vec<_> = document
            .paragraphs
            .iter()
            .map(|it| {
                (
                    it.id.as_deref(),
                    it.note.as_deref(),
                    document.sentences[it.sentences.start].plain_text(),
                )
            })
            .collect();
        assert_eq!(found[0].0, Some("a b"));
        assert_eq!(found[0].1, Some("Note\nMore"));
        assert!(found[0].2.starts_with("Open the file"), "{found:?}");
        assert_eq!((found[1].0, found[1].2.as_str()), (Some("d"), "Say é\\"));
        assert_eq!((found[2].0, found[2].1), (Some("f"), Some("last\\")));
        let written = upper(text, |text| text.replace("the", "THE"));
        assert_eq!(
            String::from_utf8(written).expect("text"),
            String::from_utf8_lossy(text)
                .replace("the", "THE")
                .replace("    THE", "THE")
                .replace("Open \\\n", "Open ")
                .replace("\\nnow", "\\n\\\n    now")
        );
    }

    #[test]
    fn what_the_encoding_lacks_is_escaped() {
        assert_eq!(
            upper(b"a=Open", |_| "Öffne Ж".to_owned()),
            b"a=\\u00d6ffne \\u0416"
        );
        assert_eq!(
            upper(b"a=Gr\xFC\xDFe", |_| "Öffne €".to_owned()),
            b"a=\xD6ffne \\u20ac"
        );
        assert_eq!(
            upper("a=Grüße".as_bytes(), |_| "Ж".to_owned()),
            "a=Ж".as_bytes()
        );
    }

    #[test]
    fn apostrophes_of_message_formats_are_doubled() {
        let target = |text: &str| text.replace("the", "l'");
        assert_eq!(upper(b"a=Open the {0}", target), b"a=Open l'' {0}");
        assert_eq!(upper(b"a=Open the file", target), b"a=Open l' file");
        assert_eq!(upper(b"a=It''s the {0}", target), b"a=It''s l'' {0}");
    }

    #[test]
    fn a_damaged_escape_is_refused() {
        let error = Document::from_bytes("a", Format::Properties, b"x=y\na=\\u12".to_vec());
        assert!(error.expect_err("refused").to_string().contains("line 2"));
    }
}
