//! Presentations (Office Open XML).
//!
//! Translated: text of slides in their order, with tables and diagrams, each slide followed by its speaker notes. Left
//! alone: fields (numbers and dates), layouts and masters, charts, equations, comments unless requested.

use super::direction::{Directed, has_right, prefix, set_attributes};
use super::edits::Edits;
use super::language::WordLanguage;
use super::office::{Office, OfficeDialect, OfficePart};
use super::opc;
use super::package::Package;
use super::runs::{self, Child, Dialect, OpenFields, RunChild};
use super::xml::{Id, Xml};
use super::{DocumentFormat, Kept};
use crate::builder::{Builder, Context, Failure};
use crate::document::{ParagraphKind, Part};

/// Presentations.
pub(super) struct Pptx;

impl DocumentFormat for Pptx {
    fn is_content(&self, bytes: &[u8]) -> bool {
        opc::is_office(bytes, "ppt/")
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (package, main, related) = opc::open(bytes)?;
        let presentation = package.xml(&main)?.xml;
        let mut parts: Vec<OfficePart> = Vec::new();
        for slide in presentation.named("sldId") {
            let id = presentation.qualified_attribute(slide, "r:id");
            let id = id.or_else(|| presentation.attribute(slide, "embed"));
            let named = related
                .iter()
                .find(|it| Some(it.id.as_str()) == id.as_deref());
            let Some(slide) = named.and_then(|it| it.target.clone()) else {
                return Err(presentation.damaged("it names a slide that does not exist"));
            };
            let beside = opc::relationships(&package, &slide)?;
            let beside = |kind: &'static str| {
                let of_kind = beside.iter().filter(move |it| it.kind == kind);
                of_kind.filter_map(|it| it.target.clone())
            };
            let mut of_slide = vec![slide.clone()];
            for kind in ["diagramData", "diagramDrawing", "notesSlide"] {
                of_slide.extend(beside(kind));
            }
            let mut units = Vec::new();
            for name in of_slide {
                if parts.iter().any(|part| part.name == name) {
                    continue;
                }
                // The file has a diagram twice: what it is, and how it was drawn.
                if !name.contains("/diagrams/drawing") {
                    units.clear();
                }
                parts.push(mirrored_part(&package, name, builder, &mut units)?);
            }
            if builder.options().comments {
                for name in beside("comments") {
                    parts.push(remarks(&package, name, "cm", builder)?);
                }
            }
        }
        Ok(Box::new(Office::new(package, parts)))
    }
}

/// A part with comments: as pictures have text, or each as one text in a `holder`.
pub(super) fn remarks(
    package: &Package,
    name: String,
    holder: &str,
    builder: &mut Builder,
) -> Result<OfficePart, Failure> {
    let part = package.xml(&name)?;
    let xml = &part.xml;
    let holds = |id: &usize| xml.name(*id) == holder && xml.child(*id, "text").is_some();
    if !xml.descendants(xml.root()).any(|id| holds(&id)) {
        return drawing_part(package, name, builder);
    }
    let mut places = Vec::new();
    for id in xml.descendants(xml.root()).filter(holds) {
        let collected = runs::collect(&Remark, xml, id, &mut OpenFields::default());
        places.extend(collected.map(|collected| collected.unit(builder, Context::default())));
    }
    Ok(OfficePart::new(name, part, places, &Remark))
}

/// A part with text as pictures have it.
pub(super) fn drawing_part(
    package: &Package,
    name: String,
    builder: &mut Builder,
) -> Result<OfficePart, Failure> {
    mirrored_part(package, name, builder, &mut Vec::new())
}

/// As [`drawing_part`], where the first paragraphs of a text have their units already.
fn mirrored_part(
    package: &Package,
    name: String,
    builder: &mut Builder,
    units: &mut Vec<(String, usize)>,
) -> Result<OfficePart, Failure> {
    let known = std::mem::take(units);
    let mut known: Vec<Option<(String, usize)>> = known.into_iter().map(Some).collect();
    let part = package.xml(&name)?;
    let xml = &part.xml;
    let mut places = Vec::new();
    for paragraph in paragraphs(xml) {
        let collected = runs::collect(&Drawing, xml, paragraph, &mut OpenFields::default());
        let Some(collected) = collected else { continue };
        let text = collected.draft.shown();
        let same = known
            .iter_mut()
            .find(|it| it.as_ref().is_some_and(|(known, _)| *known == text));
        let place = match same.and_then(Option::take) {
            Some((_, unit)) => collected.mirror(unit),
            None => collected.unit(builder, context(xml, paragraph)),
        };
        units.push((text, place.unit));
        places.push(place);
    }
    Ok(OfficePart::new(name, part, places, &Drawing))
}

fn paragraphs(xml: &Xml) -> impl Iterator<Item = Id> {
    let named = xml.named("p");
    named.filter(|&id| xml.namespace(id).contains("/drawingml/"))
}

fn context(xml: &Xml, paragraph: Id) -> Context {
    let is_notes = xml.ancestors(paragraph).any(|it| xml.name(it) == "notes");
    let mut context = Context {
        part: is_notes.then_some(Part::SpeakerNotes),
        ..Context::default()
    };
    for above in xml.ancestors(paragraph) {
        match xml.name(above) {
            "tc" => {
                context.kind = ParagraphKind::TableCell;
                break;
            }
            "sp" if is_title(xml, above) => {
                (context.kind, context.level) = (ParagraphKind::Heading, Some(1));
                break;
            }
            _ => {}
        }
    }
    context
}

/// Whether a shape holds the title of its slide.
fn is_title(xml: &Xml, shape: Id) -> bool {
    let holder = xml
        .child(shape, "nvSpPr")
        .and_then(|it| xml.child(it, "nvPr"));
    let kind = holder
        .and_then(|it| xml.child(it, "ph"))
        .and_then(|it| xml.attribute(it, "type"));
    matches!(kind.as_deref(), Some("title" | "ctrTitle"))
}

/// How drawings spell runs.
pub(super) struct Drawing;

impl Dialect for Drawing {
    fn child(&self, xml: &Xml, id: Id) -> Child {
        match xml.name(id) {
            "r" => Child::Run,
            "pPr" | "endParaRPr" => Child::Properties,
            "br" => Child::LineBreak,
            "fld" => {
                let text = xml
                    .child(id, "t")
                    .map_or(String::new(), |text| xml.whole_text(text));
                Child::Opaque("field", text)
            }
            "m" | "AlternateContent" => Child::Opaque("math", String::new()),
            _ => Child::Point("mark"),
        }
    }

    fn is_invisible(&self, name: &str) -> bool {
        matches!(
            name,
            "lang" | "altLang" | "dirty" | "err" | "smtClean" | "smtId" | "noProof" | "bmk"
        )
    }
}

impl OfficeDialect for Drawing {
    fn set_language(&self, xml: &Xml, language: &WordLanguage, edits: &mut Edits) {
        for id in xml.root()..xml.len() {
            if matches!(xml.name(id), "rPr" | "endParaRPr" | "defRPr")
                && let Some(range) = xml.attribute_range(id, "lang")
                && let Some(code) = language.instead_of(xml.slice(range.clone()))
            {
                edits.replace(range, code);
            }
        }
    }
}

impl Directed for Drawing {
    /// Paragraphs say their direction and, apart from it, on which side they begin.
    fn set_direction(&self, xml: &Xml, is_right: bool, edits: &mut Edits) {
        let (value, side) = if is_right { ("1", "r") } else { ("0", "l") };
        for paragraph in paragraphs(xml) {
            if is_right != has_right(&xml.whole_text(paragraph)) {
                continue;
            }
            let Some(known) = xml.child(paragraph, "pPr") else {
                if is_right {
                    let start = xml.start_tag(paragraph).end;
                    let name = prefix(xml, paragraph);
                    edits.replace(start..start, format!("<{name}pPr algn=\"r\" rtl=\"1\"/>"));
                }
                continue;
            };
            let direction = xml.attribute(known, "rtl");
            if direction.as_deref() == Some(value) || !is_right && direction.is_none() {
                continue;
            }
            let is_side = matches!(
                xml.attribute(known, "algn").as_deref(),
                None | Some("l" | "r")
            );
            let attributes = [("algn", side), ("rtl", value)];
            let attributes = &attributes[usize::from(!is_side)..];
            set_attributes(xml, known, attributes, edits);
        }
    }
}

/// How a comment spells its text: in one element.
struct Remark;

impl Dialect for Remark {
    fn child(&self, xml: &Xml, id: Id) -> Child {
        match xml.name(id) {
            "text" => Child::BareText,
            _ => Child::Properties,
        }
    }

    fn run_child(&self, _: &Xml, _: Id) -> RunChild {
        RunChild::Dropped
    }

    fn is_invisible(&self, _: &str) -> bool {
        true
    }

    fn text_element(&self) -> &'static str {
        "text"
    }
}

impl Directed for Remark {}

impl OfficeDialect for Remark {}
