//! Advanced SubStation Alpha and its older brother: events with styles, override tags and drawings.

use std::collections::HashMap;
use std::ops::Range;

use encoding_rs::Encoding as Legacy;

use super::cues::{Cue, Token};
use super::{CueFormat, Encoding, damaged, decoded, lines, time};
use crate::builder::{Builder, Failure};

/// Keeps a backslash from meaning more than itself.
const JOINER: char = '\u{2060}';

/// How much of a file is searched for what it says it is.
const HEAD: usize = 1_024;

/// The encoding that the styles of a file name, as Windows numbers its character sets, if they all name the same.
fn declared(bytes: &[u8]) -> Option<&'static Legacy> {
    let text = String::from_utf8_lossy(bytes);
    let styles = text.lines().filter_map(|line| line.strip_prefix("Style:"));
    let mut numbers =
        styles.filter_map(|style| style.rsplit(',').next()?.trim().parse::<u16>().ok());
    let first = numbers.next()?;
    if numbers.any(|number| number != first) {
        return None;
    }
    let label = match first {
        128 => "shift_jis",
        129 => "euc-kr",
        134 => "gbk",
        136 => "big5",
        161 => "windows-1253",
        162 => "windows-1254",
        163 => "windows-1258",
        177 => "windows-1255",
        178 => "windows-1256",
        186 => "windows-1257",
        204 => "windows-1251",
        222 => "windows-874",
        238 => "windows-1250",
        _ => return None,
    };
    Legacy::for_label(label.as_bytes())
}

fn cues(text: &str) -> Result<Vec<Cue>, Failure> {
    let (mut cues, mut section) = (Vec::new(), String::new());
    let mut columns: Option<HashMap<String, usize>> = None;
    for (number, range) in lines(text).into_iter().enumerate() {
        let line = &text[range.clone()];
        let trimmed = line.trim_start_matches('\u{FEFF}').trim();
        if trimmed.starts_with('[') && trimmed.ends_with(']') {
            section = trimmed.to_ascii_lowercase();
        } else if section != "[events]" {
        } else if let Some(format) = trimmed.strip_prefix("Format:") {
            let names = format
                .split(',')
                .map(|name| name.trim().to_ascii_lowercase());
            columns = Some(
                names
                    .enumerate()
                    .map(|(place, name)| (name, place))
                    .collect(),
            );
        } else if let Some(place) = line
            .find("Dialogue:")
            .filter(|&place| line[..place].trim().is_empty())
        {
            let columns = columns.get_or_insert_with(usual_columns);
            let start = place + "Dialogue:".len();
            let cue = event(line, start, columns)
                .ok_or_else(|| damaged(number, "this event lacks times or text"))?;
            cues.push(Cue {
                body: cue.body.start + range.start..cue.body.end + range.start,
                ..cue
            });
        }
    }
    if section.is_empty() && !text.trim().is_empty() {
        return Err(damaged(0, "it has no section"));
    }
    Ok(cues)
}

fn usual_columns() -> HashMap<String, usize> {
    let names = [
        "layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text",
    ];
    names.into_iter().map(str::to_owned).zip(0..).collect()
}

/// The event that begins at a byte of its line.
fn event(line: &str, start: usize, columns: &HashMap<String, usize>) -> Option<Cue> {
    // The text is the last field; it may hold commas.
    let num_fields = columns.len();
    let (mut fields, mut place) = (Vec::with_capacity(num_fields), start);
    for field in line[start..].splitn(num_fields, ',') {
        fields.push(place..place + field.len());
        place += field.len() + 1;
    }
    let field = |name: &str| fields.get(*columns.get(name)?).cloned();
    let value = |name: &str| field(name).map_or("", |range| line[range].trim());
    let body = field("text")?;
    let actor = if columns.contains_key("actor") {
        "actor"
    } else {
        "name"
    };
    let key = [
        "layer", "style", actor, "marginl", "marginr", "marginv", "effect",
    ]
    .map(value);
    Some(Cue {
        start: time(value("start"))?,
        end: time(value("end"))?,
        body,
        key: key.join(","),
    })
}

/// ASS and SSA files.
#[derive(Debug)]
pub(super) struct Ass;

impl CueFormat for Ass {
    fn is_content(&self, bytes: &[u8]) -> bool {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase();
        let head = head.trim_start_matches('\u{FEFF}').trim_start();
        head.starts_with("[script info]") && head.contains("scripttype")
    }

    fn decoded(
        &self,
        bytes: Vec<u8>,
        builder: &mut Builder,
    ) -> Result<(String, Encoding), Failure> {
        let declared = declared(&bytes);
        let (text, encoding) = decoded(bytes, declared)?;
        builder.set_encoding(encoding);
        Ok((text, encoding))
    }

    fn cues(&self, text: &str) -> Result<Vec<Cue>, Failure> {
        cues(text)
    }

    fn token(&self, rest: &str) -> Option<(usize, Token)> {
        let block = rest.strip_prefix('{').and_then(|inner| inner.find('}'));
        if let Some(end) = block {
            return Some((end + 2, Token::Tag));
        }
        match rest.get(..2) {
            Some("\\N" | "\\n") => Some((2, Token::LineBreak)),
            Some("\\h") => Some((2, Token::Decoded("\u{A0}".to_owned()))),
            Some("\\{" | "\\}") => Some((2, Token::Decoded(rest[1..2].to_owned()))),
            _ if rest.starts_with('\\') && rest[1..].starts_with(JOINER) => {
                Some((1 + JOINER.len_utf8(), Token::Decoded("\\".to_owned())))
            }
            _ => None,
        }
    }

    /// In a drawing there is no text.
    fn hide(&self, body: &str, tokens: &mut [(Range<usize>, Token)]) {
        let mut draws = false;
        for (range, token) in tokens {
            if *token == Token::Tag {
                draws = drawing(&body[range.clone()]).unwrap_or(draws);
            }
            if draws {
                *token = Token::Tag;
            }
        }
    }

    fn line_break(&self) -> &'static str {
        "\\N"
    }

    fn spelt(&self, character: char, _: &str, following: &str) -> String {
        match character {
            '{' | '}' => format!("\\{character}"),
            '\\' if following.starts_with(['N', 'n', 'h', '{', '}', JOINER]) => {
                format!("\\{JOINER}")
            }
            '\u{A0}' => "\\h".to_owned(),
            other => other.to_string(),
        }
    }
}

/// Whether a block of override tags begins a drawing or ends it.
fn drawing(block: &str) -> Option<bool> {
    let mut found = None;
    for (place, _) in block.match_indices("\\p") {
        let digits: String = block[place + 2..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        if let Ok(scale) = digits.parse::<u32>() {
            found = Some(scale > 0);
        }
    }
    found
}
