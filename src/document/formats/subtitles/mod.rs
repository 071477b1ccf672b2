//! Subtitles: texts that are shown for a time, in cues.
//!
//! A sentence that continues in the next cue is one sentence; its translation is laid back over the same cues. Dashes before
//! a turn, names of speakers, musical notes and tags around a whole cue stay where they are; times and styles are never
//! touched.

mod ass;
mod cues;
mod layout;
mod srt;
mod vtt;
mod writing;

use std::ops::Range;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding as Legacy;

pub use layout::SubtitleLayout;

use super::{DocumentFormat, Encoding, Kept};
use crate::builder::{Builder, Context, Failure};
use crate::document::{Part, Syntax};
use crate::reading::check_lines;
use cues::{Cue, Token, chains};
use writing::Subtitles;

/// A format of cues: where they are in a file, and how their text is spelt.
trait CueFormat: std::fmt::Debug + Sync + Send {
    /// Returns whether a file can only be of this format.
    fn is_content(&self, _: &[u8]) -> bool {
        false
    }

    /// Decodes a file; `builder` learns the encoding where the file has no other way to write what that lacks.
    fn decoded(
        &self,
        bytes: Vec<u8>,
        builder: &mut Builder,
    ) -> Result<(String, Encoding), Failure> {
        let (text, encoding) = decoded(bytes, None)?;
        builder.set_encoding(encoding);
        Ok((text, encoding))
    }

    /// The cues of a file in their order.
    fn cues(&self, text: &str) -> Result<Vec<Cue>, Failure>;

    /// The piece at the beginning of a text, with its length; none for a character that stands for itself.
    fn token(&self, rest: &str) -> Option<(usize, Token)>;

    /// The pieces of a cue's text, with their bytes in it.
    fn tokens(&self, body: &str) -> Vec<(Range<usize>, Token)> {
        let (mut tokens, mut place, mut text) = (Vec::new(), 0, 0);
        while place < body.len() {
            let rest = &body[place..];
            let Some((length, token)) = self.token(rest) else {
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
        self.hide(body, &mut tokens);
        tokens
    }

    /// Makes tags of the pieces that are no text to readers.
    fn hide(&self, _: &str, _: &mut [(Range<usize>, Token)]) {}

    /// Returns the spelling of a line break.
    fn line_break(&self) -> &'static str {
        "\n"
    }

    /// How a character of a translation is written, before `following`.
    fn spelt(&self, character: char, written: &str, following: &str) -> String;
}

pub(super) const SRT: Cues = Cues(&srt::Srt);
pub(super) const VTT: Cues = Cues(&vtt::Vtt);
pub(super) const ASS: Cues = Cues(&ass::Ass);

/// Files of a format of cues.
pub(super) struct Cues(&'static dyn CueFormat);

impl DocumentFormat for Cues {
    fn is_content(&self, bytes: &[u8]) -> bool {
        self.0.is_content(bytes)
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = self.0.decoded(bytes, builder)?;
        let cues = self.0.cues(&text)?;
        let mut kept = Vec::new();
        for chain in chains(&text, &cues, self.0) {
            let paragraph = builder.paragraph_count();
            let context = Context {
                part: chain.time(&cues).map(Part::Cues),
                ..Context::default()
            };
            builder.paragraph(&chain.run(&text), context);
            if builder.paragraph_count() > paragraph {
                kept.push((paragraph, chain));
            }
        }
        builder.set_text(text, Syntax::Subtitles);
        Ok(Box::new(Subtitles {
            encoding,
            format: self.0,
            chains: kept,
        }))
    }
}

/// The text of a file that need not say its encoding: where it is not Unicode, what its bytes can only be meant as.
fn decoded(
    bytes: Vec<u8>,
    declared: Option<&'static Legacy>,
) -> Result<(String, Encoding), Failure> {
    let is_unicode = std::str::from_utf8(&bytes).is_ok() || bytes.contains(&0);
    let legacy = match declared {
        None if !is_unicode => detected(&bytes),
        declared => declared,
    };
    let (text, encoding) = Encoding::decode_as(bytes, legacy)?;
    check_lines(&text)?;
    Ok((text, encoding))
}

/// The encoding that the bytes have by their letters; none where there are too few to say.
fn detected(bytes: &[u8]) -> Option<&'static Legacy> {
    const ENOUGH: usize = 4;
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let num_letters = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let is_sure = num_letters >= ENOUGH || guess == encoding_rs::WINDOWS_1252;
    is_sure.then_some(guess)
}

/// The lines of a text, with the bytes of each without its end.
fn lines(text: &str) -> Vec<Range<usize>> {
    let (mut lines, mut start, mut place) = (Vec::new(), 0, 0);
    while place < text.len() {
        let length = line_end(&text.as_bytes()[place..]);
        if length > 0 {
            lines.push(start..place);
            start = place + length;
        }
        place += length.max(1);
    }
    if start < text.len() {
        lines.push(start..text.len());
    }
    lines
}

/// The length of the end of a line at the beginning of a text: programs that turn LF into CR LF twice leave CR CR LF.
fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\r', b'\n', ..] => 3,
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// The end of a line as the text has it.
fn newline(text: &str) -> &str {
    match text.find(['\n', '\r']) {
        Some(place) => &text[place..place + line_end(&text.as_bytes()[place..])],
        None => "\n",
    }
}

/// A file that is not as its format wants it, at a line counted from 0.
fn damaged(line: usize, reason: impl Into<String>) -> Failure {
    Failure::Damaged {
        part: format!("line {}", line + 1),
        reason: reason.into(),
    }
}

/// A time such as `01:02:03,456` or `2:03.4` in milliseconds.
fn time(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once([',', '.']).unwrap_or((text, ""));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut seconds = 0_i64;
    let units: Vec<&str> = whole.split(':').collect();
    if !(2..=3).contains(&units.len()) || !part.is_empty() && !is_digits(part) {
        return None;
    }
    for unit in units {
        if !is_digits(unit) || unit.len() > 6 {
            return None;
        }
        seconds = seconds * 60 + unit.parse::<i64>().ok()?;
    }
    let part: String = part.chars().chain("000".chars()).take(3).collect();
    Some(seconds * 1_000 + part.parse::<i64>().ok()?)
}

/// Both times of a line such as `00:01.000 --> 00:02.000 align:left`, and what is after them.
fn timing(line: &str) -> Option<(i64, i64, &str)> {
    let (start, rest) = line.split_once("-->")?;
    let rest = rest.trim_start();
    let is_other = |c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | ','));
    let (end, settings) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
    Some((time(start.trim())?, time(end)?, settings.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_all_their_spellings() {
        assert_eq!(time("00:00:01,500"), Some(1_500));
        assert_eq!(time("1:02:03.4"), Some(3_723_400));
        assert_eq!(time("02:03.456"), Some(123_456));
        for bad in ["", "1", "a:b", "1:2:3:4", "00:00:01,x", "00::1"] {
            assert_eq!(time(bad), None, "{bad}");
        }
        assert_eq!(
            timing("00:01.000 --> 00:02.000 align:left"),
            Some((1_000, 2_000, "align:left"))
        );
    }

    #[test]
    fn lines_end_in_four_ways() {
        assert_eq!(lines("a\r\nb\n\nc\rd"), [0..1, 3..4, 5..5, 6..7, 8..9]);
        assert_eq!(lines("a\r\r\nb\r\rc"), [0..1, 4..5, 6..6, 7..8]);
        assert_eq!(newline("a\r\r\nb"), "\r\r\n");
    }

    #[test]
    fn an_encoding_is_found_where_the_letters_say_it() {
        let text = "Где ты был вчера вечером? Я ждал тебя у входа в театр.";
        let (bytes, ..) = encoding_rs::WINDOWS_1251.encode(text);
        let (decoded, encoding) = decoded(bytes.to_vec(), None).expect("a text");
        assert_eq!(decoded, text);
        assert_eq!(encoding.encode(text).expect("bytes"), bytes.as_ref());
    }
}
