//! Formats of files: what is read of each, and that all of a file but its translated sentences comes back as it was.

mod corpus;
mod dialects;
mod documents;
mod export;
mod hostile;
mod idml;
mod import;
mod markup;
mod metrics;
mod office;
mod other_programs;
mod packages;
mod pdf;
mod properties;
mod reports;
mod strings;
mod subtitles;
#[path = "../support/mod.rs"]
mod support;
mod tokenizers;
mod xml;

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use canopy::text::document::{Document, Format, ReadingOptions};
use canopy::text::placeholder::Placeholder;
use canopy::text::pseudo::Pseudo;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A zip archive of these entries; the first one is not packed.
pub fn package(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, (name, text)) in entries.iter().enumerate() {
        let method = match number {
            0 => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        };
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(text.as_bytes()).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

/// An entry of an archive.
pub fn entry(bytes: &[u8], name: &str) -> String {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut text = String::new();
    let mut entry = archive.by_name(name).expect("an entry");
    entry.read_to_string(&mut text).expect("text");
    text
}

pub fn read(name: &str, bytes: &[u8]) -> Document {
    read_with(name, bytes, &ReadingOptions::default())
}

pub fn read_with(name: &str, bytes: &[u8], options: &ReadingOptions) -> Document {
    let format = Format::from_content(Path::new(name), bytes).expect("a known format");
    Document::from_bytes_with(name, format, bytes.to_vec(), options).expect("readable")
}

pub fn texts(document: &Document) -> Vec<&str> {
    document
        .sentences
        .iter()
        .map(|sentence| sentence.text.as_str())
        .collect()
}

/// The document with these translations of its sentences.
pub fn translated(document: &Document, translations: &[&str], language: Option<&str>) -> Vec<u8> {
    let translations: Vec<_> = translations
        .iter()
        .map(|text| Some((*text).to_owned()))
        .collect();
    document.written(&translations, language).expect("written")
}

fn pseudo(document: &Document, pseudo: Pseudo) -> Vec<Option<String>> {
    let translated = |sentence: &canopy::text::document::Sentence| {
        sentence
            .known
            .is_none()
            .then(|| pseudo.translated(&sentence.text))
    };
    document.sentences.iter().map(translated).collect()
}

/// The text without placeholders, whose numbers may change with their order, and without space, which may be folded.
pub fn seen(text: &str) -> String {
    let letters = text
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_none());
    letters.filter(|c| !c.is_whitespace()).collect()
}

/// Real files: those that pandoc and LibreOffice made for us, and of other programs' tests, where they are.
pub fn real_documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("tests/data/documents")];
    match fs::read_dir(root.join("../shared/documents")) {
        Ok(entries) => folders.extend(entries.map(|entry| entry.expect("an entry").path())),
        Err(_) => println!("there is no ../shared/documents: only our own are looked at"),
    }
    let folders = folders.iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// Translations of very different lengths, with all placeholders.
fn short_and_long(document: &Document) -> [Vec<Option<String>>; 2] {
    let all = |made: &dyn Fn(&str) -> String| {
        let sentences = document.sentences.iter();
        sentences
            .map(|it| it.known.is_none().then(|| made(&it.text)))
            .collect()
    };
    let is_placeholder = |c: &char| Placeholder::from_char(*c).is_some();
    // A link without words would keep those of its source, and one within a word would be none.
    let short = |text: &str| {
        let codes = text.chars().filter(is_placeholder);
        let codes = codes.map(|code| match Placeholder::from_char(code) {
            Some(Placeholder::Open(_)) => format!(" {code}ä"),
            Some(Placeholder::Close) => format!("{code} "),
            _ => format!(" {code} "),
        });
        format!("ä{}", codes.collect::<String>())
    };
    let long = |text: &str| {
        let letters: String = text.chars().filter(|c| !is_placeholder(c)).collect();
        format!(
            "ä{}{text}",
            format!("{} ", letters.replace(['{', '}', '%', '\\'], "")).repeat(6)
        )
    };
    [all(&short), all(&long)]
}

#[test]
fn real_files_come_back_as_they_were_and_translated() {
    // Refused, with the name and the place.
    let damaged = ["clusterfuzz", "invalid_xml_entity"];
    let (files, mut count, mut faults) = (real_documents(), 0, Vec::new());
    for path in &files {
        let name = path.file_name().expect("a name").to_string_lossy();
        let bytes = fs::read(path).expect("readable");
        let Some(format) = Format::from_content(path, &bytes) else {
            continue;
        };
        let document = Document::open(path, None);
        if damaged.iter().any(|word| name.contains(word)) {
            let error = document.expect_err("damaged").to_string();
            assert!(error.contains(&*name), "{error}");
            continue;
        }
        count += 1;
        match document {
            Ok(document) => faults.extend(faults_of(&name, format, &document, &bytes)),
            Err(error) => faults.push(format!("{name}: {error}")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let least = if files.len() > 60 { 60 } else { 8 };
    assert!(count >= least, "{count} files");
}

/// The faults when the document is written unchanged, and with other texts, and read again.
fn faults_of(name: &str, format: Format, document: &Document, bytes: &[u8]) -> Option<String> {
    let same = document.written(&pseudo(document, Pseudo::Identity), None);
    if same.expect("written") != bytes {
        return Some(format!("{name} is not the same"));
    }
    let [short, long] = short_and_long(document);
    let mut given = vec![pseudo(document, Pseudo::Accents), long];
    // An argument with two words of an unknown LaTeX command is text.
    if format != Format::Latex {
        given.push(short);
    }
    for new in given {
        let written = match document.written(&new, None) {
            Ok(written) => written,
            // A legacy encoding without a way to write what it does not have.
            Err(canopy::text::error::Error::Unencodable { .. }) => continue,
            Err(error) => return Some(format!("{name}: {error}")),
        };
        // The text columns of a table are recognised by their content.
        if format.is_bilingual() || format == Format::Csv {
            continue;
        }
        let again = match Document::from_bytes(name, format, written) {
            Ok(again) => again,
            Err(error) => return Some(format!("{name}, written: {error}")),
        };
        // Dashes in front of lines are two speakers', who a translation may end up having.
        let letters = |text: &str| {
            let seen = seen(text);
            if format.is_subtitles() {
                seen.replace('-', "")
            } else {
                seen
            }
        };
        let all = |texts: &mut dyn Iterator<Item = &str>| texts.map(letters).collect::<String>();
        let expected = all(&mut new.iter().flatten().map(String::as_str));
        let found = all(&mut texts(&again).into_iter());
        if found != expected {
            let cut = |text: &str| text.chars().take(300).collect::<String>();
            return Some(format!("{name}: {}\nfor {}", cut(&found), cut(&expected)));
        }
    }
    None
}

#[test]
fn every_format_that_is_written_has_its_property_test() {
    let subtitles = [Format::Srt, Format::Vtt, Format::Ass];
    let tested: Vec<Format> = properties::formats()
        .chain(strings::formats())
        .chain(subtitles)
        .collect();
    for format in Format::ALL {
        // What is read of a PDF is written as a page.
        if *format != Format::Pdf {
            assert!(tested.contains(format), "{format:?}");
        }
    }
}
