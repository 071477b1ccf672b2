//! How a translation is spelt in AsciiDoc.

use std::fmt::Write;

use crate::formats::marked::{MarkedPlace, Spelling};

/// Spells one paragraph.
pub(super) struct AsciiDocSpelling<'p> {
    place: &'p MarkedPlace,
    is_cell: bool,
    /// Whether nothing precedes it in its line, or the mark of a title.
    begins_line: bool,
    /// How many brackets are open around the text.
    num_brackets: usize,
    /// Whether a single mark has just closed words.
    has_closed: bool,
}

impl<'p> AsciiDocSpelling<'p> {
    pub(super) fn new(place: &'p MarkedPlace, is_cell: bool, source: &str) -> Self {
        Self {
            place,
            is_cell,
            begins_line: begins_line(&source[..place.bytes.start], is_cell),
            num_brackets: usize::from(source[place.bytes.end..].starts_with(']')),
            has_closed: false,
        }
    }

    /// Keeps a single closing mark from a word that follows: it would not be a mark.
    fn part(&mut self, next: Option<char>, written: &mut String) {
        let has_closed = std::mem::take(&mut self.has_closed);
        if has_closed && next.is_some_and(is_word) {
            *written += NOTHING;
        }
    }
}

/// Whether blocks may begin after `before`.
fn begins_line(before: &str, is_cell: bool) -> bool {
    let ink = before.trim_end_matches([' ', '\t']);
    ink.is_empty() || ink.ends_with('\n') || ink.ends_with("\n.") || is_cell && ink.ends_with('|')
}

/// A space without width.
const NOTHING: &str = "&#8203;";

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Spelling for AsciiDocSpelling<'_> {
    fn text(&mut self, text: &str, next: Option<char>, written: &mut String) {
        self.part(text.chars().next(), written);
        let begins = if written.is_empty() {
            self.begins_line && begins_block(text)
                || ["[ ]", "[x]", "[*]"].iter().any(|it| text.starts_with(it))
        } else {
            begins_line(written, false) && begins_block(text)
        };
        let text = if written.ends_with('\n') {
            text.trim_start_matches(' ')
        } else {
            text
        };
        let mut characters = text.chars().enumerate().peekable();
        while let Some((index, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next).or(next);
            let before = written.chars().next_back();
            let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
            let is_loose = is_space(before) && is_space(next);
            let is_syntax = match character {
                '*' | '_' | '`' | '#' | '^' | '~' => !is_loose || before.is_none(),
                '+' => !next.is_some_and(|c| c.is_ascii_digit()),
                '{' | '\\' | '\u{A0}' => true,
                // After a word they end a macro, and within one they would need a partner.
                '[' => !is_space(before) || self.num_brackets > 0,
                ']' => self.num_brackets > 0,
                '<' => next.is_none_or(|next| next == '<' || next.is_ascii_digit()),
                '(' => before == Some('(') || next == Some('('),
                '&' => next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#'),
                // Two of them end a term.
                ':' | ';' => before == Some(character) && is_space(next),
                '|' => self.is_cell,
                _ => begins && index == 0,
            };
            match character {
                '\n' | '\r' => written.push(' '),
                _ if is_syntax || begins && index == 0 => {
                    // Writing to a string does not fail.
                    let _ = write!(written, "&#{};", u32::from(character));
                }
                other => written.push(other),
            }
        }
    }

    fn code(&mut self, number: usize, code: &str, written: &mut String) {
        // Single marks count only between words; doubled ones do everywhere, but the author wrote single ones.
        let is_single = matches!(code, "*" | "_" | "`" | "#")
            || code.starts_with('`') && !code.starts_with("``");
        let closes = self.place.closes(number);
        self.part(code.chars().next().filter(|_| !closes), written);
        if is_single && !closes && written.ends_with(is_word) {
            *written += NOTHING;
        }
        self.has_closed = is_single && closes;
        if code.ends_with('[') {
            self.num_brackets += 1;
        } else if code.starts_with(']') {
            self.num_brackets = self.num_brackets.saturating_sub(1);
        }
        if code.starts_with('+') && code.trim_end() == "+" {
            // A line is broken by a plus sign after a space.
            written.truncate(written.trim_end_matches(' ').len());
            written.push(' ');
        }
        *written += code;
    }

    fn source(&mut self, source: &str, written: &mut String) {
        self.part(source.chars().next(), written);
        written.push_str(source);
    }
}

/// Whether a paragraph would begin as something else.
fn begins_block(text: &str) -> bool {
    let first = text.chars().next().unwrap_or_default();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = || {
        let letter = text.starts_with(|c: char| c.is_ascii_alphabetic());
        let roman = text.find(|c| !"ivxIVX".contains(c)).unwrap_or(0);
        letter && text[1..].starts_with(". ") || roman > 0 && text[roman..].starts_with(") ")
    };
    let is_label = || {
        let end = text
            .find(|c: char| !c.is_ascii_uppercase())
            .unwrap_or(text.len());
        end > 2 && text[end..].starts_with(": ")
    };
    "=*-.|/:[<'_+`#>!•".contains(first)
        || text.starts_with(",===")
        || is_number()
        || digits > 0 && text[digits..].starts_with('.')
        || is_label()
}
