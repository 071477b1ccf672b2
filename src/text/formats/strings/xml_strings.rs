//! XML files whose texts stand in elements of their own.

use super::element::ElementText;
use crate::text::builder::Failure;
use crate::text::document::Document;
use crate::text::formats::edits::Edits;
use crate::text::formats::xml::Xml;
use crate::text::formats::{Encoding, WriteBack};
use crate::text::view::Translation;

/// Such a file, waiting for its translation.
#[derive(Debug)]
pub(super) struct XmlStrings {
    xml: Xml,
    encoding: Encoding,
    texts: Vec<ElementText>,
}

impl XmlStrings {
    pub fn new(xml: Xml, encoding: Encoding, texts: Vec<ElementText>) -> Self {
        Self {
            xml,
            encoding,
            texts,
        }
    }
}

impl WriteBack for XmlStrings {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = Edits::default();
        for text in &self.texts {
            text.write(&self.xml, self.encoding, translation, &mut edits);
        }
        self.encoding.encode_xml(edits.applied(&self.xml.text))
    }
}
