//! Plain text.
//!
//! Blank lines separate paragraphs. Within a block, a line goes on in the next one if that begins with a small letter,
//! or if it was wrapped there: the next line's first word would not have fitted into the block's longest line any more,
//! and the same is true of most lines of the block. Otherwise the author broke the line on purpose, and the next line is
//! a paragraph of its own; so is every line that begins with a list mark (`-`, `*`, `+`, `•`, `1.`, `a)`), which stays
//! outside its sentence.

use super::{DocumentFormat, Encoding, Kept, WriteBack};
use crate::text::{
    builder::{Builder, Context, Failure},
    document::{Document, ParagraphKind, Syntax},
    inline::Run,
    reading::{BYTE_ORDER_MARK, check_lines},
    view::Translation,
};

/// Plain text files.
pub(super) struct Plain;

impl DocumentFormat for Plain {
    fn label(&self) -> &'static str {
        "plain text"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["txt", "text"]
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        builder.set_encoding(encoding);
        check_lines(&text)?;
        let start = text
            .strip_prefix(BYTE_ORDER_MARK)
            .map_or(0, |_| BYTE_ORDER_MARK.len());
        read(&text, start, builder);
        builder.set_text(text, Syntax::Plain);
        Ok(TextFile::kept(encoding))
    }
}

/// A file that is nothing but the document's text.
#[derive(Debug)]
pub(super) struct TextFile {
    encoding: Encoding,
}

impl TextFile {
    pub fn kept(encoding: Encoding) -> Kept {
        Box::new(Self { encoding })
    }
}

impl WriteBack for TextFile {
    fn write(&self, document: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        self.encoding
            .encode(&document.translated(&translation.changed()))
    }
}

/// Reads `source` from byte `start` on.
fn read(source: &str, start: usize, builder: &mut Builder) {
    let mut block = Vec::new();
    let mut place = start;
    for line in source[start..].split_inclusive(['\n', '\r']) {
        if line.trim().is_empty() {
            // The second half of CR LF is not a blank line.
            if line != "\n" || !source[..place].ends_with('\r') {
                read_block(&block, builder);
                block.clear();
            }
        } else {
            block.push((place, line));
        }
        place += line.len();
    }
    read_block(&block, builder);
}

/// Reads lines between blank ones, each with its first byte.
fn read_block(lines: &[(usize, &str)], builder: &mut Builder) {
    let longest = lines
        .iter()
        .map(|(_, line)| length(line))
        .max()
        .unwrap_or_default();
    let wrapped = lines
        .windows(2)
        .filter(|pair| is_wrapped(pair[0].1, pair[1].1, longest))
        .count();
    let width = if 2 * wrapped > lines.len() - lines.len().min(1) {
        longest
    } else {
        usize::MAX
    };
    let (mut run, mut kind) = (Run::default(), ParagraphKind::Text);
    let mut before: Option<&str> = None;
    for (place, line) in lines {
        let mark = list_mark(line);
        if mark > 0 || before.is_some_and(|before| !is_wrapped(before, line, width)) {
            paragraph(&run, kind, builder);
            (run, kind) = (Run::default(), ParagraphKind::Text);
        }
        if mark > 0 {
            kind = ParagraphKind::ListItem;
        }
        run.text(&line[mark..], place + mark);
        before = Some(line);
    }
    paragraph(&run, kind, builder);
}

fn paragraph(run: &Run, kind: ParagraphKind, builder: &mut Builder) {
    if run.holds_letter() {
        builder.paragraph(
            run,
            Context {
                kind,
                ..Context::default()
            },
        );
    }
}

fn is_wrapped(line: &str, next: &str, width: usize) -> bool {
    let word = next.split_whitespace().next().unwrap_or_default();
    word.starts_with(char::is_lowercase) || length(line) + 1 + length(word) > width
}

fn length(line: &str) -> usize {
    line.trim_end().chars().count()
}

/// How many bytes a list mark takes with the white space around it.
fn list_mark(line: &str) -> usize {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.chars().next() {
        Some(mark @ ('-' | '*' | '+' | '•' | '–' | '·' | '‣' | '▪')) => mark.len_utf8(),
        Some(_) if (1..=3).contains(&digits) && text[digits..].starts_with(['.', ')']) => {
            digits + 1
        }
        Some(letter) if letter.is_ascii_lowercase() && text[1..].starts_with(')') => 2,
        _ => return 0,
    };
    let rest = text[mark..].trim_start();
    if rest.len() == text.len() - mark {
        0
    } else {
        line.len() - rest.len()
    }
}

#[cfg(test)]
mod tests {
    use crate::text::document::{Document, Format, ParagraphKind};

    fn paragraphs(text: &str) -> Vec<String> {
        let document =
            Document::parse("test.txt", Format::Text, text.to_owned()).expect("readable");
        let text = |range: std::ops::Range<usize>| {
            document.sentences[range]
                .iter()
                .map(|sentence| sentence.text.as_str())
                .collect::<Vec<_>>()
                .join(" | ")
        };
        document
            .paragraphs
            .iter()
            .map(|paragraph| text(paragraph.sentences.clone()))
            .collect()
    }

    #[test]
    fn blank_lines_separate_and_wrapped_lines_join() {
        let text = "The first line is wrapped here because\nit was too long. A second sentence.\r\n\r\nNext.\n";
        assert_eq!(
            paragraphs(text),
            [
                "The first line is wrapped here because it was too long. | A second sentence.",
                "Next."
            ]
        );
    }

    #[test]
    fn lines_broken_on_purpose_are_paragraphs() {
        assert_eq!(
            paragraphs("Short\nA much longer line of text\nEnd"),
            ["Short", "A much longer line of text", "End"]
        );
    }

    #[test]
    fn list_marks_stay_outside() {
        let text = "- One thing\n- Another\n  2) Third\n# no heading";
        assert_eq!(
            paragraphs(text),
            ["One thing", "Another", "Third", "# no heading"]
        );
        let document = Document::parse("a.txt", Format::Text, text.to_owned()).expect("readable");
        assert_eq!(document.paragraphs[1].kind, ParagraphKind::ListItem);
        assert_eq!(&text[document.sentences[2].range.clone()], "Third");
    }
}
