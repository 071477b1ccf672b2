//! The entries of a PO file, in order, with their comments and the places they come from.
//!
//! The format of GNU gettext, "The Format of PO Files".

use std::path::Path;

use crate::error::{Error, Result};
use canopy_base::lines::lines;

/// A message and its translation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub context: Option<String>,
    pub source: String,
    pub plural: Option<String>,
    /// One, or one for each plural form.
    pub targets: Vec<String>,
    /// Comments for translators in the program's source, in order.
    pub notes: Vec<String>,
    pub references: Vec<Reference>,
    pub fuzzy: bool,
}

/// The place of a message in the source; no line where only the file is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub file: String,
    pub line: Option<u32>,
}

/// The contents of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Catalogue {
    pub entries: Vec<Entry>,
    /// `Language` of the header; empty if it says none.
    pub language: String,
    /// Entries that their programs no longer have.
    pub obsolete: usize,
}

/// The string that a line continues with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Context,
    Source,
    Plural,
    Target(usize),
}

/// Reads a PO file.
///
/// # Errors
/// If it cannot be read, is not UTF-8, or a line is not one of a PO file.
pub(crate) fn read(path: &Path) -> Result<Catalogue> {
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    let lines = lines(path, bytes)?;
    let mut reader = Reader::default();
    for (number, line) in lines.iter().enumerate() {
        reader.line(line.trim()).map_err(|problem| Error::Gettext {
            problem: format!("line {}: {problem}", number + 1),
            path: path.to_owned(),
        })?;
    }
    reader.end_entry();
    Ok(reader.catalogue)
}

#[derive(Debug, Default)]
struct Reader {
    catalogue: Catalogue,
    entry: Entry,
    field: Option<Field>,
    /// Whether the lines of now are of an obsolete entry.
    obsolete: bool,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() {
            self.end_entry();
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("#~") {
            let rest = rest.trim_start();
            // "#~|" is what the message was before.
            if rest.is_empty() || rest.starts_with('|') {
                return Ok(());
            }
            if !self.obsolete {
                self.end_entry();
            }
            self.obsolete = true;
            return self.string(rest);
        }
        if line.starts_with('#') {
            // Comments are before their message: one after a translation begins the next entry.
            if matches!(self.field, Some(Field::Target(_))) {
                self.end_entry();
            }
            self.comment(line);
            return Ok(());
        }
        if self.obsolete {
            self.end_entry();
        }
        self.string(line)
    }

    fn comment(&mut self, line: &str) {
        if let Some(note) = line.strip_prefix("#.") {
            self.entry.notes.push(note.trim().to_owned());
        } else if let Some(places) = line.strip_prefix("#:") {
            self.entry.references.extend(references(places));
        } else if let Some(flags) = line.strip_prefix("#,") {
            self.entry.fuzzy |= flags.split(',').any(|flag| flag.trim() == "fuzzy");
        }
    }

    fn string(&mut self, line: &str) -> Result<(), String> {
        let quote = line.find('"').ok_or("no text in quotation marks")?;
        let (keyword, text) = (line[..quote].trim(), &line[quote + 1..]);
        let text = text
            .strip_suffix('"')
            .ok_or("the quotation mark at the end is missing")?;
        let text = unescaped(text)?;
        if !keyword.is_empty() {
            let field = field(keyword).ok_or_else(|| format!("{keyword:?} is not a keyword"))?;
            let begins = matches!(field, Field::Context | Field::Source);
            if begins && matches!(self.field, Some(Field::Target(_))) {
                // No empty line is between the two.
                let obsolete = self.obsolete;
                self.end_entry();
                self.obsolete = obsolete;
            }
            self.field = Some(field);
        }
        let entry = &mut self.entry;
        let into = match self.field.ok_or("text without a keyword")? {
            Field::Context => entry.context.get_or_insert_default(),
            Field::Source => &mut entry.source,
            Field::Plural => entry.plural.get_or_insert_default(),
            Field::Target(number) => {
                if entry.targets.len() <= number {
                    entry.targets.resize(number + 1, String::new());
                }
                &mut entry.targets[number]
            }
        };
        into.push_str(&text);
        Ok(())
    }

    fn end_entry(&mut self) {
        let entry = std::mem::take(&mut self.entry);
        let (field, obsolete) = (self.field.take(), std::mem::take(&mut self.obsolete));
        if field.is_none() {
            // Comments alone, such as a licence at the beginning.
            return;
        }
        if obsolete {
            self.catalogue.obsolete += 1;
        } else if entry.source.is_empty() && entry.context.is_none() {
            let header = entry.targets.concat();
            header_field(&header, "Language").clone_into(&mut self.catalogue.language);
        } else {
            self.catalogue.entries.push(entry);
        }
    }
}

fn field(keyword: &str) -> Option<Field> {
    /// No language has more plural forms.
    const MOST: usize = 16;
    match keyword {
        "msgctxt" => Some(Field::Context),
        "msgid" => Some(Field::Source),
        "msgid_plural" => Some(Field::Plural),
        "msgstr" => Some(Field::Target(0)),
        _ => {
            let number = keyword.strip_prefix("msgstr")?.trim();
            let number = number.strip_prefix('[')?.strip_suffix(']')?;
            let number: usize = number.trim().parse().ok()?;
            (number < MOST).then_some(Field::Target(number))
        }
    }
}

pub(super) fn header_field<'h>(header: &'h str, name: &str) -> &'h str {
    let lines = header.lines().filter_map(|line| line.split_once(':'));
    let found = lines
        .map(|(key, value)| (key.trim(), value.trim()))
        .find(|(key, _)| *key == name);
    found.map_or("", |(_, value)| value)
}

/// The escapes of C, as gettext writes them.
fn unescaped(text: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '"' {
            return Err("a quotation mark within the text has no \\ before it".to_owned());
        }
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        if letters.peek().is_some_and(|digit| digit.is_digit(8)) {
            plain.extend(code(&mut letters, 8, 3));
            continue;
        }
        match letters.next().ok_or("a \\ is at the end")? {
            'n' => plain.push('\n'),
            't' => plain.push('\t'),
            'r' => plain.push('\r'),
            'a' | 'b' | 'f' | 'v' => plain.push(' '),
            'x' => plain.extend(code(&mut letters, 16, 2)),
            other => plain.push(other),
        }
    }
    Ok(plain)
}

fn code(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
) -> Option<char> {
    let mut digits = String::new();
    while digits.len() < most
        && let Some(digit) = letters.next_if(|letter| letter.is_digit(radix))
    {
        digits.push(digit);
    }
    char::from_u32(u32::from_str_radix(&digits, radix).ok()?)
}

/// The places of a line of references; names with spaces are between U+2068 and U+2069.
fn references(mut places: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    loop {
        places = places.trim_start();
        if places.is_empty() {
            return found;
        }
        let isolated = places
            .strip_prefix('\u{2068}')
            .and_then(|rest| rest.split_once('\u{2069}'));
        let (file, line) = if let Some((file, rest)) = isolated {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            places = &rest[end..];
            (file, rest[..end].strip_prefix(':').map(str::to_owned))
        } else {
            let end = places.find(char::is_whitespace).unwrap_or(places.len());
            let place = &places[..end];
            places = &places[end..];
            match place.rsplit_once(':') {
                Some((file, line)) if line.chars().all(|digit| digit.is_ascii_digit()) => {
                    (file, Some(line.to_owned()))
                }
                _ => (place, None),
            }
        };
        if !file.is_empty() {
            found.push(Reference {
                file: file.to_owned(),
                line: line.and_then(|line| line.parse().ok()),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Catalogue> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("de.po");
        std::fs::write(&path, text).expect("writes");
        read(&path)
    }

    #[test]
    fn entries_come_with_their_comments_and_places() {
        let text = "# A licence\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n\
            # by a translator\n#. [message]: speaker=Lorin\n#: a/1.cfg:12 \u{2068}a b.cfg\u{2069}:7\n#: c.cfg\n#, c-format\n\
            msgid \"\"\n\"Who are \"\n\"\\\"you\\\"?\\n\"\nmsgstr \"Wer bist \\\"du\\\"?\\n\"\n\
            #, fuzzy, c-format\n#| msgid \"old\"\nmsgctxt \"menu\"\nmsgid \"%d orc\"\nmsgid_plural \"%d orcs\"\n\
            msgstr[0] \"%d Ork\"\nmsgstr[1] \"%d Orks\"\n\n#~ msgid \"gone\"\n#~ msgstr \"weg\"\n\n#~ msgid \"too\"\n#~ msgstr \"auch\"\n";
        let catalogue = read_text(text).expect("a PO file");
        assert_eq!((catalogue.language.as_str(), catalogue.obsolete), ("de", 2));
        let [first, second] = catalogue.entries.as_slice() else {
            panic!("{catalogue:?}");
        };
        assert_eq!(first.source, "Who are \"you\"?\n");
        assert_eq!(first.targets, ["Wer bist \"du\"?\n"]);
        assert_eq!(first.notes, ["[message]: speaker=Lorin"]);
        let places: Vec<_> = first
            .references
            .iter()
            .map(|place| (place.file.as_str(), place.line))
            .collect();
        assert_eq!(
            places,
            [("a/1.cfg", Some(12)), ("a b.cfg", Some(7)), ("c.cfg", None)]
        );
        assert!(!first.fuzzy && second.fuzzy);
        assert_eq!(second.context.as_deref(), Some("menu"));
        assert_eq!(second.plural.as_deref(), Some("%d orcs"));
        assert_eq!(second.targets, ["%d Ork", "%d Orks"]);
    }

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(unescaped(r"a\tb\\n\x41\101\q").as_deref(), Ok("a\tb\\nAAq"));
        assert!(unescaped("a\\").is_err() && unescaped("a\"b").is_err());
    }

    #[test]
    fn a_damaged_line_is_named() {
        for (text, line) in [
            ("msgid \"a\nmsgstr \"b\"\n", "line 1"),
            ("msgid \"a\"\nmsgstr[99] \"b\"\n", "line 2"),
            ("\"a\"\n", "line 1"),
            ("msgid \"a\"\n\nfoo\n", "line 3"),
        ] {
            let error = read_text(text).expect_err(text).to_string();
            assert!(error.contains(line), "{error}");
        }
    }
}
