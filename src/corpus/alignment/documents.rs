//! Two documents of which one is the translation of the other, as a document of pairs.

use std::collections::HashMap;
use std::ops::Range;

use super::comparison::{Comparison, doubt};
use super::rows::{AlignmentRow, RowState, unpaired_sentences};
use super::texts::characters;
use crate::format::{ParallelDocument, ParallelParagraph};
use crate::markup::{Side, matched};
use crate::unit::{Unit, UnitStatus};
use canopy_document::document::Document;

/// A document of which less than this share, in characters, is surely aligned is doubtful as a whole.
const LEAST_SURE: f64 = 0.5;

/// Aligns documents of one pair of languages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aligner {
    /// Characters of the target for one of the source.
    pub length_ratio: f64,
}

/// A document in two languages, and which sentences it is made of.
#[derive(Debug)]
pub(crate) struct Aligned {
    pub document: ParallelDocument,
    /// Every sentence of both sides, in order.
    pub rows: Vec<AlignmentRow>,
}

impl Aligned {
    /// Sentences of each side for which the other has nothing.
    pub(crate) fn unpaired(&self) -> (usize, usize) {
        unpaired_sentences(&self.rows)
    }
}

impl Aligner {
    /// The pairs of two documents, with the structure of the source.
    pub(crate) fn align(self, id: String, source: &Document, target: &Document) -> Aligned {
        let comparison = Comparison::new(source, target, self.length_ratio);
        let ends = (source.sentences.len(), target.sentences.len());
        let mut found = comparison.paragraphs((source, target), &(0..ends.0), &(0..ends.1));
        if sure_share(source, target, found.iter().flat_map(|it| &it.rows)) < LEAST_SURE {
            for paragraphs in &mut found {
                doubt(&mut paragraphs.rows);
            }
        }
        let mut aligned = Aligned {
            document: ParallelDocument {
                id,
                sections: source.sections.clone(),
                paragraphs: Vec::new(),
            },
            rows: Vec::new(),
        };
        let mut places = HashMap::new();
        for paragraphs in found {
            let pairs = paragraphs.rows.iter().filter(|row| row.is_pair());
            let units: Vec<Unit> = pairs.map(|row| unit(source, target, row)).collect();
            aligned.rows.extend(paragraphs.rows);
            let Some(index) = paragraphs.paragraph.filter(|_| !units.is_empty()) else {
                continue;
            };
            let first = &source.paragraphs[index];
            places.insert(index, aligned.document.paragraphs.len());
            aligned.document.paragraphs.push(ParallelParagraph {
                section: first.section,
                kind: first.kind,
                id: first.id.clone(),
                note: None,
                units,
            });
        }
        for section in &mut aligned.document.sections {
            section.heading = section
                .heading
                .and_then(|heading| places.get(&heading).copied());
        }
        aligned
    }
}

fn whole(document: &Document, sentences: &Range<usize>) -> Side {
    Side::whole(document, &document.sentences[sentences.clone()])
}

fn unit(source: &Document, target: &Document, row: &AlignmentRow) -> Unit {
    let (source, target) = (whole(source, &row.source), whole(target, &row.target));
    let mut unit = matched(&source, &target).unit;
    if row.state == RowState::Doubtful {
        unit.status = UnitStatus::Doubtful;
    }
    unit
}

/// The share of both documents, in characters, that is in pairs without doubt.
fn sure_share<'r>(
    source: &Document,
    target: &Document,
    rows: impl Iterator<Item = &'r AlignmentRow>,
) -> f64 {
    let (mut sure, mut all) = (0, 0);
    for row in rows {
        let ours = characters(&whole(source, &row.source).visible());
        let length = ours + characters(&whole(target, &row.target).visible());
        all += length;
        if row.is_pair() && row.state != RowState::Doubtful {
            sure += length;
        }
    }
    sure as f64 / all.max(1) as f64
}
