//! Directions of paragraphs in packages: a translation may be written from another side than its source.
//!
//! A paragraph turns if it has letters that are written from the right, or no longer has any: a listing in English stays
//! as it is in a page in Arabic. A translation between languages that are both written from the left turns nothing, even
//! in a section that is laid out from the right.

use unicode_bidi::{BidiClass, bidi_class};

use super::edits::Edits;
use super::language::is_right_to_left;
use super::xml::{Id, Xml};
use crate::builder::Failure;
use crate::view::Translation;
use crate::words::Words;

/// How a part declares the direction of its paragraphs.
pub(super) trait Directed {
    /// Writes into the part that its text runs from the right, or from the left, where it has a place for that.
    fn set_direction(&self, _: &Xml, _: bool, _: &mut Edits) {}
}

/// The written part with its paragraphs in the direction of their language.
///
/// # Errors
/// If it is no XML.
pub(super) fn directed(
    name: &str,
    text: String,
    translation: &Translation,
    format: &(impl Directed + ?Sized),
) -> Result<String, Failure> {
    let Some(language) = translation.language else {
        return Ok(text);
    };
    let is_right = is_right_to_left(language);
    let has_direction = || {
        ["bidi", "rtl", "rl-tb", "RightToLeft"]
            .iter()
            .any(|it| text.contains(it))
    };
    let was_right = || {
        let mut sentences = translation.document.sentences.iter();
        sentences.any(|sentence| has_right(&sentence.text))
    };
    let is_turned = is_right || has_direction() && was_right();
    if !is_turned {
        return Ok(text);
    }
    let xml = Xml::read(name, text)?;
    let mut edits = Edits::default();
    format.set_direction(&xml, is_right, &mut edits);
    Ok(edits.applied(&xml.text))
}

/// Whether a text has letters that are written from the right.
pub(super) fn has_right(text: &str) -> bool {
    text.chars()
        .any(|letter| matches!(bidi_class(letter), BidiClass::R | BidiClass::AL))
}

/// Whether a text has letters that are written from the left.
pub(super) fn has_left(text: &str) -> bool {
    text.chars()
        .any(|letter| bidi_class(letter) == BidiClass::L)
}

/// An element of this name in the namespace of another one, empty.
pub(super) fn flag(xml: &Xml, other: Id, name: &str) -> String {
    format!("<{}{name}/>", prefix(xml, other))
}

/// Whether a flag says that something is not so.
fn is_off(xml: &Xml, flag: Id) -> bool {
    let value = xml.attribute(flag, "val");
    value.is_some_and(|value| matches!(&*value, "0" | "false" | "off"))
}

pub(super) fn prefix(xml: &Xml, element: Id) -> &str {
    let qualified = xml.qualified(element);
    &qualified[..qualified.len() - xml.name(element).len()]
}

/// Puts the empty element `name` among the children of `holder`, before those that its schema wants after it, or takes it
/// away.
pub(super) fn set_flag(
    xml: &Xml,
    holder: Id,
    (name, following): (&str, Words),
    is_set: bool,
    edits: &mut Edits,
) {
    let flag = flag(xml, holder, name);
    match (xml.child(holder, name), is_set) {
        (Some(known), true) => edits.replace(xml.range(known), flag),
        // It says no already.
        (Some(known), false) if is_off(xml, known) => {}
        (Some(known), false) => edits.replace(xml.range(known), String::new()),
        (None, true) if xml.is_empty_tag(holder) => {
            let tag = xml.slice(xml.start_tag(holder)).trim_end_matches("/>");
            let written = format!("{tag}>{flag}</{}>", xml.qualified(holder));
            edits.replace(xml.range(holder), written);
        }
        (None, true) => {
            let mut behind = xml.elements(holder);
            let behind = behind.find(|&child| following.contains(xml.name(child)));
            let place = behind.map_or(xml.inner(holder).end, |child| xml.range(child).start);
            edits.replace(place..place, flag);
        }
        (None, false) => {}
    }
}

/// Gives an element attributes, in place of those it has of these names.
pub(super) fn set_attributes(
    xml: &Xml,
    element: Id,
    attributes: &[(&str, &str)],
    edits: &mut Edits,
) {
    let mut added = String::new();
    for (name, value) in attributes {
        match xml.attribute_range(element, name) {
            Some(range) => edits.replace(range, (*value).to_owned()),
            None => added.extend([" ", name, "=\"", value, "\""]),
        }
    }
    if !added.is_empty() {
        let tag = xml.start_tag(element);
        let name = tag.start + 1 + xml.qualified(element).len();
        edits.replace(name..name, added);
    }
}
