//! WebVTT: cues of the web, with voices, classes and character references.

use html5ever::data::NAMED_ENTITIES;

use super::cues::{Cue, Token};
use super::{CueFormat, Encoding, damaged, decoded, line_end, lines, timing};
use crate::builder::{Builder, Failure};
use crate::escape::numbered;
use crate::reading::check_lines;

/// The cues of a file, divided as the specification's parser does: a line with an arrow begins a cue, an empty line or the
/// next arrow ends it. What has no times, and cues whose times cannot be read, are passed over, as browsers do.
fn cues(text: &str) -> Result<Vec<Cue>, Failure> {
    let lines = lines(text);
    let line = |index: usize| &text[lines[index].clone()];
    let has_arrow = |index: usize| line(index).contains("-->");
    let is_counter = |index: usize| {
        let line = line(index).trim();
        !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (mut cues, mut bad) = (Vec::new(), None);
    let mut index = 1;
    while index < lines.len() {
        if !has_arrow(index) {
            index += 1;
            continue;
        }
        let at = index;
        index += 1;
        while index < lines.len() && !line(index).is_empty() && !has_arrow(index) {
            index += 1;
        }
        let Some((start, stop, settings)) = timing(line(at)) else {
            bad = bad.or(Some(at));
            continue;
        };
        // Without an empty line between them the counter of the next cue is no text of this one.
        let is_next = index < lines.len() && has_arrow(index);
        let end = if is_next && is_counter(index - 1) {
            index - 1
        } else {
            index
        };
        if at + 1 < end {
            cues.push(Cue {
                start,
                end: stop,
                body: lines[at + 1].start..lines[end - 1].end,
                key: settings.to_owned(),
            });
        }
    }
    match bad {
        Some(at) if cues.is_empty() => Err(damaged(at, "the times of this cue cannot be read")),
        _ => Ok(cues),
    }
}

/// WebVTT files.
#[derive(Debug)]
pub(super) struct Vtt;

impl CueFormat for Vtt {
    fn is_content(&self, bytes: &[u8]) -> bool {
        let head = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        head.strip_prefix(b"WEBVTT")
            .is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'\n' | b'\r')))
    }

    fn decoded(&self, bytes: Vec<u8>, _: &mut Builder) -> Result<(String, Encoding), Failure> {
        let is_content = self.is_content(&bytes);
        if !is_content && !bytes.contains(&0) {
            return Err(damaged(0, "it does not begin with WEBVTT"));
        }
        match String::from_utf8(bytes) {
            // A byte of zero is a character that browsers do not show.
            Ok(text) if is_content => {
                check_lines(&text)?;
                Ok((text, Encoding::Utf8))
            }
            Ok(text) => decoded(text.into_bytes(), None),
            Err(error) => decoded(error.into_bytes(), None),
        }
    }

    fn cues(&self, text: &str) -> Result<Vec<Cue>, Failure> {
        cues(text)
    }

    fn token(&self, rest: &str) -> Option<(usize, Token)> {
        match rest.as_bytes()[0] {
            b'\r' | b'\n' => Some((line_end(rest.as_bytes()), Token::LineBreak)),
            b'<' => tag(rest),
            b'&' => reference(rest),
            0 => Some((1, Token::Decoded('\u{FFFD}'.to_string()))),
            _ => None,
        }
    }

    fn spelt(&self, character: char, written: &str, _: &str) -> String {
        match character {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            // An arrow would be read as times.
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
    let Some(end) = inner.find('>') else {
        // Without an end it goes to the end of the text; what can begin no tag is meant as a sign.
        let begins = inner.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/');
        return begins.then_some((text.len(), Token::Tag));
    };
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
        let character = numbered(number)?;
        Some(character).filter(|it| !it.is_control())?.to_string()
    } else {
        let (first, second) = NAMED_ENTITIES.get(&text[1..=end])?;
        let characters = [*first, *second].into_iter().filter(|&code| code > 0);
        characters.filter_map(char::from_u32).collect()
    };
    Some((end + 1, Token::Decoded(shown)))
}
