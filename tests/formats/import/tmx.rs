//! A translation memory (TMX) becomes a corpus, its inline tags placeholders.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use canopy::corpus::error::Error;
use canopy::corpus::tmx::{TmxImport, TmxReport};
use canopy::corpus::{Corpus, Split};
use tempfile::TempDir;

use crate::import::{documents, pairs};

/// Imports a file of these bytes.
fn memory(bytes: &[u8], languages: (&str, &str)) -> Result<(Corpus, TmxReport, TempDir), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("memory.tmx");
    fs::write(&file, bytes).expect("writes");
    let import = TmxImport {
        file,
        source_language: languages.0.to_owned(),
        target_language: languages.1.to_owned(),
        output: folder.path().join("out"),
        replace: false,
        filter: None,
    };
    let done = import.run(|_, _| ControlFlow::Continue(()))?;
    let (corpus, report) = done.expect("nobody ends it");
    Ok((corpus, report, folder))
}

pub fn tmx(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">\n\
         <header creationtool=\"by hand\" segtype=\"sentence\" srclang=\"en-US\" datatype=\"html\"><prop type=\"file\">not a unit's</prop></header>\n\
         <body>\n{body}</body>\n</tmx>\n"
    )
}

pub fn unit(attributes: &str, english: &str, german: &str) -> String {
    format!(
        "<tu {attributes}><tuv xml:lang=\"EN-US\"><seg>{english}</seg></tuv>\n<tuv xml:lang=\"de_DE\"><seg>{german}</seg></tuv></tu>\n"
    )
}

#[test]
fn a_memory_with_inline_tags_becomes_paragraphs_with_placeholders() {
    let body = unit(
        "",
        "Press <bpt i=\"1\" x=\"7\">&lt;b></bpt>A &amp; B<ept i=\"1\">&lt;/b></ept> on <ph x=\"2\"><sub>all</sub>{0}</ph> &#x3c;now&gt;.",
        "Auf <ph x=\"2\">{0}</ph> dr&#252;cken Sie <bpt i=\"4\" x=\"7\">&lt;strong></bpt>A <![CDATA[& B]]><ept i=\"4\">&lt;/strong></ept>  &lt;jetzt>.",
    );
    let (corpus, report, _folder) = memory(tmx(&body).as_bytes(), ("en", "de")).expect("imports");
    let [document] = documents(&corpus).try_into().expect("one document");
    let unit = &document.paragraphs[0].units[0];
    assert_eq!(
        unit.source,
        "Press \u{E000}A & B\u{E200} on \u{E101} <now>."
    );
    assert_eq!(
        unit.target,
        "Auf \u{E101} drücken Sie \u{E000}A & B\u{E200} <jetzt>."
    );
    assert_eq!(unit.visible_target(), "Auf {0} drücken Sie A & B <jetzt>.");
    assert_eq!((report.pairs, report.dropped_markup), (1, 0));
}

#[test]
fn utf_16_is_read_like_utf_8() {
    let text = tmx(&unit("", "Good morning 😀", "Guten Morgen 😀")).replace("UTF-8", "UTF-16");
    let bytes = [
        vec![0xFF, 0xFE],
        text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
    ]
    .concat();
    let (corpus, _, _folder) = memory(&bytes, ("en", "de")).expect("imports");
    assert_eq!(
        pairs(&documents(&corpus)[0]),
        [("Good morning 😀".to_owned(), "Guten Morgen 😀".to_owned())]
    );
}

#[test]
fn units_become_documents_by_what_they_say_or_by_fifty() {
    let file = |name: &str, english: &str| {
        unit("", english, english).replacen(
            "<tuv",
            &format!("<prop type=\"x-filename\">{name}</prop><tuv"),
            1,
        )
    };
    let mut body = file("b.html", "One") + &file("a.html", "Two") + &file("b.html", "Three");
    body += &unit("tuid=\"c/d.md:1\"", "Four", "Vier");
    for number in 0..60 {
        body += &unit("", &format!("Number {number}"), &format!("Nummer {number}"));
    }
    body += &unit("", "Number 1", "Nummer 1");
    body += "<tu><tuv lang=\"en\"><seg>Only English</seg></tuv></tu>";
    let (corpus, report, _folder) =
        memory(tmx(&body).as_bytes(), ("en-US", "de")).expect("imports");
    let found: Vec<(String, usize)> = documents(&corpus)
        .iter()
        .map(|document| (document.id.clone(), document.paragraphs.len()))
        .collect();
    let expected = [
        ("a.html", 1),
        ("b.html", 2),
        ("c/d.md", 1),
        ("memory/000001", 50),
        ("memory/000002", 11),
    ];
    assert_eq!(found, expected.map(|(id, count)| (id.to_owned(), count)));
    assert_eq!(
        (report.units, report.incomplete, report.named_documents),
        (66, 1, 3)
    );
    let in_one_split = Split::for_document("memory/000001") == Split::for_document("memory/000002");
    assert_eq!(report.repeated, usize::from(in_one_split));
    assert_eq!(report.languages["EN-US"], 65);
}

#[test]
fn junk_is_refused_with_file_and_line() {
    let good = tmx(&unit("", "Good morning", "Guten Morgen"));
    let refused = |bytes: &[u8], languages| {
        let error = memory(bytes, languages)
            .map(|_| ())
            .expect_err("refused")
            .to_string();
        assert!(error.contains("memory.tmx"), "{error}");
        error
    };
    let cases: [(Vec<u8>, &str); 8] = [
        (Vec::new(), "line 1: the file is empty"),
        (b"Just some text.\n".to_vec(), "no <tu>"),
        (
            b"<html><body>text</body></html>".to_vec(),
            "this is no TMX but a file of <html>",
        ),
        (tmx("").into_bytes(), "no <tu>"),
        (
            good.replace("</body>\n</tmx>", "").into_bytes(),
            "the file ends inside of <body>",
        ),
        (
            good.replace("</seg></tuv></tu>", "</tuv></tu>")
                .into_bytes(),
            "line 7",
        ),
        (
            good.replace("Guten", "Guten&nbsp;").into_bytes(),
            "nothing says what &nbsp; stands for",
        ),
        (
            good.replace("Guten", "G\u{1}")
                .into_bytes()
                .iter()
                .map(|&byte| if byte == 1 { 0xFF } else { byte })
                .collect(),
            "line 7",
        ),
    ];
    for (bytes, words) in cases {
        let error = refused(&bytes, ("en", "de"));
        assert!(error.contains(words), "{error}");
    }
    let error = refused(good.as_bytes(), ("en", "fr"));
    assert!(
        error.contains("en and fr") && error.contains("EN-US, de_DE"),
        "{error}"
    );
    assert!(matches!(
        memory(good.as_bytes(), ("en", "en-US")),
        Err(Error::TmxLanguages { .. })
    ));
}
