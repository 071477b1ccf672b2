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

/// The place of a translation in a file.
pub(super) trait Slot: Sized + Debug + Send + Sync + 'static {
    /// The file as it is edited.
    type Source: Source;
    /// Facts of the file that its slots need.
    type Facts: Debug + Send + Sync;

    /// Edits the file before its slots.
    fn begin(_: &SlotFile<Self>, _: &Translation, _: &mut Edits) {}

    /// Puts the translation in its place, if there is one.
    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits);

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
pub(super) struct SlotFile<S: Slot> {
    pub facts: S::Facts,
    pub source: S::Source,
    pub encoding: Encoding,
    /// In the order in which they are written: what is within another slot comes first.
    pub slots: Vec<S>,
}

impl<S: Slot> SlotFile<S> {
    pub(super) fn kept(
        facts: S::Facts,
        source: S::Source,
        encoding: Encoding,
        slots: Vec<S>,
    ) -> Kept {
        Box::new(Self {
            facts,
            source,
            encoding,
            slots,
        })
    }
}

impl<S: Slot> WriteBack for SlotFile<S> {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let mut edits = Edits::default();
        S::begin(self, translation, &mut edits);
        for slot in &self.slots {
            slot.write(self, translation, &mut edits);
        }
        S::end(self, translation, &mut edits);
        S::encoded(self, &mut edits)
    }
}

/// How a format spells values that are one text in one place. The type itself holds what a whole file has in common.
pub(super) trait ValueSpelling: Sized + Debug + Send + Sync + 'static {
    /// Facts that differ from value to value.
    type Style: Debug + Send + Sync;

    /// Returns a translation as in the file.
    fn spelt(&self, text: &str, value: &ValueSlot<Self>, file: &ValueFile<Self>) -> String;

    /// Writes the language of the translation where the file names it.
    fn set_language(&self, _: &ValueFile<Self>, _: &str, _: &mut Edits) {}
}

/// A value of a file of strings that is one text in one place.
#[derive(Debug)]
pub(super) struct ValueSlot<S: ValueSpelling> {
    pub range: Range<usize>,
    pub text: Text,
    pub style: S::Style,
}

pub(super) type ValueFile<S> = SlotFile<ValueSlot<S>>;

impl<S: ValueSpelling<Style = ()>> ValueSlot<S> {
    pub(super) fn new(range: Range<usize>, text: Text) -> Self {
        let style = ();
        Self { range, text, style }
    }
}

impl<S: ValueSpelling> Slot for ValueSlot<S> {
    type Source = String;
    type Facts = S;

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        if let Some(text) = self.text.written(translation) {
            edits.replace(self.range.clone(), file.facts.spelt(&text, self, file));
        }
    }

    fn end(file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        if let Some(language) = translation.language {
            file.facts.set_language(file, language, edits);
        }
    }
}
