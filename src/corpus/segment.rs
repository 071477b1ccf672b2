//! Segments that are scored: paragraphs, so that figures compare with systems that split sentences otherwise.

use std::collections::HashSet;

use super::format::{Corpus, ParallelDocument};
use super::split::Split;
use super::unit::{Expected, Unit, UnitStatus, visible};
use super::writer::fingerprint;
use crate::error::Result;
use canopy_document::document::SectionNumbers;

/// A paragraph whose two sides show different texts that surely belong together.
///
/// Its hypothesis is [`Segment::visible`] of the hypotheses of its units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The visible text: inline code as text, no tags, white space folded.
    pub source: String,
    /// The visible text of the human translation.
    pub reference: String,
    /// The sentences of the paragraph.
    pub units: Vec<SegmentUnit>,
    /// Index of the document in its split.
    pub document: usize,
    /// Index of the paragraph in the document.
    pub paragraph: usize,
    /// This pair of texts does not occur in the training documents.
    pub unseen: bool,
    /// This pair of texts stood earlier in the same split.
    pub repeated: bool,
}

/// A source sentence of a segment, to be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentUnit {
    /// With placeholders.
    pub source: String,
    /// The reference, with the same placeholders.
    pub reference: String,
    /// Index of the unit in its paragraph and of the paragraph in its document.
    pub place: (usize, usize),
    /// Both sides are the same.
    pub identical: bool,
    /// The text of each point of `source`, by number.
    pub points: Vec<String>,
}

/// All source sentences of a document, whether they are scored or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentUnits {
    /// Each with its place, as in [`SegmentUnit::place`], and its placeholders.
    pub sources: Vec<((usize, usize), String)>,
    /// The visible text of each.
    pub shown: Vec<String>,
    /// Numbers of the sections that each is in; empty where they are not known.
    pub headings: Vec<SectionNumbers>,
    /// The note for a translator of each, such as who speaks; empty where there are none.
    pub notes: Vec<Option<String>>,
    /// The text of each one's points, by number.
    pub points: Vec<Vec<String>>,
    /// BERT's ids of each, and how many of these are of the sentence itself; empty where no BERT is read.
    pub pieces: Vec<(Vec<u32>, usize)>,
    /// Ids that the encoder reads after each, from a translation memory or of the translations before; empty where none
    /// are read.
    pub source_suffix: Vec<Vec<u32>>,
    /// The human translation of each, with placeholders.
    pub references: Vec<String>,
    /// Translations of all units that others read, with placeholders: what a person has confirmed. Empty where a model reads
    /// its own.
    pub known: Vec<String>,
}

impl DocumentUnits {
    /// The number of the unit at this place, as in [`SegmentUnit::place`].
    pub fn number_of(&self, place: (usize, usize)) -> Option<usize> {
        self.sources.iter().position(|(other, _)| *other == place)
    }

    /// Whether two units have the same note, such as the name of the speaker.
    pub fn share_note(&self, unit: usize, other: usize) -> bool {
        let note = |unit: usize| self.notes.get(unit)?.as_deref();
        note(unit).is_some_and(|own| note(other) == Some(own))
    }

    /// The human translation of a unit as a reader sees it.
    pub fn shown_reference(&self, unit: usize) -> String {
        let points = self.points.get(unit).map(Vec::as_slice);
        visible(&self.references[unit], points.unwrap_or_default())
    }
}

/// The documents that the segments of a split come from, in order.
///
/// # Errors
/// If the split cannot be read.
pub fn document_units(corpus: &Corpus, split: Split) -> Result<Vec<DocumentUnits>> {
    let units = |document: Result<ParallelDocument>| {
        let document = document?;
        let units = document.paragraphs.iter().flat_map(|it| &it.units);
        let shown = units.clone().map(Unit::visible_source).collect();
        let headings = document.headings();
        let references = units.clone().map(|unit| unit.target.clone()).collect();
        let points = units.map(|unit| unit.points.clone()).collect();
        let paragraphs = document.paragraphs.iter();
        let notes = paragraphs.flat_map(|it| std::iter::repeat_n(it.note.clone(), it.units.len()));
        let notes = notes.collect();
        let paragraphs = document.paragraphs.into_iter().enumerate();
        let sources = paragraphs.flat_map(|(paragraph, content)| {
            let units = content.units.into_iter().enumerate();
            units.map(move |(index, unit)| ((index, paragraph), unit.source))
        });
        Ok(DocumentUnits {
            sources: sources.collect(),
            shown,
            headings,
            notes,
            points,
            pieces: Vec::new(),
            source_suffix: Vec::new(),
            references,
            known: Vec::new(),
        })
    };
    corpus.documents(split)?.map(units).collect()
}

impl Segment {
    /// Visible text of the hypotheses for its units.
    pub fn visible(&self, hypotheses: &[String]) -> String {
        let shown = self
            .units
            .iter()
            .zip(hypotheses)
            .map(|(unit, hypothesis)| unit.visible(hypothesis));
        shown.collect::<Vec<_>>().join(" ")
    }
}

impl SegmentUnit {
    /// Visible text of a hypothesis for this sentence: points show the same as in the source.
    pub fn visible(&self, hypothesis: &str) -> String {
        visible(hypothesis, &self.points)
    }
}

/// The segments of a split in order, those that repeat earlier ones included.
///
/// # Errors
/// If the split or the training documents cannot be read.
pub fn segments(corpus: &Corpus, split: Split) -> Result<Vec<Segment>> {
    let mut trained = HashSet::new();
    if split != Split::Train {
        for document in corpus.documents(Split::Train)? {
            let pairs = document?
                .paragraphs
                .into_iter()
                .map(|paragraph| paragraph.visible());
            trained.extend(pairs.map(|(source, target)| fingerprint(&source, &target)));
        }
    }
    let (mut segments, mut seen) = (Vec::new(), HashSet::new());
    for (document, content) in corpus.documents(split)?.enumerate() {
        for (paragraph, content) in content?.paragraphs.into_iter().enumerate() {
            if !content.is_scored() {
                continue;
            }
            let (source, reference) = content.visible();
            let pair = fingerprint(&source, &reference);
            let units = content.units.into_iter().enumerate();
            segments.push(Segment {
                source,
                reference,
                units: units
                    .map(|(index, unit)| segment_unit(unit, (index, paragraph)))
                    .collect(),
                document,
                paragraph,
                unseen: split != Split::Train && !trained.contains(&pair),
                repeated: !seen.insert(pair),
            });
        }
    }
    Ok(segments)
}

/// The words of some segments of a split that the sentences before them decide; none of a corpus that does not say any.
///
/// # Errors
/// If the split cannot be read.
pub fn expected_forms(
    corpus: &Corpus,
    split: Split,
    segments: &[Segment],
) -> Result<Vec<Option<Expected>>> {
    let mut forms = vec![None; segments.len()];
    let mut left = segments.iter().zip(&mut forms).peekable();
    for (number, document) in corpus.documents(split)?.enumerate() {
        let document = document?;
        while let Some((segment, form)) = left.next_if(|(it, _)| it.document == number) {
            let units = document.paragraphs[segment.paragraph].units.iter();
            *form = units.into_iter().find_map(|unit| unit.expected.clone());
        }
    }
    Ok(forms)
}

fn segment_unit(unit: Unit, place: (usize, usize)) -> SegmentUnit {
    let identical = unit.status == UnitStatus::Identical;
    SegmentUnit {
        source: unit.source,
        reference: unit.target,
        place,
        identical,
        points: unit.points,
    }
}
