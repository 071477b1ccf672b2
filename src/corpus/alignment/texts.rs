//! Features of a document for alignment: lengths and anchors of its paragraphs and sentences.

use std::ops::Range;

use super::anchors::Anchors;
use crate::corpus::markup::Side;
use crate::text::document::{Document, Paragraph};

/// Features of a paragraph or a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    /// Characters, in the measure of the source.
    pub length: f64,
    pub anchors: Anchors,
}

impl Text {
    pub fn joined<'a>(texts: impl IntoIterator<Item = &'a Self>) -> Self {
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
    pub fn new(single: Vec<Text>) -> Self {
        let double = single.windows(2).map(Text::joined).collect();
        Self { single, double }
    }

    /// One text or two.
    pub fn get(&self, range: &Range<usize>) -> &Text {
        if range.len() == 1 {
            &self.single[range.start]
        } else {
            &self.double[range.start]
        }
    }
}

/// A document with what is compared of its sentences.
pub(super) struct Sentences<'d> {
    pub document: &'d Document,
    pub texts: Vec<Text>,
    pub characters: usize,
}

impl<'d> Sentences<'d> {
    pub fn of(document: &'d Document, length_ratio: f64) -> Self {
        let mut all = 0;
        let mut texts = Vec::with_capacity(document.sentences.len());
        for sentence in &document.sentences {
            let side = Side::of(document, sentence);
            let length = characters(&side.visible());
            all += length;
            #[expect(clippy::cast_precision_loss, reason = "characters of a sentence")]
            let length = length as f64 / length_ratio;
            let anchors = Anchors::of(&side);
            texts.push(Text { length, anchors });
        }
        Self {
            document,
            texts,
            characters: all,
        }
    }

    pub fn anchors(&self) -> impl Iterator<Item = &Anchors> {
        self.texts.iter().map(|text| &text.anchors)
    }

    pub fn paragraphs(&self) -> Texts {
        let text = |paragraph: &Paragraph| {
            let mut text = Text::joined(&self.texts[paragraph.sentences.clone()]);
            if let Some(id) = &paragraph.id {
                text.anchors.add_id(id);
            }
            text
        };
        Texts::new(self.document.paragraphs.iter().map(text).collect())
    }

    /// The sentences of paragraphs in a row.
    pub fn sentences_in(&self, paragraphs: &Range<usize>) -> Range<usize> {
        let paragraphs = &self.document.paragraphs[paragraphs.clone()];
        match (paragraphs.first(), paragraphs.last()) {
            (Some(first), Some(last)) => first.sentences.start..last.sentences.end,
            _ => 0..0,
        }
    }
}

pub(super) fn characters(text: &str) -> usize {
    text.chars().count()
}
