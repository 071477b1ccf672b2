//! Property lists of Apple in XML: `.stringsdict` with its plurals, and `.strings` that were saved that way.

use super::element::ElementText;
use super::{damaged, is_prose};
use crate::builder::{Builder, Context, Failure};
use crate::formats::slots::SlotFile;
use crate::formats::xml::{Id, Xml};
use crate::formats::{DocumentFormat, Encoding, Kept};

/// Plural rules of Apple's programs.
pub(in crate::formats) struct StringsDict;

impl DocumentFormat for StringsDict {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        read(name, bytes, builder)
    }
}

/// Reads a property list whose strings are texts.
pub(super) fn read(name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
    if bytes.starts_with(b"bplist") {
        return Err(damaged(
            name,
            "",
            0,
            "a binary property list; `plutil -convert xml1` makes text of it",
        ));
    }
    let (text, encoding) = Encoding::decode_xml(bytes)?;
    let xml = Xml::read_rooted(name, text, "plist")?;
    let mut reader = PlistReader {
        xml: &xml,
        builder,
        slots: Vec::new(),
    };
    reader.values(xml.root(), "")?;
    let slots = reader.slots;
    Ok(SlotFile::kept((), xml, encoding, slots))
}

struct PlistReader<'x, 'b> {
    xml: &'x Xml,
    builder: &'b mut Builder,
    slots: Vec<ElementText>,
}

impl PlistReader<'_, '_> {
    fn values(&mut self, parent: Id, path: &str) -> Result<(), Failure> {
        let xml = self.xml;
        let mut key: Option<String> = None;
        for child in xml.elements(parent) {
            let own = match &key {
                Some(key) if path.is_empty() => key.clone(),
                Some(key) => format!("{path}/{key}"),
                None => path.to_owned(),
            };
            match xml.name(child) {
                "key" => {
                    key = Some(xml.whole_text(child));
                    continue;
                }
                "dict" | "array" => self.values(child, &own)?,
                "string" => self.string(child, key.as_deref(), &own),
                _ => {}
            }
            if xml.name(parent) == "dict" && key.take().is_none() {
                return Err(xml.damaged(format!("a value without a key in {path:?}")));
            }
        }
        Ok(())
    }

    fn string(&mut self, string: Id, key: Option<&str>, path: &str) {
        let is_rule = matches!(
            key,
            Some(
                "NSStringFormatSpecTypeKey"
                    | "NSStringFormatValueTypeKey"
                    | "NSStringDeviceSpecificRuleType"
            )
        );
        let text = self.xml.whole_text(string);
        let is_word =
            key.is_some_and(|key| matches!(key, "zero" | "one" | "two" | "few" | "many" | "other"));
        if is_rule || !is_word && !is_prose(&text) {
            return;
        }
        let context = Context::named(Some(path.to_owned()), None);
        self.slots
            .extend(ElementText::read(self.xml, string, self.builder, context));
    }
}
