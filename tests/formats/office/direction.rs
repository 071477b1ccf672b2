//! Documents in scripts that are written from the right.

use super::*;

const ARABIC: &str = "افتح الملف";

#[test]
fn paragraphs_in_arabic_are_written_from_the_right_and_in_english_from_the_left() {
    let body = "<w:p><w:pPr><w:jc w:val=\"center\"/></w:pPr><w:r><w:rPr><w:b/><w:sz w:val=\"28\"/><w:lang w:val=\"en-US\"/></w:rPr>\
                <w:t>Open the file.</w:t></w:r></w:p><w:p><w:r><w:t>Close it.</w:t></w:r></w:p>\
                <w:tbl><w:tblPr><w:tblStyle w:val=\"a\"/><w:tblW w:w=\"0\"/></w:tblPr><w:tr><w:tc><w:p><w:r><w:t>ls -l</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    let document = read("a.docx", &word(body, &[]));
    let written = translated(&document, &[ARABIC, ARABIC, "ls -l"], Some("ar"));
    let text = entry(&written, "word/document.xml");
    for expected in [
        "<w:pPr><w:bidi/><w:jc w:val=\"center\"/></w:pPr>",
        "<w:rPr><w:b/><w:bCs/><w:sz w:val=\"28\"/><w:szCs w:val=\"28\"/><w:rtl/><w:lang ",
        "<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr><w:t>",
        "<w:tblStyle w:val=\"a\"/><w:bidiVisual/><w:tblW ",
        "<w:tc><w:p><w:r><w:t>ls -l</w:t></w:r></w:p></w:tc>",
        "<w:sectPr><w:bidi/></w:sectPr>",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let back = read("a.docx", &written);
    let back = translated(&back, &["Open the file.", "Close it.", "ls -l"], Some("en"));
    let text = entry(&back, "word/document.xml");
    assert!(
        !text.contains("bidi") && !text.contains("<w:rtl/>"),
        "{text}"
    );
    // Where nothing turns nothing is touched.
    let german = translated(&document, &["Öffnen.", "Schließen.", "ls -l"], Some("de"));
    let text = entry(&german, "word/document.xml");
    assert!(!text.contains("bidi") && !text.contains("Cs"), "{text}");
}

#[test]
fn slides_and_sheets_are_written_from_the_right() {
    let text = "<a:p><a:pPr lvl=\"1\"/><a:r><a:t>Open</a:t></a:r></a:p><a:p><a:pPr algn=\"ctr\"/><a:r><a:t>Close</a:t></a:r></a:p>\
                <a:p><a:r><a:t>File</a:t></a:r></a:p>";
    let document = read("a.pptx", &slides(text));
    let written = translated(&document, &[ARABIC, ARABIC, ARABIC], Some("ar"));
    let slide = entry(&written, "ppt/slides/slide1.xml");
    for expected in [
        "<a:pPr algn=\"r\" rtl=\"1\" lvl=\"1\"/>",
        "<a:pPr rtl=\"1\" algn=\"ctr\"/>",
        "<a:p><a:pPr algn=\"r\" rtl=\"1\"/><a:r>",
    ] {
        assert!(slide.contains(expected), "{expected} in {slide}");
    }
    let back = read("a.pptx", &written);
    let back = translated(&back, &["Open", "Close", "File"], Some("en"));
    let slide = entry(&back, "ppt/slides/slide1.xml");
    assert!(
        slide.contains("<a:pPr algn=\"l\" rtl=\"0\" lvl=\"1\"/>"),
        "{slide}"
    );
    assert!(!slide.contains("rtl=\"1\""), "{slide}");
    let cell = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row>";
    let document = read("a.xlsx", &workbook("<si><t>Open</t></si>", cell, None));
    let sheet = |written: &[u8]| entry(written, "xl/worksheets/sheet1.xml");
    let written = sheet(&translated(&document, &[ARABIC], Some("ar")));
    assert!(
        written.contains("<sheetView rightToLeft=\"1\" "),
        "{written}"
    );
    let german = sheet(&translated(&document, &["Öffnen"], Some("de")));
    assert!(!german.contains("rightToLeft"), "{german}");
}
