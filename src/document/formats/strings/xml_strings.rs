//! XML files whose texts stand in elements of their own.

use super::element::ElementText;
use crate::builder::Failure;
use crate::document::Document;
use crate::formats::edits::Edits;
use crate::formats::xml::Xml;
use crate::formats::{Encoding, WriteBack};
use crate::view::Translation;

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
