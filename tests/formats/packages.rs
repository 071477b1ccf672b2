//! OpenDocument and EPUB, and packages that should not be opened.

use std::io::{Cursor, Write};
use std::path::Path;

use canopy::text::document::{Document, Format, ParagraphKind, ReadingOptions};
use canopy::text::error::Error;
use canopy::text::placeholder::{CLOSE, open, point};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::properties::Inline;
use super::{entry, package, read, texts, translated};

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn open_document(styles: &str, body: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" xmlns:style=\"s\" xmlns:fo=\"f\" \
         xmlns:text=\"t\" xmlns:table=\"b\" xmlns:draw=\"d\" xmlns:officeooo=\"o\"><office:automatic-styles>{styles}</office:automatic-styles>\
         <office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    package(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &content),
        ("META-INF/manifest.xml", "<m:manifest xmlns:m=\"m\"/>"),
    ])
}

pub fn odt(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    open_document("", &odf_paragraphs(paragraphs))
}

/// A package of this type with the body of a text turned into this one.
fn package_of_type(kind: &str, body: &str) -> Vec<u8> {
    let content = entry(&open_document("", body), "content.xml")
        .replace("<office:text>", &format!("<office:{kind}>"))
        .replace("</office:text>", &format!("</office:{kind}>"));
    let mimetype = format!("application/vnd.oasis.opendocument.{kind}");
    package(&[
        ("mimetype", &mimetype),
        ("content.xml", &content),
        ("META-INF/manifest.xml", "<m:manifest xmlns:m=\"m\"/>"),
    ])
}

pub fn ods(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let cells = odf_paragraphs(paragraphs).replace(
        "<text:p>",
        "<table:table-cell office:value-type=\"string\"><text:p>",
    );
    let cells = cells.replace("</text:p>", "</text:p></table:table-cell>");
    let table = format!(
        "<table:table table:name=\"One\"><table:table-row>{cells}</table:table-row></table:table>"
    );
    package_of_type("spreadsheet", &table)
}

pub fn odp(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let text = odf_paragraphs(paragraphs);
    let page = format!(
        "<draw:page><draw:frame><draw:text-box>{text}</draw:text-box></draw:frame></draw:page>"
    );
    package_of_type("presentation", &page)
}

fn odf_paragraphs(paragraphs: &[Vec<Inline>]) -> String {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => escaped(text),
        Inline::Marked(text) => format!(
            "<text:span text:style-name=\"T1\">{}</text:span>",
            escaped(text)
        ),
        Inline::Code => "<text:bookmark text:name=\"b\"/>".to_owned(),
    };
    let paragraph = |it: &Vec<Inline>| {
        format!(
            "<text:p>{}</text:p>",
            it.iter().map(inline).collect::<String>()
        )
    };
    paragraphs.iter().map(paragraph).collect()
}

const PAGE: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" xml:lang=\"en\"><head><title/></head><body>";

fn book(pages: &[&str]) -> Vec<u8> {
    let container = "<container xmlns=\"c\"><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>";
    let item = |number: usize| {
        format!(
            "<item id=\"p{number}\" href=\"page%20{number}.xhtml\" media-type=\"application/xhtml+xml\"/>"
        )
    };
    let items: Vec<String> = (0..pages.len()).map(item).collect();
    let items = items.concat();
    // The pages are read from the last to the first one.
    let place = |number: usize| format!("<itemref idref=\"p{number}\"/>");
    let spine: Vec<String> = (0..pages.len()).rev().map(place).collect();
    let spine = spine.concat();
    let opf = format!(
        "<package xmlns=\"http://www.idpf.org/2007/opf\"><metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:language>en</dc:language></metadata>\
         <manifest>{items}</manifest><spine>{spine}</spine></package>"
    );
    let names: Vec<String> = (0..pages.len())
        .map(|number| format!("OEBPS/page {number}.xhtml"))
        .collect();
    let mut entries = vec![
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("OEBPS/book.opf", &opf),
    ];
    entries.extend(
        names
            .iter()
            .zip(pages)
            .map(|(name, page)| (name.as_str(), *page)),
    );
    package(&entries)
}

pub fn epub(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => escaped(text),
        Inline::Marked(text) => format!("<b>{}</b>", escaped(text)),
        Inline::Code => "<img src=\"a.png\" alt=\"\"/>".to_owned(),
    };
    let paragraph =
        |it: &Vec<Inline>| format!("<p>{}</p>", it.iter().map(inline).collect::<String>());
    let body: String = paragraphs.iter().map(paragraph).collect();
    book(&[&format!("{PAGE}{body}</body></html>")])
}

#[test]
fn a_book_is_read_in_the_order_of_its_spine() {
    let page = |text: &str| format!("{PAGE}<h1>{text}</h1></body></html>");
    let bytes = book(&[&page("Second"), &page("First &amp; best")]);
    let document = read("a.epub", &bytes);
    assert_eq!(texts(&document), ["First & best", "Second"]);
    let written = translated(
        &document,
        &["First & best", "Zweitens < drittens"],
        Some("de"),
    );
    let page = entry(&written, "OEBPS/page 0.xhtml");
    assert!(
        page.contains("lang=\"de\" xml:lang=\"de\"") && page.contains("Zweitens &lt; drittens"),
        "{page}"
    );
    assert!(entry(&written, "OEBPS/page 1.xhtml").contains("First &amp; best"));
    assert!(entry(&written, "OEBPS/book.opf").contains("<dc:language>de</dc:language>"));
    assert!(entry(&written, "OEBPS/book.opf").contains("<spine>"));
    let written = translated(&document, &["أول", "ثان"], Some("ar"));
    let opf = entry(&written, "OEBPS/book.opf");
    assert!(
        opf.contains("<spine page-progression-direction=\"rtl\">"),
        "{opf}"
    );
}

#[test]
fn pages_of_open_document_are_written_from_the_right() {
    let styles = "<style:page-layout><style:page-layout-properties fo:margin=\"1cm\"/></style:page-layout>\
                  <style:style style:name=\"P1\"><style:paragraph-properties style:writing-mode=\"lr-tb\"/></style:style>";
    let document = read("a.odt", &open_document(styles, "<text:p>Open</text:p>"));
    let written = translated(&document, &["افتح"], Some("ar"));
    let content = entry(&written, "content.xml");
    for expected in [
        "<style:page-layout-properties style:writing-mode=\"rl-tb\" ",
        "<style:paragraph-properties style:writing-mode=\"rl-tb\"/>",
    ] {
        assert!(content.contains(expected), "{expected} in {content}");
    }
    let back = translated(&read("a.odt", &written), &["Open"], Some("en"));
    assert!(!entry(&back, "content.xml").contains("rl-tb"));
}

#[test]
fn styles_that_nobody_sees_and_spaces_are_no_placeholders() {
    let styles = "<style:style style:name=\"T1\" style:family=\"text\"><style:text-properties officeooo:rsid=\"1\"/></style:style>\
                  <style:style style:name=\"T2\" style:family=\"text\"><style:text-properties fo:font-weight=\"bold\"/></style:style>";
    let body = "<text:h text:outline-level=\"2\">Title</text:h>\
                <text:p><text:span text:style-name=\"T1\">Op</text:span>en <text:s text:c=\"2\"/><text:span text:style-name=\"T2\">it</text:span> \
                now<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note>.</text:p>\
                <table:table><table:table-cell office:value-type=\"float\"><text:p>1 km</text:p></table:table-cell>\
                <table:table-cell office:value-type=\"string\"><text:p>far</text:p></table:table-cell></table:table>";
    let document = read("a.odt", &open_document(styles, body));
    let text = format!("Open {}it{CLOSE} now{}.", open(0), point(1));
    assert_eq!(texts(&document), ["Title", &text, "A note.", "far"]);
    assert_eq!(
        (document.paragraphs[0].kind, document.sections[1].level),
        (ParagraphKind::Heading, 2)
    );
    let written = translated(
        &document,
        &[
            "Titel",
            &format!("Jetzt {}es{CLOSE} öffnen{}.", open(0), point(1)),
            "Eine Notiz.",
            "weit",
        ],
        None,
    );
    let content = entry(&written, "content.xml");
    let expected = "<text:p>Jetzt <text:s text:c=\"2\"/><text:span text:style-name=\"T2\">es</text:span> öffnen<text:note>";
    assert!(
        content.contains(expected) && content.contains("<text:p>Eine Notiz.</text:p>"),
        "{content}"
    );
    assert!(content.contains("<text:p>1 km</text:p>"));
}

fn refused(name: &str, bytes: Vec<u8>) -> Error {
    let format = Format::from_path(Path::new(name)).expect("a format");
    Document::from_bytes(name, format, bytes).expect_err("refused")
}

#[test]
fn bombs_locks_and_broken_parts_are_refused_by_name() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .start_file("mimetype", SimpleFileOptions::default())
        .expect("an entry");
    writer
        .write_all(b"application/vnd.oasis.opendocument.text")
        .expect("written");
    writer
        .start_file("content.xml", SimpleFileOptions::default())
        .expect("an entry");
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..257 {
        writer.write_all(&zeros).expect("written");
    }
    let bomb = writer.finish().expect("an archive").into_inner();
    assert!(bomb.len() < 1 << 20);
    let error = refused("bomb.odt", bomb);
    assert!(
        matches!(&error, Error::TooLarge { part, .. } if part == "content.xml"),
        "{error}"
    );

    let entities = "<!DOCTYPE p [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]><office:document-content xmlns:office=\"o\" xmlns:text=\"t\"><text:p>Bang &b;</text:p></office:document-content>";
    let bytes = package(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", entities),
    ]);
    let document = read("entities.odt", &bytes);
    assert_eq!(
        document.sentences[0].plain_text(),
        "Bang &b;",
        "what is declared is not expanded"
    );

    let locked =
        "<m:manifest xmlns:m=\"m\"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";
    let bytes = package(&[
        ("mimetype", "x"),
        ("META-INF/manifest.xml", locked),
        ("content.xml", "\u{1}"),
    ]);
    assert!(matches!(
        refused("locked.odt", bytes),
        Error::Encrypted { .. }
    ));
    let compound = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and so on".to_vec();
    assert!(matches!(
        refused("locked.docx", compound),
        Error::Encrypted { .. }
    ));

    let bytes = package(&[("mimetype", "x"), ("content.xml", "<a><b></a>")]);
    let error = refused("broken.odt", bytes);
    assert!(
        matches!(&error, Error::Damaged { part, .. } if part == "content.xml"),
        "{error}"
    );
    assert!(error.to_string().contains("broken.odt"), "{error}");
    let bytes = package(&[("mimetype", "x")]);
    assert!(matches!(
        refused("empty.docx", bytes),
        Error::Damaged { .. }
    ));
    let mut cut = open_document("", "<text:p>A</text:p>");
    cut.truncate(cut.len() / 2);
    assert!(matches!(refused("cut.odt", cut), Error::Damaged { .. }));
}

#[test]
fn entries_that_do_not_change_are_copied_as_they_are_packed() {
    let bytes = open_document("", "<text:p>A</text:p>");
    let document = read("a.odt", &bytes);
    let written = translated(&document, &["B"], None);
    let raw = |bytes: &[u8]| {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
        let entries = (0..archive.len()).map(|index| {
            let entry = archive.by_index_raw(index).expect("an entry");
            (
                entry.name().expect("a name").into_owned(),
                entry.compression(),
                entry.crc32(),
                entry.compressed_size(),
            )
        });
        entries.collect::<Vec<_>>()
    };
    let (before, after) = (raw(&bytes), raw(&written));
    assert_eq!((&before[0], &before[2]), (&after[0], &after[2]));
    assert_ne!(before[1].2, after[1].2);
    assert!(
        written.starts_with(&bytes[..60]),
        "the type of the file stands where it stood"
    );
}

#[test]
fn annotations_are_translated_on_request() {
    let body = "<text:p>Some <office:annotation><dc:creator xmlns:dc=\"dc\">A Person</dc:creator><text:p>Really?</text:p></office:annotation>text.</text:p>";
    let bytes = open_document("", body);
    let text = format!("Some {}text.", point(0));
    assert_eq!(texts(&read("a.odt", &bytes)), [text.as_str()]);
    let options = ReadingOptions {
        comments: true,
        ..ReadingOptions::default()
    };
    let document =
        Document::from_bytes_with("a.odt", Format::Odt, bytes, &options).expect("readable");
    assert_eq!(texts(&document), [text.as_str(), "Really?"]);
    let written = translated(&document, &[&text, "Wirklich?"], None);
    let content = entry(&written, "content.xml");
    assert!(
        content.contains("A Person</dc:creator><text:p>Wirklich?</text:p>"),
        "{content}"
    );
}
