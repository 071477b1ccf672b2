//! The entries of a PO file with the bytes they come from, as gettext's own lexer and grammar read them.

use std::ops::Range;

use crate::builder::Failure;
use crate::formats::strings::damaged;

/// A message of a catalogue.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub comments: Vec<Comment>,
    /// Where its first keyword begins.
    pub start: usize,
    pub context: Option<Quoted>,
    pub id: Option<Quoted>,
    pub plural: Option<Quoted>,
    /// By plural forms.
    pub targets: Vec<Quoted>,
}

#[derive(Debug)]
pub(super) struct Comment {
    /// The mark after the `#`: `.`, `:`, `,`, `|`, or a space for those of translators.
    pub kind: char,
    /// The bytes of the whole comment without the end of its line.
    pub range: Range<usize>,
}

/// Strings in quotation marks that are one after the other.
#[derive(Debug, Default, Clone)]
pub(super) struct Quoted {
    /// From the first to the last quotation mark.
    pub range: Range<usize>,
    pub value: String,
    /// Whether there are several.
    pub is_wrapped: bool,
}

/// Reads all messages; obsolete ones are comments.
pub(super) fn entries(name: &str, text: &str) -> Result<Vec<Entry>, Failure> {
    let mut lexer = Lexer {
        name,
        text,
        place: 0,
    };
    let (mut entries, mut entry, mut comments) = (Vec::new(), Entry::default(), Vec::new());
    while let Some(character) = lexer.next_character() {
        let start = lexer.place;
        if character == '#' {
            let end = lexer
                .rest()
                .find(['\n', '\r'])
                .unwrap_or(text.len() - start);
            lexer.place += end;
            let kind = text[start + 1..start + end].chars().next().unwrap_or(' ');
            if kind != '~' {
                let range = start..start + end;
                comments.push(Comment { kind, range });
            }
            continue;
        }
        let keyword = lexer.word();
        // A message is complete once it has a translation.
        let begins = matches!(keyword, "msgctxt" | "msgid" | "domain");
        if begins && !entry.targets.is_empty() {
            entries.push(std::mem::take(&mut entry));
        }
        let is_first = entry.context.is_none() && entry.id.is_none();
        if matches!(keyword, "msgctxt" | "msgid") && is_first {
            (entry.start, entry.comments) = (start, std::mem::take(&mut comments));
        }
        let has_id = entry.id.is_some();
        match keyword {
            "domain" if is_first => {
                lexer.place += lexer
                    .rest()
                    .find(['\n', '\r'])
                    .unwrap_or(lexer.rest().len());
            }
            "msgctxt" if is_first => entry.context = Some(lexer.strings(keyword)?),
            "msgid" if !has_id => entry.id = Some(lexer.strings(keyword)?),
            "msgid_plural" if has_id && entry.plural.is_none() && entry.targets.is_empty() => {
                entry.plural = Some(lexer.strings(keyword)?);
            }
            "msgstr" if has_id => {
                let form = lexer.form()?;
                let wanted = entry.plural.as_ref().map(|_| entry.targets.len());
                if form != wanted || form.is_none() && !entry.targets.is_empty() {
                    return Err(lexer.damaged(start, "a msgstr that is not the next one"));
                }
                entry.targets.push(lexer.strings(keyword)?);
            }
            "" => {
                return Err(lexer.damaged(start, "this is not a comment, keyword or string"));
            }
            _ => {
                let reason = format!("{keyword} is not allowed here");
                return Err(lexer.damaged(start, &reason));
            }
        }
    }
    if !entry.targets.is_empty() {
        entries.push(entry);
    } else if entry.id.is_some() || entry.context.is_some() {
        return Err(lexer.damaged(text.len(), "a msgid without msgstr"));
    }
    Ok(entries)
}

struct Lexer<'t> {
    name: &'t str,
    text: &'t str,
    place: usize,
}

impl<'t> Lexer<'t> {
    fn damaged(&self, offset: usize, reason: &str) -> Failure {
        damaged(self.name, self.text, offset, reason)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.place..]
    }

    /// The next character that is not white space.
    fn next_character(&mut self) -> Option<char> {
        let rest = self.rest();
        let is_space =
            |c: char| c.is_ascii_whitespace() || matches!(c, '\u{FEFF}' | '\u{B}' | '\u{1A}');
        let trimmed = rest.trim_start_matches(is_space);
        self.place += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphabetic() || c == '_'));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.place += word.len();
        word
    }

    fn form(&mut self) -> Result<Option<usize>, Failure> {
        if self.next_character() != Some('[') {
            return Ok(None);
        }
        let number = self.rest()[1..].split_once(']').map(|(number, _)| number);
        let form = number.and_then(|number| Some((number.len(), number.trim().parse().ok()?)));
        let Some((length, form)) = form else {
            return Err(self.damaged(self.place, "a plural form without a number in brackets"));
        };
        self.place += length + 2;
        Ok(Some(form))
    }

    fn strings(&mut self, keyword: &str) -> Result<Quoted, Failure> {
        let mut quoted = Quoted::default();
        let mut count = 0;
        while self.next_character() == Some('"') {
            let start = self.place;
            let end = self.string(&mut quoted.value)?;
            if count == 0 {
                quoted.range.start = start;
            }
            quoted.range.end = end;
            count += 1;
        }
        if count == 0 {
            let reason = format!("{keyword} without a string in quotation marks");
            return Err(self.damaged(self.place, &reason));
        }
        quoted.is_wrapped = count > 1;
        Ok(quoted)
    }

    /// Reads one string, from its quotation mark on; the end.
    fn string(&mut self, value: &mut String) -> Result<usize, Failure> {
        let start = self.place;
        let mut place = start + 1;
        loop {
            let rest = &self.text[place..];
            let Some(character) = rest.chars().next().filter(|&c| c != '\n') else {
                return Err(self.damaged(start, "a string without its closing quotation mark"));
            };
            place += character.len_utf8();
            match character {
                '"' => break,
                '\\' => {
                    let (length, meaning) = escape(&rest[1..]);
                    match meaning {
                        Some(character) => value.push(character),
                        // gettext does not know it either.
                        None => value.push('\\'),
                    }
                    place += length;
                }
                _ => value.push(character),
            }
        }
        self.place = place;
        Ok(place)
    }
}

/// Decodes what is after a backslash: its length and its meaning.
fn escape(rest: &str) -> (usize, Option<char>) {
    let digits = |text: &str, radix: u32, most: usize| {
        let length = text
            .chars()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .count();
        let code = u32::from_str_radix(&text[..length], radix).ok()?;
        // Outside ASCII it would be a byte of an encoding.
        let character = char::from_u32(code)
            .filter(char::is_ascii)
            .filter(|&c| c != '\0')?;
        Some((length, character))
    };
    let simple = match rest.chars().next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('"') => '"',
        Some('\\') => '\\',
        Some('a') => '\u{7}',
        Some('b') => '\u{8}',
        Some('v') => '\u{B}',
        Some('f') => '\u{C}',
        Some('x') => {
            return digits(&rest[1..], 16, 2)
                .map_or((0, None), |(length, c)| (length + 1, Some(c)));
        }
        Some('0'..='7') => {
            return digits(rest, 8, 3).map_or((0, None), |(length, c)| (length, Some(c)));
        }
        _ => return (0, None),
    };
    (1, Some(simple))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_gettext_has_them() {
        let text = "# a\n#. b\n#: c.c:1\n#, fuzzy\nmsgctxt \"x\"\nmsgid \"\"\n\"one\\n\"\n\"tw\\\"o\"\nmsgid_plural \"m\"\nmsgstr[0] \"\"\nmsgstr[1] \"y\"\n\n#~ msgid \"old\"\n#~ msgstr \"alt\"\ndomain X\nmsgid \"a\" msgstr \"\\x41\\101\\q\"\n";
        let entries = entries("a.po", text).expect("readable");
        let [first, second] = &entries[..] else {
            panic!("{entries:?}");
        };
        let kinds: String = first.comments.iter().map(|comment| comment.kind).collect();
        assert_eq!(kinds, " .:,");
        assert_eq!(
            first.context.as_ref().map(|it| it.value.as_str()),
            Some("x")
        );
        let id = first.id.as_ref().expect("an id");
        assert!(id.is_wrapped && id.value == "one\ntw\"o");
        assert_eq!(&text[id.range.clone()], "\"\"\n\"one\\n\"\n\"tw\\\"o\"");
        assert_eq!(first.targets.len(), 2);
        assert_eq!(second.targets[0].value, "AA\\q");
    }

    #[test]
    fn damage_is_reported_with_its_line() {
        for (text, line) in [
            ("msgid \"a\"\n", 2),
            ("msgid \"a\nmsgstr \"\"\n", 1),
            ("\nmsgstr \"a\"\n", 2),
            ("msgid \"a\"\nmsgid \"b\"\nmsgstr \"\"", 2),
            ("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr \"\"", 3),
            ("msgid \"a\"\nmsgstr\n", 3),
            ("hello world", 1),
            ("\"a\"", 1),
            ("msgid \"a\"\nmsgstr[x] \"\"", 2),
        ] {
            let Err(Failure::Damaged { reason, .. }) = entries("a.po", text) else {
                panic!("{text:?} is read");
            };
            assert!(
                reason.starts_with(&format!("line {line}:")),
                "{text:?}: {reason}"
            );
        }
    }
}
