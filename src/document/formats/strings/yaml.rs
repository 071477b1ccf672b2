//! Files of strings in YAML, as Rails, Symfony and many others have them.
//!
//! Translated: values that are text for readers, in the style in which they are written. Kept: keys, comments, anchors, tags
//! and whatever has one, numbers, names and paths. The one outermost key that is a language becomes that of the translation.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::json_text::push_units;
use super::{Dialect, Text, damaged, is_prose, line_end};
use crate::builder::{Builder, Context, Failure, MAX_DEPTH};
use crate::formats::edits::Edits;
use crate::formats::slots::{SlotFile, ValueFile, ValueSlot, ValueSpelling};
use crate::formats::{DocumentFormat, Encoding, Kept, language};
use crate::reading::{check_lines, text_start};

/// YAML files with strings.
pub(in crate::formats) struct Yaml;

impl DocumentFormat for Yaml {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        check_lines(&text)?;
        let scalars = scalars(name, &text)?;
        let root = root_language(&scalars);
        builder.set_language(root.map(|scalar| scalar.value.as_str()));
        let mut slots = Vec::new();
        for scalar in scalars.iter().filter(|scalar| !scalar.is_key) {
            let is_about = scalar
                .path
                .rsplit('.')
                .next()
                .is_some_and(|key| key.starts_with(['@', '$']));
            let is_word = scalar.style == ScalarStyle::Plain && is_other_value(&scalar.value);
            if !scalar.is_text || is_about || is_word || !is_prose(&scalar.value) {
                continue;
            }
            let Some(range) = content(&text, scalar) else {
                continue;
            };
            let id = Some(scalar.path.clone()).filter(|path| !path.is_empty());
            let context = Context::named(id, comment_above(&text, range.start));
            let read = Text::read(&scalar.value, Dialect::PLAIN, builder, context);
            slots.extend(read.map(|text| ValueSlot {
                range,
                text,
                style: YamlStyle {
                    scalar: scalar.style,
                    is_in_flow: scalar.is_in_flow,
                    column: scalar.column,
                },
            }));
        }
        let root = root.map(|scalar| scalar.range.clone());
        Ok(SlotFile::kept(YamlSpelling { root }, text, encoding, slots))
    }
}

/// A scalar in its file.
struct Scalar {
    value: String,
    style: ScalarStyle,
    range: Range<usize>,
    /// Column of its first character, in characters.
    column: usize,
    /// Its keys, with dots between them.
    path: String,
    is_key: bool,
    /// Whether it has no tag that makes something else of it.
    is_text: bool,
    is_in_flow: bool,
    depth: usize,
}

/// A collection that is open around a scalar.
struct Level {
    is_mapping: bool,
    /// In a mapping, whether a key comes next.
    wants_key: bool,
    key: String,
    is_flow: bool,
    count: usize,
}

fn scalars(name: &str, text: &str) -> Result<Vec<Scalar>, Failure> {
    let start = text_start(text);
    let body = &text[start..];
    let mut places: Vec<usize> = body
        .char_indices()
        .map(|(place, _)| start + place)
        .collect();
    places.push(text.len());
    let byte = |index: usize| places[index.min(places.len() - 1)];
    let bytes = |span: &Span| {
        byte(span.start.index())..byte(span.end.index()).max(byte(span.start.index()))
    };
    let (mut scalars, mut levels) = (Vec::new(), Vec::<Level>::new());
    for event in Parser::new_from_str(body) {
        let (event, span) = event.map_err(|error| {
            let offset = byte(error.marker().index());
            damaged(name, text, offset, error.info())
        })?;
        let range = bytes(&span);
        match event {
            Event::Scalar(value, style, _, tag) => {
                let is_key = levels
                    .last()
                    .is_some_and(|level| level.is_mapping && level.wants_key);
                scalars.push(Scalar {
                    path: path(&levels),
                    is_key,
                    is_text: tag.is_none_or(|tag| tag.is_yaml_core_schema() && tag.suffix == "str"),
                    is_in_flow: levels.last().is_some_and(|level| level.is_flow),
                    depth: levels.len(),
                    column: span.start.col(),
                    value: value.into_owned(),
                    style,
                    range,
                });
                let value = scalars.last().map(|scalar| scalar.value.clone());
                passed(&mut levels, value.as_deref());
            }
            Event::Alias(_) => passed(&mut levels, None),
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if levels.len() >= MAX_DEPTH {
                    return Err(Failure::PartTooDeep {
                        part: name.to_owned(),
                    });
                }
                let is_mapping = matches!(event, Event::MappingStart(..));
                let is_flow = text[range.start..].starts_with(['{', '['])
                    || levels.last().is_some_and(|level| level.is_flow);
                levels.push(Level {
                    is_mapping,
                    wants_key: is_mapping,
                    key: String::new(),
                    is_flow,
                    count: 0,
                });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                levels.pop();
                passed(&mut levels, None);
            }
            _ => {}
        }
    }
    Ok(scalars)
}

/// Notes that a node has ended, with its text if it is a scalar.
fn passed(levels: &mut [Level], value: Option<&str>) {
    let Some(level) = levels.last_mut() else {
        return;
    };
    level.count += 1;
    if !level.is_mapping {
        return;
    }
    if level.wants_key {
        value.unwrap_or_default().clone_into(&mut level.key);
    }
    level.wants_key = !level.wants_key;
}

fn path(levels: &[Level]) -> String {
    let mut path = String::new();
    for level in levels {
        if level.is_mapping && !level.wants_key {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&level.key);
        } else if !level.is_mapping {
            path.extend([format!("[{}]", level.count)]);
        }
    }
    path
}

/// The only outermost key, if it names a language.
fn root_language(scalars: &[Scalar]) -> Option<&Scalar> {
    let mut roots = scalars
        .iter()
        .filter(|scalar| scalar.is_key && scalar.depth == 1);
    let only = roots.next().filter(|_| roots.next().is_none())?;
    let (main, country) = language::parts(&only.value);
    let length = main.len() + country.map_or(0, |country| country.len() + 1);
    let is_language = language::usual_country(&main).is_some() && length == only.value.len();
    (is_language && only.style == ScalarStyle::Plain).then_some(only)
}

/// Whether a plain scalar is no string: a truth, nothing, or a number.
fn is_other_value(value: &str) -> bool {
    const WORDS: [&str; 12] = [
        "true", "false", "yes", "no", "on", "off", "null", "~", "y", "n", ".inf", ".nan",
    ];
    let lower = value.to_ascii_lowercase();
    WORDS.contains(&lower.as_str()) || looks_like_number(&lower)
}

fn looks_like_number(value: &str) -> bool {
    let digits = value.trim_start_matches(['-', '+']);
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits
            .chars()
            .all(|c| c.is_ascii_hexdigit() || "._:+-xoTtZz ".contains(c))
}

/// The bytes that a translation replaces; none where the file is not as it was understood.
fn content(text: &str, scalar: &Scalar) -> Option<Range<usize>> {
    let mut raw = text.get(scalar.range.start..)?;
    // Anchors and tags are before the scalar that they belong to.
    while raw.starts_with(['&', '!']) {
        raw = raw[raw.find(char::is_whitespace)?..].trim_start();
    }
    let start = text.len() - raw.len();
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let of_scalar = || {
        let raw = text.get(start..scalar.range.end)?.trim_end();
        (folded(raw) == folded(&scalar.value)).then_some(raw.len())
    };
    let length = match scalar.style {
        ScalarStyle::Plain => of_scalar()?,
        ScalarStyle::SingleQuoted => single_quoted(raw)?,
        ScalarStyle::DoubleQuoted => double_quoted(raw)?,
        ScalarStyle::Literal | ScalarStyle::Folded => {
            of_scalar().filter(|_| is_indented(text, scalar))?
        }
    };
    Some(start..start + length)
}

/// The length of a string in single quotation marks.
fn single_quoted(raw: &str) -> Option<usize> {
    let inner = raw.strip_prefix('\'')?;
    let mut place = 0;
    loop {
        place += inner[place..].find('\'')? + 1;
        if !inner[place..].starts_with('\'') {
            return Some(place + 1);
        }
        place += 1;
    }
}

/// The length of a string in double quotation marks.
fn double_quoted(raw: &str) -> Option<usize> {
    let inner = raw.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inner.find(|character| {
        let is_end = character == '"' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        is_end
    })?;
    Some(end + 2)
}

/// Whether a block is indented by spaces alone, more than nothing.
fn is_indented(text: &str, scalar: &Scalar) -> bool {
    let before = &text[..scalar.range.start];
    let line = &before[before.rfind(['\n', '\r']).map_or(0, |at| at + 1)..];
    scalar.column > 0 && line.len() == scalar.column && line.bytes().all(|byte| byte == b' ')
}

/// The text of the comment lines right above.
fn comment_above(text: &str, place: usize) -> Option<String> {
    let line_start = text[..place].rfind('\n').map_or(0, |at| at + 1);
    let mut notes: Vec<&str> = Vec::new();
    for line in text[..line_start].lines().rev() {
        let Some(note) = line.trim().strip_prefix('#') else {
            break;
        };
        notes.push(note.trim_start_matches('#').trim());
    }
    notes.retain(|note| !note.is_empty());
    notes.reverse();
    Some(notes.join("\n")).filter(|notes| !notes.is_empty())
}

#[derive(Debug)]
struct YamlSpelling {
    /// The outermost key, if it is a language.
    root: Option<Range<usize>>,
}

#[derive(Debug)]
struct YamlStyle {
    scalar: ScalarStyle,
    is_in_flow: bool,
    column: usize,
}

type YamlSlot = ValueSlot<YamlSpelling>;

impl ValueSpelling for YamlSpelling {
    type Style = YamlStyle;

    fn spelt(&self, text: &str, slot: &YamlSlot, file: &ValueFile<Self>) -> String {
        match slot.style.scalar {
            ScalarStyle::Literal => file.block(slot, text, false),
            ScalarStyle::Folded => file.block(slot, text, true),
            ScalarStyle::Plain if is_plain(text, slot.style.is_in_flow) && file.holds(text) => {
                file.lines(slot, text)
            }
            ScalarStyle::SingleQuoted if !text.contains(is_escaped) && file.holds(text) => {
                file.lines(slot, &format!("'{}'", text.replace('\'', "''")))
            }
            _ => file.lines(slot, &file.quoted(text)),
        }
    }

    fn set_language(&self, file: &ValueFile<Self>, language: &str, edits: &mut Edits) {
        if let Some(root) = &self.root
            && language::parts(&file.source[root.clone()]) != language::parts(language)
        {
            edits.replace(root.clone(), key(language));
        }
    }
}

/// A language as a key: Norwegian's would be a truth.
fn key(language: &str) -> String {
    if is_other_value(language) {
        format!("\"{language}\"")
    } else {
        language.to_owned()
    }
}

impl ValueFile<YamlSpelling> {
    /// A spelt value over several lines where its source is, none longer than those of the source.
    fn lines(&self, slot: &YamlSlot, spelt: &str) -> String {
        let source = &self.source[slot.range.clone()];
        let last = source.rfind('\n').map(|at| &source[at + 1..]);
        let indent = last.map_or("", |line| &line[..line.len() - line.trim_start().len()]);
        if indent.is_empty() {
            return spelt.to_owned();
        }
        let first =
            slot.style.column + source.lines().next().map_or(0, |line| line.chars().count());
        let others = source.lines().skip(1).map(|line| line.chars().count());
        let width = others.fold(first, usize::max);
        // An end of a line that is escaped is nothing, any other one a space.
        let escapes_ends = spelt.starts_with('"')
            && source
                .lines()
                .rev()
                .skip(1)
                .all(|line| line.ends_with('\\'));
        let (end, begin) = if escapes_ends {
            ("\\", "\\ ")
        } else {
            ("", "")
        };
        let is_word = |word: &str| !matches!(word, "" | "\"" | "'");
        let mut written = String::with_capacity(spelt.len() + spelt.len() / 8);
        let (mut column, mut before) = (slot.style.column, "");
        for (number, word) in spelt.split(' ').enumerate() {
            let length = word.chars().count();
            if number > 0
                && column + 1 + length + end.len() > width
                && is_word(before)
                && is_word(word)
            {
                written.extend([end, line_end(&self.source), indent, begin]);
                column = indent.len() + begin.len();
            } else if number > 0 {
                written.push(' ');
                column += 1;
            }
            written += word;
            column += length;
            before = word;
        }
        written
    }

    fn holds(&self, text: &str) -> bool {
        text.chars().all(|character| self.encoding.holds(character))
    }

    fn quoted(&self, text: &str) -> String {
        let mut written = String::from("\"");
        for character in text.chars() {
            match character {
                '"' => written.push_str("\\\""),
                '\\' => written.push_str("\\\\"),
                '\n' => written.push_str("\\n"),
                '\r' => written.push_str("\\r"),
                '\t' => written.push_str("\\t"),
                _ if is_escaped(character) && u32::from(character) <= 0xFFFF => {
                    push_units(character, &mut written);
                }
                _ if is_escaped(character) || !self.encoding.holds(character) => {
                    written.extend([format!("\\U{:08x}", u32::from(character))]);
                }
                _ => written.push(character),
            }
        }
        written.push('"');
        written
    }

    /// The lines of a block, from its first character to its last.
    fn block(&self, slot: &YamlSlot, text: &str, is_folded: bool) -> String {
        let line_end = line_end(&self.source);
        let indent = " ".repeat(slot.style.column);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = text
            .trim_end_matches(|c: char| c.is_ascii_whitespace())
            .trim_start_matches('\n');
        let (mut written, mut before, mut breaks) = (String::new(), "", 0);
        for (number, line) in text.split('\n').enumerate() {
            breaks += usize::from(number > 0);
            if line.is_empty() {
                continue;
            }
            let is_spaced = |line: &str| line.starts_with([' ', '\t']);
            // One end of a line would be a space.
            let is_joined = is_folded && breaks > 0 && !is_spaced(line) && !is_spaced(before);
            written += &line_end.repeat(breaks + usize::from(is_joined));
            if number > 0 {
                written += &indent;
            }
            written += line;
            (before, breaks) = (line, 0);
        }
        written
    }
}

/// Whether a character can only be in double quotation marks.
fn is_escaped(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'
        )
}

/// Whether a text means itself without quotation marks.
fn is_plain(text: &str, is_in_flow: bool) -> bool {
    const INDICATORS: &[char] = &[
        '-', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@',
        '`', '=', '<', '~',
    ];
    let is_whole = !text.is_empty() && text.trim() == text;
    let has_mark = text.contains(": ")
        || text.contains(":\t")
        || text.contains(" #")
        || text.contains("\t#")
        || text.ends_with(':');
    let in_flow = is_in_flow && text.contains(|c| ",[]{}:?".contains(c));
    is_whole
        && !has_mark
        && !in_flow
        && !text.starts_with(INDICATORS)
        && !text.starts_with("...")
        && !text.contains(is_escaped)
        && !is_other_value(text)
}

#[cfg(test)]
mod tests;
