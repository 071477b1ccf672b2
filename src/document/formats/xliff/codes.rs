//! Codes of a unit, its segments, and what it says of itself.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::formats::mixed::Role;
use crate::formats::xml::{Id, Xml};
use crate::placeholder;

/// Whether an element is to be translated, by what it says itself or else by what it is in.
pub(super) fn is_translated(xml: &Xml, id: Id, around: bool) -> bool {
    match xml.attribute(id, "translate").as_deref() {
        Some("no") => false,
        Some("yes") => true,
        _ => around,
    }
}

/// The effect of a code on the text around it.
pub(super) fn role(xml: &Xml, id: Id) -> Role {
    match xml.name(id) {
        "mrk" if is_protected(xml, id) => Role::Opaque(xml.whole_text(id)),
        "g" | "pc" | "mrk" => Role::Inline,
        "bpt" | "bx" | "sc" => Role::Begin(pair_id(xml, id, "id")),
        "ept" | "ex" | "ec" => Role::End(pair_id(xml, id, "startRef")),
        "cp" => Role::Hidden,
        "x" if xml.attribute(id, "ctype").as_deref() == Some("lb") => Role::LineBreak,
        "ph" if xml.attribute(id, "subType").as_deref() == Some("xlf:lb") => Role::LineBreak,
        _ => Role::Point,
    }
}

/// By which both codes of a pair are known.
fn pair_id(xml: &Xml, code: Id, second: &str) -> String {
    let id = xml
        .attribute(code, "rid")
        .or_else(|| xml.attribute(code, second));
    id.or_else(|| xml.attribute(code, "id"))
        .unwrap_or_default()
        .into_owned()
}

fn is_protected(xml: &Xml, mark: Id) -> bool {
    xml.attribute(mark, "mtype").as_deref() == Some("protected")
        || xml.attribute(mark, "translate").as_deref() == Some("no")
}

/// The segments of a `seg-source`, in order.
pub(super) fn segments(xml: &Xml, parent: Id) -> Vec<Id> {
    xml.descendants(parent)
        .filter(|&id| is_segment(xml, id))
        .collect()
}

fn is_segment(xml: &Xml, id: Id) -> bool {
    xml.name(id) == "mrk" && xml.attribute(id, "mtype").as_deref() == Some("seg")
}

pub(super) fn by_mid(xml: &Xml, target: Id) -> HashMap<String, Id> {
    let with_mid = |id: Id| Some((xml.attribute(id, "mid")?.into_owned(), id));
    segments(xml, target)
        .into_iter()
        .filter_map(with_mid)
        .collect()
}

/// The ids of the segments that Trados has locked.
pub(super) fn locked_segments(xml: &Xml, unit: Id) -> Vec<&str> {
    let is_locked =
        |&id: &Id| xml.name(id) == "seg" && xml.attribute(id, "locked").as_deref() == Some("true");
    let locked = xml.descendants(unit).filter(is_locked);
    locked
        .filter_map(|id| xml.attribute_range(id, "id"))
        .map(|range| xml.slice(range))
        .collect()
}

/// A target with the placeholders of its source; codes that the source does not have are left out.
pub(super) fn known_text(
    xml: &Xml,
    collected: &HashMap<Key, (char, Option<char>)>,
    target: Id,
) -> String {
    let mut text = String::new();
    known_children(xml, collected, target, &mut text);
    placeholder::folded(&text)
}

/// By which a code of the source is found in the target.
pub(super) type Key = (String, String);

pub(super) fn key(xml: &Xml, code: Id) -> Key {
    let id = xml
        .attribute(code, "id")
        .or_else(|| xml.attribute(code, "rid"));
    let id = id
        .or_else(|| xml.attribute(code, "startRef"))
        .or_else(|| xml.attribute(code, "mid"));
    (
        xml.name(code).to_owned(),
        id.unwrap_or_default().into_owned(),
    )
}

fn known_children(
    xml: &Xml,
    codes: &HashMap<Key, (char, Option<char>)>,
    parent: Id,
    text: &mut String,
) {
    for child in xml.children(parent) {
        if !xml.is_element(child) {
            text.push_str(&xml.text_of(child).unwrap_or_default());
            continue;
        }
        let found = codes.get(&key(xml, child));
        text.extend(found.map(|(open, _)| open));
        if role(xml, child) == Role::Inline {
            known_children(xml, codes, child, text);
            text.extend(found.and_then(|(_, close)| *close));
        }
    }
}

/// Whether space counts in an element.
pub(super) fn keeps_space(xml: &Xml, id: Id) -> bool {
    let own = std::iter::once(id).chain(xml.ancestors(id));
    let mut said = own.filter_map(|id| xml.qualified_attribute(id, "xml:space"));
    said.next().is_some_and(|space| space == "preserve")
}

pub(super) fn id_of(xml: &Xml, holder: Id) -> Option<String> {
    let id = xml.attribute(holder, "id");
    if xml.name(holder) != "segment" {
        return id.map(Cow::into_owned);
    }
    let unit = xml
        .parent(holder)
        .and_then(|unit| xml.attribute(unit, "id"))?;
    Some(id.map_or(unit.to_string(), |id| format!("{unit}/{id}")))
}

/// The text of a unit's notes.
pub(super) fn note(xml: &Xml, holder: Id) -> Option<String> {
    let unit = match xml.name(holder) {
        "segment" => xml.child(xml.parent(holder)?, "notes")?,
        _ => holder,
    };
    let notes = xml.elements(unit).filter(|&id| xml.name(id) == "note");
    let notes = notes.map(|note| xml.whole_text(note).trim().to_owned());
    let notes: Vec<String> = notes.filter(|note| !note.is_empty()).collect();
    Some(notes.join("\n")).filter(|notes| !notes.is_empty())
}

pub(super) fn max_chars(xml: &Xml, holder: Id) -> Option<usize> {
    let restricted = xml.attribute(holder, "sizeRestriction");
    let width = xml.attribute(holder, "maxwidth");
    let width = width.filter(|_| xml.attribute(holder, "size-unit").as_deref() == Some("char"));
    width.or(restricted)?.parse().ok()
}
