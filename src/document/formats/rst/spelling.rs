//! How a translation is spelt in reStructuredText.

use super::RstParagraph;
use super::inline::{may_follow, may_precede};
use crate::formats::marked::Spelling;

/// Spells one paragraph.
pub(super) struct RstSpelling<'p> {
    paragraph: &'p RstParagraph,
    /// Names that are in the file with these words.
    source: &'p str,
    /// Where the text of the open reference begins.
    begun: usize,
    /// Whether a code ended where text continues.
    is_after_code: bool,
}

impl<'p> RstSpelling<'p> {
    pub(super) fn new(paragraph: &'p RstParagraph, text: &'p str) -> Self {
        Self {
            paragraph,
            source: &text[paragraph.place.bytes.clone()],
            begun: 0,
            is_after_code: false,
        }
    }

    fn text_after_code(&mut self, first: Option<char>, written: &mut String) {
        if std::mem::take(&mut self.is_after_code) && first.is_some_and(|first| !may_follow(first))
        {
            *written += "\\ ";
        }
    }
}

impl Spelling for RstSpelling<'_> {
    fn text(&mut self, text: &str, next: Option<char>, written: &mut String) {
        self.text_after_code(text.chars().next(), written);
        let begins_line = written.trim_end_matches([' ', '\t']).ends_with('\n');
        let is_own = written.is_empty() && self.source.starts_with(text);
        let mut is_escaped =
            (written.is_empty() || begins_line) && begins_block(text, next) && !is_own;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek().copied().or(next);
            let before = written.chars().next_back();
            let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
            let is_syntax = match character {
                '\\' => true,
                '*' | '`' | '|' => !(is_space(before) && is_space(next)) || before.is_none(),
                '_' => !next.is_some_and(char::is_alphanumeric),
                // Two of them at the end of a paragraph begin a literal block.
                ':' => before == Some(':') && next.is_none(),
                _ => false,
            };
            if std::mem::take(&mut is_escaped) || is_syntax {
                written.push('\\');
            }
            written.push(if matches!(character, '\n' | '\r') {
                ' '
            } else {
                character
            });
        }
    }

    fn code(&mut self, number: usize, code: &str, written: &mut String) {
        let place = &self.paragraph.place;
        if place.closes(number) {
            if let Some(name) = self.paragraph.references.get(&number) {
                let text = &written[self.begun.min(written.len())..];
                if !text.split_whitespace().eq(name.split_whitespace()) {
                    // Other words still name the same target.
                    written.extend([" <", name, "_>"]);
                }
            }
        } else {
            let last = written.chars().next_back();
            if self.is_after_code || last.is_some_and(|last| !may_precede(last)) {
                *written += "\\ ";
            }
        }
        *written += code;
        self.begun = written.len();
        self.is_after_code = !place.opens(number);
    }

    fn source(&mut self, source: &str, written: &mut String) {
        self.text_after_code(source.chars().next(), written);
        *written += source;
    }
}

/// Whether a paragraph would begin as something else.
fn begins_block(text: &str, next: Option<char>) -> bool {
    let mut characters = text.chars();
    let (Some(first), second) = (characters.next(), characters.next()) else {
        return false;
    };
    let is_space = second.is_none_or(char::is_whitespace);
    let ends_line = next.is_none_or(|next| matches!(next, '\n' | '\r'));
    let is_row = ends_line && text.chars().all(|c| c == first) && first.is_ascii_punctuation();
    match first {
        '-' | '+' | '*' | '•' | '‣' | '⁃' | '|' if is_space => true,
        '.' | '_' | '>' if second == Some(first) => true,
        ':' | '=' | '+' => true,
        '-' | '/' => second.is_some_and(|c| c.is_alphanumeric() || c == '-'),
        _ => is_row || is_enumerator(text),
    }
}

/// Whether a text begins as a numbered item does.
pub(super) fn is_enumerator(text: &str) -> bool {
    enumerator(text) > 0
}

/// How long the number of an item is with the space after it; 0 without one.
pub(super) fn enumerator(text: &str) -> usize {
    const ROMAN: &str = "ivxlcdmIVXLCDM";
    let inner = text.strip_prefix('(').unwrap_or(text);
    let end = inner
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '#')
        .unwrap_or(inner.len());
    let number = &inner[..end];
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        || number == "#"
        || number.len() == 1
        || !number.is_empty() && number.len() < 8 && number.chars().all(|c| ROMAN.contains(c));
    let closes = if inner.len() < text.len() {
        [')', ')']
    } else {
        ['.', ')']
    };
    if !is_number || number.len() > 9 || !inner[end..].starts_with(closes) {
        return 0;
    }
    let rest = &inner[end + 1..];
    let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if space == 0 && !rest.is_empty() {
        0
    } else {
        text.len() - rest.len() + space
    }
}
