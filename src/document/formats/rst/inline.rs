//! Inline markup of reStructuredText.

use std::collections::HashMap;
use std::ops::Range;

use crate::formats::marked::MarkedDraft;
use crate::words::Words;

/// Roles whose text is text.
const TEXT_ROLES: Words = Words(
    "emphasis strong sub sup subscript superscript title title-reference guilabel abbr dfn t",
);

/// Reads inline markup into a paragraph.
pub(super) struct RstInline<'s> {
    source: &'s str,
    range: Range<usize>,
    pub run: MarkedDraft,
    pub references: HashMap<usize, String>,
    /// Where text that stands for itself began.
    text: usize,
    /// Up to where there is no markup.
    plain: usize,
}

impl<'s> RstInline<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self {
            source,
            range: 0..0,
            run: MarkedDraft::default(),
            references: HashMap::new(),
            text: 0,
            plain: 0,
        }
    }

    /// Adds a part of the file.
    pub(super) fn add(&mut self, range: Range<usize>) {
        self.range = range.clone();
        self.text = range.start;
        let mut place = range.start;
        while place < range.end {
            if let Some(next) = self.markup(place) {
                self.text = next;
                place = next;
            } else {
                let first = self.source[place..].chars().next();
                let next = place + first.map_or(1, char::len_utf8);
                place = next.max(self.plain).min(range.end);
            }
        }
        self.flush(range.end);
    }

    fn flush(&mut self, end: usize) {
        if self.text < end {
            self.run.text(self.source, self.text..end);
            self.text = end;
        }
    }

    fn rest(&self, place: usize) -> &'s str {
        &self.source[place..self.range.end]
    }

    /// Reads markup that begins at a byte; the byte after it.
    fn markup(&mut self, place: usize) -> Option<usize> {
        let rest = self.rest(place);
        let first = rest.chars().next()?;
        if first == '\\' {
            // At the end of a paragraph it separates nothing.
            let next = rest[1..].chars().next().unwrap_or('\n');
            self.flush(place);
            let end = (place + 1 + next.len_utf8()).min(self.range.end);
            let shown = if next.is_whitespace() {
                String::new()
            } else {
                next.to_string()
            };
            self.run.decoded(&shown, place..end);
            return Some(end);
        }
        if first.is_alphanumeric() {
            return self.word(place);
        }
        if !"*`:|_[".contains(first) || !self.may_begin(place) {
            return None;
        }
        match first {
            '*' if rest.starts_with("**") => self.emphasis(place, "**", "strong"),
            '*' => self.emphasis(place, "*", "em"),
            '`' if rest.starts_with("``") => self.literal(place),
            '`' => self.interpreted(place, place),
            ':' => self.role(place),
            '|' => self.substitution(place),
            '_' if rest.starts_with("_`") => {
                let close = self.end_of(place + 2, "`")?;
                self.words("target", place..place + 2, close..close + 1)
            }
            '[' => self.note(place),
            _ => None,
        }
    }

    fn before(&self, place: usize) -> Option<char> {
        self.source[self.range.start..place].chars().next_back()
    }

    fn may_begin(&self, place: usize) -> bool {
        self.before(place).is_none_or(may_precede)
    }

    /// The byte at which `mark` ends what began before `from`.
    fn end_of(&self, from: usize, mark: &str) -> Option<usize> {
        if self.rest(from).starts_with(char::is_whitespace) {
            return None;
        }
        let found = self
            .rest(from)
            .match_indices(mark)
            .map(|(place, _)| from + place);
        let mut ends = found.filter(|&place| {
            let before = self.source[from..place].chars().next_back();
            let is_escaped = mark != "``" && before == Some('\\');
            place > from && !is_escaped && before.is_some_and(|c| !c.is_whitespace())
        });
        ends.next()
    }

    fn ends_well(&self, place: usize) -> bool {
        self.rest(place).chars().next().is_none_or(may_follow)
    }

    fn emphasis(&mut self, place: usize, mark: &str, name: &str) -> Option<usize> {
        let close = self.end_of(place + mark.len(), mark)?;
        let end = close + mark.len();
        if !self.ends_well(end) {
            return None;
        }
        self.words(name, place..place + mark.len(), close..end)
    }

    /// Text between two codes: markup does not nest.
    fn words(&mut self, name: &str, open: Range<usize>, close: Range<usize>) -> Option<usize> {
        self.flush(open.start);
        let begun = self.run.open(name, open.clone());
        let mut place = open.end;
        let mut text = place;
        while place < close.start {
            let length = self.source[place..]
                .chars()
                .next()
                .map_or(1, char::len_utf8);
            if self.source.as_bytes()[place] == b'\\' && place + 1 < close.start {
                if text < place {
                    self.run.text(self.source, text..place);
                }
                let next = self.source[place + 1..].chars().next()?;
                let end = place + 1 + next.len_utf8();
                let shown = if next.is_whitespace() {
                    String::new()
                } else {
                    next.to_string()
                };
                self.run.decoded(&shown, place..end);
                (place, text) = (end, end);
            } else {
                place += length;
            }
        }
        if text < close.start {
            self.run.text(self.source, text..close.start);
        }
        self.run.close(begun, name, close.clone());
        Some(close.end)
    }

    fn opaque(&mut self, name: &str, shown: &str, range: Range<usize>) -> usize {
        self.flush(range.start);
        self.run.opaque(name, shown, range.clone());
        range.end
    }

    fn literal(&mut self, place: usize) -> Option<usize> {
        let close = self.end_of(place + 2, "``")?;
        let source = self.source;
        // The last backquotes of a longer row end it.
        let more = self
            .rest(close)
            .bytes()
            .take_while(|byte| *byte == b'`')
            .count();
        let close = close + more - 2;
        Some(self.opaque("code", &source[place + 2..close], place..close + 2))
    }

    /// Text in backquotes: a link, a role, or a name. Its role may be before it.
    fn interpreted(&mut self, start: usize, quote: usize) -> Option<usize> {
        let close = self.end_of(quote + 1, "`")?;
        let after = close + 1;
        let inner = &self.source[quote + 1..close];
        let prefix = &self.source[start..quote];
        let suffix = self.rest(after);
        let titled = inner
            .ends_with('>')
            .then(|| inner.rfind('<'))
            .flatten()
            .filter(|&open| open > 0 && inner[..open].ends_with(char::is_whitespace));
        let title_end = titled.map(|open| quote + 1 + inner[..open].trim_end().len());
        if prefix.is_empty() && suffix.starts_with('_') {
            let end = after + if suffix.starts_with("__") { 2 } else { 1 };
            if !self.ends_well(end) {
                return None;
            }
            // An address, or the name of a target, without a text.
            if inner.starts_with('<') && inner.ends_with('>') {
                return Some(self.opaque("a", inner, start..end));
            }
            if let Some(title_end) = title_end {
                return self.words("a", start..quote + 1, title_end..end);
            }
            let is_named = end == after + 1;
            let num_codes = self.run.num_codes();
            let next = self.words("a", start..quote + 1, close..end);
            if is_named {
                self.references.insert(
                    num_codes + 1,
                    inner.split_whitespace().collect::<Vec<_>>().join(" "),
                );
            }
            return next;
        }
        let role = match (
            prefix,
            suffix
                .strip_prefix(':')
                .and_then(|rest| rest.split_once(':')),
        ) {
            ("", Some((role, _))) if is_role(role) => role,
            (prefix, _) => prefix.trim_matches(':'),
        };
        let end = if prefix.is_empty() && !role.is_empty() {
            after + role.len() + 2
        } else {
            after
        };
        if !self.ends_well(end) {
            return None;
        }
        match title_end {
            Some(title_end) if !role.is_empty() => {
                self.words("a", start..quote + 1, title_end..end)
            }
            _ if TEXT_ROLES.contains(role) => self.words("role", start..quote + 1, close..end),
            _ => Some(self.opaque("role", inner, start..end)),
        }
    }

    fn role(&mut self, place: usize) -> Option<usize> {
        let rest = self.rest(place);
        let quote = rest.find(":`").filter(|&quote| quote > 1)?;
        if !is_role(&rest[1..quote]) {
            return None;
        }
        self.interpreted(place, place + quote + 1)
    }

    fn substitution(&mut self, place: usize) -> Option<usize> {
        let close = self.end_of(place + 1, "|")?;
        let mut end = close + 1;
        end += self
            .rest(end)
            .bytes()
            .take(2)
            .take_while(|byte| *byte == b'_')
            .count();
        let source = self.source;
        if !self.ends_well(end) || source[place..close].contains('\n') && close - place > 80 {
            return None;
        }
        Some(self.opaque("substitution", &source[place + 1..close], place..end))
    }

    /// A reference to a footnote.
    fn note(&mut self, place: usize) -> Option<usize> {
        let rest = self.rest(place);
        let close = rest.find("]_")?;
        let label = &rest[1..close];
        let is_label = |c: char| c.is_alphanumeric() || "#*-_.:+".contains(c);
        let end = place + close + 2;
        if label.is_empty() || !label.chars().all(is_label) || !self.ends_well(end) {
            return None;
        }
        self.flush(place);
        self.run.point("note", place..end);
        Some(end)
    }

    /// A word, which may be a reference.
    fn word(&mut self, place: usize) -> Option<usize> {
        let rest = self.rest(place);
        let is_word = |c: char| c.is_alphanumeric();
        let mut end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        while rest[end..].starts_with(['-', '_', '.', ':', '+'])
            && rest[end + 1..].starts_with(is_word)
        {
            end += 1;
            end += rest[end..]
                .find(|c: char| !is_word(c))
                .unwrap_or(rest.len() - end);
        }
        let marks = rest[end..]
            .bytes()
            .take(2)
            .take_while(|byte| *byte == b'_')
            .count();
        let after = place + end + marks;
        let before_may = self.may_begin(place);
        if marks == 0 || !before_may || !self.ends_well(after) {
            self.plain = place + end;
            return None;
        }
        let source = self.source;
        Some(self.opaque("a", &source[place..place + end], place..after))
    }
}

fn is_role(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.:+".contains(c))
}

/// Whether markup may begin after a character.
pub(super) fn may_precede(character: char) -> bool {
    character.is_whitespace() || "'\"([{<-/:".contains(character) || is_other_mark(character)
}

/// Whether markup may end before a character.
pub(super) fn may_follow(character: char) -> bool {
    character.is_whitespace() || "'\")]}>-/\\:.,;!?".contains(character) || is_other_mark(character)
}

/// Punctuation of other scripts than ASCII.
fn is_other_mark(character: char) -> bool {
    use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
    !character.is_ascii() && character.general_category_group() == GeneralCategoryGroup::Punctuation
}
