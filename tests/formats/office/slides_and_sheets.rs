//! Presentations and workbooks, and what is translated on request.

use super::*;

#[test]
fn headings_of_tables_and_what_formulas_compute_stay() {
    let strings = "<si><t>Name</t></si><si><t>Red wine</t></si><si><t>two\nlines</t></si>";
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row><row r=\"2\"><c r=\"A2\" t=\"s\"><v>2</v></c></row>\
                <row r=\"3\"><c r=\"A3\" t=\"s\"><v>1</v></c><c r=\"B3\" t=\"str\"><f>A3</f><v>Red wine</v></c>\
                <c r=\"C3\" t=\"inlineStr\"><is><t>Own</t></is></c></row>";
    let table = "<table xmlns=\"x\" ref=\"A1:A3\"><tableColumns><tableColumn id=\"1\" name=\"Name\"/></tableColumns></table>";
    let bytes = workbook(strings, rows, Some(table));
    let document = read("a.xlsx", &bytes);
    assert_eq!(
        texts(&document),
        [&format!("two{}lines", point(0)), "Red wine", "Own"]
    );
    assert_eq!(document.paragraphs[1].id.as_deref(), Some("One!A3"));
    let written = translated(
        &document,
        &[&format!("zwei{}Zeilen", point(0)), "Rotwein", "Eigen"],
        Some("de"),
    );
    let text = entry(&written, "xl/sharedStrings.xml");
    assert!(
        text.contains("<si><t>Name</t></si><si><t>Rotwein</t></si>"),
        "{text}"
    );
    assert!(
        text.contains("<t xml:space=\"preserve\">zwei\nZeilen</t>"),
        "{text}"
    );
    let sheet = entry(&written, "xl/worksheets/sheet1.xml");
    assert!(
        sheet.contains("<v>Red wine</v>") && sheet.contains("<is><t>Eigen</t></is>"),
        "{sheet}"
    );
}

#[test]
fn slides_say_their_language_and_keep_numbers() {
    let text = "<a:p><a:r><a:rPr lang=\"en-GB\" dirty=\"0\"/><a:t>Slide </a:t></a:r><a:fld id=\"{1}\" type=\"slidenum\"><a:t>3</a:t></a:fld></a:p>";
    let document = read("a.pptx", &slides(text));
    assert_eq!(document.sentences[0].plain_text(), "Slide 3");
    let written = translated(&document, &[&format!("Folie {}", point(0))], Some("de"));
    let slide = entry(&written, "ppt/slides/slide1.xml");
    assert!(
        slide.contains("<a:rPr lang=\"de-DE\" dirty=\"0\"/><a:t>Folie </a:t></a:r><a:fld"),
        "{slide}"
    );
}

/// A document read with comments and names of sheets.
fn read_all(name: &str, bytes: &[u8]) -> Document {
    let format = Format::from_path(name.as_ref()).expect("a format");
    let options = ReadingOptions {
        comments: true,
        sheet_names: true,
        ..ReadingOptions::default()
    };
    Document::from_bytes_with(name, format, bytes.to_vec(), &options).expect("readable")
}

#[test]
fn comments_are_translated_on_request() {
    let comments = "<w:comments xmlns:w=\"w\"><w:comment w:id=\"0\" w:author=\"A\"><w:p><w:r><w:annotationRef/></w:r><w:r><w:t>Really?</w:t></w:r></w:p></w:comment></w:comments>";
    let bytes = word(
        &format!("<w:p>{}</w:p>", run("", "Text.")),
        &[("comments", "comments.xml", comments)],
    );
    assert_eq!(texts(&read("a.docx", &bytes)), ["Text."]);
    let document = read_all("a.docx", &bytes);
    assert_eq!(document.sentences.len(), 2);
    let written = translated(&document, &["Text.", "Wirklich?"], None);
    let text = entry(&written, "word/comments.xml");
    assert!(
        text.contains("<w:annotationRef/>") && text.contains(">Wirklich?<"),
        "{text}"
    );
}

/// A workbook with two sheets that name each other, with comments of both kinds.
fn two_sheets() -> Vec<u8> {
    const SPACE: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let book = format!(
        "<workbook {SPACE} xmlns:r=\"{RELATIONSHIPS}\"><sheets><sheet name=\"Old data\" sheetId=\"1\" r:id=\"rId1\"/>\
         <sheet name=\"Sums\" sheetId=\"2\" r:id=\"rId2\"/></sheets><definedNames><definedName name=\"x\">'Old data'!$A$1</definedName></definedNames></workbook>"
    );
    let first = format!(
        "<worksheet {SPACE}><sheetViews><sheetView workbookViewId=\"0\"/></sheetViews><sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row></sheetData></worksheet>"
    );
    let second = format!(
        "<worksheet {SPACE}><sheetData><row r=\"1\"><c r=\"A1\"><f>'Old data'!A1+Sums!B1</f><v>1</v></c></row></sheetData>\
         <hyperlinks><hyperlink ref=\"A1\" location=\"'Old data'!A1\"/></hyperlinks></worksheet>"
    );
    let notes = format!(
        "<comments {SPACE}><commentList><comment ref=\"A1\"><text><r><t>A note.</t></r></text></comment></commentList></comments>"
    );
    let threads = "<ThreadedComments xmlns=\"x\"><threadedComment ref=\"A1\"><text>A thread.</text></threadedComment></ThreadedComments>";
    let of_book = relationships(&[
        ("rId1", "worksheet", "worksheets/sheet1.xml"),
        ("rId2", "worksheet", "worksheets/sheet2.xml"),
    ]);
    let of_sheet = relationships(&[
        ("rId1", "comments", "../comments1.xml"),
        ("rId2", "threadedComment", "../threadedComments/t1.xml"),
    ]);
    package(&[
        ("[Content_Types].xml", TYPES),
        (
            "_rels/.rels",
            &relationships(&[("rId1", "officeDocument", "xl/workbook.xml")]),
        ),
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &of_book),
        ("xl/worksheets/sheet1.xml", &first),
        ("xl/worksheets/_rels/sheet1.xml.rels", &of_sheet),
        ("xl/worksheets/sheet2.xml", &second),
        ("xl/comments1.xml", &notes),
        ("xl/threadedComments/t1.xml", threads),
    ])
}

#[test]
fn names_of_sheets_are_translated_on_request_and_formulas_follow() {
    let bytes = two_sheets();
    assert!(read("a.xlsx", &bytes).sentences.is_empty());
    let document = read_all("a.xlsx", &bytes);
    assert_eq!(
        texts(&document),
        ["Old data", "Sums", "A note.", "A thread."]
    );
    assert_eq!(document.paragraphs[0].max_chars, Some(31));
    let written = translated(
        &document,
        &["[Alte Daten]", "Sums", "Eine Notiz.", "Ein Faden."],
        None,
    );
    let book = entry(&written, "xl/workbook.xml");
    assert!(
        book.contains("name=\"(Alte Daten)\"") && book.contains(">'(Alte Daten)'!$A$1<"),
        "{book}"
    );
    let sheet = entry(&written, "xl/worksheets/sheet2.xml");
    assert!(
        sheet.contains("<f>'(Alte Daten)'!A1+Sums!B1</f>")
            && sheet.contains("location=\"&apos;(Alte Daten)&apos;!A1\""),
        "{sheet}"
    );
    assert!(entry(&written, "xl/comments1.xml").contains(">Eine Notiz.<"));
    assert!(entry(&written, "xl/threadedComments/t1.xml").contains("<text>Ein Faden.</text>"));
}

#[test]
fn escapes_of_cells_are_placeholders() {
    let strings = "<si><t>one_x000D_two</t></si>";
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row>";
    let document = read("a.xlsx", &workbook(strings, rows, None));
    assert_eq!(texts(&document), [format!("one{}two", point(0))]);
    let written = translated(&document, &[&format!("eins{}_x0041_", point(0))], None);
    let text = entry(&written, "xl/sharedStrings.xml");
    assert!(text.contains("<t>eins_x000D__x005F_x0041_</t>"), "{text}");
}

#[test]
fn speaker_notes_are_distinguished_from_the_text_of_slides() {
    let paragraph = |text: &str| format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>");
    let notes = format!(
        "<p:notes {}>{}</p:notes>",
        slide_spaces(),
        slide_body(&paragraph("Wait for questions."))
    );
    let to_notes = relationships(&[("rId1", "notesSlide", "../notesSlides/notesSlide1.xml")]);
    let further = [
        ("ppt/slides/_rels/slide1.xml.rels", to_notes.as_str()),
        ("ppt/notesSlides/notesSlide1.xml", &notes),
    ];
    let bytes = slide_with(&paragraph("Our results."), &further);
    let document = Document::from_bytes(
        "talk.pptx",
        Format::from_path("talk.pptx".as_ref()).expect("a format"),
        bytes,
    );
    let document = document.expect("a presentation");
    let parts: Vec<_> = document.paragraphs.iter().map(|it| it.part).collect();
    let notes = Some(canopy::text::document::Part::SpeakerNotes);
    assert_eq!(parts, [None, notes]);
}
