//! How a translation is spelt in LaTeX.

use std::collections::HashSet;

use super::symbols;
use crate::formats::Encoding;
use crate::formats::marked::{MarkedPlace, Spelling};

/// The spelling that a file's author likes.
#[derive(Debug)]
pub(super) struct Style {
    pub encoding: Encoding,
    /// Quotes as grave accents and apostrophes.
    has_tex_quotes: bool,
    /// Dashes as several hyphens.
    has_tex_dashes: bool,
    /// The double quote begins a command of babel.
    is_quote_active: bool,
}

impl Style {
    pub(super) fn new(text: &str, encoding: Encoding) -> Self {
        let is_quote_active = [
            "babel",
            "german.sty",
            "{german}",
            "{ngerman}",
            "polyglossia",
        ];
        Self {
            encoding,
            has_tex_quotes: text.contains("``"),
            has_tex_dashes: text.contains("--"),
            is_quote_active: is_quote_active.iter().any(|mark| text.contains(mark)),
        }
    }
}

/// Spells one paragraph.
pub(super) struct LatexSpelling<'s> {
    style: &'s Style,
    /// Whether it is in brackets.
    is_optional: bool,
    /// Whether brackets at its beginning would be an argument.
    follows_command: bool,
    /// Signs that its author wrote as they are, though they come out right in newer fonts only.
    bare: HashSet<char>,
}

impl<'s> LatexSpelling<'s> {
    pub(super) fn new(style: &'s Style, text: &str, place: &MarkedPlace) -> Self {
        let source = &text[place.bytes.clone()];
        let before = &text[..place.bytes.start + source.len() - source.trim_start().len()];
        let ink = before.trim_end();
        let is_apart = before[ink.len()..].matches('\n').count() > 1;
        Self {
            style,
            is_optional: ink.ends_with('['),
            follows_command: !is_apart && !ink.is_empty() && !ink.ends_with(['{', '&', '[']),
            bare: source.chars().filter(|c| "<>|".contains(*c)).collect(),
        }
    }

    fn character(&self, character: char, next: Option<char>, written: &mut String) {
        let ink = written.trim_end();
        let at_start = ink.is_empty() && self.follows_command || ink.ends_with("\\\\");
        match character {
            '\\' => *written += "\\textbackslash{}",
            '~' => *written += "\\textasciitilde{}",
            '^' => *written += "\\textasciicircum{}",
            '`' => *written += "\\textasciigrave{}",
            '{' | '}' | '%' | '&' | '#' | '_' | '$' => written.extend(['\\', character]),
            '[' | ']' | '*' if at_start || self.is_optional => {
                written.extend(['{', character, '}']);
            }
            '<' if !self.bare.contains(&'<') => *written += "\\textless{}",
            '>' if !self.bare.contains(&'>') => *written += "\\textgreater{}",
            '|' if !self.bare.contains(&'|') => *written += "\\textbar{}",
            '"' if self.style.is_quote_active => *written += "\\char34{}",
            '\u{A0}' => written.push('~'),
            '\u{202F}' => *written += "\\,",
            '“' if self.style.has_tex_quotes => *written += "``",
            '”' if self.style.has_tex_quotes => *written += "''",
            '–' if self.style.has_tex_dashes || !self.style.encoding.holds('–') => {
                *written += "--";
            }
            '—' if self.style.has_tex_dashes || !self.style.encoding.holds('—') => {
                *written += "---";
            }
            // Two of them would be one sign.
            '-' | '\'' if next == Some(character) => written.extend([character, '{', '}']),
            '\n' | '\r' => written.push(' '),
            other if self.style.encoding.holds(other) => written.push(other),
            other => match symbols::command(other) {
                Some(command) => *written += &command,
                None => written.push(other),
            },
        }
    }
}

impl Spelling for LatexSpelling<'_> {
    fn text(&mut self, text: &str, next: Option<char>, written: &mut String) {
        divide(text, written);
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek().copied().or(next);
            self.character(character, next, written);
        }
    }

    fn code(&mut self, _: usize, code: &str, written: &mut String) {
        divide(code, written);
        *written += code;
    }

    fn source(&mut self, source: &str, written: &mut String) {
        if source.starts_with(|c: char| c.is_ascii_alphabetic()) {
            divide(source, written);
        }
        *written += source;
    }
}

/// The name of a command at the end of what is written must not continue, nor swallow a space.
fn divide(text: &str, written: &mut String) {
    let name = written.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let slashes = name.len() - name.trim_end_matches('\\').len();
    let is_command = name.len() < written.len() && slashes % 2 == 1;
    if is_command && text.starts_with(|c: char| c.is_ascii_alphabetic() || c.is_whitespace()) {
        *written += "{}";
    }
}
