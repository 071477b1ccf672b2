//! Resources of .NET (`.resx`, `.resw`). Translated: strings. Kept: pictures and other typed values, what the designer notes
//! (`>>name`, `$this.Name`), comments, the schema.

use super::element::ElementText;
use super::is_prose;
use crate::builder::{Builder, Context, Failure};
use crate::formats::slots::SlotFile;
use crate::formats::xml::{Id, Xml};
use crate::formats::{DocumentFormat, Encoding, Kept};

/// Resource files of .NET.
pub(in crate::formats) struct Resx;

impl DocumentFormat for Resx {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode_xml(bytes)?;
        let xml = Xml::read_rooted(name, text, "root")?;
        let mut slots = Vec::new();
        for data in xml.elements(xml.root()).filter(|&id| is_string(&xml, id)) {
            let Some(value) = xml.child(data, "value") else {
                continue;
            };
            let comment = xml
                .child(data, "comment")
                .map(|comment| xml.whole_text(comment).trim().to_owned());
            let id = xml.value(data, "name");
            let context = Context::named(id, comment.filter(|comment| !comment.is_empty()));
            if is_prose(&xml.whole_text(value)) {
                slots.extend(ElementText::read(&xml, value, builder, context));
            }
        }
        Ok(SlotFile::kept((), xml, encoding, slots))
    }
}

fn is_string(xml: &Xml, data: Id) -> bool {
    let name = xml.attribute(data, "name").unwrap_or_default();
    let of_string = |kind: &str| {
        kind.split(',')
            .next()
            .is_some_and(|kind| kind.trim() == "System.String")
    };
    let is_typed = xml
        .attribute(data, "type")
        .is_some_and(|kind| !of_string(&kind));
    let is_designers = name.starts_with(">>") || name.starts_with('$') && !name.ends_with(".Text");
    xml.name(data) == "data"
        && !is_typed
        && xml.attribute(data, "mimetype").is_none()
        && !is_designers
}
