//! The frame of files that are edited in place: a source, and slots in it that translations are written to.

use std::fmt::Debug;
use std::ops::Range;

use super::edits::Edits;
use super::strings::Text;
use super::xml::Xml;
use super::{Encoding, Kept, WriteBack};
use crate::builder::Failure;
use crate::document::Document;
use crate::view::Translation;

/// How a format writes translations into its files. The type itself holds what is particular to one file.
pub(super) trait SlotFormat: Sized + Debug + Send + Sync + 'static {
    /// The file as it is edited.
    type Source: Source;
    /// Where a translation goes, and the units that it is made of.
    type Slot: Debug + Send + Sync;

    /// Edits the file before its slots.
    fn begin(_: &SlotFile<Self>, _: &Translation, _: &mut Edits) {}

    /// Puts the translation of a slot in its place, if there is one.
    fn write(
        file: &SlotFile<Self>,
        slot: &Self::Slot,
        translation: &Translation,
        edits: &mut Edits,
    );

    /// Edits the file after its slots, as where it names its language.
    fn end(_: &SlotFile<Self>, _: &Translation, _: &mut Edits) {}

    /// Returns the bytes of the edited file.
    fn encoded(file: &SlotFile<Self>, edits: &mut Edits) -> Result<Vec<u8>, Failure> {
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

/// A file, waiting for its translation.
#[derive(Debug)]
pub(super) struct SlotFile<F: SlotFormat> {
    pub format: F,
    pub source: F::Source,
    pub encoding: Encoding,
    /// In the order in which they are written: what lies within another slot comes first.
    pub slots: Vec<F::Slot>,
}

impl<F: SlotFormat> SlotFile<F> {
    pub fn kept(format: F, source: F::Source, encoding: Encoding, slots: Vec<F::Slot>) -> Kept {
        Box::new(Self {
            format,
            source,
            encoding,
            slots,
        })
    }
}

impl<F: SlotFormat> WriteBack for SlotFile<F> {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = Edits::default();
        F::begin(self, translation, &mut edits);
        for slot in &self.slots {
            F::write(self, slot, translation, &mut edits);
        }
        F::end(self, translation, &mut edits);
        F::encoded(self, &mut edits)
    }
}

/// A value of a file of strings that is one text in one place.
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
    fn spelt(text: &str, value: &ValueSlot<Self::Style>, file: &SlotFile<Self>) -> String;

    /// Writes the language of the translation where the file names it.
    fn set_language(_: &SlotFile<Self>, _: &str, _: &mut Edits) {}
}

impl<S: ValueSpelling> SlotFormat for S {
    type Source = String;
    type Slot = ValueSlot<S::Style>;

    fn write(file: &SlotFile<S>, slot: &Self::Slot, translation: &Translation, edits: &mut Edits) {
        if let Some(text) = slot.text.written(translation) {
            edits.replace(slot.range.clone(), S::spelt(&text, slot, file));
        }
    }

    fn end(file: &SlotFile<S>, translation: &Translation, edits: &mut Edits) {
        if let Some(language) = translation.language {
            S::set_language(file, language, edits);
        }
    }
}
