//! WebVTT: cues of the web, with voices, classes and character references.

use std::ops::Range;

use html5ever::data::NAMED_ENTITIES;

use super::cues::{Cue, Token};
use super::{Dialect, damaged, decoded, line_end, lines, read, timing};
use crate::builder::{Builder, Failure};
use crate::formats::{DocumentFormat, Kept};

/// WebVTT files.
pub(in crate::formats) struct Vtt;

impl DocumentFormat for Vtt {
    fn label(&self) -> &'static str {
        "WebVTT subtitles"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["vtt"]
    }

    fn is_content(&self, bytes: &[u8]) -> bool {
        let head = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        head.strip_prefix(b"WEBVTT")
            .is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'\n' | b'\r')))
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        if !self.is_content(&bytes) && !bytes.contains(&0) {
            return Err(damaged(0, "it does not begin with WEBVTT"));
        }
        let (text, encoding) = decoded(bytes, None)?;
        let cues = cues(&text)?;
        Ok(read(text, encoding, &cues, &WebVtt, builder))
    }
}

fn cues(text: &str) -> Result<Vec<Cue>, Failure> {
    let lines = lines(text);
    let line = |index: usize| &text[lines[index].clone()];
    let (mut cues, mut index) = (Vec::new(), 1);
    // The head ends with a blank line.
    while index < lines.len() && !line(index).trim().is_empty() && !line(index).contains("-->") {
        index += 1;
    }
    while index < lines.len() {
        let first = index;
        let mut end = index;
        while end < lines.len() && !line(end).trim().is_empty() {
            end += 1;
        }
        index = end + 1;
        let is_other = |name: &str| {
            end > first
                && line(first)
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', ':']))
        };
        if end == first || ["NOTE", "STYLE", "REGION"].into_iter().any(is_other) {
            continue;
        }
        // What has no times is ignored, as browsers do.
        let Some(at) = (first..end).take(2).find(|&at| line(at).contains("-->")) else {
            continue;
        };
        // A cue ends where the next one tells its times, also without a blank line between them.
        let others = (at + 1..end).filter(|&at| timing(line(at)).is_some());
        let starts: Vec<usize> = std::iter::once(at).chain(others).collect();
        for (number, &at) in starts.iter().enumerate() {
            let Some((start, stop, settings)) = timing(line(at)) else {
                return Err(damaged(at, "the times of this cue cannot be read"));
            };
            let next = starts.get(number + 1);
            let mut last = next.copied().unwrap_or(end);
            let is_counter = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit());
            if next.is_some() && last > at + 1 && is_counter(line(last - 1).trim()) {
                last -= 1;
            }
            if at + 1 < last {
                cues.push(Cue {
                    start,
                    end: stop,
                    body: lines[at + 1].start..lines[last - 1].end,
                    key: settings.to_owned(),
                });
            }
        }
    }
    Ok(cues)
}

#[derive(Debug)]
struct WebVtt;

impl Dialect for WebVtt {
    fn tokens(&self, body: &str) -> Vec<(Range<usize>, Token)> {
        let (mut tokens, mut place, mut text) = (Vec::new(), 0, 0);
        while place < body.len() {
            let rest = &body[place..];
            let found = match rest.as_bytes()[0] {
                b'\r' | b'\n' => Some((line_end(rest.as_bytes()), Token::LineBreak)),
                b'<' => tag(rest),
                b'&' => reference(rest),
                _ => None,
            };
            let Some((length, token)) = found else {
                place += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            };
            if text < place {
                tokens.push((text..place, Token::Text));
            }
            tokens.push((place..place + length, token));
            place += length;
            text = place;
        }
        if text < place {
            tokens.push((text..place, Token::Text));
        }
        tokens
    }

    fn line_break(&self) -> &'static str {
        "\n"
    }

    fn spelt(&self, character: char, written: &str, _: &str) -> String {
        match character {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            // An arrow would tell times.
            '>' if written.ends_with("--") => "&gt;".to_owned(),
            '\u{200E}' => "&lrm;".to_owned(),
            '\u{200F}' => "&rlm;".to_owned(),
            other => other.to_string(),
        }
    }
}

/// The tag at the beginning of a text.
fn tag(text: &str) -> Option<(usize, Token)> {
    let inner = text.strip_prefix('<')?;
    // Without an end it goes to the end of the text.
    let end = inner.find('>')?;
    let inside = &inner[..end];
    let name = inside.trim_start_matches('/');
    let name: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
    let token = match name.as_str() {
        "" => Token::Tag,
        _ if inside.starts_with('/') => Token::Close(name),
        _ => Token::Open(name),
    };
    Some((end + 2, token))
}

/// The character reference at the beginning of a text: those of WebVTT are those of HTML.
fn reference(text: &str) -> Option<(usize, Token)> {
    const LONGEST: usize = 34;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let shown: String = if let Some(number) = text[1..end].strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        let character = char::from_u32(code);
        character
            .filter(|character| !character.is_control())?
            .to_string()
    } else {
        let (first, second) = NAMED_ENTITIES.get(&text[1..=end])?;
        let characters = [*first, *second].into_iter().filter(|&code| code > 0);
        characters.filter_map(char::from_u32).collect()
    };
    Some((end + 1, Token::Decoded(shown)))
}
