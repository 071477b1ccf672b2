//! Tables of text: CSV and TSV, with chosen columns.
//!
//! Unless columns are chosen, the first line tells them: a source and a target, two languages, or columns that are called
//! text. Without such names, columns that mostly hold text for readers are translated. A target that is filled stays.

use std::ops::Range;

use super::{Dialect, Text, damaged, is_prose};
use crate::text::builder::{Builder, Context, Failure};
use crate::text::document::{Document, ParagraphKind};
use crate::text::formats::columns::{Column, ColumnName};
use crate::text::formats::edits::Edits;
use crate::text::formats::{DocumentFormat, Encoding, Kept, ReadingChoice, WriteBack, language};
use crate::text::view::Translation;

/// A table whose values are separated by a character.
pub(in crate::text::formats) struct Table {
    label: &'static str,
    endings: &'static [&'static str],
    /// The one that is usual, before others that a file may have.
    separators: &'static [char],
}

pub(in crate::text::formats) const CSV: Table = Table {
    label: "CSV table",
    endings: &["csv"],
    separators: &[',', ';', '\t', '|'],
};

pub(in crate::text::formats) const TSV: Table = Table {
    label: "TSV table",
    endings: &["tsv", "tab"],
    separators: &['\t'],
};

impl DocumentFormat for Table {
    fn label(&self) -> &'static str {
        self.label
    }

    fn endings(&self) -> &'static [&'static str] {
        self.endings
    }

    fn is_strings(&self) -> bool {
        true
    }

    fn choices(&self) -> &'static [ReadingChoice] {
        &[ReadingChoice::Columns]
    }

    fn writes_same(&self) -> bool {
        true
    }

    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        builder.set_encoding(encoding);
        let separator = separator(&text, self.separators);
        let records = records(name, &text, separator)?;
        let chosen = match builder.columns() {
            [] => Chosen::guessed(&records),
            columns => Chosen::named(columns, &records)?,
        };
        let mut slots = Vec::new();
        for record in records.iter().skip(usize::from(chosen.has_header)) {
            for &(source, target) in &chosen.pairs {
                slots.extend(slot(record, source, target, &chosen, builder));
            }
        }
        Ok(Box::new(TableFile {
            text,
            encoding,
            separator,
            slots,
        }))
    }
}

/// The values of a table's lines.
pub(in crate::text) fn table_rows(
    name: &str,
    text: &str,
    separators: &[char],
) -> Result<Vec<Vec<String>>, Failure> {
    let records = records(name, text, separator(text, separators))?.into_iter();
    let values = |record: Record| record.fields.into_iter().map(|field| field.value).collect();
    Ok(records.map(values).collect())
}

/// Reads lists with `|` between a key and its texts, as some programs call `.strings`, too.
pub(super) fn read_lists(
    name: &str,
    text: String,
    encoding: Encoding,
    builder: &mut Builder,
) -> Result<Kept, Failure> {
    let records = records(name, &text, '|')?;
    let mut slots = Vec::new();
    for record in &records {
        let columns = 1..record.fields.len();
        let chosen = Chosen {
            pairs: columns.map(|column| (column, column)).collect(),
            has_header: false,
            key: Some(0),
            note: None,
        };
        for &(source, target) in &chosen.pairs {
            slots.extend(slot(record, source, target, &chosen, builder));
        }
    }
    Ok(Box::new(TableFile {
        text,
        encoding,
        separator: '|',
        slots,
    }))
}

/// Whether a text is such lists.
pub(super) fn is_lists(text: &str) -> bool {
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .peekable();
    lines.peek().is_some() && !text.contains('"') && lines.all(|line| line.contains('|'))
}

/// A line of the table.
#[derive(Debug, Default)]
struct Record {
    fields: Vec<Field>,
    end: usize,
}

#[derive(Debug)]
struct Field {
    value: String,
    /// With its quotation marks.
    range: Range<usize>,
    is_quoted: bool,
}

/// The separator that most lines have.
fn separator(text: &str, candidates: &[char]) -> char {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    // What stands in quotation marks separates nothing.
    let bare: String = first.split('"').step_by(2).collect();
    let usual = candidates.first().copied().unwrap_or(',');
    let count = |separator: char| bare.matches(separator).count();
    candidates.iter().copied().fold(usual, |best, separator| {
        if count(separator) > count(best) {
            separator
        } else {
            best
        }
    })
}

fn records(name: &str, text: &str, separator: char) -> Result<Vec<Record>, Failure> {
    let (mut records, mut record) = (Vec::new(), Record::default());
    let mut place = if text.starts_with('\u{FEFF}') {
        '\u{FEFF}'.len_utf8()
    } else {
        0
    };
    let ends = |c: char| c == separator || c == '\n' || c == '\r';
    while place < text.len() {
        let rest = &text[place..];
        let field = match quoted(rest, ends) {
            Quoted::Field(field) => field,
            Quoted::Unclosed if separator != '\t' => {
                return Err(damaged(name, text, place, "a quotation mark is not closed"));
            }
            _ => {
                let length = rest.find(ends).unwrap_or(rest.len());
                Field {
                    value: rest[..length].to_owned(),
                    range: 0..length,
                    is_quoted: false,
                }
            }
        };
        let range = place..place + field.range.end;
        place = range.end;
        record.fields.push(Field { range, ..field });
        let rest = &text[place..];
        if rest.starts_with(separator) {
            place += separator.len_utf8();
            // An empty field may be the last one.
            if place == text.len() {
                record.fields.push(empty(place));
            } else if text[place..].starts_with(['\n', '\r']) {
                record.fields.push(empty(place));
                end(text, &mut place, &mut record, &mut records);
            }
            continue;
        }
        end(text, &mut place, &mut record, &mut records);
    }
    if !record.fields.is_empty() {
        record.end = text.len();
        records.push(record);
    }
    Ok(records)
}

fn empty(place: usize) -> Field {
    Field {
        value: String::new(),
        range: place..place,
        is_quoted: false,
    }
}

/// Ends a record and passes over the end of its line.
fn end(text: &str, place: &mut usize, record: &mut Record, records: &mut Vec<Record>) {
    record.end = *place;
    records.push(std::mem::take(record));
    let rest = &text[*place..];
    *place += if rest.starts_with("\r\n") {
        2
    } else {
        usize::from(!rest.is_empty())
    };
}

/// The beginning of a text.
enum Quoted {
    /// A field in quotation marks.
    Field(Field),
    /// A quotation mark that is not closed.
    Unclosed,
    No,
}

fn quoted(rest: &str, ends: impl Fn(char) -> bool) -> Quoted {
    let Some(inner) = rest.strip_prefix('"') else {
        return Quoted::No;
    };
    let (mut value, mut place) = (String::new(), 0);
    loop {
        let Some(at) = inner[place..].find('"').map(|at| at + place) else {
            return Quoted::Unclosed;
        };
        value.push_str(&inner[place..at]);
        place = at + 1;
        match inner[place..].chars().next() {
            Some('"') => {
                value.push('"');
                place += 1;
            }
            next if next.is_none_or(&ends) => break,
            // As in `"a" b`.
            _ => return Quoted::No,
        }
    }
    Quoted::Field(Field {
        value,
        range: 0..place + 1,
        is_quoted: true,
    })
}

/// Which columns are translated.
struct Chosen {
    /// Where a text stands, and where its translation goes.
    pairs: Vec<(usize, usize)>,
    has_header: bool,
    /// The column that names a line, and the one that tells about it.
    key: Option<usize>,
    note: Option<usize>,
}

const KEYS: [&str; 9] = [
    "key",
    "id",
    "identifier",
    "name",
    "msgctxt",
    "string id",
    "string_id",
    "stringid",
    "code",
];
const NOTES: [&str; 8] = [
    "comment",
    "comments",
    "note",
    "notes",
    "description",
    "context",
    "developer comment",
    "remarks",
];
const SOURCES: [&str; 6] = [
    "source",
    "source text",
    "source_text",
    "original",
    "msgid",
    "source string",
];
const TARGETS: [&str; 7] = [
    "target",
    "target text",
    "target_text",
    "translation",
    "translated",
    "msgstr",
    "translated string",
];
const TEXTS: [&str; 10] = [
    "text", "string", "value", "message", "title", "label", "content", "body", "question", "answer",
];

impl Chosen {
    fn names(records: &[Record]) -> Vec<String> {
        let fields = records.first().map_or(&[][..], |record| &record.fields);
        fields
            .iter()
            .map(|field| field.value.trim().to_lowercase())
            .collect()
    }

    fn of_names(names: &[String], pairs: Vec<(usize, usize)>, has_header: bool) -> Self {
        let is_free = |column: &usize| {
            pairs
                .iter()
                .all(|(source, target)| column != source && column != target)
        };
        let find = |known: &[&str]| {
            names
                .iter()
                .position(|name| known.contains(&name.as_str()))
                .filter(is_free)
        };
        Self {
            key: find(&KEYS).filter(|_| has_header),
            note: find(&NOTES).filter(|_| has_header),
            pairs,
            has_header,
        }
    }

    fn guessed(records: &[Record]) -> Self {
        let names = Self::names(records);
        let find = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
        let languages: Vec<usize> = (0..names.len())
            .filter(|&column| is_language(&names[column]))
            .collect();
        let texts: Vec<(usize, usize)> = (0..names.len())
            .filter(|&column| TEXTS.contains(&names[column].as_str()))
            .map(|column| (column, column))
            .collect();
        let has_known = find(&KEYS).is_some() || find(&NOTES).is_some();
        let (pairs, has_header) = match (find(&SOURCES), find(&TARGETS)) {
            (Some(source), Some(target)) => (vec![(source, target)], true),
            (Some(source), None) => (vec![(source, source)], true),
            _ if languages.len() > 1 => (vec![(languages[0], languages[1])], true),
            _ if languages.len() == 1 && names.len() > 1 => {
                (vec![(languages[0], languages[0])], true)
            }
            _ if !texts.is_empty() && names.len() > 1 => (texts, true),
            _ => {
                let has_header = has_known && names.len() > 1;
                let rows = records.get(usize::from(has_header)..).unwrap_or_default();
                let known = [find(&KEYS), find(&NOTES)];
                let is_free = |column: &usize| !has_header || !known.contains(&Some(*column));
                let columns = 0..rows
                    .iter()
                    .map(|it| it.fields.len())
                    .max()
                    .unwrap_or_default();
                let texts = |columns: &mut dyn Iterator<Item = usize>| -> Vec<(usize, usize)> {
                    let texts = columns.filter(|&column| is_text(rows, column));
                    texts.map(|column| (column, column)).collect()
                };
                let mut found = texts(&mut columns.clone().filter(is_free));
                if found.is_empty() {
                    // Where nothing else is text, a column called "note" is no remark about it.
                    found = texts(&mut columns.clone());
                }
                (found, has_header)
            }
        };
        Self::of_names(&names, pairs, has_header)
    }

    fn named(columns: &[Column], records: &[Record]) -> Result<Self, Failure> {
        let names = Self::names(records);
        let mut has_header = false;
        let mut place = |name: &ColumnName| match name {
            ColumnName::Number(number) => Ok(number - 1),
            ColumnName::Name(name) => {
                has_header = true;
                let found = names
                    .iter()
                    .position(|known| *known == name.trim().to_lowercase());
                found.ok_or_else(|| Failure::NoColumn {
                    name: name.clone(),
                    known: names.join(", "),
                })
            }
        };
        let mut pairs = Vec::new();
        for column in columns {
            let source = place(&column.source)?;
            let target = column.target.as_ref().map_or(Ok(source), &mut place)?;
            pairs.push((source, target));
        }
        let known = |name: &String| {
            [&KEYS[..], &NOTES, &SOURCES, &TARGETS, &TEXTS]
                .concat()
                .contains(&name.as_str())
                || is_language(name)
        };
        let has_header = has_header
            || pairs
                .iter()
                .any(|&(source, _)| names.get(source).is_some_and(known));
        Ok(Self::of_names(&names, pairs, has_header))
    }
}

/// Whether a column is called by a language: `en`, `de-DE`, `English`.
fn is_language(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "english",
        "german",
        "french",
        "spanish",
        "italian",
        "portuguese",
        "dutch",
        "russian",
        "polish",
        "chinese",
        "japanese",
        "korean",
    ];
    let (main, country) = language::parts(name);
    let length = main.len() + country.map_or(0, |country| country.len() + 1);
    let is_code =
        main.len() == 2 && length == name.len() && language::usual_country(&main).is_some();
    // The first column of many tables.
    is_code && name != "id" || NAMES.contains(&name)
}

/// Whether most values of a column are text for readers.
fn is_text(rows: &[Record], column: usize) -> bool {
    let values: Vec<&str> = rows
        .iter()
        .filter_map(|record| Some(record.fields.get(column)?.value.trim()))
        .filter(|value| !value.is_empty())
        .collect();
    let prose = values.iter().filter(|value| is_prose(value)).count();
    let sentences = values
        .iter()
        .filter(|value| is_prose(value) && value.contains(' '))
        .count();
    2 * prose > values.len() && 4 * sentences >= values.len() && prose > 0
}

/// A value and where its translation goes.
#[derive(Debug)]
struct Slot {
    text: Text,
    range: Range<usize>,
    is_quoted: bool,
    /// How many separators are missing before it.
    missing: usize,
}

fn slot(
    record: &Record,
    source: usize,
    target: usize,
    chosen: &Chosen,
    builder: &mut Builder,
) -> Option<Slot> {
    let field = record
        .fields
        .get(source)
        .filter(|field| is_prose(&field.value) || field.value.contains('{'))?;
    let own = record.fields.get(target);
    if source != target && own.is_some_and(|own| !own.value.trim().is_empty()) {
        return None;
    }
    let told = |column: Option<usize>| {
        let value = record.fields.get(column?)?.value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    let context = Context {
        kind: ParagraphKind::TableCell,
        id: told(chosen.key),
        note: told(chosen.note),
        ..Context::default()
    };
    let text = Text::read(&field.value, Dialect::PLAIN, builder, context)?;
    Some(Slot {
        text,
        range: own.map_or(record.end..record.end, |own| own.range.clone()),
        is_quoted: own.map_or(field.is_quoted, |own| own.is_quoted),
        missing: if own.is_some() {
            0
        } else {
            target + 1 - record.fields.len()
        },
    })
}

#[derive(Debug)]
struct TableFile {
    text: String,
    encoding: Encoding,
    separator: char,
    slots: Vec<Slot>,
}

impl WriteBack for TableFile {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = Edits::default();
        for slot in &self.slots {
            if let Some(text) = slot.text.written(translation) {
                let before = self.separator.to_string().repeat(slot.missing);
                edits.replace(
                    slot.range.clone(),
                    format!("{before}{}", self.spelt(&text, slot.is_quoted)),
                );
            }
        }
        self.encoding.encode_all(edits.applied(&self.text))
    }
}

impl TableFile {
    fn spelt(&self, text: &str, is_quoted: bool) -> String {
        let needs_marks = text.contains([self.separator, '\n', '\r'])
            || text.starts_with('"')
            || self.separator != '\t' && text.contains('"');
        if is_quoted || needs_marks {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::text::document::{Column, Document, Format, ReadingOptions};

    fn chosen(columns: Vec<Column>) -> ReadingOptions {
        ReadingOptions {
            columns,
            ..ReadingOptions::default()
        }
    }

    fn read(format: Format, text: &str, columns: &[&str]) -> Document {
        let columns: Vec<Column> = columns
            .iter()
            .map(|it| it.parse().expect("a column"))
            .collect();
        Document::from_bytes_with("a", format, text.as_bytes().to_vec(), &chosen(columns))
            .expect("readable")
    }

    fn written(document: &Document) -> String {
        let translated: Vec<_> = document
            .sentences
            .iter()
            .map(|it| Some(format!("„{}\", x", it.text)))
            .collect();
        String::from_utf8(document.written(&translated, None).expect("written")).expect("text")
    }

    #[test]
    fn a_column_called_note_is_text_where_nothing_else_is() {
        let text = "Name,Amount,Note\nApple pie,3,Very tasty\nGood bread,4,Fresh and warm\n";
        let document = read(Format::Csv, text, &[]);
        assert_eq!(document.sentences.len(), 4);
    }

    #[test]
    fn the_first_line_tells_source_and_target() {
        let text =
            "Key,Source,Target,Comment\r\na.b,\"Open, now\",,A button\r\nc,Close,Zu,\r\nd,Save\r\n";
        let document = read(Format::Csv, text, &[]);
        assert_eq!(document.sentences.len(), 2);
        let paragraph = &document.paragraphs[0];
        assert_eq!(
            (paragraph.id.as_deref(), paragraph.note.as_deref()),
            (Some("a.b"), Some("A button"))
        );
        assert_eq!(
            written(&document),
            "Key,Source,Target,Comment\r\na.b,\"Open, now\",\"„Open, now\"\", x\",A button\r\nc,Close,Zu,\r\nd,Save,\"„Save\"\", x\"\r\n"
        );
    }

    #[test]
    fn columns_can_be_chosen_by_name_and_number() {
        let text = "id;en;de;fr\n1;Open it;;\n2;Close;;\n";
        assert_eq!(
            written(&read(Format::Csv, text, &["en:fr"])),
            "id;en;de;fr\n1;Open it;;\"„Open it\"\", x\"\n2;Close;;\"„Close\"\", x\"\n"
        );
        assert_eq!(
            written(&read(Format::Csv, text, &["2"])),
            "id;en;de;fr\n1;\"„Open it\"\", x\";;\n2;\"„Close\"\", x\";;\n"
        );
        assert_eq!(
            written(&read(Format::Tsv, "a\tOpen \"it\"\n", &["2"])),
            "a\t„Open \"it\"\", x\n"
        );
        let missing: Column = "es".parse().expect("a column");
        let error =
            Document::from_bytes_with("a.csv", Format::Csv, text.into(), &chosen(vec![missing]));
        assert!(error.expect_err("refused").to_string().contains("es"));
    }

    #[test]
    fn columns_of_text_are_found_without_names() {
        let text = "1,img/a.png,Open the file\n2,img/b.png,\"Two\nlines\"\n";
        let document = read(Format::Csv, text, &[]);
        assert_eq!(document.sentences[0].text, "Open the file");
        assert_eq!(document.paragraphs.len(), 2);
    }

    #[test]
    fn damage_is_told_with_its_line() {
        let error = Document::parse("a.csv", Format::Csv, "a,b\n\"c,d\n".to_owned());
        assert!(error.expect_err("damaged").to_string().contains("line 2"));
    }
}
