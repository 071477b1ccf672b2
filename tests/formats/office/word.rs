//! Word documents: runs, lines, text boxes, headings, notes and comments.

use super::*;

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
