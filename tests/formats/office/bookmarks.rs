//! Bookmarks of Word documents.

use super::*;

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
