//! The first entry of a PO file: encoding, language, plural forms.

use std::ops::Range;

use super::catalogue::Quoted;
use crate::formats::edits::Edits;
use crate::formats::language;
use crate::formats::strings::plural_expression::PluralRule;
use crate::formats::strings::plurals;

/// Where the header's fields are.
#[derive(Debug)]
pub(super) struct Header {
    charset: Option<Range<usize>>,
    language: Option<Range<usize>>,
    plural_forms: Option<Range<usize>>,
    /// The plural rule of the header, unless it is still to be filled in.
    pub rule: Option<PluralRule>,
    pub said_language: Option<String>,
}

impl Header {
    pub(super) fn read(text: &str, quoted: &Quoted) -> Self {
        let field = |name: &str| {
            let line = quoted
                .value
                .lines()
                .find_map(|line| line.strip_prefix(name))?;
            Some(line.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let said_language = field("Language:");
        let said_rule = field("Plural-Forms:").and_then(|rule| PluralRule::parse(&rule));
        let from_language = || plurals::rule(said_language.as_ref()?);
        Self {
            charset: charset(text, quoted.range.clone()),
            language: value_range(text, quoted, "\"Language:"),
            plural_forms: value_range(text, quoted, "\"Plural-Forms:"),
            rule: said_rule.or_else(from_language),
            said_language,
        }
    }

    /// Says the language of the translation, and its plural forms if that is still to be done.
    pub(super) fn set_language(&self, text: &str, language: &str, edits: &mut Edits) {
        let (main, _) = language::parts(language);
        let is_said = |said: &String| language::parts(said).0 == main;
        if let Some(range) = &self.language
            && !self.said_language.as_ref().is_some_and(is_said)
        {
            edits.replace(range.clone(), format!(" {}", language.replace('-', "_")));
        }
        if let Some(range) = &self.plural_forms
            && text[range.clone()].contains("nplurals=INTEGER")
        {
            edits.replace(range.clone(), format!(" {}", plurals::header(language)));
        }
    }

    /// Says that the file is in UTF-8, where nothing else is said; in any case if `in_any_case`.
    pub(super) fn set_utf8(&self, text: &str, in_any_case: bool, edits: &mut Edits) -> bool {
        let Some(range) = &self.charset else {
            return false;
        };
        if in_any_case || &text[range.clone()] == "CHARSET" {
            edits.replace(range.clone(), "UTF-8".to_owned());
        }
        true
    }
}

/// The bytes of a field's value as it is written in the file.
fn value_range(text: &str, quoted: &Quoted, name: &str) -> Option<Range<usize>> {
    let raw = &text[quoted.range.clone()];
    let start = raw.find(name)? + name.len();
    let line = raw[start..].split(['\n', '\r']).next()?;
    let length = line.find("\\n").or_else(|| line.find('"'))?;
    let start = quoted.range.start + start;
    Some(start..start + length)
}

/// The bytes of the encoding's name.
pub(super) fn charset(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let part_text = &text[part.clone()];
    let at = part_text.find("charset=")? + "charset=".len();
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c));
    let length = part_text[at..].find(ends)?;
    Some(part.start + at..part.start + at + length)
}
