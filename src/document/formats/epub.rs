//! EPUB 2 and 3: pages in a package.
//!
//! Translated: the pages in the order of the spine, the table of contents (its own page and the older list), the book's
//! title. Left alone: other metadata, styles, pictures and what is drawn in them, media overlays.

use std::collections::HashMap;
use std::ops::Range;

use super::direction::set_attributes;
use super::edits::Edits;
use super::language::{instead_of, is_right_to_left};
use super::package::{self, Package};
use super::xml::{Id, Kind, Xml, escaped, escaped_attribute};
use super::{DocumentFormat, Encoding, Kept, WriteBack, html, percent_decoded};
use crate::builder::{Builder, Context, Failure};
use crate::document::{Document, ParagraphKind, Syntax};
use crate::inline::Run;
use crate::reading::text_start;
use crate::view::Translation;

/// Books.
pub(super) struct Epub;

/// The parts of the package that a translator sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The documents of the book in reading order, with its title.
    Book,
    Page,
    /// The list of contents of EPUB 2.
    Contents,
}

/// A part of the book, and where its text is in the document's.
#[derive(Debug)]
struct BookPart {
    name: String,
    content: Content,
    encoding: Encoding,
    range: Range<usize>,
}

impl DocumentFormat for Epub {
    fn is_content(&self, bytes: &[u8]) -> bool {
        package::holds(bytes, |name| name == "META-INF/container.xml")
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let package = Package::open(bytes)?;
        check_rights(&package)?;
        let book = book_name(&package)?;
        let opf = package.xml(&book)?.xml;
        let mut names = vec![(book.clone(), Content::Book)];
        names.extend(content_names(&package, &book, &opf));
        let (mut text, mut parts) = (String::new(), Vec::<BookPart>::new());
        for (name, content) in names {
            if parts.iter().any(|part| part.name == name) {
                continue;
            }
            let part = package.xml(&name)?;
            let start = text.len();
            text.push_str(&part.xml.text);
            parts.push(BookPart {
                name: name.clone(),
                content,
                encoding: part.encoding,
                range: start..text.len(),
            });
            if content == Content::Page {
                let read = html::read(&text, start + text_start(&part.xml.text), true, builder);
                read.map_err(|failure| match failure {
                    Failure::TooDeep { .. } => Failure::PartTooDeep { part: name.clone() },
                    other => other,
                })?;
            } else {
                read_titles(&part.xml, content, start, builder);
            }
        }
        let syntax = Syntax::Html {
            is_xml: true,
            encoding: Encoding::Utf8,
        };
        builder.set_text(text, syntax);
        Ok(Box::new(Book { package, parts }))
    }
}

/// Books whose pages are locked cannot be read; fonts may be.
fn check_rights(package: &Package) -> Result<(), Failure> {
    let Some(name) = package.find("META-INF/encryption.xml") else {
        return Ok(());
    };
    let xml = package.xml(name)?.xml;
    let is_page = |id: Id| {
        let uri = xml
            .attribute(id, "URI")
            .unwrap_or_default()
            .to_ascii_lowercase();
        [".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx"]
            .iter()
            .any(|ending| uri.ends_with(ending))
    };
    if xml.named("CipherReference").any(is_page) {
        Err(Failure::Encrypted)
    } else {
        Ok(())
    }
}

/// The part that says what the book is made of.
fn book_name(package: &Package) -> Result<String, Failure> {
    let container = package.xml("META-INF/container.xml")?.xml;
    let root = container.named("rootfile").next();
    let path = root.and_then(|id| container.attribute(id, "full-path"));
    let name = path.and_then(|path| package.find(&path).map(str::to_owned));
    name.ok_or_else(|| container.damaged("it names no book"))
}

/// The parts with text: lists of contents, then the pages in their order.
fn content_names(package: &Package, book: &str, opf: &Xml) -> Vec<(String, Content)> {
    let folder = book.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut items: HashMap<String, (String, String)> = HashMap::new();
    let (mut contents, mut pages) = (Vec::new(), Vec::new());
    for id in opf.descendants(opf.root()) {
        match opf.name(id) {
            "item" => {
                let value = |name| opf.attribute(id, name).unwrap_or_default();
                let path = format!("{folder}/{}", percent_decoded(&value("href")));
                let Some(name) = package
                    .find(path.trim_start_matches('/'))
                    .map(str::to_owned)
                else {
                    continue;
                };
                let kind = value("media-type").into_owned();
                if kind == "application/x-dtbncx+xml" {
                    contents.push((name.clone(), Content::Contents));
                } else if value("properties")
                    .split_ascii_whitespace()
                    .any(|it| it == "nav")
                {
                    contents.push((name.clone(), Content::Page));
                }
                items.insert(value("id").into_owned(), (name, kind));
            }
            "itemref" => {
                let item = opf.attribute(id, "idref").and_then(|id| items.get(&*id));
                if let Some((name, _)) =
                    item.filter(|(_, kind)| kind == "application/xhtml+xml" || kind == "text/html")
                {
                    pages.push((name.clone(), Content::Page));
                }
            }
            _ => {}
        }
    }
    // A list of contents that is a page of the book is where it is.
    contents.retain(|content| !pages.contains(content));
    contents.extend(pages);
    contents
}

/// Titles outside of pages: of the book, and in a list of contents. Their part begins at byte `start`.
fn read_titles(xml: &Xml, content: Content, start: usize, builder: &mut Builder) {
    let is_title = |id: Id| match content {
        Content::Book => xml.name(id) == "title",
        _ => xml.name(id) == "text",
    };
    if content == Content::Book {
        let language = xml.named("language").next();
        builder.set_language(language.map(|id| xml.whole_text(id)).as_deref());
    }
    let mut end = 0;
    for title in xml.descendants(xml.root()).filter(|&id| is_title(id)) {
        // One within another is part of it.
        if xml.range(title).start < end {
            continue;
        }
        end = xml.range(title).end;
        let mut run = Run::default();
        for child in xml.children(title) {
            let range = xml.range(child);
            let moved = range.start + start..range.end + start;
            match (xml.kind(child), xml.text_of(child)) {
                (Kind::Text, _) => run.text(xml.slice(range), moved.start),
                (Kind::Reference, Some(text)) => run.decoded(&text, moved),
                _ => run.opaque(moved),
            }
        }
        if run.holds_letter() {
            let kind = match content {
                Content::Book => ParagraphKind::Title,
                _ => ParagraphKind::ListItem,
            };
            builder.paragraph(
                &run,
                Context {
                    kind,
                    is_sentence: true,
                    ..Context::default()
                },
            );
        }
    }
}

#[derive(Debug)]
struct Book {
    package: Package,
    parts: Vec<BookPart>,
}

impl WriteBack for Book {
    fn write(&self, document: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let sentences = translation.changed();
        let mut changed = HashMap::new();
        for part in &self.parts {
            let mut text = document.translated_part(part.range.clone(), &sentences);
            if let Some(language) = translation.language {
                text = in_language(&part.name, text, part.content, language)?;
            }
            if text != document.original[part.range.clone()] {
                changed.insert(part.name.clone(), part.encoding.encode_xml(text)?);
            }
        }
        self.package.written(&changed)
    }
}

/// The attribute of a book's spine that says on which side its pages are turned.
const PROGRESSION: &str = "page-progression-direction";

/// The part with its language said where it is said.
fn in_language(
    name: &str,
    text: String,
    content: Content,
    language: &str,
) -> Result<String, Failure> {
    if content == Content::Page {
        return Ok(html::in_language(text, language));
    }
    let xml = Xml::read(name, text)?;
    let root = xml.root();
    let mut edits = Edits::default();
    for (attribute, range) in xml.attributes(root) {
        // In the book's package part it is the language of the metadata.
        if matches!(attribute, "lang" | "xml:lang")
            && let Some(language) = instead_of(xml.slice(range.clone()), language)
        {
            edits.replace(range, escaped_attribute(&language));
        }
    }
    if content == Content::Book {
        let language_of = xml
            .descendants(root)
            .find(|&id| xml.name(id) == "language" && xml.qualified(id).starts_with("dc:"));
        if let Some(id) = language_of.filter(|&id| !xml.is_empty_tag(id))
            && let Some(language) = instead_of(xml.whole_text(id).trim(), language)
        {
            edits.replace(xml.inner(id), escaped(&language));
        }
    }
    let direction = if is_right_to_left(language) {
        "rtl"
    } else {
        "ltr"
    };
    for spine in xml.descendants(root).filter(|&id| xml.name(id) == "spine") {
        let has_direction = xml.attribute(spine, PROGRESSION).is_some();
        if has_direction || direction == "rtl" {
            set_attributes(&xml, spine, &[(PROGRESSION, direction)], &mut edits);
        }
    }
    Ok(edits.applied(&xml.text))
}
