//! Tables of text: CSV and TSV, with chosen columns.
//!
//! Unless columns are chosen, the first line names them: a source and a target, two languages, or columns that are called
//! text. Without such names, columns that mostly hold text for readers are translated. A target that is filled stays.

mod columns;
mod records;

use columns::Chosen;
use records::{Field, Record, records, separator};

use super::{Dialect, Text, is_prose};
use crate::builder::{Builder, Context, Failure};
use crate::document::ParagraphKind;
use crate::formats::slots::{SlotFile, ValueFile, ValueSlot, ValueSpelling};
use crate::formats::{DocumentFormat, Encoding, Kept};

/// A table whose values are separated by one of these characters, the usual one first.
pub(in crate::formats) struct Table(pub &'static [char]);

impl DocumentFormat for Table {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        builder.set_encoding(encoding);
        let separator = separator(&text, self.0);
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
        Ok(SlotFile::kept(
            TableSpelling { separator },
            text,
            encoding,
            slots,
        ))
    }
}

/// The source and the target of each line: in columns that the first line names so, or in the only two columns.
pub(crate) fn table_pairs(
    name: &str,
    bytes: Vec<u8>,
    separators: &[char],
) -> Result<Vec<[String; 2]>, Failure> {
    let (text, _) = Encoding::decode(bytes)?;
    let mut records = records(name, &text, separator(&text, separators))?;
    let is_blank = |field: &Field| field.value.trim().is_empty();
    records.retain(|record| !record.fields.iter().all(is_blank));
    let chosen = Chosen::guessed(&records);
    let columns = match chosen.pairs[..] {
        [(source, target)] if source != target => [source, target],
        _ if records.iter().all(|record| record.fields.len() == 2) => [0, 1],
        _ => return Ok(Vec::new()),
    };
    let value = |record: &Record, column: usize| {
        let field = record.fields.get(column);
        field.map_or_else(String::new, |field| field.value.clone())
    };
    let rows = records.iter().skip(usize::from(chosen.has_header));
    let pairs = rows.map(|record| columns.map(|column| value(record, column)));
    Ok(pairs
        .filter(|[source, _]| !source.trim().is_empty())
        .collect())
}

/// The values of a table's lines.
pub(crate) fn table_rows(
    name: &str,
    text: &str,
    separators: &[char],
) -> Result<Vec<Vec<String>>, Failure> {
    let records = records(name, text, separator(text, separators))?.into_iter();
    let values = |record: Record| record.fields.into_iter().map(|field| field.value).collect();
    Ok(records.map(values).collect())
}

/// How a value is written in its line.
#[derive(Debug)]
struct CellStyle {
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
) -> Option<ValueSlot<TableSpelling>> {
    let field = record
        .fields
        .get(source)
        .filter(|field| is_prose(&field.value) || field.value.contains('{'))?;
    let own = record.fields.get(target);
    if source != target && own.is_some_and(|own| !own.value.trim().is_empty()) {
        return None;
    }
    let filled = |column: Option<usize>| {
        let value = record.fields.get(column?)?.value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    let context = Context {
        kind: ParagraphKind::TableCell,
        id: filled(chosen.key),
        note: filled(chosen.note),
        ..Context::default()
    };
    let text = Text::read(&field.value, Dialect::PLAIN, builder, context)?;
    Some(ValueSlot {
        text,
        range: own.map_or(record.end..record.end, |own| own.range.clone()),
        style: CellStyle {
            is_quoted: own.map_or(field.is_quoted, |own| own.is_quoted),
            missing: if own.is_some() {
                0
            } else {
                target + 1 - record.fields.len()
            },
        },
    })
}

#[derive(Debug)]
struct TableSpelling {
    separator: char,
}

impl ValueSpelling for TableSpelling {
    type Style = CellStyle;

    fn spelt(&self, text: &str, cell: &ValueSlot<Self>, _: &ValueFile<Self>) -> String {
        let separator = self.separator;
        let needs_marks = text.contains([separator, '\n', '\r'])
            || text.starts_with('"')
            || separator != '\t' && text.contains('"');
        let before = separator.to_string().repeat(cell.style.missing);
        if cell.style.is_quoted || needs_marks {
            format!("{before}\"{}\"", text.replace('"', "\"\""))
        } else {
            format!("{before}{text}")
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::{Column, Document, Format, ReadingOptions};
    use crate::testing::rewritten;

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
        rewritten(document, None, |text| format!("„{text}\", x"))
    }

    #[test]
    fn a_column_called_note_is_text_where_nothing_else_is() {
        let text = "Name,Amount,Note\nApple pie,3,Very tasty\nGood bread,4,Fresh and warm\n";
        let document = read(Format::Csv, text, &[]);
        assert_eq!(document.sentences.len(), 4);
    }

    #[test]
    fn the_first_line_names_source_and_target() {
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
    fn sources_and_targets_are_in_columns_called_so_or_in_the_only_two() {
        let pairs = |text: &str| {
            let pairs = super::table_pairs("a.tsv", text.as_bytes().to_vec(), &['\t']);
            pairs.expect("readable").concat()
        };
        let named = "id\ttarget\tsource\n1\tAuf\tOpen\n2\t\tClose\n3\tZu\t\n\n4\n";
        assert_eq!(pairs(named), ["Open", "Auf", "Close", ""]);
        assert_eq!(pairs("en\tde\nOpen\tAuf\n"), ["Open", "Auf"]);
        assert_eq!(
            pairs("Open it\tAuf\nClose\tZu\n"),
            ["Open it", "Auf", "Close", "Zu"]
        );
        assert!(pairs("Open\tAuf\tx\nClose\tZu\ty\n").is_empty());
        assert!(pairs("").is_empty());
    }

    #[test]
    fn damage_is_reported_with_its_line() {
        let error = Document::parse("a.csv", Format::Csv, "a,b\n\"c,d\n".to_owned());
        assert!(error.expect_err("damaged").to_string().contains("line 2"));
    }
}
