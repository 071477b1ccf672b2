//! Translation sources of Qt (`.ts`), as lupdate writes them.
//!
//! Messages without a translation are translated; they stay unfinished, which marks them for review. Finished, obsolete and
//! vanished ones stay, and drafts, unless they are to be translated anew or are drafts for another source. Each numerus
//! form is a unit of its own.

use std::ops::Range;

use super::element::{text_of, with_line_ends};
use super::{Dialect, Message, Piece, Text, damaged, plurals};
use crate::builder::{Builder, Context, Failure};
use crate::document::Standing;
use crate::formats::edits::Edits;
use crate::formats::mixed::spelt;
use crate::formats::slots::{Slot, SlotFile};
use crate::formats::xml::{Id, Kind, Xml, escaped_attribute};
use crate::formats::{DocumentFormat, Encoding, Kept, language};
use crate::view::Translation;

/// Translation sources.
pub(in crate::formats) struct Qt;

impl DocumentFormat for Qt {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode_xml(bytes)?;
        if !text
            .trim_start_matches('\u{FEFF}')
            .trim_start()
            .starts_with('<')
        {
            return Err(damaged(name, &text, 0, "no XML: is it TypeScript?"));
        }
        let xml = Xml::read_rooted(name, text, "TS")?;
        let root = xml.root();
        builder.set_language(xml.attribute(root, "sourcelanguage").as_deref());
        builder.set_target_language(xml.attribute(root, "language").as_deref());
        let mut reader = QtReader {
            xml: &xml,
            builder,
            slots: Vec::new(),
        };
        reader.messages(root, None);
        let slots = reader.slots;
        Ok(SlotFile::kept((), xml, encoding, slots))
    }
}

struct QtReader<'x, 'b> {
    xml: &'x Xml,
    builder: &'b mut Builder,
    slots: Vec<QtMessage>,
}

/// A message that has a translation, or a place for one.
#[derive(Debug)]
struct QtMessage {
    /// The element that holds a translation, and the unit of it.
    forms: Vec<(Id, Text)>,
    is_numerus: bool,
}

impl QtReader<'_, '_> {
    fn messages(&mut self, parent: Id, context: Option<&str>) {
        let xml = self.xml;
        let name = xml.child(parent, "name").map(|name| xml.whole_text(name));
        let context = name.as_deref().or(context);
        for child in xml.elements(parent) {
            match xml.name(child) {
                "context" => self.messages(child, context),
                "message" => {
                    if let Some(slot) = self.message(child, context) {
                        self.slots.push(slot);
                    }
                }
                _ => {}
            }
        }
    }

    fn message(&mut self, message: Id, context: Option<&str>) -> Option<QtMessage> {
        let xml = self.xml;
        let source = xml.child(message, "source")?;
        let translation = xml.child(message, "translation")?;
        let kind = xml.attribute(translation, "type");
        let has_variants = xml
            .elements(translation)
            .any(|id| xml.name(id) != "numerusform" && xml.name(id) != "byte");
        if matches!(kind.as_deref(), Some("obsolete" | "vanished")) || has_variants {
            return None;
        }
        let is_draft = kind.as_deref() == Some("unfinished");
        // A draft for another source is not a draft for this one.
        let is_of_another = xml.child(message, "oldsource").is_some();
        let is_replaced = is_draft && (is_of_another || self.builder.options().drafts);
        let standing = if is_draft {
            Standing::Draft
        } else {
            Standing::Translated
        };
        let is_numerus = xml.attribute(message, "numerus").as_deref() == Some("yes");
        let mut holders: Vec<Id> = xml
            .elements(translation)
            .filter(|&id| xml.name(id) == "numerusform")
            .collect();
        if !is_numerus || holders.is_empty() {
            holders = vec![translation];
        }
        let rule = xml
            .attribute(xml.root(), "language")
            .and_then(|language| plurals::rule(&language));
        let notes = self.notes(message, context);
        let mut forms = Vec::new();
        for (number, holder) in holders.into_iter().enumerate() {
            let known = text_of(xml, holder).filter(|text| !text.is_empty() && !is_replaced);
            let examples = rule
                .as_ref()
                .filter(|rule| is_numerus && number < rule.num_forms);
            let mut notes = notes.clone();
            notes.extend(examples.map(|rule| format!("n = {}", rule.examples(number))));
            let context = Context {
                id: xml.value(message, "id"),
                note: Some(notes.join("\n")).filter(|note| !note.is_empty()),
                is_sentence: known.is_some(),
                ..Context::default()
            };
            let value = text_of(xml, source).filter(|value| Text::is_icu(value));
            let text = match value {
                Some(value) => Text::read(&value, Dialect::QT, self.builder, context)?,
                None => Text::Plain(self.source(source).unit(self.builder, context)?),
            };
            if let Some(known) = known {
                text.set_known(self.builder, &known, standing);
            }
            forms.push((holder, text));
        }
        Some(QtMessage { forms, is_numerus })
    }

    /// The source, with characters that XML does not have.
    fn source(&self, source: Id) -> Message {
        let xml = self.xml;
        let mut message = Message::new(Dialect::QT);
        let mut text = String::new();
        for child in xml.children(source) {
            if let Some(more) = xml.text_of(child) {
                text.push_str(&more);
                continue;
            }
            message.text(&std::mem::take(&mut text));
            let raw = xml.slice(xml.range(child));
            let is_reference = xml.kind(child) == Kind::Reference;
            message.raw("byte", if is_reference { raw } else { "\u{FFFD}" }, raw);
        }
        message.text(&text);
        message
    }

    fn notes(&self, message: Id, context: Option<&str>) -> Vec<String> {
        let xml = self.xml;
        let names = ["extracomment", "comment", "translatorcomment"];
        let own = names.iter().filter_map(|name| xml.child(message, name));
        let mut notes: Vec<String> = own
            .map(|note| xml.whole_text(note).trim().to_owned())
            .collect();
        notes.extend(context.map(|context| context.trim().to_owned()));
        notes.retain(|note| !note.is_empty());
        notes
    }
}

impl Slot for QtMessage {
    type Source = Xml;
    type Facts = ();

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let xml = &file.source;
        let mut last = None;
        for (holder, text) in &self.forms {
            let Some(pieces) = text.pieces(translation) else {
                continue;
            };
            let content = file.content(&pieces);
            if xml.name(*holder) == "translation" && self.is_numerus {
                let count = file.num_forms(translation.language, 1);
                let forms =
                    format!("\n            <numerusform>{content}</numerusform>").repeat(count);
                let forms = with_line_ends(xml, &format!("{forms}\n        "));
                edits.replace(xml.range(*holder), xml.filled(*holder, &forms));
                continue;
            }
            edits.replace(xml.range(*holder), xml.filled(*holder, &content));
            last = Some((*holder, content));
        }
        // Forms that the file has no place for yet.
        if let (Some((holder, content)), true) = (last, self.is_numerus) {
            let own = self.forms.len();
            let missing = file
                .num_forms(translation.language, own)
                .saturating_sub(own);
            let range = xml.range(holder);
            let before = file.space_before(range.clone());
            let more = format!("{before}{}", xml.filled(holder, &content)).repeat(missing);
            if !more.is_empty() {
                edits.replace(range.end..range.end, more);
            }
        }
    }

    /// Says the language of the translation, unless a variety of it is said already.
    fn end(file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let Some(to) = translation.language.filter(|_| !edits.is_empty()) else {
            return;
        };
        let xml = &file.source;
        let root = xml.root();
        let said = xml.attribute(root, "language");
        if said.is_some_and(|said| language::parts(&said).0 == language::parts(to).0) {
            return;
        }
        let value = escaped_attribute(&to.replace('-', "_"));
        if let Some(range) = xml.attribute_range(root, "language") {
            edits.replace(range, value);
        } else {
            let tag = xml.start_tag(root);
            let end = tag.start
                + xml
                    .slice(tag.clone())
                    .trim_end_matches('>')
                    .trim_end()
                    .len();
            edits.replace(end..end, format!(" language=\"{value}\""));
        }
    }
}

impl SlotFile<QtMessage> {
    fn num_forms(&self, language: Option<&str>, least: usize) -> usize {
        let xml = &self.source;
        let said = xml.attribute(xml.root(), "language");
        let rule = language.or(said.as_deref()).and_then(plurals::rule);
        rule.map_or(least, |rule| rule.num_forms.max(least))
    }

    fn space_before(&self, range: Range<usize>) -> &str {
        let before = &self.source.text[..range.start];
        &before[before.trim_end().len()..]
    }

    fn content(&self, pieces: &[Piece]) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => spelt(text, self.encoding),
            Piece::Raw(raw) => raw.clone(),
            Piece::Inner(_) => String::new(),
        };
        let written: String = pieces.iter().map(piece).collect();
        with_line_ends(&self.source, &written)
    }
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, Format, ReadingOptions};
    use crate::testing::read;

    const FILE: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE TS>\n<TS version=\"2.1\" language=\"pl_PL\" sourcelanguage=\"en\">\n<context>\n    <name>Dialog</name>\n    <message numerus=\"yes\">\n        <source>%n file(s) of %1</source>\n        <comment>A count</comment>\n        <translation type=\"unfinished\">\n            <numerusform></numerusform>\n            <numerusform></numerusform>\n            <numerusform></numerusform>\n        </translation>\n    </message>\n    <message>\n        <source>Open %1&lt;br&gt;now</source>\n        <translation>Otwórz %1&lt;br&gt;teraz</translation>\n    </message>\n    <message>\n        <source>Old</source>\n        <translation type=\"vanished\">Stary</translation>\n    </message>\n    <message>\n        <source>Close</source>\n        <translation type=\"unfinished\"/>\n    </message>\n</context>\n</TS>\n";

    #[test]
    fn drafts_stay_unless_they_are_to_be_translated_anew() {
        let file = FILE.replace(
            "<translation type=\"unfinished\"/>",
            "<translation type=\"unfinished\">Zamknij</translation>",
        );
        let read = |drafts| {
            let options = ReadingOptions {
                drafts,
                ..ReadingOptions::default()
            };
            let bytes = file.clone().into_bytes();
            Document::from_bytes_with("a.ts", Format::Qt, bytes, &options).expect("readable")
        };
        let document = read(false);
        let known = document.sentences.last().and_then(|it| it.known.as_ref());
        let known = known.expect("a draft");
        assert_eq!((known.text.as_str(), known.is_draft()), ("Zamknij", true));
        assert_eq!(read(true).sentences.last().expect("one").known, None);
    }

    #[test]
    fn unfinished_messages_are_translated_and_all_others_stay() {
        let document = read(Format::Qt, FILE);
        let texts = document.plain_texts();
        assert_eq!(
            texts[..3],
            ["%n file(s) of %1", "%n file(s) of %1", "%n file(s) of %1"]
        );
        let open = &document.sentences[3];
        let known = open.text.replace("Open", "Otwórz").replace("now", "teraz");
        assert_eq!(open.known_text(), Some(known.as_str()));
        assert_eq!(
            document.paragraphs[1].note.as_deref(),
            Some("A count\nDialog\nn = 2, 3, 4, 22, 23, …")
        );
        let translated: Vec<_> = document
            .sentences
            .iter()
            .map(|it| it.known.is_none().then(|| format!("Ł{}<", it.text)))
            .collect();
        let written = document.written(&translated, Some("pl")).expect("written");
        let expected = FILE
            .replace(
                "<numerusform></numerusform>",
                "<numerusform>Ł%n file(s) of %1&lt;</numerusform>",
            )
            .replace(
                "<translation type=\"unfinished\"/>",
                "<translation type=\"unfinished\">ŁClose&lt;</translation>",
            );
        assert_eq!(String::from_utf8(written).expect("text"), expected);
    }
}
