//! Word documents, presentations and workbooks.

use canopy::text::document::{Document, Format, ParagraphKind, ReadingOptions};
use canopy::text::placeholder::{CLOSE, open, point};

use super::properties::Inline;
use super::{entry, package, read, texts, translated};

const TYPES: &str =
    "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A list of relationships: id, kind and target.
fn relationships(all: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        format!("<Relationship Id=\"{id}\" Type=\"{RELATIONSHIPS}/{kind}\" Target=\"{target}\"/>")
    };
    let all: String = all.iter().map(one).collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{all}</Relationships>"
    )
}

/// A Word document with this body, and more parts.
fn word(body: &str, parts: &[(&str, &str, &str)]) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
         xmlns:r=\"{RELATIONSHIPS}\" xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
         xmlns:wps=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\" xmlns:v=\"urn:schemas-microsoft-com:vml\">\
         <w:body>{body}<w:sectPr/></w:body></w:document>"
    );
    let main = relationships(&[("rId1", "officeDocument", "word/document.xml")]);
    let named: Vec<_> = parts
        .iter()
        .map(|(kind, name, _)| (*name, *kind, *name))
        .collect();
    let related = relationships(&named);
    let paths: Vec<String> = parts
        .iter()
        .map(|(_, name, _)| format!("word/{name}"))
        .collect();
    let mut entries = vec![
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", &main),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &related),
    ];
    entries.extend(
        paths
            .iter()
            .zip(parts)
            .map(|(path, (_, _, text))| (path.as_str(), *text)),
    );
    package(&entries)
}

fn run(properties: &str, text: &str) -> String {
    format!(
        "<w:r w:rsidR=\"00AB\">{properties}<w:t xml:space=\"preserve\">{}</w:t></w:r>",
        escaped(text)
    )
}

pub fn docx(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => run("", text),
        Inline::Marked(text) => run("<w:rPr><w:b/></w:rPr>", text),
        Inline::Code => {
            "<w:bookmarkStart w:id=\"1\" w:name=\"x\"/><w:bookmarkEnd w:id=\"1\"/>".to_owned()
        }
    };
    let paragraph =
        |it: &Vec<Inline>| format!("<w:p>{}</w:p>", it.iter().map(inline).collect::<String>());
    word(&paragraphs.iter().map(paragraph).collect::<String>(), &[])
}

pub fn pptx(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => format!(
            "<a:r><a:rPr lang=\"en-US\"/><a:t>{}</a:t></a:r>",
            escaped(text)
        ),
        Inline::Marked(text) => format!(
            "<a:r><a:rPr lang=\"en-US\" b=\"1\"/><a:t>{}</a:t></a:r>",
            escaped(text)
        ),
        Inline::Code => "<a:br/>".to_owned(),
    };
    let paragraph = |it: &Vec<Inline>| {
        format!(
            "<a:p><a:pPr/>{}<a:endParaRPr lang=\"en-US\"/></a:p>",
            it.iter().map(inline).collect::<String>()
        )
    };
    let text: String = paragraphs.iter().map(paragraph).collect();
    slides(&text)
}

fn slides(text: &str) -> Vec<u8> {
    let spaces = format!(
        "xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" xmlns:r=\"{RELATIONSHIPS}\" \
         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\""
    );
    let presentation = format!(
        "<p:presentation {spaces}><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId7\"/></p:sldIdLst></p:presentation>"
    );
    let slide = format!(
        "<p:sld {spaces}><p:cSld><p:spTree><p:sp><p:txBody>{text}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    );
    package(&[
        ("[Content_Types].xml", TYPES),
        (
            "_rels/.rels",
            &relationships(&[("rId1", "officeDocument", "ppt/presentation.xml")]),
        ),
        ("ppt/presentation.xml", &presentation),
        (
            "ppt/_rels/presentation.xml.rels",
            &relationships(&[("rId7", "slide", "slides/slide1.xml")]),
        ),
        ("ppt/slides/slide1.xml", &slide),
    ])
}

pub fn xlsx(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => format!("<r><t xml:space=\"preserve\">{}</t></r>", escaped(text)),
        Inline::Marked(text) => format!(
            "<r><rPr><b/></rPr><t xml:space=\"preserve\">{}</t></r>",
            escaped(text)
        ),
        Inline::Code => "<r><t xml:space=\"preserve\">\n</t></r>".to_owned(),
    };
    let item = |it: &Vec<Inline>| match it.as_slice() {
        [Inline::Text(text)] => format!("<si><t xml:space=\"preserve\">{}</t></si>", escaped(text)),
        it => format!("<si>{}</si>", it.iter().map(inline).collect::<String>()),
    };
    let cell = |number: usize| {
        format!(
            "<row r=\"{0}\"><c r=\"A{0}\" t=\"s\"><v>{number}</v></c><c r=\"B{0}\"><v>7</v></c></row>",
            number + 1
        )
    };
    let strings: String = paragraphs.iter().map(item).collect();
    workbook(
        &strings,
        &(0..paragraphs.len()).map(cell).collect::<String>(),
        None,
    )
}

/// A workbook with these shared strings, these rows, and perhaps a table.
fn workbook(strings: &str, rows: &str, table: Option<&str>) -> Vec<u8> {
    const SPACE: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let book = format!(
        "<workbook {SPACE} xmlns:r=\"{RELATIONSHIPS}\"><sheets><sheet name=\"One\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let strings = format!("<sst {SPACE}>{strings}</sst>");
    let sheet = format!(
        "<worksheet {SPACE}><sheetViews><sheetView workbookViewId=\"0\"/></sheetViews>\
         <sheetData>{rows}</sheetData></worksheet>"
    );
    let of_book = relationships(&[
        ("rId1", "worksheet", "worksheets/sheet1.xml"),
        ("rId2", "sharedStrings", "sharedStrings.xml"),
    ]);
    let main = relationships(&[("rId1", "officeDocument", "xl/workbook.xml")]);
    let of_sheet = relationships(&[("rId1", "table", "../tables/table1.xml")]);
    let mut entries = vec![
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", main.as_str()),
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &of_book),
        ("xl/worksheets/sheet1.xml", &sheet),
        ("xl/sharedStrings.xml", &strings),
    ];
    if let Some(table) = table {
        entries.push(("xl/worksheets/_rels/sheet1.xml.rels", &of_sheet));
        entries.push(("xl/tables/table1.xml", table));
    }
    package(&entries)
}

#[test]
fn namespaces_that_a_run_declares_stay_declared() {
    let body = "<w:p><w:r><w:t xml:space=\"preserve\">Before </w:t></w:r><w:r xmlns:a=\"urn:a\" w:rsidR=\"00AB\">\
                <w:pict><a:shape/></w:pict><w:t>in it </w:t></w:r><w:r xmlns:b='urn:b'><w:rPr><b:glow/></w:rPr><w:t>glows</w:t></w:r>\
                <w:r><w:t>.</w:t></w:r></w:p>";
    let document = read("a.docx", &word(body, &[]));
    let written = translated(&document, &[&texts(&document)[0].to_uppercase()], None);
    let text = entry(&written, "word/document.xml");
    for kept in [
        "<w:r xmlns:a=\"urn:a\"><w:pict><a:shape/></w:pict>",
        "<w:r xmlns:b='urn:b'><w:rPr><b:glow/></w:rPr><w:t>GLOWS</w:t></w:r>",
    ] {
        assert!(text.contains(kept), "{text}");
    }
    assert_eq!(text.matches("urn:a").count(), 1);
}

#[test]
fn runs_that_look_alike_are_one_text() {
    let body = format!(
        "<w:p>{}{}<w:proofErr w:type=\"spellStart\"/>{}{}{}</w:p>",
        run("<w:rPr><w:lang w:val=\"en-US\"/></w:rPr>", "Op"),
        run("", "en the "),
        run("<w:rPr><w:b/></w:rPr>", "fi"),
        run("<w:rPr><w:b/><w:noProof/></w:rPr>", "le"),
        run("", " now.")
    );
    let bytes = word(&body, &[]);
    let document = read("a.docx", &bytes);
    let text = format!("Open the {}file{CLOSE} now.", open(0));
    assert_eq!(texts(&document), [text]);
    let written = translated(
        &document,
        &[&format!(
            "Jetzt {}die Datei{CLOSE} öffnen & \"<sagen>\".",
            open(0)
        )],
        None,
    );
    let expected = "<w:p><w:r><w:rPr><w:lang w:val=\"en-US\"/></w:rPr><w:t xml:space=\"preserve\">Jetzt </w:t></w:r>\
                    <w:r><w:rPr><w:b/></w:rPr><w:t>die Datei</w:t></w:r>\
                    <w:r><w:rPr><w:lang w:val=\"en-US\"/></w:rPr><w:t xml:space=\"preserve\"> öffnen &amp; \"&lt;sagen&gt;\".</w:t></w:r></w:p>";
    let text = entry(&written, "word/document.xml");
    assert!(text.contains(expected), "{text}");
    let german = entry(
        &translated(&document, &["Jetzt."], Some("de")),
        "word/document.xml",
    );
    assert!(
        german.contains("w:val=\"de-DE\"") && !german.contains("en-US"),
        "{german}"
    );
}

#[test]
fn what_is_no_text_keeps_its_place() {
    let field = |instruction: &str, shown: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>{instruction}</w:instrText></w:r>\
             <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>",
            run("", shown)
        )
    };
    let body = format!(
        "<w:p>{}{}{}{}{}<w:del w:id=\"1\"><w:r><w:delText>old</w:delText></w:r></w:del><w:ins w:id=\"2\">{}</w:ins>\
         <w:r><w:tab/><w:t>so</w:t><w:softHyphen/><w:t>le</w:t><w:br/><w:t>end</w:t></w:r></w:p>",
        run("", "Page "),
        field("PAGE", "7"),
        run("", " and "),
        field("HYPERLINK \"x\"", "a link"),
        run("", " with "),
        run("", "new"),
    );
    let document = read("a.docx", &word(&body, &[]));
    let text = format!(
        "Page {} and {}a link{CLOSE} with {}{}new{CLOSE}{}sole{}end",
        point(0),
        open(1),
        point(2),
        open(3),
        point(4),
        point(5)
    );
    assert_eq!(texts(&document), [text]);
    let sentence = &document.sentences[0];
    assert_eq!(sentence.plain_text(), "Page 7 and a link with new sole end");
    let written = translated(&document, &["Nur Text"], None);
    let text = entry(&written, "word/document.xml");
    for kept in [
        "<w:instrText>PAGE</w:instrText>",
        "HYPERLINK",
        "<w:delText>old</w:delText>",
        "<w:tab/>",
        "<w:softHyphen/>",
        "<w:br/>",
        "<w:ins w:id=\"2\">",
    ] {
        assert_eq!(text.matches(kept).count(), 1, "{kept} in {text}");
    }
    assert_eq!(text.matches("fldCharType").count(), 6);
}

#[test]
fn a_hyphen_that_does_not_break_is_a_character_of_the_text() {
    let body = "<w:p><w:r><w:t>Send an e</w:t><w:noBreakHyphen/><w:t xml:space=\"preserve\">mail now.</w:t></w:r></w:p>";
    let document = read("a.docx", &word(body, &[]));
    assert_eq!(texts(&document), ["Send an e\u{2011}mail now."]);
    let written = translated(&document, &["Eine E\u{2011}Mail senden."], None);
    let text = entry(&written, "word/document.xml");
    let expected = "<w:r><w:t xml:space=\"preserve\">Eine E</w:t><w:noBreakHyphen/><w:t>Mail senden.</w:t></w:r>";
    assert!(
        text.contains(&expected.replace(" xml:space=\"preserve\"", "")),
        "{text}"
    );
}

/// A bookmark around the runs of a paragraph.
fn bookmark(number: usize, name: &str, runs: &str) -> String {
    format!(
        "<w:bookmarkStart w:id=\"{number}\" w:name=\"{name}\"/>{runs}<w:bookmarkEnd w:id=\"{number}\"/>"
    )
}

/// The written text of a document with `[` and `]` where bookmarks begin and end.
fn bookmarked(document: &Document, translations: &[&str]) -> String {
    let written = translated(document, translations, None);
    let text = entry(&written, "word/document.xml");
    let (mut shown, mut rest) = (String::new(), text.as_str());
    while let Some(start) = rest.find('<') {
        shown += &rest[..start];
        let end = start + rest[start..].find('>').expect("a tag");
        match &rest[start..end] {
            tag if tag.starts_with("<w:bookmarkStart") => shown.push('['),
            tag if tag.starts_with("<w:bookmarkEnd") => shown.push(']'),
            tag if tag.starts_with("<w:b/") => shown.push('*'),
            _ => {}
        }
        rest = &rest[end + 1..];
    }
    shown.trim().to_owned()
}

#[test]
fn bookmarks_are_no_placeholders_and_part_no_word() {
    let body = format!(
        "<w:p>{}{}{}{}</w:p>",
        run("", "Save the docu"),
        bookmark(0, "_GoBack", ""),
        run("", "ment "),
        bookmark(1, "_Ref1", &run("", "now.")),
    );
    let document = read("a.docx", &word(&body, &[]));
    assert_eq!(texts(&document), ["Save the document now."]);
    let written = translated(&document, &["Das Dokument sichern."], None);
    let text = entry(&written, "word/document.xml");
    for kept in [
        "w:name=\"_GoBack\"",
        "w:name=\"_Ref1\"",
        "<w:bookmarkEnd w:id=\"0\"/>",
        "<w:bookmarkEnd w:id=\"1\"/>",
    ] {
        assert_eq!(text.matches(kept).count(), 1, "{kept} in {text}");
    }
}

#[test]
fn bookmarks_stand_around_what_they_stood_around() {
    let heading = format!("<w:p>{}</w:p>", bookmark(0, "_Toc1", &run("", "Scope")));
    let document = read("a.docx", &word(&heading, &[]));
    assert_eq!(
        bookmarked(&document, &["Geltungsbereich"]),
        "[Geltungsbereich]"
    );

    // A number is found again, wherever it stands.
    let number = bookmark(0, "_Ref1", &run("", "3.2"));
    let body = format!(
        "<w:p>{}{number}{}</w:p>",
        run("", "See section "),
        run("", " for more.")
    );
    let document = read("a.docx", &word(&body, &[]));
    assert_eq!(
        bookmarked(&document, &["Mehr dazu steht in Abschnitt 3.2."]),
        "Mehr dazu steht in Abschnitt [3.2]."
    );

    // Words are at the same share of the sentence.
    let words = bookmark(0, "Program", &run("", "the Program"));
    let body = format!(
        "<w:p>{}{words}{}</w:p>",
        run("", "You may copy "),
        run("", " and give it away.")
    );
    let document = read("a.docx", &word(&body, &[]));
    assert_eq!(
        bookmarked(
            &document,
            &["Sie dürfen nun das Programm kopieren und weitergeben."]
        ),
        "Sie dürfen nun [das Programm] kopieren und weitergeben."
    );

    // Next to markup they stay next to it, and in front of their ends.
    let bold = bookmark(0, "b", &run("<w:rPr><w:b/></w:rPr>", "Save"));
    let body = format!(
        "<w:p>{}{bold}{}</w:p>",
        run("", "Then choose "),
        run("", " in the menu.")
    );
    let document = read("a.docx", &word(&body, &[]));
    let text = format!("Then choose {}Save{CLOSE} in the menu.", open(0));
    assert_eq!(texts(&document), [text]);
    let german = format!("{}Sichern{CLOSE} im Menü wählen.", open(0));
    assert_eq!(
        bookmarked(&document, &[&german]),
        "[*Sichern] im Menü wählen."
    );
}

#[test]
fn lines_of_a_paragraph_are_sentences_and_wraps_are_not() {
    let lines = |lines: &[&str]| {
        let lines: Vec<String> = lines
            .iter()
            .map(|line| format!("<w:t>{line}</w:t>"))
            .collect();
        format!("<w:p><w:r>{}</w:r></w:p>", lines.join("<w:br/>"))
    };
    let body = [
        lines(&["Name: the user", "Telephone: 123 456", "City: Berlin"]),
        lines(&["Open the file", "Save the file", "Close the window"]),
        lines(&["Print the page and", "close the window."]),
        lines(&["Line one.", "Line two."]),
        lines(&["Menu:", "File", "Edit"]),
    ];
    let document = read("a.docx", &word(&body.concat(), &[]));
    let expected = [
        "Name: the user",
        "Telephone: 123 456",
        "City: Berlin",
        "Open the file",
        "Save the file",
        "Close the window",
        &format!("Print the page and{}close the window.", point(0)),
        "Line one.",
        "Line two.",
        "Menu:",
        "File",
        "Edit",
    ];
    assert_eq!(texts(&document), expected);
}

#[test]
fn a_text_box_is_translated_once_and_written_twice() {
    let boxed = |text: &str| {
        format!(
            "<w:txbxContent><w:p>{}</w:p></w:txbxContent>",
            run("", text)
        )
    };
    let body = format!(
        "<w:p>{}<w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><wps:txbx>{}</wps:txbx></mc:Choice>\
         <mc:Fallback><w:pict><v:textbox>{}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
        run("", "Around it."),
        boxed("In the box."),
        boxed("In the box."),
    );
    let document = read("a.docx", &word(&body, &[]));
    assert_eq!(texts(&document), ["Around it.", "In the box."]);
    let written = translated(&document, &["Darum.", "Im Kasten."], None);
    let text = entry(&written, "word/document.xml");
    assert_eq!(
        (
            text.matches("Im Kasten.").count(),
            text.matches("Darum.").count()
        ),
        (2, 1),
        "{text}"
    );
    let only_box = document
        .written(&[None, Some("Im Kasten.".to_owned())], None)
        .expect("written");
    assert_eq!(
        entry(&only_box, "word/document.xml")
            .matches("Im Kasten.")
            .count(),
        2
    );
}

#[test]
fn headings_tables_notes_and_headers_are_found() {
    let styles = "<w:styles xmlns:w=\"w\"><w:style w:type=\"paragraph\" w:styleId=\"H\"><w:name w:val=\"heading 2\"/></w:style>\
                  <w:style w:type=\"paragraph\" w:styleId=\"Mine\"><w:name w:val=\"Mine\"/><w:basedOn w:val=\"H\"/></w:style></w:styles>";
    let notes = "<w:footnotes xmlns:w=\"w\"><w:footnote w:type=\"separator\"><w:p><w:r><w:t>x</w:t></w:r></w:p></w:footnote>\
                 <w:footnote w:id=\"2\"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space=\"preserve\"> A note.</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let header = "<w:hdr xmlns:w=\"w\"><w:p><w:r><w:t>Above</w:t></w:r></w:p></w:hdr>";
    let body = format!(
        "<w:p><w:pPr><w:pStyle w:val=\"Mine\"/></w:pPr>{}</w:p><w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc><w:p>{}</w:p></w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>\
         <w:sdt><w:sdtPr/><w:sdtContent><w:p>{}</w:p></w:sdtContent></w:sdt>",
        run("", "A heading"),
        run("", "A cell"),
        run("", "A control")
    );
    let bytes = word(
        &body,
        &[
            ("styles", "styles.xml", styles),
            ("footnotes", "footnotes.xml", notes),
            ("header", "header1.xml", header),
        ],
    );
    let document = read("a.docx", &bytes);
    assert_eq!(
        texts(&document),
        ["A heading", "A cell", "A control", "A note.", "Above"]
    );
    let kinds: Vec<_> = document
        .paragraphs
        .iter()
        .map(|paragraph| paragraph.kind)
        .collect();
    assert_eq!(
        kinds[..3],
        [
            ParagraphKind::Heading,
            ParagraphKind::TableCell,
            ParagraphKind::Text
        ]
    );
    assert_eq!(
        (document.sections.len(), document.sections[1].level),
        (2, 2)
    );
    let written = translated(
        &document,
        &["A heading", "A cell", "A control", "Eine Notiz.", "Above"],
        None,
    );
    assert!(entry(&written, "word/footnotes.xml").contains("Eine Notiz."));
    assert_eq!(
        entry(&written, "word/document.xml"),
        entry(&bytes, "word/document.xml")
    );
}

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
    let spaces = format!(
        "xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" xmlns:r=\"{RELATIONSHIPS}\" \
         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\""
    );
    let body = |text: &str| {
        format!(
            "<p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld>"
        )
    };
    let presentation = format!(
        "<p:presentation {spaces}><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId7\"/></p:sldIdLst></p:presentation>"
    );
    let slide = format!("<p:sld {spaces}>{}</p:sld>", body("Our results."));
    let notes = format!(
        "<p:notes {spaces}>{}</p:notes>",
        body("Wait for questions.")
    );
    let bytes = package(&[
        ("[Content_Types].xml", TYPES),
        (
            "_rels/.rels",
            &relationships(&[("rId1", "officeDocument", "ppt/presentation.xml")]),
        ),
        ("ppt/presentation.xml", &presentation),
        (
            "ppt/_rels/presentation.xml.rels",
            &relationships(&[("rId7", "slide", "slides/slide1.xml")]),
        ),
        ("ppt/slides/slide1.xml", &slide),
        (
            "ppt/slides/_rels/slide1.xml.rels",
            &relationships(&[("rId1", "notesSlide", "../notesSlides/notesSlide1.xml")]),
        ),
        ("ppt/notesSlides/notesSlide1.xml", &notes),
    ]);
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
