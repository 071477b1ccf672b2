//! Plain text.
//!
//! Blank lines separate paragraphs. Within a block, a line is joined with the next one where the file was wrapped there
//! (see [`wrapping`]). Every other line is a paragraph of its own; so is every line that begins with a list mark (`-`, `*`,
//! `+`, `•`, `1.`, `a)`), which stays outside its sentence, as the marks of a quotation, the bars of a table and the gaps
//! between aligned columns do.

mod wrapping;

use super::{DocumentFormat, Encoding, Kept, WriteBack};
use crate::{
    builder::{Builder, Context, Failure},
    document::{Document, ParagraphKind, Syntax},
    inline::Run,
    reading::begin_text,
    view::Translation,
};
use wrapping::{Joint, Line, cut_columns, joints};

/// Plain text files.
pub(super) struct Plain;

impl DocumentFormat for Plain {
    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        let start = begin_text(&text, encoding, builder)?;
        read(&text, start, builder);
        builder.set_text(text, Syntax::Plain);
        Ok(TextFile::kept(encoding))
    }
}

/// A file that is nothing but the document's text.
#[derive(Debug)]
struct TextFile {
    encoding: Encoding,
}

impl TextFile {
    fn kept(encoding: Encoding) -> Kept {
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
    let (mut blocks, mut block) = (Vec::new(), Vec::new());
    let mut place = start;
    for line in source[start..].split_inclusive(['\n', '\r']) {
        if line.trim().is_empty() {
            // The second half of CR LF is not a blank line.
            if line != "\n" || !source[..place].ends_with('\r') {
                blocks.push(std::mem::take(&mut block));
            }
        } else {
            block.push(Line::new(line, place));
        }
        place += line.len();
    }
    blocks.push(block);
    for block in &mut blocks {
        cut_columns(block);
    }
    let joints = joints(&blocks);
    for (block, joints) in blocks.iter().zip(joints) {
        read_block(source, block, &joints, builder);
    }
}

/// Reads lines between blank ones; `joints` say for each line how it follows the one before.
fn read_block(source: &str, lines: &[Line], joints: &[Joint], builder: &mut Builder) {
    let (mut run, mut kind) = (Run::default(), ParagraphKind::Text);
    let mut end = 0;
    for (line, joint) in lines.iter().zip(joints) {
        match joint {
            Joint::Apart => {
                paragraph(&run, kind, builder);
                (run, kind) = (Run::default(), line.kind());
            }
            Joint::Wrapped => run.text("\n", end),
            // The halves of a word.
            Joint::Hyphenated => {}
        }
        for (index, part) in line.parts.iter().enumerate() {
            if index > 0 {
                paragraph(&run, kind, builder);
                run = Run::default();
            }
            run.text(&source[part.clone()], part.start);
            end = part.end;
        }
    }
    paragraph(&run, kind, builder);
}

fn paragraph(run: &Run, kind: ParagraphKind, builder: &mut Builder) {
    if run.holds_letter() {
        builder.paragraph(run, Context::new(kind, None));
    }
}

#[cfg(test)]
mod tests {
    use crate::document::{Format, ParagraphKind};
    use crate::testing::{read, rewritten};

    fn paragraphs(text: &str) -> Vec<String> {
        let document = read(Format::Text, text);
        let paragraphs = document.paragraphs.iter().map(|paragraph| {
            let sentences = document.sentences[paragraph.sentences.clone()].iter();
            let texts: Vec<&str> = sentences.map(|it| it.text.as_str()).collect();
            texts.join(" | ")
        });
        paragraphs.collect()
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
    fn lines_that_are_no_wraps_stay_lines() {
        for text in [
            "Short\nA much longer line of text\nEnd",
            "12 Mill Lane\nOxford OX1 2",
            "Dear Sir or Madam,\nI write to you today\nYours\nAnn",
            "Roses are red,\nviolets are blue.",
            "Open the file\nSave the file\nSend the file",
            "apples\npears\nplums and cherries",
            "Subject: Hello\nFrom: somebody",
            "Whose woods these are I think I know.\nHis house is in the village though;\n\
             He will not see me stopping here\nTo watch his woods fill up with snow.",
            "他来了。\n然后他走了\n她也走了",
        ] {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            assert_eq!(paragraphs(text), lines);
        }
        let titled = "A Long Title of the Guide\n*************************\nText follows here.";
        assert_eq!(
            paragraphs(titled),
            ["A Long Title of the Guide", "Text follows here."]
        );
        let mail = "> quoted line one\n> quoted line two\n\n    code block here\n    second line\n";
        assert_eq!(
            paragraphs(mail),
            [
                "quoted line one",
                "quoted line two",
                "code block here",
                "second line"
            ]
        );
    }

    #[test]
    fn tables_and_aligned_columns_keep_their_shape() {
        let text =
            "+------+------+\n| Name | City |\n+------+------+\n| Ann  | Rome |\n+------+------+\n";
        assert_eq!(paragraphs(text), ["Name", "City", "Ann", "Rome"]);
        let text = "Name:    Ann\nCity:    Rome\nCountry: Italy\n\nSave  the   document in  it.";
        assert_eq!(
            paragraphs(text),
            [
                "Name:",
                "Ann",
                "City:",
                "Rome",
                "Country: Italy",
                "Save the document in it."
            ]
        );
    }

    #[test]
    fn a_file_that_is_wrapped_is_joined() {
        let first = "The program reads every file of the folder that you name, translates\n\
                     what it finds there, and writes the results beside them. Der Name der\n\
                     Datei bleibt dabei so, wie er ist.";
        let second = "  * A mark in a list of things that the author wrapped in the same\n    \
                      column as everything else.";
        let title = "Installation\n------------";
        let text = format!("{title}\n{first}\n\n{second}\n\nAnn Smith\n12 Mill Lane\n");
        let joined = paragraphs(&text);
        assert_eq!(joined.len(), 5, "{joined:?}");
        assert!(joined[1].ends_with("Der Name der Datei bleibt dabei so, wie er ist."));
        assert_eq!(&joined[3..], ["Ann Smith", "12 Mill Lane"]);
    }

    #[test]
    fn lines_that_read_as_one_sentence_are_joined() {
        let text = "We have been keeping the solution for twenty-four\nhours, and the colour shows that the\n\
                    colloid is there; we add the same number of\ndrops as on the day before.\n\
                    A line with a hyphen-\nated word at its end.\n";
        let joined = paragraphs(text);
        assert_eq!(joined.len(), 2, "{joined:?}");
        assert_eq!(joined[1], "A line with a hyphen-ated word at its end.");
        let item = "  * A bullet that is\n    wrapped as well.\n  * Another one";
        assert_eq!(
            paragraphs(item),
            ["A bullet that is wrapped as well.", "Another one"]
        );
    }

    #[test]
    fn characters_that_control_something_stay_and_are_no_text() {
        let text = "Next \u{b} sentence.\u{1b} And\u{7} one.";
        let document = read(Format::Text, text);
        let texts = document.sentences.iter().map(|it| &it.text);
        assert!(texts.clone().all(|text| !text.contains(char::is_control)));
        assert_eq!(rewritten(&document, None, str::to_owned), text);
    }

    #[test]
    fn list_marks_stay_outside() {
        let text = "- One thing\n- Another\n  2) Third\n# no heading";
        assert_eq!(
            paragraphs(text),
            ["One thing", "Another", "Third", "# no heading"]
        );
        let document = read(Format::Text, text);
        assert_eq!(document.paragraphs[1].kind, ParagraphKind::ListItem);
        assert_eq!(&text[document.sentences[2].range.clone()], "Third");
    }
}
