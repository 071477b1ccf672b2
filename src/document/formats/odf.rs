//! OpenDocument: texts, workbooks and presentations of LibreOffice and others.
//!
//! Translated: paragraphs and headings with tables, text boxes, foot- and endnotes, speaker notes, headers and footers.
//! Left alone: fields, numbers, dates, formulas and what they compute, deletions, comments unless requested, names
//! of sheets, charts.

use std::collections::{HashMap, HashSet};

use super::direction::{Directed, directed, prefix, set_attributes};
use super::edits::Edits;
use super::language;
use super::mixed::{MixedPlace, MixedReader, Role};
use super::package::{Package, Part};
use super::xml::{Id, Xml, escaped_attribute};
use super::{DocumentFormat, Kept, WriteBack};
use crate::builder::{Builder, Context, Failure};
use crate::document::{Document, ParagraphKind};
use crate::view::Translation;
use crate::words::Words;

/// A kind of OpenDocument files, named as in the type of their `mimetype`: `text`, `spreadsheet`, `presentation`.
pub(super) struct Odf(pub &'static str);

const TYPE: &str = "application/vnd.oasis.opendocument.";

impl DocumentFormat for Odf {
    fn is_content(&self, bytes: &[u8]) -> bool {
        // The first entry is not packed, so that everybody can see it.
        let kind = format!("mimetype{TYPE}{}", self.0);
        bytes.get(30..30 + kind.len()) == Some(kind.as_bytes())
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let package = Package::open(bytes)?;
        if let Some(manifest) = package.find("META-INF/manifest.xml") {
            let xml = package.xml(manifest)?.xml;
            if xml.named("encryption-data").next().is_some() {
                return Err(Failure::Encrypted);
            }
        }
        let comments = builder.options().comments;
        let mut parts = Vec::new();
        for name in ["content.xml", "styles.xml"] {
            if name == "styles.xml" && package.find(name).is_none() {
                continue;
            }
            let part = package.xml(name)?;
            let xml = &part.xml;
            let unseen = unseen_styles(xml);
            let mut reader = MixedReader {
                xml,
                builder,
                role: &|id| match xml.attribute(id, "style-name") {
                    Some(style) if xml.name(id) == "span" && unseen.contains(&*style) => {
                        Role::Transparent
                    }
                    _ => role(xml, id, comments),
                },
                context: &|id| context(xml, id),
                places: Vec::new(),
            };
            reader.blocks(xml.root());
            let places = reader.places;
            parts.push((part, places));
        }
        Ok(Box::new(OdfFile { package, parts }))
    }
}

#[derive(Debug)]
struct OdfFile {
    package: Package,
    parts: Vec<(Part, Vec<MixedPlace>)>,
}

impl WriteBack for OdfFile {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut changed = HashMap::new();
        for (Part { xml, encoding }, places) in &self.parts {
            let mut edits = Edits::default();
            if let Some(language) = translation.language {
                set_language(xml, language, &mut edits);
            }
            let mut places: Vec<&MixedPlace> = places.iter().collect();
            places.sort_by_key(|place| place.bytes.end);
            for place in places {
                if let Some(parts) = translation.parts(place.unit) {
                    let written = place.written(xml, *encoding, &parts, &edits);
                    edits.replace(place.bytes.clone(), written);
                }
            }
            let text = edits.applied(&xml.text);
            let text = directed(&xml.part, text, translation, &Styles)?;
            if text != xml.text {
                changed.insert(xml.part.clone(), encoding.encode_xml(text)?);
            }
        }
        self.package.written(&changed)
    }
}

/// The styles of text that change nothing a reader sees: LibreOffice makes one for every session of writing.
fn unseen_styles(xml: &Xml) -> HashSet<String> {
    let is_unseen = |name: &str| {
        let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
        matches!(local, "rsid" | "paragraph-rsid")
            || local.starts_with("language")
            || local.starts_with("country")
    };
    let styles = xml.descendants(xml.root()).filter(|&id| {
        xml.name(id) == "style"
            && xml.attribute(id, "family").as_deref() == Some("text")
            && xml.attribute(id, "parent-style-name").is_none()
            && xml.elements(id).all(|properties| {
                xml.name(properties) == "text-properties"
                    && xml.elements(properties).next().is_none()
                    && xml
                        .attributes(properties)
                        .iter()
                        .all(|(name, _)| is_unseen(name))
            })
    });
    styles.filter_map(|id| xml.value(id, "name")).collect()
}

/// The role of an element in the text around it.
fn role(xml: &Xml, id: Id, comments: bool) -> Role {
    match xml.name(id) {
        "annotation" if comments && is_in_text(xml, id) => Role::Anchor,
        "annotation" if comments => Role::Block,
        "creator" | "date" | "date-string" | "creator-initials" | "sender-initials"
            if xml
                .parent(id)
                .is_some_and(|above| xml.name(above) == "annotation") =>
        {
            Role::Skipped
        }
        "table-cell" | "covered-table-cell" if comments && !is_text_cell(xml, id) => Role::Block,
        "p" | "h" if comments && xml.parent(id).is_some_and(|it| is_number(xml, it)) => {
            Role::Skipped
        }
        "span" | "a" | "meta" | "bookmark-content" => Role::Inline,
        "s" => Role::Space,
        "tab" => Role::Point,
        "line-break" => Role::LineBreak,
        "soft-page-break" => Role::Hidden,
        "note" => Role::Anchor,
        "note-body" | "text-box" => Role::Block,
        "note-citation" => Role::Skipped,
        "frame" | "custom-shape" | "g" | "rect" | "line" if is_in_text(xml, id) => Role::Anchor,
        "ruby" => Role::Opaque(
            xml.child(id, "ruby-base")
                .map_or(String::new(), |base| xml.whole_text(base)),
        ),
        "annotation"
        | "tracked-changes"
        | "desc"
        | "title"
        | "binary-data"
        | "scripts"
        | "forms"
        | "font-face-decls"
        | "automatic-styles"
        | "styles"
        | "settings"
        | "object"
        | "object-ole"
        | "plugin"
        | "event-listeners"
        | "calculation-settings"
        | "content-validations"
        | "named-expressions"
        | "database-ranges"
        | "data-pilot-tables"
        | "dde-links"
        | "label-ranges"
        | "consolidation"
        | "variable-decls"
        | "sequence-decls"
        | "user-field-decls"
        | "header-decl"
        | "footer-decl"
        | "date-time-decl"
        | "bibliography-configuration"
        | "notes-configuration"
        | "linenumbering-configuration" => {
            // In a sentence such a thing is a place, between blocks it is nothing.
            if is_in_text(xml, id) {
                Role::Point
            } else {
                Role::Skipped
            }
        }
        "table-cell" | "covered-table-cell" if !is_text_cell(xml, id) => Role::Skipped,
        "bookmark" | "bookmark-start" | "reference-mark" | "reference-mark-start" => {
            Role::Placed { begins: true }
        }
        "bookmark-end" | "reference-mark-end" => Role::Placed { begins: false },
        name if is_mark(name) => Role::Point,
        _ if is_in_text(xml, id) => Role::Opaque(xml.whole_text(id)),
        _ => Role::Block,
    }
}

/// Marks in a text that show nothing.
fn is_mark(name: &str) -> bool {
    Words(
        "change change-start change-end annotation-end toc-mark toc-mark-start toc-mark-end alphabetical-index-mark
         alphabetical-index-mark-start alphabetical-index-mark-end user-index-mark user-index-mark-start
         user-index-mark-end control",
    ).contains(name)
}

/// Whether an element is in a paragraph, not between paragraphs.
fn is_in_text(xml: &Xml, id: Id) -> bool {
    const HOLDERS: Words =
        Words("text-box note-body annotation table-cell list-item section page body");
    for above in xml.ancestors(id) {
        match xml.name(above) {
            "p" | "h" => return true,
            name if HOLDERS.contains(name) => return false,
            _ => {}
        }
    }
    false
}

/// A cell whose text is text: not a number, a date, or what a formula computes.
fn is_text_cell(xml: &Xml, cell: Id) -> bool {
    let kind = xml.attribute(cell, "value-type");
    kind.is_none_or(|kind| kind == "string")
        && xml.qualified_attribute(cell, "table:formula").is_none()
}

fn is_number(xml: &Xml, cell: Id) -> bool {
    matches!(xml.name(cell), "table-cell" | "covered-table-cell") && !is_text_cell(xml, cell)
}

fn context(xml: &Xml, paragraph: Id) -> Context {
    let mut context = Context::default();
    if xml.name(paragraph) == "h" {
        let level = xml
            .attribute(paragraph, "outline-level")
            .and_then(|level| level.parse().ok());
        context.kind = ParagraphKind::Heading;
        context.level = Some(level.unwrap_or(1_u8).clamp(1, 6));
        return context;
    }
    for above in xml.ancestors(paragraph) {
        context.kind = match xml.name(above) {
            "table-cell" => ParagraphKind::TableCell,
            "list-item" => ParagraphKind::ListItem,
            "frame" if xml.attribute(above, "class").as_deref() == Some("title") => {
                context.level = Some(1);
                ParagraphKind::Heading
            }
            _ => continue,
        };
        break;
    }
    context
}

/// Says in every style that has a language that it is this one.
fn set_language(xml: &Xml, language: &str, edits: &mut Edits) {
    let (main, country) = language::parts(language);
    let names_country = country.is_some();
    let country = country.or_else(|| language::usual_country(&main).map(str::to_owned));
    let suffix = match main.as_str() {
        "zh" | "ja" | "ko" => "-asian",
        "ar" | "he" | "fa" | "ur" | "hi" | "th" => "-complex",
        _ => "",
    };
    for id in xml.named("text-properties") {
        let said = xml.attributes(id).into_iter().find(|(name, _)| {
            let local = name.rsplit_once(':').map_or(*name, |(_, local)| local);
            local.strip_suffix(suffix) == Some("language")
        });
        if !names_country && said.is_some_and(|(_, range)| *xml.slice(range) == main) {
            // A variety of the language stays.
            continue;
        }
        for (name, range) in xml.attributes(id) {
            let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
            // "none" is text in no language.
            if matches!(xml.slice(range.clone()), "none" | "zxx") {
                continue;
            }
            if local.strip_suffix(suffix) == Some("language") {
                edits.replace(range, escaped_attribute(&main));
            } else if local.strip_suffix(suffix) == Some("country")
                && let Some(country) = &country
            {
                edits.replace(range, escaped_attribute(country));
            }
        }
    }
}

/// Pages, sheets and paragraphs by the styles of a file.
struct Styles;

impl Directed for Styles {
    fn set_direction(&self, xml: &Xml, is_right: bool, edits: &mut Edits) {
        let (before, now) = if is_right {
            (["lr-tb", "lr"], "rl-tb")
        } else {
            (["rl-tb", "rl"], "lr-tb")
        };
        for id in xml.descendants(xml.root()) {
            let mode = xml.attribute(id, "writing-mode");
            let is_other = mode.as_deref().is_some_and(|it| before.contains(&it));
            let is_page = xml.name(id) == "page-layout-properties";
            if is_other || mode.is_none() && is_page && is_right {
                let name = format!("{}writing-mode", prefix(xml, id));
                match xml.attribute_range(id, "writing-mode") {
                    Some(range) => edits.replace(range, now.to_owned()),
                    None => set_attributes(xml, id, &[(&name, now)], edits),
                }
            }
        }
    }
}
