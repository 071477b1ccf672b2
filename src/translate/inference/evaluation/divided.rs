//! Units of documents as sentences that are searched, each in its context.

use std::collections::HashMap;
use std::ops::Range;

use canopy_corpus::{DocumentUnits, Segment};
use canopy_nn::model::BertSequence;
use canopy_nn::search::{SourceFrame, SourceSentence, SourceText};
use canopy_tokenize::{Side, SpecialIds, Tokenizer};

/// One sequence of a model: a unit or a part of it.
pub(super) struct Part {
    pub(super) ids: Vec<u32>,
    /// White space before and after it, which is not read.
    pub(super) around: [String; 2],
    /// The translation that other sentences read; none of a part, since it is unknown where to cut.
    pub(super) known: Option<Vec<u32>>,
}

impl Part {
    pub(super) fn whole(tokenizer: &dyn Tokenizer, units: &DocumentUnits, unit: usize) -> Self {
        // A vocabulary without placeholders reads what people see.
        let text = match units.shown.get(unit) {
            Some(shown) if tokenizer.placeholder_ids().is_empty() => shown,
            _ => &units.sources[unit].1,
        };
        let mut ids = tokenizer.encode(Side::Source, text);
        ids.extend(units.source_suffix.get(unit).into_iter().flatten());
        let known = units.known.get(unit);
        Self {
            ids,
            around: [String::new(), String::new()],
            known: known.map(|known| tokenizer.encode(Side::Target, known)),
        }
    }
}

/// Documents as a model reads them.
#[derive(Default)]
pub(super) struct Divided {
    pub(super) text: SourceText,
    /// White space around each sentence of the text.
    pub(super) around: Vec<[String; 2]>,
    /// The first sentence of the unit that each is of.
    pub(super) firsts: Vec<usize>,
    /// The sentences of each unit, by its document and its place there.
    pub(super) units: HashMap<(usize, (usize, usize)), Range<usize>>,
}

impl Divided {
    /// `parts` gives those of a unit by its number in the document, one at least.
    pub(super) fn new(
        documents: &[DocumentUnits],
        special: &SpecialIds,
        parts: &dyn Fn(&DocumentUnits, usize) -> Vec<Part>,
    ) -> Self {
        let mut read = Self::default();
        read.text.frame = SourceFrame::from_special_ids(special);
        for (document, units) in documents.iter().enumerate() {
            let begin = read.firsts.len();
            for (unit, (place, _)) in units.sources.iter().enumerate() {
                let first = read.firsts.len();
                for Part { ids, around, known } in parts(units, unit) {
                    let position = *place;
                    let number = read.text.sentences.len();
                    read.text.known.extend(known.map(|known| (number, known)));
                    read.text.sentences.push(SourceSentence { ids, position });
                    let pieces = units.pieces.get(unit).cloned();
                    let pieces = pieces.map(|(ids, of_first)| BertSequence { ids, of_first });
                    read.text.pieces.extend(pieces);
                    let headings = units.headings.get(unit).copied().unwrap_or_default();
                    read.text.headings.push(headings);
                    read.around.push(around);
                    read.firsts.push(first);
                }
                let sentences = first..read.firsts.len();
                read.units.insert((document, *place), sentences);
            }
            read.text.documents.push(begin..read.firsts.len());
        }
        read
    }

    pub(super) fn sentences(&self, segment: &Segment, place: (usize, usize)) -> Range<usize> {
        self.units[&(segment.document, place)].clone()
    }

    /// The sentences of all segments.
    pub(super) fn wanted(&self, segments: &[Segment]) -> Vec<usize> {
        let units = segments.iter().flat_map(|segment| {
            let units = segment.units.iter();
            units.flat_map(|unit| self.sentences(segment, unit.place))
        });
        units.collect()
    }

    /// The sentences of the units of each document, in order.
    pub(super) fn in_order(&self, documents: &[DocumentUnits]) -> Vec<Vec<Range<usize>>> {
        let documents = documents.iter().enumerate();
        let units = documents.map(|(document, units)| {
            let units = units.sources.iter();
            units
                .map(|(place, _)| self.units[&(document, *place)].clone())
                .collect()
        });
        units.collect()
    }
}
