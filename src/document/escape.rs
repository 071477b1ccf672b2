//! How text is spelt in each format, in the way its author spelt it.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use html5ever::data::NAMED_ENTITIES;

use super::document::{Document, Markup, ParagraphKind, Sentence, Syntax};
use super::formats::{Encoding, declared_names, lowered_head};
use super::placeholder::Placeholder;

/// Writes text so that a reader of the format sees just this text.
pub(super) enum Escape {
    Html(HtmlEscape),
    Markdown(MarkdownEscape),
    Text,
}

pub(super) struct HtmlEscape {
    /// Characters that the author wrote as character references, and how.
    spelt: HashMap<char, String>,
    /// Whether an ampersand never means itself.
    is_xml: bool,
    encoding: Encoding,
    /// Whether browsers would take other characters than ASCII for something else.
    ascii_only: bool,
}

pub(super) struct MarkdownEscape {
    /// Characters that the author wrote as they are, even if they could be syntax.
    bare: HashSet<char>,
    /// Punctuation that the author wrote with a backslash only.
    escaped: HashSet<char>,
    spelt: HashMap<char, String>,
    begins_line: bool,
    in_table: bool,
    /// Whether braces at its end would be attributes.
    in_heading: bool,
    /// How the source begins: there its author could do without escapes, too.
    beginning: String,
}

impl Escape {
    /// The spelling of the source of `sentence`.
    pub(crate) fn new(document: &Document, sentence: &Sentence) -> Self {
        match document.syntax {
            Syntax::Html { is_xml, encoding } => {
                Self::Html(HtmlEscape::new(document, sentence, is_xml, encoding))
            }
            Syntax::Markdown => Self::Markdown(MarkdownEscape::new(document, sentence)),
            Syntax::Plain | Syntax::Subtitles | Syntax::View => Self::Text,
        }
    }

    /// Appends `text`, after which `following` comes.
    pub(crate) fn write(&self, text: &str, following: &str, written: &mut String) {
        for (place, character) in text.char_indices() {
            let mut next = text[place + character.len_utf8()..]
                .chars()
                .chain(following.chars());
            match self {
                Self::Html(escape) => escape.push(character, next.next(), written),
                Self::Markdown(escape) => escape.push(character, next.next(), written),
                Self::Text => written.push(character),
            }
        }
    }
}

/// The sentence's source without its markup.
fn source_text(document: &Document, sentence: &Sentence) -> String {
    let mut cuts: Vec<_> = sentence
        .markup
        .iter()
        .flat_map(|markup| match markup {
            Markup::Pair { open, close } => vec![open.clone(), close.clone()],
            Markup::Point { range } => vec![range.clone()],
        })
        .collect();
    cuts.sort_by_key(|cut| cut.start);
    let (mut text, mut place) = (String::new(), sentence.range.start);
    for cut in cuts {
        if cut.start >= place {
            text.push_str(&document.original[place..cut.start]);
            place = cut.end;
        }
    }
    text.push_str(&document.original[place..sentence.range.end]);
    text
}

/// The character references in `source`, by what they mean, unless the source also has the character itself.
fn references(source: &str) -> HashMap<char, String> {
    let mut spelt = HashMap::new();
    for (start, _) in source.match_indices('&') {
        let length = source[start..]
            .find(';')
            .filter(|length| (2..40).contains(length));
        let Some(reference) = length.map(|length| &source[start..=start + length]) else {
            continue;
        };
        let Some(character) = meaning(&reference[1..]) else {
            continue;
        };
        if !source.contains(character) || matches!(character, '&' | ';' | '#') {
            spelt
                .entry(character)
                .or_insert_with(|| reference.to_owned());
        }
    }
    spelt
}

/// The meaning of `name;` or `#number;`, if it is one character.
fn meaning(reference: &str) -> Option<char> {
    let Some(number) = reference.strip_prefix('#') else {
        let (first, second) = NAMED_ENTITIES.get(reference)?;
        return (*second == 0)
            .then(|| char::from_u32(*first))
            .flatten()
            .filter(|c| *c != '\0');
    };
    numbered(number.trim_end_matches(';'))
}

/// The character of the number in a reference: `228` or `xe4`.
pub(super) fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32)
}

impl HtmlEscape {
    fn new(document: &Document, sentence: &Sentence, is_xml: bool, encoding: Encoding) -> Self {
        let original = &document.original;
        Self {
            spelt: references(&source_text(document, sentence)),
            is_xml,
            encoding,
            ascii_only: encoding == Encoding::Utf8
                && declares_other_than_utf8(original)
                && original.is_ascii(),
        }
    }

    fn push(&self, character: char, next: Option<char>, written: &mut String) {
        match (character, self.spelt.get(&character)) {
            (_, Some(reference)) => written.push_str(reference),
            ('<', None) => written.push_str("&lt;"),
            ('&', None) if self.is_xml || begins_reference(next) => written.push_str("&amp;"),
            _ if self.ascii_only && !character.is_ascii() || !self.encoding.holds(character) => {
                // Writing to a string does not fail.
                let _ = write!(written, "&#{};", u32::from(character));
            }
            _ => written.push(character),
        }
    }
}

/// Whether a page says that it is in an encoding in which we do not write.
fn declares_other_than_utf8(original: &str) -> bool {
    let head = lowered_head(original.as_bytes());
    let is_other = |name: &str| !(name.starts_with("utf-8") || name.starts_with("utf8"));
    declared_names(&head).any(is_other)
}

/// An ampersand before anything else means itself.
fn begins_reference(next: Option<char>) -> bool {
    next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#')
}

impl MarkdownEscape {
    fn new(document: &Document, sentence: &Sentence) -> Self {
        let source = source_text(document, sentence);
        let (mut bare, mut escaped) = (HashSet::new(), HashSet::new());
        let mut characters = source.chars().peekable();
        while let Some(character) = characters.next() {
            match characters.peek() {
                Some(next) if character == '\\' && next.is_ascii_punctuation() => {
                    escaped.insert(*next);
                    characters.next();
                }
                _ => {
                    bare.insert(character);
                }
            }
        }
        let line = document.original[..sentence.range.start]
            .rsplit(['\n', '\r'])
            .next()
            .unwrap_or_default();
        let in_table = document.paragraphs[sentence.paragraph].kind == ParagraphKind::TableCell;
        // Blocks may begin in the cells of a table that is drawn.
        let above = document.original[..sentence.range.start]
            .lines()
            .rev()
            .nth(1);
        let is_drawn = in_table
            && above.is_some_and(|above| above.trim_start_matches([' ', '>']).starts_with('+'));
        // What only dialects know is escaped everywhere if it is anywhere.
        let is_own = |c: &char| !"$^=%@:{|".contains(*c);
        let known: HashSet<char> = bare.iter().copied().filter(is_own).collect();
        Self {
            escaped: &escaped - &known,
            bare: &bare - &escaped,
            spelt: references(&source),
            begins_line: is_drawn || !line.contains(char::is_alphabetic),
            in_table,
            in_heading: document.paragraphs[sentence.paragraph].kind == ParagraphKind::Heading,
            beginning: source.chars().take(10).collect(),
        }
    }

    fn push(&self, character: char, next: Option<char>, written: &mut String) {
        if let Some(reference) = self.spelt.get(&character) {
            return written.push_str(reference);
        }
        if character == '{' && self.in_heading && !self.bare.contains(&'{') {
            // A backslash does not help there.
            return written.push_str("&#123;");
        }
        let (begins_line, line) = match written.rsplit_once('\n') {
            // Behind a line break.
            Some((_, line)) => (true, line.trim_start_matches([' ', '\t', '>'])),
            None => (self.begins_line, written.as_str()),
        };
        let is_number =
            !line.is_empty() && line.len() < 10 && line.bytes().all(|byte| byte.is_ascii_digit());
        let at_start = begins_line && line.is_empty();
        let before = written.chars().next_back();
        let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_syntax = match character {
            // At the end, or before markup, a mark may follow.
            '\\' => next.is_none_or(|next| {
                next.is_ascii_punctuation() || Placeholder::from_char(next).is_some()
            }),
            '`' | '[' | ']' => true,
            '*' => !(is_space(before) && is_space(next)) || at_start,
            '_' => !(is_space(before) && is_space(next) || is_word(before) && is_word(next)),
            '~' => before == Some('~') || next == Some('~') || !is_space(before) || !is_space(next),
            '<' => next
                .is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => begins_reference(next),
            '|' => self.in_table || at_start,
            // Signs of dialects.
            '$' => !is_space(next),
            '^' => !is_space(next) && next != Some(']'),
            '=' => at_start || before == Some('=') || next == Some('='),
            '{' => next.is_some_and(|next| "{%:".contains(next)),
            '!' | '?' | '/' => at_start && next == Some(character),
            '%' => at_start && (is_space(next) || next == Some('%')),
            '(' => at_start && next == Some('@'),
            '#' | '>' | '+' | '-' | ':' => at_start,
            '.' | ')' => begins_line && is_number && is_space(next),
            _ => false,
        };
        let begins_block =
            at_start && !matches!(character, '[' | ']') || matches!(character, '|' | '.' | ')');
        let begins_alike = || {
            self.beginning
                .strip_prefix(written.as_str())
                .is_some_and(|rest| rest.starts_with(character))
        };
        let keeps =
            self.bare.contains(&character) && (!begins_block || character != '|' && begins_alike());
        if is_syntax && !keeps || self.escaped.contains(&character) {
            written.push('\\');
        }
        // A line break could begin a new block.
        written.push(if matches!(character, '\n' | '\r') {
            ' '
        } else {
            character
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;

    fn written(format: Format, source: &str, translation: &str) -> String {
        let document = Document::parse("test", format, source.to_owned()).expect("readable");
        document.translated(&[Some(translation.to_owned())])
    }

    #[test]
    fn html_text_is_escaped_as_its_author_did() {
        assert_eq!(
            written(Format::Html, "<p>a", "x < y & z &amp; \"q\""),
            "<p>x &lt; y & z &amp;amp; \"q\""
        );
        assert_eq!(
            written(Format::Html, "<p>a&nbsp;&gt; b", "x\u{A0}> y"),
            "<p>x&nbsp;&gt; y"
        );
        assert_eq!(
            written(Format::Html, "<p>A &amp; b", "A & b"),
            "<p>A &amp; b"
        );
    }

    #[test]
    fn a_page_of_ascii_stays_one_if_it_declares_another_encoding() {
        let written = |head: &str, source: &str| {
            let page = format!("{head}<p>{source}");
            written(Format::Html, &page, "Größe").split_off(head.len())
        };
        for head in [
            "<meta charset=iso-8859-1>",
            "<META content='text/html; CHARSET=windows-1252'>",
            "<?xml version='1.0' encoding = \"us-ascii\"?>",
        ] {
            assert_eq!(written(head, "Size"), "<p>Gr&#246;&#223;e", "{head}");
        }
        for head in ["", "<meta charset=\"UTF-8\">", "<!-- charset -->"] {
            assert_eq!(written(head, "Size"), "<p>Größe", "{head}");
        }
        let mixed = written("<meta charset=iso-8859-1>", "Ma\u{df}");
        assert_eq!(mixed, "<p>Größe", "it was UTF-8 already");
    }

    #[test]
    fn an_ampersand_in_xhtml_is_always_escaped() {
        let written = |name, head: &str| {
            let page = format!("{head}<p>a</p>");
            let document = Document::parse(name, Format::Html, page).expect("readable");
            let written = document.translated(&[Some("b & c".to_owned())]);
            written[head.len()..].to_owned()
        };
        assert_eq!(written("a.html", ""), "<p>b & c</p>");
        assert_eq!(written("a.xhtml", ""), "<p>b &amp; c</p>");
        assert_eq!(
            written("a.html", "<?xml version='1.0'?>"),
            "<p>b &amp; c</p>"
        );
    }

    #[test]
    fn markdown_syntax_in_a_translation_is_escaped() {
        assert_eq!(
            written(Format::Markdown, "Text", "1. a *b* [c] d_e_f _g_ `h` <i>"),
            "1\\. a \\*b\\* \\[c\\] d_e_f \\_g\\_ \\`h\\` \\<i>"
        );
        assert_eq!(
            written(Format::Markdown, "Text", "# no heading"),
            "\\# no heading"
        );
        assert_eq!(
            written(Format::Markdown, "A [b] c\\*", "X [y] z*"),
            "X [y] z\\*"
        );
        assert_eq!(
            written(Format::Markdown, "## 1. [A] b", "1. [X] y"),
            "## 1. [X] y"
        );
        assert_eq!(written(Format::Text, "Text", "# <b>*"), "# <b>*");
    }

    #[test]
    fn character_references_are_understood() {
        assert_eq!(meaning("amp;"), Some('&'));
        assert_eq!(meaning("#xe4;"), Some('ä'));
        assert_eq!(meaning("#228;"), Some('ä'));
        assert_eq!(meaning("nonsense;"), None);
    }
}
