//! Features of a document for alignment: lengths and anchors of its paragraphs and sentences.

use std::ops::Range;

use super::anchors::Anchors;
use crate::markup::Side;
use canopy_document::document::{Document, Sentence};

/// Features of a paragraph or a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    /// Characters, in the measure of the source.
    pub length: f64,
    pub anchors: Anchors,
}

impl Text {
    pub(super) fn joined<'a>(texts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut joined = Self::default();
        for text in texts {
            joined.length += text.length;
            joined.anchors.extend(&text.anchors);
        }
        joined
    }
}

/// Texts in a row, and what each makes together with the next.
pub(super) struct Texts {
    pub single: Vec<Text>,
    double: Vec<Text>,
}

impl Texts {
    pub(super) fn new(single: Vec<Text>) -> Self {
        let double = single.windows(2).map(Text::joined).collect();
        Self { single, double }
    }

    /// One text or two.
    pub(super) fn get(&self, range: &Range<usize>) -> &Text {
        if range.len() == 1 {
            &self.single[range.start]
        } else {
            &self.double[range.start]
        }
    }
}

/// Features of each sentence of a document that an alignment compares.
pub(super) fn texts_of(document: &Document, length_ratio: f64) -> Vec<Text> {
    let text = |sentence: &Sentence| {
        let side = Side::from_sentence(document, sentence);
        let length = characters(&side.visible()) as f64 / length_ratio;
        let anchors = Anchors::from_side(&side);
        Text { length, anchors }
    };
    document.sentences.iter().map(text).collect()
}

pub(super) fn characters(text: &str) -> usize {
    text.chars().count()
}
