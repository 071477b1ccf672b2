//! Directions of paragraphs, sections, tables and runs of a Word document.

use super::Word;
use crate::formats::direction::{Directed, flag, has_left, has_right, prefix, set_flag};
use crate::formats::edits::Edits;
use crate::formats::xml::{Id, Xml};
use crate::words::Words;

/// The elements after the direction, in the order that the schema wants: of a paragraph, a section, a table and a run.
const PARAGRAPH: (&str, Words) = (
    "bidi",
    Words(
        "adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection
         textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange",
    ),
);
const SECTION: (&str, Words) = (
    "bidi",
    Words("rtlGutter docGrid printerSettings sectPrChange"),
);
const TABLE: (&str, Words) = (
    "bidiVisual",
    Words(
        "tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd tblBorders shd tblLayout tblCellMar tblLook
         tblCaption tblDescription tblPrChange",
    ),
);
const RUN: (&str, Words) = (
    "rtl",
    Words("cs em lang eastAsianLayout specVanish oMath rPrChange"),
);

impl Directed for Word {
    fn set_direction(&self, xml: &Xml, is_right: bool, edits: &mut Edits) {
        for id in xml.descendants(xml.root()) {
            match xml.name(id) {
                "p" => turn_paragraph(xml, id, is_right, edits),
                "sectPr" => set_flag(xml, id, SECTION, is_right, edits),
                "tblPr" => set_flag(xml, id, TABLE, is_right, edits),
                // Styles.
                "rPr" if is_right && !is_within_paragraph(xml, id) && !xml.is_empty_tag(id) => {
                    edits.replace(xml.inner(id), with_complex_script(xml, id, None));
                }
                _ => {}
            }
        }
    }
}

fn is_within_paragraph(xml: &Xml, id: Id) -> bool {
    xml.ancestors(id)
        .any(|above| matches!(xml.name(above), "p" | "pPr"))
}

fn turn_paragraph(xml: &Xml, paragraph: Id, is_right: bool, edits: &mut Edits) {
    if xml.is_empty_tag(paragraph) || is_right != has_right(&xml.whole_text(paragraph)) {
        return;
    }
    let prefix = prefix(xml, paragraph);
    match xml.child(paragraph, "pPr") {
        Some(properties) => set_flag(xml, properties, PARAGRAPH, is_right, edits),
        None if is_right => {
            let start = xml.start_tag(paragraph).end;
            let written = format!("<{prefix}pPr><{prefix}bidi/></{prefix}pPr>");
            edits.replace(start..start, written);
        }
        None => {}
    }
    let runs = xml.descendants(paragraph).filter(|&id| xml.name(id) == "r");
    for run in runs.filter(|&run| xml.child(run, "t").is_some()) {
        match xml.child(run, "rPr") {
            _ if is_right && has_left(&xml.whole_text(run)) && !has_right(&xml.whole_text(run)) => {
            }
            Some(properties) if !is_right => set_flag(xml, properties, RUN, false, edits),
            Some(properties) if !xml.is_empty_tag(properties) => {
                let written = with_complex_script(xml, properties, Some(RUN));
                edits.replace(xml.inner(properties), written);
            }
            Some(properties) => set_flag(xml, properties, RUN, true, edits),
            None if is_right => {
                let start = xml.start_tag(run).end;
                edits.replace(
                    start..start,
                    format!("<{prefix}rPr><{prefix}rtl/></{prefix}rPr>"),
                );
            }
            None => {}
        }
    }
}

/// The properties of a run with what they say for text from the right, which is not what they say for others: bold,
/// italic and size.
fn with_complex_script(xml: &Xml, properties: Id, flagged: Option<(&str, Words)>) -> String {
    let mut written = String::new();
    let own = flagged.map(|(name, _)| name);
    let mut flagged = flagged.filter(|(name, _)| xml.child(properties, name).is_none());
    for child in xml.children(properties) {
        let raw = xml.slice(xml.range(child));
        let name = if xml.is_element(child) {
            xml.name(child)
        } else {
            ""
        };
        if let Some((own, _)) = flagged.take_if(|(_, following)| following.contains(name)) {
            written.push_str(&flag(xml, properties, own));
        }
        match own {
            Some(own) if own == name => written.push_str(&flag(xml, properties, own)),
            _ => written.push_str(raw),
        }
        let other = format!("{name}Cs");
        let is_alone = xml.child(properties, &other).is_none() && xml.is_empty_tag(child);
        if matches!(name, "b" | "i" | "sz") && is_alone {
            let qualified = xml.qualified(child);
            written.extend(["<", qualified, "Cs", &raw[1 + qualified.len()..]]);
        }
    }
    if let Some((own, _)) = flagged {
        written.push_str(&flag(xml, properties, own));
    }
    written
}
