//! Odd files: empty, with a byte order mark, refused, nested too deep, or slow to read if read naively.

use std::fs;

use canopy::text::document::{Document, Format};
use canopy::text::error::{BaseError, Error};
use canopy::text::{MAX_DEPTH, MAX_LINE_BYTES};

use crate::documents::{check, html, markdown, texts};

#[test]
fn an_empty_document_gives_an_empty_one() {
    for format in [Format::Html, Format::Markdown, Format::Text] {
        for text in ["", "\u{FEFF}", "\r\n", "<>"] {
            let document = Document::parse("empty", format, text.to_owned()).expect("readable");
            check(&document);
            assert!(document.sentences.is_empty());
            assert_eq!(document.translated(&[]), text);
        }
    }
}

#[test]
fn a_byte_order_mark_and_line_ends_are_kept() {
    let document = html("\u{FEFF}<p>One\r\ntwo.</p>\r\n");
    assert_eq!(texts(&document), ["One two."]);
    assert_eq!(
        document.translated(&[Some("Eins.".to_owned())]),
        "\u{FEFF}<p>Eins.</p>\r\n"
    );
    assert_eq!(markdown("\u{FEFF}# One\r\ntwo\r\n").sections.len(), 2);
}

#[test]
fn bad_files_are_refused_by_name_place_and_remedy() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        let error = Document::open(&path, None).expect_err("refused");
        assert!(error.to_string().contains(name), "{error}");
        error
    };
    assert!(matches!(
        refused("a.html", b"<p>\xC3\xA4\n\xFF"),
        Error::Base(BaseError::NotUtf8 {
            offset: 6,
            line: 2,
            ..
        })
    ));
    assert!(matches!(
        refused("b.txt", b"ab\0c"),
        Error::Base(BaseError::Binary { offset: 2, .. })
    ));
    assert!(matches!(
        refused("c.md", b"\xFF\xFEa"),
        Error::Encoding { .. }
    ));
    assert!(matches!(
        refused(
            "d.txt",
            &[b"a\n", vec![b'x'; MAX_LINE_BYTES + 1].as_slice()].concat()
        ),
        Error::Base(BaseError::LongLine { line: 2, .. })
    ));
    assert!(matches!(
        Document::open(folder.path().join("missing.txt"), None),
        Err(Error::Base(BaseError::Read { .. }))
    ));
    assert!(matches!(
        Document::open(folder.path(), None),
        Err(Error::Base(BaseError::Read { .. }))
    ));
}

#[test]
fn deep_nesting_is_refused_without_overflowing_the_stack() {
    let deep = |format, text: String| {
        let result = Document::parse("deep", format, text);
        assert!(
            matches!(
                result,
                Err(Error::TooDeep {
                    limit: MAX_DEPTH,
                    ..
                })
            ),
            "{:?}",
            result.map(|document| document.sentences.len())
        );
    };
    deep(Format::Html, "<div>".repeat(200_000));
    deep(
        Format::Html,
        "<p>".to_owned() + &"<b>".repeat(200_000) + "x",
    );
    deep(Format::Html, "<ul><li>".repeat(200_000));
    deep(Format::Html, "<table><tr><td>".repeat(200_000));
    deep(Format::Markdown, ">".repeat(2_000) + " x");
    // The line is that of the file, also where another text than the file's is shown.
    let quoted = |level: usize| " ".repeat(level) + "Words.\n\n";
    for (format, text, expected) in [
        (
            Format::Html,
            "<p>One.\n".to_owned() + &"<div>\n".repeat(600),
            514,
        ),
        (Format::Rst, (0..100).map(quoted).collect(), 129),
        (
            Format::Latex,
            "Words.\n".to_owned() + &"\\emph{\n".repeat(200) + &"}".repeat(200),
            129,
        ),
    ] {
        let refused = Document::parse("deep", format, text);
        assert!(
            matches!(refused, Err(Error::TooDeep { line, .. }) if line == expected),
            "{format:?}: {:?}",
            refused.err()
        );
    }
    html(&"<p>x".repeat(20_000));
    html(&"<li>x</p></i>".repeat(20_000));
    html(&"<code>".repeat(200_000));
    html(&("<div>".repeat(500) + "x" + &"</div>".repeat(500)));
}

#[test]
fn what_looks_quadratic_is_not() {
    let started = std::time::Instant::now();
    html(&format!("<p>a{}b", "&amp".repeat(100_000)));
    html(&format!("<p>a{}b", "<a>".repeat(100_000)));
    html(&format!("<p>{}b", "1. ".repeat(200_000)));
    html(&format!(
        "<p><b>{}a</b> c{}",
        " ".repeat(200_000),
        "<img> ".repeat(20_000)
    ));
    html(&"<".repeat(300_000));
    html(&"<!---->".repeat(50_000));
    markdown(&"*a ".repeat(20_000));
    markdown(&"[a](".repeat(20_000));
    assert!(
        started.elapsed().as_secs() < 60,
        "took {:?}",
        started.elapsed()
    );
}

#[test]
fn what_is_no_text_for_readers_is_refused_unless_requested() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["script.py", "data.toml", "query.sql", "style.css"] {
        let path = folder.path().join(name);
        fs::write(&path, "Open the file.\n").expect("writes");
        let refused = Document::open(&path, None);
        assert!(
            matches!(refused, Err(Error::UnknownFormat { .. })),
            "{refused:?}"
        );
        Document::open(&path, Some(Format::Text)).expect("as it was requested");
    }
    for name in ["README", "notes.TXT", "chapter 1.2"] {
        assert_eq!(
            Format::from_path(name.as_ref()),
            Some(Format::Text),
            "{name}"
        );
    }
}

#[test]
fn encodings_and_line_ends_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let utf16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let text = "\u{FEFF}One here.\r\nTwo there.\r\n";
    let declared = b"<meta charset=\"windows-1251\"><p>\xCF\xF0\xE8\xE2\xE5\xF2.</p>\r\n";
    for (name, bytes, target, expected) in [
        (
            "a.txt",
            utf16(text),
            "Größe",
            utf16("\u{FEFF}Größe\r\nTwo there.\r\n"),
        ),
        (
            "b.html",
            declared.to_vec(),
            "Мir ж",
            b"<meta charset=\"windows-1251\"><p>\xCCir \xE6</p>\r\n".to_vec(),
        ),
        (
            "c.html",
            declared.to_vec(),
            "日",
            b"<meta charset=\"windows-1251\"><p>&#26085;</p>\r\n".to_vec(),
        ),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).expect("written");
        let document = Document::open(&path, None).expect("readable");
        assert_eq!(document.written(&[], None).expect("bytes"), bytes);
        let same: Vec<_> = document
            .sentences
            .iter()
            .map(|it| Some(it.text.clone()))
            .collect();
        assert_eq!(
            document.written(&same, Some("de")).expect("bytes"),
            bytes,
            "{name}"
        );
        let translated = document.written(&[Some(target.to_owned())], Some("de"));
        assert_eq!(translated.expect("bytes"), expected, "{name}");
        let refused = document.written(&[Some("a\0b".to_owned())], None);
        assert!(matches!(
            refused,
            Err(Error::Unwritable {
                character: '\0',
                ..
            })
        ));
    }
}
