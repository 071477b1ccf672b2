//! Files of strings in JSON: plain ones of any nesting, those with a description of each message (browsers' extensions,
//! formatjs), and ARB of Flutter.
//!
//! Translated: strings that are text for readers. Kept: keys, names and paths, and information about messages.

use std::collections::HashMap;
use std::ops::Range;

use super::icu::Apostrophes;
use super::json_text::{self, Kind, Spelling, Value};
use super::{Dialect, Text, is_prose};
use crate::builder::{Builder, Context, Failure};
use crate::formats::edits::Edits;
use crate::formats::language::instead_of;
use crate::formats::slots::{SlotFile, ValueFile, ValueSlot, ValueSpelling};
use crate::formats::{DocumentFormat, Encoding, Kept};
use crate::words::Words;

/// JSON files with strings.
pub(in crate::formats) enum Json {
    /// A value about which nothing is known.
    Any,
    /// Flutter's resource bundles.
    Arb,
}

impl DocumentFormat for Json {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        let root = json_text::read(name, &text)?;
        let locale = root.member("@@locale").or_else(|| root.member("locale"));
        builder.set_language(locale.and_then(Value::text));
        let mut reader = JsonReader {
            builder,
            slots: Vec::new(),
        };
        match self {
            Self::Any => reader.value(&root, "", None),
            Self::Arb => reader.bundle(&root),
        }
        let slots = reader.slots;
        let format = JsonSpelling {
            spelling: Spelling::new(&text, encoding),
            locale: root.member("@@locale").map(|value| value.range.clone()),
        };
        Ok(SlotFile::kept(format, text, encoding, slots))
    }
}

struct JsonReader<'b> {
    builder: &'b mut Builder,
    slots: Vec<ValueSlot<JsonSpelling>>,
}

impl JsonReader<'_> {
    /// A value of a file of which nothing is known.
    fn value(&mut self, value: &Value, path: &str, note: Option<&str>) {
        match &value.kind {
            Kind::String(Some(text)) if is_prose(text) => {
                let id = Some(path.to_owned()).filter(|path| !path.is_empty());
                let context = Context::named(id, note.map(str::to_owned));
                let read = Text::read(text, Dialect::PLAIN, self.builder, context);
                let slot = read.map(|read| ValueSlot::new(value.range.clone(), read));
                self.slots.extend(slot);
            }
            Kind::Array(elements) => {
                for (number, element) in elements.iter().enumerate() {
                    self.value(element, &format!("{path}[{number}]"), note);
                }
            }
            Kind::Object(_) => self.object(value, path, note),
            _ => {}
        }
    }

    fn object(&mut self, object: &Value, path: &str, note: Option<&str>) {
        if let Some(message) = described(object) {
            let description = object
                .member("description")
                .or_else(|| object.member("comment"));
            let description = description.and_then(Value::text).or(note);
            return self.value(message, path, description);
        }
        let about = about(object);
        for (key, value) in object.members() {
            let key = key.text.as_str();
            // Information about the file or a message.
            if key.starts_with(['@', '$']) || matches!(key, "_comment" | "//" | "locale") {
                continue;
            }
            let path = if path.is_empty() {
                key.to_owned()
            } else {
                format!("{path}.{key}")
            };
            // Its description follows it: `"@title": {"description": …}`.
            let note = about.get(key).copied().and_then(description);
            self.value(value, &path, note);
        }
    }

    /// ARB: messages at the top, each of them one of ICU.
    fn bundle(&mut self, root: &Value) {
        let about = about(root);
        for (key, value) in root.members() {
            let key = key.text.as_str();
            let Some(text) = value.text().filter(|_| !key.starts_with('@')) else {
                continue;
            };
            let note = about.get(key).copied().and_then(description);
            let context = Context::named(Some(key.to_owned()), note.map(str::to_owned));
            let read = Text::read_icu(
                text,
                Apostrophes::Optional,
                Dialect::PLAIN,
                self.builder,
                context,
            );
            let slot = read.map(|read| ValueSlot::new(value.range.clone(), read));
            self.slots.extend(slot);
        }
    }
}

/// Metadata of members: `@title` of `title`.
fn about(object: &Value) -> HashMap<&str, &Value> {
    let members = object.members().iter();
    members
        .filter_map(|(key, value)| Some((key.text.strip_prefix('@')?, value)))
        .collect()
}

fn description(about: &Value) -> Option<&str> {
    about
        .member("description")
        .map_or_else(|| about.text(), Value::text)
}

/// The message of an object that holds one with its description.
fn described(object: &Value) -> Option<&Value> {
    const ABOUT: Words = Words("description comment placeholders id context file meaning");
    let message = ["message", "defaultMessage", "string", "value"]
        .into_iter()
        .find_map(|name| object.member(name).filter(|value| value.text().is_some()))?;
    let others = object
        .members()
        .iter()
        .filter(|(_, value)| value.range != message.range);
    let mut names = others.map(|(key, _)| key.text.as_str());
    let is_alone = object.members().len() == 1;
    (!is_alone && names.all(|name| ABOUT.contains(name))).then_some(message)
}

#[derive(Debug)]
struct JsonSpelling {
    spelling: Spelling,
    /// Where an ARB file says its language.
    locale: Option<Range<usize>>,
}

impl ValueSpelling for JsonSpelling {
    type Style = ();

    fn spelt(&self, text: &str, _: &ValueSlot<Self>, _: &ValueFile<Self>) -> String {
        self.spelling.spelt(text)
    }

    fn set_language(&self, file: &ValueFile<Self>, language: &str, edits: &mut Edits) {
        let Self { spelling, locale } = self;
        let Some(range) = locale else { return };
        if let Some(language) = instead_of(file.source[range.clone()].trim_matches('"'), language) {
            edits.replace(range.clone(), spelling.spelt(&language.replace('-', "_")));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Format;
    use crate::testing::{paragraphs, read, rewritten};

    #[test]
    fn text_is_distinguished_from_names() {
        let text = r#"{"@@x": "No", "a": {"b": ["Open it", "img/a.png"], "n": 1}, "ext": {"message": "Save $NAME$", "description": "A button"}, "id": "app_title"}"#;
        assert_eq!(
            paragraphs(&read(Format::Json, text)),
            ["a.b[0]|Open it|", "ext|Save $NAME$|A button"]
        );
    }

    #[test]
    fn branches_of_a_bundle_are_translated_one_by_one() {
        let text = "{\n  \"@@locale\": \"en\",\n  \"n\": \"{count, plural, =0{No 'items'} other{{count} items in {where}}}\",\n  \"@n\": {\"description\": \"A list\"},\n  \"pronoun\": \"{g, select, male{He} other{They}} liked it.\"\n}";
        let document = read(Format::Arb, text);
        assert_eq!(
            paragraphs(&document),
            [
                "n|No 'items'|A list\n=0",
                "n|{count} items in {where}|A list\nother",
                "pronoun|{g} liked it.|",
                "pronoun|He|male",
                "pronoun|They|other"
            ]
        );
        let written = rewritten(&document, Some("fr-CA"), |text| {
            format!("L'{}", text.to_uppercase())
        });
        assert_eq!(
            written,
            "{\n  \"@@locale\": \"fr_CA\",\n  \"n\": \"{count, plural, =0{L'NO 'ITEMS'} other{L'{count} ITEMS IN {where}}}\",\n  \"@n\": {\"description\": \"A list\"},\n  \"pronoun\": \"L''{g, select, male{L'HE} other{L'THEY}} LIKED IT.\"\n}"
        );
    }
}
