//! The text of an XML element that holds nothing but text.

use super::{Dialect, Text, line_end};
use crate::builder::{Builder, Context};
use crate::formats::Encoding;
use crate::formats::edits::Edits;
use crate::formats::mixed::spelt;
use crate::formats::slots::{Slot, SlotFile};
use crate::formats::xml::{Id, Kind, Xml};
use crate::view::Translation;

/// An element and what is translated of it.
#[derive(Debug)]
pub(super) struct ElementText {
    element: Id,
    text: Text,
}

/// The text of an element; `None` if something else is in it.
pub(super) fn text_of(xml: &Xml, element: Id) -> Option<String> {
    xml.children(element)
        .map(|child| xml.text_of(child))
        .collect::<Option<Vec<_>>>()
        .map(|texts| texts.concat())
}

impl ElementText {
    pub(super) fn read(
        xml: &Xml,
        element: Id,
        builder: &mut Builder,
        context: Context,
    ) -> Option<Self> {
        let value = text_of(xml, element)?;
        let text = Text::read(&value, Dialect::PLAIN, builder, context)?;
        Some(Self { element, text })
    }
}

impl Slot for ElementText {
    type Source = Xml;
    type Facts = ();

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        if let Some(text) = self.text.written(translation) {
            let written = content(&file.source, self.element, &text, file.encoding);
            edits.replace(file.source.inner(self.element), written);
        }
    }
}

/// A text as in an element: in a CDATA section where that is how it stood.
pub(super) fn content(xml: &Xml, element: Id, text: &str, encoding: Encoding) -> String {
    let mut kinds = xml.children(element).map(|child| xml.kind(child));
    let is_section = kinds.next() == Some(Kind::CData) && kinds.next().is_none();
    let is_held = text
        .chars()
        .all(|character| encoding.holds(character) && character != '\r');
    if is_section && is_held {
        return with_line_ends(xml, &section(text));
    }
    with_line_ends(xml, &spelt(text, encoding))
}

/// Text in a CDATA section; its end is spread over two of them.
pub(super) fn section(text: &str) -> String {
    format!("<![CDATA[{}]]>", text.replace("]]>", "]]]]><![CDATA[>"))
}

/// With the line ends of the file.
pub(super) fn with_line_ends(xml: &Xml, written: &str) -> String {
    written.replace('\n', line_end(&xml.text))
}
