//! The frame of files of strings: a source, and slots in it that translations are written to.

use std::fmt::Debug;
use std::ops::Range;

use super::Text;
use crate::builder::Failure;
use crate::document::Document;
use crate::formats::edits::Edits;
use crate::formats::xml::Xml;
use crate::formats::{Encoding, Kept, WriteBack};
use crate::view::Translation;

/// How a format writes translations into its files. The type itself holds what is particular to one file.
pub(super) trait StringsFormat: Sized + Debug + Send + Sync + 'static {
    /// The file as it is edited.
    type Source: Source;
    /// Where a translation goes, and the units that it is made of.
    type Slot: Debug + Send + Sync;

    /// Puts the translation of a slot in its place, if there is one.
    fn write(
        file: &StringsFile<Self>,
        slot: &Self::Slot,
        translation: &Translation,
        edits: &mut Edits,
    );

    /// Writes the language of the translation where the file names it; by now all slots are written.
    fn set_language(_: &StringsFile<Self>, _: &str, _: &mut Edits) {}

    /// Returns the bytes of the edited file.
    fn encoded(file: &StringsFile<Self>, edits: &mut Edits) -> Result<Vec<u8>, Failure> {
        file.source.encoded(edits, file.encoding)
    }
}

/// A text or a tree of XML.
pub(super) trait Source: Debug + Send + Sync + 'static {
    fn encoded(&self, edits: &Edits, encoding: Encoding) -> Result<Vec<u8>, Failure>;
}

impl Source for String {
    fn encoded(&self, edits: &Edits, encoding: Encoding) -> Result<Vec<u8>, Failure> {
        encoding.encode_all(edits.applied(self))
    }
}

impl Source for Xml {
    fn encoded(&self, edits: &Edits, encoding: Encoding) -> Result<Vec<u8>, Failure> {
        encoding.encode_xml(edits.applied(&self.text))
    }
}

/// A file of strings, waiting for its translation.
#[derive(Debug)]
pub(super) struct StringsFile<F: StringsFormat> {
    pub format: F,
    pub source: F::Source,
    pub encoding: Encoding,
    pub slots: Vec<F::Slot>,
}

impl<F: StringsFormat> StringsFile<F> {
    pub fn kept(format: F, source: F::Source, encoding: Encoding, slots: Vec<F::Slot>) -> Kept {
        Box::new(Self {
            format,
            source,
            encoding,
            slots,
        })
    }
}

impl<F: StringsFormat> WriteBack for StringsFile<F> {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = Edits::default();
        for slot in &self.slots {
            F::write(self, slot, translation, &mut edits);
        }
        if let Some(language) = translation.language {
            F::set_language(self, language, &mut edits);
        }
        F::encoded(self, &mut edits)
    }
}

/// A value that is one text in one place.
#[derive(Debug)]
pub(super) struct ValueSlot<S = ()> {
    pub range: Range<usize>,
    pub text: Text,
    /// How the value is spelt.
    pub style: S,
}

impl ValueSlot {
    pub fn new(range: Range<usize>, text: Text) -> Self {
        Self {
            range,
            text,
            style: (),
        }
    }
}

/// How a format spells values that are one text in one place.
pub(super) trait ValueSpelling: Sized + Debug + Send + Sync + 'static {
    type Style: Debug + Send + Sync;

    /// Returns a translation as it stands in the file.
    fn spelt(text: &str, value: &ValueSlot<Self::Style>, file: &StringsFile<Self>) -> String;

    /// As [`StringsFormat::set_language`].
    fn set_language(_: &StringsFile<Self>, _: &str, _: &mut Edits) {}
}

impl<S: ValueSpelling> StringsFormat for S {
    type Source = String;
    type Slot = ValueSlot<S::Style>;

    fn write(
        file: &StringsFile<S>,
        slot: &Self::Slot,
        translation: &Translation,
        edits: &mut Edits,
    ) {
        if let Some(text) = slot.text.written(translation) {
            edits.replace(slot.range.clone(), S::spelt(&text, slot, file));
        }
    }

    fn set_language(file: &StringsFile<S>, language: &str, edits: &mut Edits) {
        S::set_language(file, language, edits);
    }
}
