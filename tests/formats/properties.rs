//! Random documents with hostile characters, and random translations of them, are read as they were written.

use std::path::Path;

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use canopy::text::document::{Document, Format, SegmentEdit};
use canopy::text::error::Error;
use canopy::text::placeholder::Placeholder;

use super::idml::idml;
use super::markup::{asciidoc, html, latex, markdown, plain, rst};
use super::office::{docx, pptx, xlsx};
use super::packages::{epub, odp, ods, odt};
use super::xml::{dita, docbook, mallard, xliff1, xliff2};
use super::{entry, read, seen};

/// A piece of a paragraph.
#[derive(Debug, Clone)]
pub enum Inline {
    Text(String),
    Marked(String),
    Code,
}

type Maker = fn(&[Vec<Inline>]) -> Vec<u8>;

/// A name of a file, how it is made of paragraphs, the entry in which they stand if it is an archive, and how their codes
/// begin there.
type Made = (&'static str, Maker, &'static str, &'static str);

const FORMATS: [Made; 19] = [
    ("a.html", html, "", "<img"),
    ("a.md", markdown, "", "<img"),
    ("a.txt", plain, "", "\u{0}"),
    ("a.docx", docx, "word/document.xml", "<w:bookmark"),
    ("a.pptx", pptx, "ppt/slides/slide1.xml", "<a:br"),
    ("a.xlsx", xlsx, "xl/sharedStrings.xml", "\n"),
    ("a.odt", odt, "content.xml", "<text:bookmark"),
    ("a.ods", ods, "content.xml", "<text:bookmark"),
    ("a.odp", odp, "content.xml", "<text:bookmark"),
    ("a.epub", epub, "OEBPS/page 0.xhtml", "<img"),
    ("a.xlf", xliff1, "", "<ph"),
    ("b.xlf", xliff2, "", "<ph"),
    ("a.dita", dita, "", "<image"),
    ("a.dbk", docbook, "", "<anchor"),
    ("a.page", mallard, "", "<media"),
    ("a.tex", latex, "", "\\label"),
    ("a.rst", rst, "", "[1]_"),
    ("a.adoc", asciidoc, "", "(((x)))"),
    ("a.idml", idml, "Stories/Story_u1.xml", "<TextVariable"),
];

const HOSTILE: [&str; 30] = [
    "<",
    ">",
    "&",
    "]]>",
    "\"",
    "'",
    "\u{202E}",
    "e\u{301}",
    "👩‍👩‍👧",
    "🏳️‍🌈",
    "&amp;",
    "&#65;",
    "&lt;b&gt;",
    "-->",
    "<!--",
    "<w:t>",
    "</p>",
    "{0}",
    "%s",
    "a\\b",
    "$1",
    "\u{A0}",
    "\u{200B}",
    "\u{AD}",
    "日本",
    "שלום",
    "नमस्ते",
    "ﬁ",
    "  ",
    "\u{FFFD}",
];

pub fn hostile(random: &mut ChaCha8Rng) -> String {
    let mut text = String::from(
        *["word", "Größe", "Ελλάδα", "ещё"]
            .choose(random)
            .expect("one"),
    );
    for _ in 0..random.random_range(0..5) {
        if random.random_bool(0.5) {
            text.push(' ');
        }
        text += HOSTILE.choose(random).expect("one");
        text += ["", "a", " b", "ß "].choose(random).expect("one");
    }
    text
}

fn paragraphs(random: &mut ChaCha8Rng) -> Vec<Vec<Inline>> {
    let inline = |random: &mut ChaCha8Rng| match random.random_range(0..5) {
        0 => Inline::Marked(hostile(random)),
        1 => Inline::Code,
        _ => Inline::Text(hostile(random)),
    };
    let paragraph = |random: &mut ChaCha8Rng| {
        let mut paragraph = vec![Inline::Text(hostile(random))];
        paragraph.extend((0..random.random_range(0..5)).map(|_| inline(random)));
        paragraph
    };
    (0..random.random_range(1..5))
        .map(|_| paragraph(random))
        .collect()
}

/// A translation with the placeholders of its source, nested as they were; without some of them if `loses`.
fn translation(source: &str, loses: bool, random: &mut ChaCha8Rng) -> String {
    let mut text = hostile(random);
    let mut dropped = Vec::new();
    for placeholder in source
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_some())
    {
        let is_kept = match Placeholder::from_char(placeholder) {
            Some(Placeholder::Close) => dropped.pop().unwrap_or(true),
            Some(Placeholder::Open(_)) => {
                dropped.push(!loses || random.random_bool(0.7));
                *dropped.last().expect("pushed")
            }
            _ => !loses || random.random_bool(0.7),
        };
        if is_kept {
            text.push(placeholder);
        }
        if random.random_bool(0.8) {
            text += &hostile(random);
        }
    }
    text.trim().to_owned()
}

fn paragraph_texts(document: &Document, texts: &[String]) -> Vec<String> {
    let of = |paragraph: &canopy::text::document::Paragraph| {
        seen(&texts[paragraph.sentences.clone()].concat())
    };
    document.paragraphs.iter().map(of).collect()
}

/// How many codes stand in a file.
fn count(bytes: &[u8], part: &str, mark: &str) -> usize {
    match part {
        "" => String::from_utf8_lossy(bytes).matches(mark).count(),
        part => entry(bytes, part).matches(mark).count(),
    }
}

fn check((name, maker, part, mark): Made, random: &mut ChaCha8Rng) {
    let source = paragraphs(random);
    let bytes = maker(&source);
    let document = read(name, &bytes);
    let shown = source.iter().map(|paragraph| {
        let text = |inline: &Inline| match inline {
            Inline::Text(text) | Inline::Marked(text) => text.clone(),
            Inline::Code => String::new(),
        };
        seen(&paragraph.iter().map(text).collect::<String>())
    });
    let own: Vec<String> = document
        .sentences
        .iter()
        .map(|sentence| sentence.text.clone())
        .collect();
    let found = paragraph_texts(&document, &own);
    // In XLIFF what a program fills in is a placeholder, also where it stands in the text: `reports` looks at those.
    let has_variables = document.format == Format::Xliff;
    let shown: Vec<String> = shown.collect();
    if !has_variables {
        assert_eq!(found, shown, "{name}: {source:?}");
    }
    let same: Vec<_> = own.iter().cloned().map(Some).collect();
    assert!(
        document.written(&same, None).expect("written") == bytes,
        "{name}: {source:?}"
    );

    let loses = random.random_bool(0.3);
    let translations: Vec<String> = own
        .iter()
        .map(|text| translation(text, loses, random))
        .collect();
    let given: Vec<_> = translations.iter().cloned().map(Some).collect();
    let written = document.written(&given, Some("de")).expect("written");
    let again = read(name, &written);
    let texts: Vec<String> = again
        .sentences
        .iter()
        .map(|sentence| sentence.known_text().unwrap_or(&sentence.text).to_owned())
        .collect();
    let expected: Vec<String> = paragraph_texts(&document, &translations);
    if !has_variables {
        assert_eq!(
            paragraph_texts(&again, &texts),
            expected,
            "{name}: {source:?} -> {translations:?}"
        );
    }
    // What a page has lost is lost; in other files every code stays, in a bilingual one next to that of the source.
    let may_go = matches!(
        document.format,
        Format::Epub | Format::Html | Format::Markdown
    );
    if !(loses && may_go) {
        let times = if document.format.is_bilingual() { 2 } else { 1 };
        let (before, after) = (count(&bytes, part, mark), count(&written, part, mark));
        assert_eq!(
            after,
            times * before,
            "{name}: {source:?} -> {translations:?}"
        );
    }

    let mut bad = given;
    bad[0] = Some(format!(
        "a{}b",
        ['\0', '\u{1B}', '\u{FFFF}'].choose(random).expect("one")
    ));
    assert!(
        matches!(
            document.written(&bad, Some("de")),
            Err(Error::Unwritable { .. })
        ),
        "{name}"
    );
}

#[test]
fn random_documents_and_translations_are_read_as_they_were_written() {
    for made in FORMATS {
        let mut random = ChaCha8Rng::seed_from_u64(29);
        for _ in 0..400 {
            check(made, &mut random);
        }
    }
}

/// Whatever is cut off or changed in a file, it is read or refused, and nothing else.
#[test]
fn damaged_files_are_refused_or_read() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (name, maker, ..) in FORMATS {
        for _ in 0..60 {
            let mut bytes = maker(&paragraphs(&mut random));
            match random.random_range(0..3) {
                0 => bytes.truncate(random.random_range(0..bytes.len())),
                1 => {
                    let place = random.random_range(0..bytes.len());
                    bytes[place] = (random.next_u32() & 0xFF) as u8;
                }
                _ => {
                    let place = random.random_range(0..bytes.len());
                    bytes.drain(place..(place + 9).min(bytes.len()));
                }
            }
            let format = Format::from_path(name.as_ref()).expect("a format");
            let Ok(document) = Document::from_bytes(name, format, bytes.clone()) else {
                continue;
            };
            let none = vec![None; document.sentences.len()];
            assert!(
                document.written(&none, None).expect("written") == bytes,
                "{name}"
            );
        }
    }
}

/// The formats of these tests.
pub fn formats() -> impl Iterator<Item = Format> {
    FORMATS
        .iter()
        .filter_map(|(name, ..)| Format::from_path(name.as_ref()))
}

#[test]
fn sentences_are_split_and_joined_and_the_file_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = ChaCha8Rng::seed_from_u64(17);
    for (name, maker, ..) in FORMATS {
        let (mut splits, path) = (0, folder.path().join(name));
        for _ in 0..4 {
            let bytes = maker(&paragraphs(&mut random));
            std::fs::write(&path, &bytes).expect("written");
            let document = Document::open(&path, None).expect("readable");
            for sentence in 0..document.sentences.len() {
                splits += usize::from(split_and_joined(&path, &document, sentence));
            }
        }
        // XLIFF 2 has segments of its own.
        assert_eq!(splits > 0, name != "b.xlf", "{name}");
    }
}

/// Splits a sentence in the middle and joins it again; `false` if it cannot be split there.
fn split_and_joined(path: &Path, document: &Document, sentence: usize) -> bool {
    let identity = |document: &Document| {
        let sentences = document.sentences.iter();
        let texts = sentences.map(|it| Some(it.text.clone()).filter(|_| it.known.is_none()));
        let texts: Vec<Option<String>> = texts.collect();
        document.written(&texts, None).expect("written")
    };
    let whole = |document: &Document| {
        let sentences = document.sentences.iter();
        let shown: String = sentences.map(|it| seen(&it.text)).collect();
        shown
    };
    let chars = document.sentences[sentence].text.chars().count() / 2;
    let edited = |document: &Document, edit: SegmentEdit| {
        Document::open_edited(path, None, &document.reading, Some(edit))
    };
    let split = match edited(document, SegmentEdit::Split { sentence, chars }) {
        Ok(split) => split,
        Err(Error::OneSegment) => return false,
        Err(error) => panic!("{}: {error}", path.display()),
    };
    assert_eq!(split.sentences.len(), document.sentences.len() + 1);
    assert_eq!(split.paragraphs.len(), document.paragraphs.len());
    assert_eq!(whole(&split), whole(document));
    assert_eq!(identity(&split), identity(document), "{}", path.display());
    // Read as it was kept, it is cut in the same way.
    let again = Document::open_with(path, None, &split.reading).expect("readable");
    let texts = |document: &Document| {
        let sentences = document.sentences.iter();
        sentences.map(|it| it.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&again), texts(&split));
    let joined = edited(&split, SegmentEdit::Join { sentence }).expect("joined");
    assert_eq!(texts(&joined), texts(document), "{}", path.display());
    true
}
