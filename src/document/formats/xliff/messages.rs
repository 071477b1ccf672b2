//! Units that are messages of ICU, as Angular and others put them into XLIFF.

use super::codes::key;
use crate::builder::{Builder, Context};
use crate::document::Standing;
use crate::formats::Encoding;
use crate::formats::mixed::spelt;
use crate::formats::strings::{Dialect, Text};
use crate::formats::xml::{Id, Xml};
use crate::view::Translation;

/// The name of a tag that stands for an element of the file within a message.
const MARK: &str = "code.";

/// A message with the elements in it.
#[derive(Debug)]
pub(super) struct Messages {
    text: Text,
    /// By their numbers in the marks.
    elements: Vec<Id>,
}

impl Messages {
    /// Reads the content of a source; `None` if it is no message with branches.
    pub(super) fn read(
        xml: &Xml,
        source: Id,
        builder: &mut Builder,
        context: &Context,
    ) -> Option<Self> {
        let mut elements = Vec::new();
        let marked = marked(xml, source, &mut |element| {
            elements.push(element);
            Some(elements.len() - 1)
        });
        if !Text::is_icu(&marked) {
            return None;
        }
        let text = Text::read(&marked, Dialect::PLAIN, builder, context.clone())?;
        Some(Self { text, elements })
    }

    /// Says which translation the file has already.
    pub(super) fn set_known(
        &self,
        xml: &Xml,
        target: Id,
        standing: Standing,
        builder: &mut Builder,
    ) {
        let known = marked(xml, target, &mut |element| {
            let is_it = |&source: &Id| key(xml, source) == key(xml, element);
            self.elements.iter().position(is_it)
        });
        self.text.set_known(builder, &known, standing);
    }

    /// The translated content; `None` if there is nothing new.
    pub(super) fn written(
        &self,
        xml: &Xml,
        encoding: Encoding,
        translation: &Translation,
    ) -> Option<String> {
        let text = self.text.written(translation)?;
        let (mut written, mut rest) = (String::new(), text.as_str());
        while let Some((at, length, tag)) = self.next_mark(xml, rest) {
            written += &spelt(&rest[..at], encoding);
            written += tag;
            rest = &rest[at + length..];
        }
        Some(written + &spelt(rest, encoding))
    }

    /// The next mark in a text: where it is, how long it is, and the tag of the file that it stands for.
    fn next_mark<'x>(&self, xml: &'x Xml, text: &str) -> Option<(usize, usize, &'x str)> {
        text.match_indices('<').find_map(|(at, _)| {
            let end = text[at..].find('>')? + 1;
            let inner = &text[at + 1..at + end - 1];
            let number = inner.trim_start_matches('/').strip_prefix(MARK)?;
            let element = *self
                .elements
                .get(number.trim_end_matches('/').parse::<usize>().ok()?)?;
            let range = match () {
                () if inner.starts_with('/') => xml.end_tag(element),
                () if inner.ends_with('/') => xml.range(element),
                () => xml.start_tag(element),
            };
            Some((at, end, xml.slice(range)))
        })
    }
}

/// The text of an element in which tags with numbers stand for elements.
fn marked(xml: &Xml, parent: Id, number: &mut impl FnMut(Id) -> Option<usize>) -> String {
    let mut text = String::new();
    mark(xml, parent, number, &mut text);
    text
}

fn mark(xml: &Xml, parent: Id, number: &mut impl FnMut(Id) -> Option<usize>, text: &mut String) {
    for child in xml.children(parent) {
        if !xml.is_element(child) {
            text.push_str(&xml.text_of(child).unwrap_or_default());
            continue;
        }
        let Some(found) = number(child) else {
            continue;
        };
        if matches!(xml.name(child), "g" | "pc") && !xml.is_empty_tag(child) {
            text.extend([format!("<{MARK}{found}>")]);
            mark(xml, child, number, text);
            text.extend([format!("</{MARK}{found}>")]);
        } else {
            text.extend([format!("<{MARK}{found}/>")]);
        }
    }
}
