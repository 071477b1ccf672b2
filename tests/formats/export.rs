//! Translated documents as memories, XLIFF and pages for review.

use canopy::text::document::{Document, Format};
use canopy::text::export::{ExportFormat, Languages, Provenance};

use super::{entry, read, texts};

fn languages() -> Languages {
    Languages {
        source: "en".to_owned(),
        target: "de".to_owned(),
    }
}

fn exported(format: ExportFormat) -> Vec<u8> {
    let page = "<h1>Title</h1><p>Open <b>the</b> file &amp; wait.<br> Then close it.</p>";
    let document = read("a.html", page.as_bytes());
    let source = document.sentences[1].text.clone();
    let translations = [
        Some("Titel".to_owned()),
        Some(
            source
                .replace("Open", "Öffnen Sie")
                .replace("file", "<Datei>"),
        ),
        None,
    ];
    document
        .exported(&translations, format, &languages())
        .expect("exported")
}

#[test]
fn a_memory_has_every_translated_sentence_with_its_codes() {
    let tmx = String::from_utf8(exported(ExportFormat::Tmx)).expect("text");
    assert_eq!(tmx.matches("<tu>").count(), 2);
    assert!(
        tmx.contains("srclang=\"en\"")
            && tmx.contains("<tuv xml:lang=\"de\"><seg>Titel</seg></tuv>"),
        "{tmx}"
    );
    assert!(tmx.contains("<seg>Öffnen Sie <bpt i=\"1\">&lt;b&gt;</bpt>the<ept i=\"1\">&lt;/b&gt;</ept> &lt;Datei&gt; &amp; wait.</seg>"), "{tmx}");
}

#[test]
fn the_model_and_the_date_of_a_translation_have_a_place() {
    let document = read("a.html", b"<p>One.</p><p>Two.</p>");
    let translations = ["Eins.", "Zwei."].map(|text| Some(text.to_owned()));
    let time = "2026-01-31T12:00:00Z".parse().expect("a time");
    let by_model = Provenance {
        model: Some("opus <en-de>".to_owned()),
        time: Some(time),
    };
    let provenances = [by_model, Provenance::default()];
    let exported = |format| {
        let bytes = document.exported_by(&translations, &provenances, format, &languages());
        String::from_utf8(bytes.expect("exported")).expect("text")
    };
    let tmx = exported(ExportFormat::Tmx);
    let property = "<prop type=\"x-mt-model\">opus &lt;en-de&gt;</prop>";
    assert_eq!(tmx.matches("x-mt-model").count(), 1, "{tmx}");
    assert!(tmx.contains(property), "{tmx}");
    assert_eq!(
        tmx.matches("<tu creationdate=\"20260131T120000Z\">")
            .count(),
        1
    );
    assert_eq!(tmx.matches(" creationdate=").count(), 2, "of the file, too");
    let xliff = exported(ExportFormat::Xliff);
    assert_eq!(
        xliff
            .matches("Translated by opus &lt;en-de&gt;</note>")
            .count(),
        1,
        "{xliff}"
    );
    let document = Document::from_bytes("a.xlf", Format::Xliff, xliff.into_bytes());
    assert_eq!(document.expect("readable").sentences.len(), 2);
}

#[test]
fn xliff_is_opened_again_with_its_translations() {
    let xliff = exported(ExportFormat::Xliff);
    let document = Document::from_bytes("a.xlf", Format::Xliff, xliff).expect("readable");
    assert_eq!(document.sentences.len(), 3);
    let known: Vec<bool> = document
        .sentences
        .iter()
        .map(|sentence| sentence.known.is_some())
        .collect();
    assert_eq!(known, [true, true, false]);
    assert_eq!(document.sentences[0].known_text(), Some("Titel"));
}

#[test]
fn reviewers_see_both_languages() {
    let page = String::from_utf8(exported(ExportFormat::BilingualHtml)).expect("text");
    assert!(
        page.contains("<td lang=\"en\" dir=\"auto\">Open the file &amp; wait.</td>"),
        "{page}"
    );
    assert!(
        page.contains("Öffnen Sie the &lt;Datei&gt; &amp; wait.</td>"),
        "{page}"
    );
    let page = String::from_utf8(exported(ExportFormat::Interleaved)).expect("text");
    assert!(page.contains("<h1 class=\"source\" lang=\"en\" dir=\"auto\">Title</h1>\n<p class=\"target\" lang=\"de\" dir=\"auto\">Titel</p>"), "{page}");
    let table = exported(ExportFormat::BilingualDocx);
    assert!(
        entry(&table, "word/document.xml").contains("Öffnen Sie the &lt;Datei&gt; &amp; wait.")
    );
    assert!(texts(&read("a.docx", &table)).contains(&"Titel"));
}
