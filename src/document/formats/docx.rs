//! Word documents (Office Open XML).
//!
//! Translated: paragraphs of the document, its tables, text boxes, content controls, headers, footers, foot- and endnotes.
//! Left alone: fields other than links, deletions, comments unless requested, equations, names of pictures, charts and
//! diagrams. Insertions are translated as what they will be once they are accepted.

mod bound;
mod direction;

pub(super) use bound::Bound;

use std::collections::HashMap;

use super::edits::Edits;
use super::language::WordLanguage;
use super::office::{Office, OfficeDialect, OfficePart};
use super::opc;
use super::runs::{self, Child, Dialect, OpenFields, RunChild, RunDraft, RunPlace, is_link};
use super::xml::{Id, Xml};
use super::{DocumentFormat, Kept};
use crate::builder::{Builder, Context, Failure};
use crate::document::ParagraphKind;
use crate::words::Words;

/// Word documents.
pub(super) struct Docx;

impl DocumentFormat for Docx {
    fn is_content(&self, bytes: &[u8]) -> bool {
        opc::is_office(bytes, "word/")
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (package, main, related) = opc::open(bytes)?;
        let of_kind = |kind: &'static str| {
            let related = related.iter().filter(move |it| it.kind == kind);
            related.filter_map(|it| it.target.clone())
        };
        let styles = match of_kind("styles").next() {
            Some(name) => Some(package.xml(&name)?),
            None => None,
        };
        let known = styles
            .as_ref()
            .map_or_else(HashMap::new, |part| style_kinds(&part.xml));
        let mut names = vec![main.clone()];
        let mut kinds = vec!["footnotes", "endnotes", "header", "footer"];
        if builder.options().comments {
            kinds.push("comments");
        }
        for kind in kinds {
            names.extend(of_kind(kind));
        }
        let (mut parts, mut bound) = (Vec::new(), Vec::new());
        for name in names {
            if parts.iter().any(|part: &OfficePart| part.name == name) {
                continue;
            }
            let part = package.xml(&name)?;
            let mut reader = WordReader {
                xml: &part.xml,
                styles: &known,
                builder,
                places: Vec::new(),
                fields: OpenFields::default(),
                bound: Vec::new(),
            };
            reader.blocks(part.xml.root(), &mut Mirror::None);
            let places = reader.places;
            bound.extend(reader.bound);
            parts.push(OfficePart::new(name, part, places, &Word));
        }
        let others = styles
            .into_iter()
            .map(|part| OfficePart::new(part.xml.part.clone(), part, Vec::new(), &Word));
        parts.extend(others);
        Ok(Box::new(Office {
            bound,
            ..Office::new(package, parts)
        }))
    }
}

/// The role of a paragraph by its style.
#[derive(Debug, Clone, Copy, Default)]
struct Style {
    /// Level of a heading, from 1.
    level: Option<u8>,
    is_title: bool,
    is_list: bool,
}

/// The roles of the paragraph styles, by their ids.
fn style_kinds(xml: &Xml) -> HashMap<String, Style> {
    let mut own: HashMap<String, (Style, Option<String>)> = HashMap::new();
    for style in xml
        .elements(xml.root())
        .filter(|&id| xml.name(id) == "style")
    {
        let Some(id) = xml.attribute(style, "styleId") else {
            continue;
        };
        let value = |name: &str| {
            let child = xml.child(style, name)?;
            xml.attribute(child, "val")
                .map(|value| value.to_ascii_lowercase())
        };
        let name = value("name").unwrap_or_default();
        let properties = xml.child(style, "pPr");
        let outline = properties.and_then(|properties| outline_level(xml, properties));
        let heading = name
            .strip_prefix("heading ")
            .and_then(|level| level.parse().ok());
        let based_on = xml
            .child(style, "basedOn")
            .and_then(|it| xml.attribute(it, "val"));
        let style = Style {
            level: heading.or(outline).filter(|level| (1..=9).contains(level)),
            is_title: name == "title",
            is_list: properties.is_some_and(|properties| xml.child(properties, "numPr").is_some()),
        };
        own.insert(
            id.into_owned(),
            (style, based_on.map(std::borrow::Cow::into_owned)),
        );
    }
    let resolved = |id: &String| {
        let (mut style, mut above) = own[id].clone();
        // A style that is based on itself is based on nothing.
        for _ in 0..own.len() {
            let Some((base, next)) = above.as_ref().and_then(|id| own.get(id)) else {
                break;
            };
            style.level = style.level.or(base.level);
            style.is_title |= base.is_title;
            style.is_list |= base.is_list;
            above.clone_from(next);
        }
        (id.clone(), style)
    };
    own.keys().map(resolved).collect()
}

/// The level that a paragraph's properties give it, from 1; 10 is text.
fn outline_level(xml: &Xml, properties: Id) -> Option<u8> {
    let level = xml.child(properties, "outlineLvl")?;
    let level: u8 = xml.attribute(level, "val")?.parse().ok()?;
    (level < 9).then_some(level + 1)
}

/// The units of text boxes that the file holds twice.
enum Mirror {
    None,
    /// Slots of the first of two alternatives, with their texts.
    Written(Vec<(usize, String)>),
    /// Slots that are left for the second alternative.
    Read(std::vec::IntoIter<(usize, String)>),
}

struct WordReader<'x, 'b> {
    xml: &'x Xml,
    styles: &'x HashMap<String, Style>,
    builder: &'b mut Builder,
    places: Vec<RunPlace>,
    fields: OpenFields,
    bound: Vec<Bound>,
}

impl WordReader<'_, '_> {
    /// Everything in an element that holds paragraphs.
    fn blocks(&mut self, parent: Id, mirror: &mut Mirror) {
        let xml = self.xml;
        for child in xml.elements(parent) {
            match xml.name(child) {
                "p" => self.paragraph(child, mirror),
                "del" | "moveFrom" | "sectPr" | "tblPr" | "tblGrid" | "trPr" | "tcPr" | "sdtPr"
                | "separator" => {}
                "footnote" | "endnote" if is_separator(xml, child) => {}
                "sdt" => {
                    let first = self.places.len();
                    self.blocks(child, mirror);
                    if let [only] = &self.places[first..] {
                        self.bound.extend(Bound::read(xml, child, only.unit));
                    }
                }
                _ => self.blocks(child, mirror),
            }
        }
    }

    fn paragraph(&mut self, paragraph: Id, mirror: &mut Mirror) {
        let collected = runs::collect(&Word, self.xml, paragraph, &mut self.fields);
        if let Some(collected) = collected {
            self.unit(collected, paragraph, mirror);
        }
        // Text boxes are anchored in paragraphs.
        if self.xml.name(paragraph) == "p" {
            self.boxes(paragraph, mirror);
        }
    }

    fn unit(&mut self, collected: RunDraft, paragraph: Id, mirror: &mut Mirror) {
        let text = collected.draft.shown();
        if let Mirror::Read(units) = mirror {
            match units.next() {
                Some((unit, same)) if same == text => {
                    self.places.push(collected.mirror(unit));
                    return;
                }
                // From here on they differ: each is for itself.
                _ => *mirror = Mirror::None,
            }
        }
        let context = self.context(paragraph);
        let place = collected.unit(self.builder, context);
        if let Mirror::Written(units) = mirror {
            units.push((place.unit, text));
        }
        self.places.push(place);
    }

    /// The text boxes that hang on what is in an element, each once.
    fn boxes(&mut self, parent: Id, mirror: &mut Mirror) {
        let xml = self.xml;
        for child in xml.elements(parent) {
            match xml.name(child) {
                "txbxContent" => {
                    // Its fields are its own.
                    let outside = std::mem::take(&mut self.fields);
                    self.blocks(child, mirror);
                    self.fields = outside;
                }
                "AlternateContent" => self.alternatives(child, mirror),
                "del" | "moveFrom" | "pPr" | "rPr" => {}
                _ => self.boxes(child, mirror),
            }
        }
    }

    /// One thing for newer and for older programs.
    fn alternatives(&mut self, alternatives: Id, mirror: &mut Mirror) {
        let xml = self.xml;
        let mut written = Mirror::Written(Vec::new());
        for child in xml.elements(alternatives) {
            match &mut written {
                _ if matches!(mirror, Mirror::Read(_)) => self.boxes(child, mirror),
                Mirror::Written(units) if xml.name(child) == "Fallback" => {
                    let units = std::mem::take(units);
                    self.boxes(child, &mut Mirror::Read(units.into_iter()));
                }
                written => self.boxes(child, written),
            }
        }
    }

    fn context(&self, paragraph: Id) -> Context {
        let xml = self.xml;
        let properties = xml.child(paragraph, "pPr");
        let style = properties
            .and_then(|properties| xml.child(properties, "pStyle"))
            .and_then(|style| xml.attribute(style, "val"))
            .and_then(|id| self.styles.get(&*id))
            .copied()
            .unwrap_or_default();
        let level = properties
            .and_then(|properties| outline_level(xml, properties))
            .or(style.level);
        let in_cell = xml.ancestors(paragraph).any(|id| xml.name(id) == "tc");
        let is_list = style.is_list
            || properties.is_some_and(|properties| xml.child(properties, "numPr").is_some());
        let kind = match level {
            _ if in_cell => ParagraphKind::TableCell,
            _ if style.is_title => ParagraphKind::Title,
            Some(_) => ParagraphKind::Heading,
            None if is_list => ParagraphKind::ListItem,
            None => ParagraphKind::Text,
        };
        let level = level
            .filter(|_| kind == ParagraphKind::Heading)
            .map(|level| level.min(6));
        Context::new(kind, level)
    }
}

/// The line between text and notes, which is no note.
fn is_separator(xml: &Xml, note: Id) -> bool {
    xml.attribute(note, "type")
        .is_some_and(|kind| kind != "normal")
}

const NO_BREAK_HYPHEN: char = '\u{2011}';

/// How Word spells runs.
pub(super) struct Word;

impl Dialect for Word {
    fn child(&self, xml: &Xml, id: Id) -> Child {
        match xml.name(id) {
            "r" => Child::Run,
            "pPr" | "smartTagPr" | "customXmlPr" | "dirPr" | "bdoPr" => Child::Properties,
            "hyperlink" => wrapper("a"),
            "ins" | "moveTo" => wrapper("ins"),
            "smartTag" | "customXml" | "dir" | "bdo" => wrapper("span"),
            "sdt" if is_plain_control(xml, id) => Child::Wrapper {
                name: "control",
                content: Some("sdtContent"),
            },
            "sdt" => Child::Opaque("control", shown(xml, id)),
            "fldSimple" if is_link(&xml.attribute(id, "instr").unwrap_or_default()) => wrapper("a"),
            "fldSimple" => Child::Opaque("field", shown(xml, id)),
            "oMath" | "oMathPara" => Child::Opaque("math", xml.whole_text(id)),
            "proofErr" => Child::Dropped,
            "del" | "moveFrom" => Child::Point("del"),
            name @ ("bookmarkStart" | "bookmarkEnd") => Child::Placed {
                name: "bookmark",
                begins: name == "bookmarkStart",
            },
            "commentRangeStart" | "commentRangeEnd" => Child::Point("comment"),
            _ => Child::Point("mark"),
        }
    }

    fn run_child(&self, xml: &Xml, id: Id) -> RunChild {
        match xml.name(id) {
            "t" => RunChild::Text,
            "rPr" => RunChild::Properties,
            "br" if xml
                .attribute(id, "type")
                .is_none_or(|kind| kind == "textWrapping") =>
            {
                RunChild::LineBreak
            }
            "cr" => RunChild::LineBreak,
            "br" => RunChild::Point("page-break"),
            "tab" | "ptab" => RunChild::Point("tab"),
            "noBreakHyphen" => RunChild::Character(NO_BREAK_HYPHEN),
            "softHyphen" => RunChild::Hidden("soft-hyphen"),
            "sym" => RunChild::Opaque("symbol", "\u{25A1}".to_owned()),
            "ruby" => RunChild::Opaque("ruby", ruby_base(xml, id)),
            "lastRenderedPageBreak" => RunChild::Dropped,
            "fldChar" => match xml.attribute(id, "fldCharType").as_deref() {
                Some("begin") => RunChild::FieldBegin,
                Some("separate") => RunChild::FieldMiddle,
                Some("end") => RunChild::FieldEnd,
                _ => RunChild::Point("field"),
            },
            "instrText" => RunChild::Instruction,
            "footnoteReference" | "endnoteReference" => RunChild::Point("note"),
            "drawing" | "pict" | "object" | "AlternateContent" => RunChild::Point("image"),
            _ => RunChild::Point("mark"),
        }
    }

    fn is_invisible(&self, name: &str) -> bool {
        matches!(
            name,
            "lang" | "noProof" | "webHidden" | "w:rsidR" | "w:rsidRPr" | "w:rsid"
        )
    }

    fn trims_space(&self) -> bool {
        true
    }

    fn element_of(&self, character: char) -> Option<&'static str> {
        (character == NO_BREAK_HYPHEN).then_some("noBreakHyphen")
    }
}

fn wrapper(name: &'static str) -> Child {
    Child::Wrapper {
        name,
        content: None,
    }
}

/// A control that holds text of its own, not a choice, a date or a part of other data.
fn is_plain_control(xml: &Xml, control: Id) -> bool {
    const DATA: Words =
        Words("dropDownList comboBox date checkbox dataBinding picture docPartList bibliography");
    let properties = xml.child(control, "sdtPr");
    properties.is_none_or(|id| xml.elements(id).all(|it| !DATA.contains(xml.name(it))))
}

/// The text that an element shows: what is deleted and what fields are made of is not.
fn shown(xml: &Xml, id: Id) -> String {
    let texts = xml.descendants(id).filter(|&it| xml.name(it) == "t");
    texts.map(|text| xml.whole_text(text)).collect()
}

fn ruby_base(xml: &Xml, ruby: Id) -> String {
    xml.child(ruby, "rubyBase")
        .map_or(String::new(), |base| shown(xml, base))
}

impl OfficeDialect for Word {
    fn set_language(&self, xml: &Xml, language: &WordLanguage, edits: &mut Edits) {
        for id in (xml.root()..xml.len()).filter(|&id| xml.name(id) == "lang") {
            if let Some(range) = xml.attribute_range(id, language.word_attribute)
                && let Some(code) = language.instead_of(xml.slice(range.clone()))
            {
                edits.replace(range, code);
            }
        }
    }
}
