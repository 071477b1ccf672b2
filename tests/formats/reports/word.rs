//! Word documents.

use super::*;

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

fn word(names: [&str; 3], body: &str) -> Vec<u8> {
    let document = format!("<w:document xmlns:w=\"{W}\"><w:body>{body}</w:body></w:document>");
    package(&[
        (
            names[0],
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>",
        ),
        (
            names[1],
            "<Relationships><Relationship Id=\"r1\" Type=\"http://x/officeDocument\" Target=\"word/document.xml\"/></Relationships>",
        ),
        (names[2], &document),
    ])
}

const NAMES: [&str; 3] = ["[Content_Types].xml", "_rels/.rels", "word/document.xml"];

fn word_body(body: &str, language: &str) -> String {
    let written = shouted("a.docx", &word(NAMES, body), "", Some(language));
    let document = entry(&written, NAMES[2]);
    let (_, body) = document.split_once("<w:body>").expect("a body");
    body.replace("</w:body></w:document>", "")
}

fn run(text: &str) -> String {
    format!("<w:r><w:t>{text}</w:t></w:r>")
}

fn mark(kind: &str) -> String {
    format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>")
}

fn instruction(text: &str) -> String {
    format!("<w:r><w:instrText>{text}</w:instrText></w:r>")
}

#[test]
fn links_that_are_fields_are_translated() {
    let page = [
        mark("begin"),
        instruction("PAGEREF a"),
        mark("separate"),
        run("iv"),
        mark("end"),
    ]
    .concat();
    let begin = [
        mark("begin"),
        instruction("HYPERLINK \"a\""),
        mark("separate"),
    ]
    .concat();
    let nested = format!("<w:p>{begin}{}{page}{}</w:p>", run("see page"), mark("end"));
    let written = word_body(&nested, "de");
    assert!(
        written.contains("SEE PAGE") && written.contains("<w:t>iv</w:t>"),
        "{written}"
    );
    assert_eq!(written.matches("w:fldChar ").count(), 6);
    let simple = format!(
        "<w:p>{}<w:fldSimple w:instr=\" HYPERLINK a\">{}</w:fldSimple></w:p>",
        run("see"),
        run("here")
    );
    assert!(word_body(&simple, "de").contains(
        "<w:fldSimple w:instr=\" HYPERLINK a\"><w:r><w:t>HERE</w:t></w:r></w:fldSimple>"
    ));
    let over = format!(
        "<w:p>{}{begin}{}</w:p><w:p>{}{}{}</w:p>",
        run("one"),
        run("two"),
        run("three"),
        mark("end"),
        run("four")
    );
    let written = word_body(&over, "de");
    for text in ["ONE", "TWO", "THREE", "FOUR"] {
        assert!(written.contains(text), "{text}: {written}");
    }
    let (first, second) = written.split_once("</w:p>").expect("two paragraphs");
    assert!(first.find("separate") < first.find("TWO"), "{first}");
    assert!(second.find("THREE") < second.find("\"end\""), "{second}");
    assert!(second.find("\"end\"") < second.find("FOUR"), "{second}");
    // What other fields show is made by the program.
    let page = format!("<w:p>{}{page}</w:p>", run("page"));
    assert!(word_body(&page, "de").contains("<w:t>iv</w:t>"));
}

#[test]
fn tracked_formatting_stays_on_its_words() {
    let tracked = |id: u8| {
        format!(
            "<w:rPr><w:i/><w:rPrChange w:id=\"{id}\" w:author=\"A\"><w:rPr/></w:rPrChange></w:rPr>"
        )
    };
    let body = format!(
        "<w:p><w:r>{}<w:t>changed wor</w:t></w:r><w:r>{}<w:t xml:space=\"preserve\">ds </w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>stay</w:t></w:r></w:p>",
        tracked(1),
        tracked(2)
    );
    let written = word_body(&body, "de");
    let wanted = format!(
        "<w:r>{}<w:t xml:space=\"preserve\">CHANGED WORDS </w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>STAY</w:t></w:r>",
        tracked(1)
    );
    assert!(written.contains(&wanted), "{written}");
}

#[test]
fn a_direction_that_is_off_is_off_or_set() {
    let body = "<w:p><w:pPr><w:bidi w:val=\"0\"/></w:pPr><w:r><w:rPr><w:b/><w:rtl w:val=\"0\"/></w:rPr><w:t>go</w:t></w:r></w:p>";
    assert!(word_body(body, "de").contains("<w:bidi w:val=\"0\"/>"));
    let written = shouted("a.docx", &word(NAMES, body), "שלום", Some("he"));
    let written = entry(&written, NAMES[2]).replace("GO", "");
    assert!(written.contains("<w:pPr><w:bidi/></w:pPr>"), "{written}");
    let only_hebrew = read("a.docx", &word(NAMES, body));
    let written = only_hebrew
        .written(&[Some("שלום".to_owned())], Some("he"))
        .expect("written");
    let written = entry(&written, NAMES[2]);
    assert!(
        written.contains("<w:rtl/>") && !written.contains("rtl w:val"),
        "{written}"
    );
}

#[test]
fn a_section_from_the_right_stays_unless_its_text_was_from_the_right() {
    let file = |text: &str| {
        format!(
            "<w:p>{}</w:p><w:sectPr><w:bidi/><w:rtlGutter/></w:sectPr>",
            run(text)
        )
    };
    assert!(word_body(&file("go"), "de").contains("<w:sectPr><w:bidi/>"));
    let hebrew = read("a.docx", &word(NAMES, &file("שלום")));
    let written = hebrew
        .written(&[Some("Hallo".to_owned())], Some("de"))
        .expect("written");
    assert!(entry(&written, NAMES[2]).contains("<w:sectPr><w:rtlGutter/>"));
}

#[test]
fn names_of_parts_may_have_other_slashes_and_letters() {
    for names in [
        ["[Content_Types].xml", "_rels\\.rels", "word\\document.xml"],
        ["[Content_Types].xml", "_RELS/.rels", "Word/Document.xml"],
    ] {
        let file = word(names, &format!("<w:p>{}</w:p>", run("go")));
        assert_eq!(texts(&read("a.docx", &file)), ["go"]);
        let written = shouted("a.docx", &file, "", Some("de"));
        assert!(entry(&written, names[2]).contains("GO"));
    }
}

#[test]
fn a_processing_instruction_stays_in_its_sentence() {
    let file = "<topic id='a'><title>One <?page 2?>two <!-- no -->three</title></topic>";
    assert!(shout("a.dita", file).contains("<title>ONE <?page 2?>TWO "));
}

#[test]
fn fields_of_forms_are_read_between_texts() {
    let file = "<form><label>Colour <select><option>Red<option selected>Blue</select></label>\
        <textarea>Your name</textarea><textarea>one\ntwo</textarea>\
        <p>Show <select><option>ten</option></select> entries.</p></form>";
    let wanted = "<form><label>COLOUR <select><option>RED<option selected>BLUE</select></label>\
        <textarea>YOUR NAME</textarea><textarea>one\ntwo</textarea>\
        <p>SHOW <select><option>ten</option></select> ENTRIES.</p></form>";
    assert_eq!(shout("a.html", file), wanted);
}

#[test]
fn a_variety_of_the_language_stays() {
    for (name, file) in [
        ("a.html", "<html lang=\"en-GB\"><p>go</p></html>"),
        (
            "a.dita",
            "<topic id=\"a\" xml:lang=\"en-GB\"><title>go</title></topic>",
        ),
        (
            "a.dbk",
            "<book xmlns=\"http://docbook.org/ns/docbook\" xml:lang=\"en-GB\"><title>go</title></book>",
        ),
        (
            "a.page",
            "<page xmlns=\"http://projectmallard.org/1.0/\" xml:lang=\"en-GB\"><title>go</title></page>",
        ),
        ("a.arb", "{\"@@locale\": \"en_GB\", \"a\": \"go\"}"),
    ] {
        for (language, stays) in [("en", true), ("en-US", false), ("de", false)] {
            let written = shouted(name, file.as_bytes(), "", Some(language));
            let written = String::from_utf8(written).expect("UTF-8");
            let stands = written.contains("en-GB") || written.contains("en_GB");
            assert_eq!(stands, stays, "{name} {language}: {written}");
        }
    }
}

#[test]
fn a_control_and_the_part_that_it_is_bound_to_say_the_same() {
    let control = "<w:sdt><w:sdtPr><w:dataBinding w:xpath=\"/ns1:coreProperties[1]/ns0:title[1]\" w:storeItemID=\"{6C3C8BC8-F283-45AE-878A-BAB7291924A1}\"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>go on</w:t></w:r></w:p></w:sdtContent></w:sdt>";
    let document = format!("<w:document xmlns:w=\"{W}\"><w:body>{control}</w:body></w:document>");
    let file = package(&[
        (
            NAMES[0],
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>",
        ),
        (
            NAMES[1],
            "<Relationships><Relationship Id=\"r1\" Type=\"http://x/officeDocument\" Target=\"word/document.xml\"/>\
             <Relationship Id=\"r2\" Type=\"http://x/core-properties\" Target=\"docProps/core.xml\"/></Relationships>",
        ),
        (NAMES[2], &document),
        (
            "docProps/core.xml",
            "<cp:coreProperties xmlns:cp=\"c\" xmlns:dc=\"d\"><dc:title>go on</dc:title><dc:subject>go on</dc:subject></cp:coreProperties>",
        ),
    ]);
    let written = shouted("a.docx", &file, "", Some("de"));
    assert!(entry(&written, NAMES[2]).contains("<w:t>GO ON</w:t>"));
    let core = entry(&written, "docProps/core.xml");
    assert!(
        core.contains("<dc:title>GO ON</dc:title><dc:subject>go on</dc:subject>"),
        "{core}"
    );
}
