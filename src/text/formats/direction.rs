//! Office files whose text changes its direction: what says so of paragraphs, runs, tables, sections and sheets.

use super::edits::Edits;
use super::xml::{Id, Xml};

/// What may stand behind `w:bidi` in the properties of a paragraph.
const BEHIND_BIDI: [&str; 17] = [
    "adjustRightInd",
    "snapToGrid",
    "spacing",
    "ind",
    "contextualSpacing",
    "mirrorIndents",
    "suppressOverlap",
    "jc",
    "textDirection",
    "textAlignment",
    "textboxTightWrap",
    "outlineLvl",
    "divId",
    "cnfStyle",
    "rPr",
    "sectPr",
    "pPrChange",
];
/// Behind `w:rtl` in those of a run.
const BEHIND_RTL: [&str; 7] = [
    "cs",
    "em",
    "lang",
    "eastAsianLayout",
    "specVanish",
    "oMath",
    "rPrChange",
];
/// Before `w:bidiVisual` in those of a table.
const BEFORE_VISUAL: [&str; 3] = ["tblStyle", "tblpPr", "tblOverlap"];
/// Behind `w:bidi` in those of a section.
const BEHIND_SECTION: [&str; 4] = ["rtlGutter", "docGrid", "printerSettings", "sectPrChange"];

/// Says in a part of a Word document that it is written from the right, or no longer is.
pub(super) fn set_word(xml: &Xml, to_right: bool, edits: &mut Edits) {
    for id in (xml.root()..xml.len()).filter(|&id| xml.is_element(id)) {
        let name = xml.name(id);
        if !to_right {
            if matches!(name, "bidi" | "rtl" | "bidiVisual") && xml.is_empty_tag(id) {
                let name = xml.qualified(id);
                let prefix = prefix(name);
                edits.replace(xml.range(id), format!("<{name} {prefix}val=\"0\"/>"));
            }
            continue;
        }
        match name {
            "p" if !is_gone(xml, id) && is_word(xml, id) => set_paragraph(xml, id, edits),
            "rPr" if of_run(xml, id) => {
                set_first(xml, id, "rtl", |name| BEHIND_RTL.contains(&name), edits);
            }
            "tblPr" => {
                set_first(
                    xml,
                    id,
                    "bidiVisual",
                    |name| !BEFORE_VISUAL.contains(&name),
                    edits,
                );
            }
            "sectPr" => {
                set_first(
                    xml,
                    id,
                    "bidi",
                    |name| BEHIND_SECTION.contains(&name),
                    edits,
                );
            }
            _ => {}
        }
    }
}

fn set_paragraph(xml: &Xml, paragraph: Id, edits: &mut Edits) {
    if let Some(properties) = xml.child(paragraph, "pPr") {
        return set_first(
            xml,
            properties,
            "bidi",
            |name| BEHIND_BIDI.contains(&name),
            edits,
        );
    }
    let name = xml.qualified(paragraph);
    let prefix = prefix(name);
    let properties = format!("<{prefix}pPr><{prefix}bidi/></{prefix}pPr>");
    let tag = xml.start_tag(paragraph);
    let start = xml.slice(tag.clone());
    if xml.is_empty_tag(paragraph) {
        let start = start.trim_end_matches("/>").trim_end();
        edits.replace(tag, format!("{start}>{properties}</{name}>"));
    } else {
        // With the tag: what is put behind it belongs to the text, which is written anew.
        edits.replace(tag.clone(), format!("{start}{properties}"));
    }
}

/// The prefix of a name, with its colon.
pub(super) fn prefix(name: &str) -> &str {
    name.rfind(':').map_or("", |colon| &name[..=colon])
}

fn is_word(xml: &Xml, id: Id) -> bool {
    xml.namespace(id).contains("wordprocessingml")
}

/// Whether an element stands in what has been deleted.
fn is_gone(xml: &Xml, id: Id) -> bool {
    xml.ancestors(id)
        .any(|above| matches!(xml.name(above), "del" | "moveFrom"))
}

fn of_run(xml: &Xml, properties: Id) -> bool {
    let is_run = |id: Id| xml.name(id) == "r" && is_word(xml, id);
    xml.parent(properties).is_some_and(is_run) && !is_gone(xml, properties)
}

/// Puts an empty element into `holder` before the first one that stands behind it.
fn set_first(
    xml: &Xml,
    holder: Id,
    name: &str,
    is_behind: impl Fn(&str) -> bool,
    edits: &mut Edits,
) {
    let qualified = xml.qualified(holder);
    let element = format!("<{}{name}/>", prefix(qualified));
    if let Some(known) = xml.child(holder, name) {
        return edits.replace(xml.range(known), element);
    }
    if xml.is_empty_tag(holder) {
        let start = xml
            .slice(xml.range(holder))
            .trim_end_matches("/>")
            .trim_end();
        return edits.replace(
            xml.range(holder),
            format!("{start}>{element}</{qualified}>"),
        );
    }
    let behind = xml
        .elements(holder)
        .find(|&child| is_behind(xml.name(child)));
    let place = behind.map_or(xml.inner(holder).end, |child| xml.range(child).start);
    edits.replace(place..place, element);
}

/// The same of drawings: in slides also of paragraphs that say nothing yet.
pub(super) fn set_drawing(xml: &Xml, to_right: bool, edits: &mut Edits) {
    for id in (xml.root()..xml.len()).filter(|&id| xml.is_element(id)) {
        if !xml.namespace(id).contains("/drawingml/") {
            continue;
        }
        let name = xml.name(id);
        let is_level = name == "defPPr" || name.starts_with("lvl") && name.ends_with("pPr");
        match name {
            "pPr" | "tblPr" => set_attributes(xml, id, to_right, false, edits),
            _ if is_level => set_attributes(xml, id, to_right, to_right, edits),
            "p" if to_right && xml.child(id, "pPr").is_none() && !xml.is_empty_tag(id) => {
                let tag = xml.start_tag(id);
                let (start, prefix) = (xml.slice(tag.clone()), prefix(xml.qualified(id)));
                edits.replace(tag.clone(), format!("{start}<{prefix}pPr rtl=\"1\"/>"));
            }
            _ => {}
        }
    }
}

fn set_attributes(xml: &Xml, id: Id, to_right: bool, aligns: bool, edits: &mut Edits) {
    let (rtl, side) = if to_right { ("1", "r") } else { ("0", "l") };
    let mut added = String::new();
    match xml.attribute_range(id, "rtl") {
        Some(range) => edits.replace(range, rtl.to_owned()),
        None if to_right => added += " rtl=\"1\"",
        None => {}
    }
    match xml.attribute_range(id, "algn") {
        Some(range) => {
            let turned = match xml.slice(range.clone()) {
                "l" => "r",
                "r" => "l",
                _ => "",
            };
            if !turned.is_empty() {
                edits.replace(range, turned.to_owned());
            }
        }
        None if aligns => added.extend([" algn=\"", side, "\""]),
        None => {}
    }
    add_attributes(xml, id, added, edits);
}

/// Puts attributes behind those of an element.
pub(super) fn add_attributes(xml: &Xml, id: Id, attributes: String, edits: &mut Edits) {
    if !attributes.is_empty() {
        let name = xml.start_tag(id).start + 1 + xml.qualified(id).len();
        edits.replace(name..name, attributes);
    }
}

/// The same of a sheet: its first column stands at the right.
pub(super) fn set_sheet(xml: &Xml, to_right: bool, edits: &mut Edits) {
    let root = xml.root();
    let Some(views) = xml.child(root, "sheetViews") else {
        let behind = ["sheetFormatPr", "cols", "sheetData"];
        let place = xml
            .elements(root)
            .find(|&id| behind.contains(&xml.name(id)));
        if let Some(place) = place.filter(|_| to_right) {
            let prefix = prefix(xml.qualified(root));
            let view = format!(
                "<{prefix}sheetViews><{prefix}sheetView rightToLeft=\"1\" workbookViewId=\"0\"/></{prefix}sheetViews>"
            );
            let start = xml.range(place).start;
            edits.replace(start..start, view);
        }
        return;
    };
    for view in xml
        .elements(views)
        .filter(|&id| xml.name(id) == "sheetView")
    {
        match xml.attribute_range(view, "rightToLeft") {
            Some(range) => edits.replace(range, u8::from(to_right).to_string()),
            None if to_right => {
                add_attributes(xml, view, " rightToLeft=\"1\"".to_owned(), edits);
            }
            None => {}
        }
    }
}

/// The same of `OpenDocument`: its pages, and the styles that others are made of.
pub(super) fn set_odf(xml: &Xml, to_right: bool, edits: &mut Edits) {
    let mode = if to_right { "rl-tb" } else { "lr-tb" };
    for id in (xml.root()..xml.len()).filter(|&id| xml.is_element(id)) {
        let name = xml.name(id);
        let is_default = || {
            let style = xml
                .parent(id)
                .filter(|&style| xml.name(style) == "default-style");
            let family = style.and_then(|style| xml.attribute(style, "family"));
            matches!(
                family.as_deref(),
                Some("paragraph" | "graphic" | "presentation")
            )
        };
        let is_base =
            name == "page-layout-properties" || name == "paragraph-properties" && is_default();
        match xml.attribute_range(id, "writing-mode") {
            Some(range) => {
                let said = xml.slice(range.clone());
                if is_base || matches!(said, "lr-tb" | "lr" | "rl-tb" | "rl") {
                    edits.replace(range, mode.to_owned());
                }
            }
            None if is_base && to_right => {
                let prefix = prefix(xml.qualified(id));
                add_attributes(xml, id, format!(" {prefix}writing-mode=\"{mode}\""), edits);
            }
            None => {}
        }
    }
}
