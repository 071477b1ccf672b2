//! SubRip: numbered cues with simple tags.

use super::cues::{Cue, Token};
use super::{CueFormat, damaged, line_end, lines, timing};
use crate::builder::Failure;

/// Keeps what would begin a tag from doing so: there is no escape.
const JOINER: char = '\u{2060}';

fn cues(text: &str) -> Result<Vec<Cue>, Failure> {
    let lines = lines(text);
    let line = |index: usize| text[lines[index].clone()].trim_matches(['\u{FEFF}', ' ', '\t']);
    let is_blank = |index: usize| line(index).is_empty();
    let is_number =
        |index: usize| !is_blank(index) && line(index).bytes().all(|byte| byte.is_ascii_digit());
    let mut times = Vec::new();
    for index in 0..lines.len() {
        match timing(line(index)) {
            Some(timing) => times.push((index, timing)),
            None if begins_cue(line(index)) => {
                return Err(damaged(index, "the times of this cue cannot be read"));
            }
            None => {}
        }
    }
    if times.is_empty() && (0..lines.len()).any(|index| !is_blank(index)) {
        return Err(damaged(0, "it has no cue"));
    }
    let mut cues = Vec::with_capacity(times.len());
    for (number, &(index, (start, end, settings))) in times.iter().enumerate() {
        let mut last = times.get(number + 1).map_or(lines.len(), |(next, _)| *next);
        let mut counter = None;
        if number + 1 < times.len() && last > index + 1 && is_number(last - 1) {
            last -= 1;
            counter = Some(line(last));
        }
        loop {
            while last > index + 1 && is_blank(last - 1) {
                last -= 1;
            }
            // A number that is no text of the cue: after a blank line, or the counter of the next cue once more.
            let is_stray = last > index + 2
                && is_number(last - 1)
                && (is_blank(last - 2) || counter == Some(line(last - 1)));
            if !is_stray {
                break;
            }
            last -= 1;
        }
        // After the next counter is a cue whose times are lost: players show its text with this one.
        let own = index.checked_sub(1).and_then(|above| count(line(above)));
        let is_untimed = |at: usize| {
            let follows = own.is_some_and(|own| count(line(at + 1)) == Some(own + 1));
            is_blank(at) && follows && !is_blank(at + 2)
        };
        let begin = index + 1;
        let untimed = (begin + 1..last.saturating_sub(2)).find(|&at| is_untimed(at));
        let parts = match untimed {
            Some(at) => [begin..at, at + 2..last],
            None => [begin..last, last..last],
        };
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            cues.push(Cue {
                start,
                end,
                body: lines[part.start].start..lines[part.end - 1].end,
                key: settings.to_owned(),
            });
        }
    }
    Ok(cues)
}

/// The number that a line is.
fn count(line: &str) -> Option<usize> {
    let is_number = line.bytes().all(|byte| byte.is_ascii_digit());
    line.parse().ok().filter(|_| is_number)
}

/// Whether a line can only be meant as times.
fn begins_cue(line: &str) -> bool {
    line.contains("-->") && line.starts_with(|c: char| c.is_ascii_digit())
}

/// SubRip files.
#[derive(Debug)]
pub(super) struct Srt;

impl CueFormat for Srt {
    fn cues(&self, text: &str) -> Result<Vec<Cue>, Failure> {
        cues(text)
    }

    fn token(&self, rest: &str) -> Option<(usize, Token)> {
        let end = line_end(rest.as_bytes());
        if end > 0 {
            return Some((end, Token::LineBreak));
        }
        tag(rest).or_else(|| {
            let is_escaped = rest.starts_with(['<', '{']) && rest[1..].starts_with(JOINER);
            is_escaped.then(|| (1 + JOINER.len_utf8(), Token::Decoded(rest[..1].to_owned())))
        })
    }

    fn spelt(&self, character: char, _: &str, following: &str) -> String {
        let begins = matches!(character, '<' | '{')
            && (tag(&format!("{character}{following}")).is_some() || following.starts_with(JOINER));
        if begins {
            format!("{character}{JOINER}")
        } else {
            character.to_string()
        }
    }
}

/// The tag at the beginning of a text.
fn tag(text: &str) -> Option<(usize, Token)> {
    const NAMES: [&str; 8] = ["i", "b", "u", "s", "font", "em", "strong", "c"];
    if let Some(inner) = text.strip_prefix('{') {
        let end = inner.find('}')?;
        let inside = &inner[..end];
        let name = inside.trim_start_matches('/');
        let is_tag =
            inside.starts_with('\\') || matches!(name, "i" | "b" | "u" | "s" | "I" | "B" | "U");
        return (is_tag && !inside.contains(['\n', '{'])).then_some((end + 2, Token::Tag));
    }
    let inner = text.strip_prefix('<')?;
    let end = inner.find('>')?;
    let inside = &inner[..end];
    let name = inside.trim_start_matches('/');
    let name = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()?
        .to_ascii_lowercase();
    if !NAMES.contains(&name.as_str()) || inside.contains(['<', '\n']) {
        return None;
    }
    let token = if inside.starts_with('/') {
        Token::Close(name)
    } else {
        Token::Open(name)
    };
    Some((end + 2, token))
}
