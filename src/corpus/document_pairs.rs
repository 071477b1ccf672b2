//! The sentences of one document and of its translation as pairs.

use serde::Serialize;

use super::alignment::{Aligned, Aligner, length_ratio};
use super::unit::UnitStatus;
use crate::text::document::Document;

/// A sentence, or a few of them, with the translation, as a reader sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AlignedPair {
    pub source: String,
    pub target: String,
    /// Whether they may not belong together.
    pub doubtful: bool,
}

/// All pairs of two documents, in the order of the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentPairs {
    pub pairs: Vec<AlignedPair>,
    /// Sentences for which the other side has nothing.
    pub unpaired_source: usize,
    pub unpaired_target: usize,
}

/// Aligns a document with its translation by structure, lengths, and what reads the same in both.
pub fn align_documents(source: &Document, target: &Document) -> DocumentPairs {
    let length = |document: &Document| {
        let texts = document.plain_texts().into_iter();
        texts.map(|text| text.chars().count()).sum()
    };
    let lengths = std::iter::once((length(source), length(target)));
    let aligner = Aligner {
        length_ratio: length_ratio(lengths),
    };
    let Aligned {
        document,
        unpaired_source,
        unpaired_target,
    } = aligner.align(source.name.clone(), source, target);
    let units = document
        .paragraphs
        .iter()
        .flat_map(|paragraph| &paragraph.units);
    let pairs = units.map(|unit| AlignedPair {
        source: unit.visible_source(),
        target: unit.visible_target(),
        doubtful: unit.status == UnitStatus::Doubtful,
    });
    DocumentPairs {
        pairs: pairs.collect(),
        unpaired_source,
        unpaired_target,
    }
}
