//! Features of two documents, and the alignment of all or a part of them: of their paragraphs first, then of the
//! sentences in those.
//!
//! Structure comes first: where both sides have the same kinds of paragraphs in the same order, or a pair of paragraphs
//! has equally many sentences, they are paired one to one, unless lengths and anchors speak clearly against it. Else
//! lengths, anchors and kinds of paragraphs decide together.

use std::ops::Range;

use super::anchors::Weights;
use super::lengths::{Bead, beads, deviation, mismatch, one_to_one};
use super::rows::{AlignmentRow, RowState};
use super::structure::{kind_cost, same_structure};
use super::texts::{Text, Texts, texts_of};
use canopy_document::document::{Document, Paragraph};

/// Cost of a paragraph or sentence without a partner at most, apart from the rarity of that. Translators leave out
/// whole paragraphs rather than sentences of one.
const UNPAIRED_PARAGRAPH: f64 = 3.0;
const UNPAIRED_SENTENCE: f64 = 8.0;
/// By how much another alignment must be better before the same structure on both sides counts for nothing.
const STRUCTURE: f64 = 6.0;
/// A pair that costs more than this is doubtful.
const DOUBT: f64 = 5.0;
/// So is one with this many doubtful or unpaired paragraphs among the next ones on either side: where nothing around
/// fits, a single pair fits by chance.
const BAD_NEIGHBOURS: usize = 3;
const NEIGHBOURS: usize = 4;

/// Lengths and anchors of the sentences of two documents.
#[derive(Debug)]
pub(crate) struct Comparison {
    source: Vec<Text>,
    target: Vec<Text>,
    weights: Weights,
}

/// The sentences of paragraphs that belong together.
#[derive(Debug)]
pub(super) struct AlignedParagraphs {
    /// The first of the source; none if either side has nothing.
    pub paragraph: Option<usize>,
    pub rows: Vec<AlignmentRow>,
}

/// Paragraphs of one side, those at the ends perhaps in part.
struct Paragraphs<'d> {
    first: usize,
    all: &'d [Paragraph],
    /// The sentences of each.
    sentences: Vec<Range<usize>>,
    texts: Texts,
}

impl Comparison {
    /// `length_ratio` is the number of characters of the target for one of the source.
    pub(crate) fn new(source: &Document, target: &Document, length_ratio: f64) -> Self {
        let (source, target) = (texts_of(source, 1.0), texts_of(target, length_ratio));
        let both = source.iter().chain(&target);
        Self {
            weights: Weights::from_texts(both.map(|text| &text.anchors)),
            source,
            target,
        }
    }

    /// The rows of these sentences.
    pub(crate) fn rows(
        &self,
        documents: (&Document, &Document),
        source: &Range<usize>,
        target: &Range<usize>,
    ) -> Vec<AlignmentRow> {
        let aligned = self.paragraphs(documents, source, target);
        aligned.into_iter().flat_map(|found| found.rows).collect()
    }

    /// The rows of these sentences, by their paragraphs.
    pub(super) fn paragraphs(
        &self,
        documents: (&Document, &Document),
        source: &Range<usize>,
        target: &Range<usize>,
    ) -> Vec<AlignedParagraphs> {
        let ours = Paragraphs::new(documents.0, source, &self.source);
        let theirs = Paragraphs::new(documents.1, target, &self.target);
        let cost = |bead: &Bead| {
            let cost = self.bead_cost(&ours.texts, &theirs.texts, bead);
            if bead.is_unpaired() {
                return cost.min(UNPAIRED_PARAGRAPH);
            }
            let source = &ours.all[bead.source.clone()];
            cost + kind_cost(source, &theirs.all[bead.target.clone()])
        };
        let likely = same_structure((documents.0, ours.range()), (documents.1, theirs.range()));
        let found = best(ours.all.len(), theirs.all.len(), likely, cost);
        let doubts = self.doubts(&ours.texts, &theirs.texts, &found);
        let mut at = (source.start, target.start);
        let mut aligned = Vec::with_capacity(found.len());
        for (bead, is_doubtful) in found.into_iter().zip(doubts) {
            let source = ours.sentences_in(&bead.source, at.0);
            let target = theirs.sentences_in(&bead.target, at.1);
            at = (source.end, target.end);
            if bead.is_unpaired() {
                aligned.push(AlignedParagraphs {
                    paragraph: None,
                    rows: AlignmentRow::unpaired(source, target).collect(),
                });
                continue;
            }
            let mut rows = self.sentence_rows(&source, &target);
            if is_doubtful {
                doubt(&mut rows);
            }
            aligned.push(AlignedParagraphs {
                paragraph: Some(ours.first + bead.source.start),
                rows,
            });
        }
        aligned
    }

    /// The sentences of a pair of paragraphs.
    fn sentence_rows(&self, source: &Range<usize>, target: &Range<usize>) -> Vec<AlignmentRow> {
        let ours = Texts::new(self.source[source.clone()].to_vec());
        let theirs = Texts::new(self.target[target.clone()].to_vec());
        let likely = source.len() == target.len();
        let found = best(source.len(), target.len(), likely, |bead| {
            self.bead_cost(&ours, &theirs, bead)
        });
        let row = |bead: &Bead| {
            let cost = self.bead_cost(&ours, &theirs, bead);
            let is_doubtful = !bead.is_unpaired() && cost > DOUBT;
            bead.row((source.start, target.start), is_doubtful)
        };
        found.iter().map(row).collect()
    }

    /// Whether such a row may be wrong.
    pub(crate) fn state(&self, source: &Range<usize>, target: &Range<usize>) -> RowState {
        let text = |texts: &[Text], range: &Range<usize>| {
            (!range.is_empty()).then(|| Text::joined(&texts[range.clone()]))
        };
        let (source, target) = (text(&self.source, source), text(&self.target, target));
        let is_pair = source.is_some() && target.is_some();
        if is_pair && self.cost(source.as_ref(), target.as_ref()) > DOUBT {
            RowState::Doubtful
        } else {
            RowState::Likely
        }
    }

    fn bead_cost(&self, source: &Texts, target: &Texts, bead: &Bead) -> f64 {
        let ours = (!bead.source.is_empty()).then(|| source.get(&bead.source));
        let theirs = (!bead.target.is_empty()).then(|| target.get(&bead.target));
        self.cost(ours, theirs)
    }

    /// Cost of a bead by lengths and anchors.
    fn cost(&self, source: Option<&Text>, target: Option<&Text>) -> f64 {
        match (source, target) {
            (Some(source), Some(target)) => {
                mismatch(deviation(source.length, target.length))
                    - self.weights.gain(&source.anchors, &target.anchors)
            }
            (Some(text), None) | (None, Some(text)) => unpaired(text),
            (None, None) => 0.0,
        }
    }

    /// Which beads of paragraphs are doubtful, by themselves or because of those around them.
    fn doubts(&self, source: &Texts, target: &Texts, beads: &[Bead]) -> Vec<bool> {
        let is_bad =
            |bead: &Bead| bead.is_unpaired() || self.bead_cost(source, target, bead) > DOUBT;
        let bad: Vec<bool> = beads.iter().map(is_bad).collect();
        let around = |index: usize| {
            let window = index.saturating_sub(NEIGHBOURS)..bad.len().min(index + NEIGHBOURS + 1);
            bad[window].iter().filter(|&&bad| bad).count()
        };
        let is_doubtful = |index| bad[index] || around(index) >= BAD_NEIGHBOURS;
        (0..bad.len()).map(is_doubtful).collect()
    }
}

impl<'d> Paragraphs<'d> {
    /// Paragraphs of these sentences.
    fn new(document: &'d Document, sentences: &Range<usize>, texts: &[Text]) -> Self {
        let all = &document.paragraphs;
        let first = all.partition_point(|paragraph| paragraph.sentences.end <= sentences.start);
        let end = all.partition_point(|paragraph| paragraph.sentences.start < sentences.end);
        let all = &all[first..end.max(first)];
        let clipped = all.iter().map(|paragraph| {
            let range = &paragraph.sentences;
            range.start.max(sentences.start)..range.end.min(sentences.end)
        });
        let sentences: Vec<Range<usize>> = clipped.collect();
        let text = |(paragraph, range): (&Paragraph, &Range<usize>)| {
            let mut text = Text::joined(&texts[range.clone()]);
            if let Some(id) = &paragraph.id {
                text.anchors.add_id(id);
            }
            text
        };
        let texts = Texts::new(all.iter().zip(&sentences).map(text).collect());
        Self {
            first,
            all,
            sentences,
            texts,
        }
    }

    fn range(&self) -> Range<usize> {
        self.first..self.first + self.all.len()
    }

    /// The sentences of paragraphs in a row; if there are none, none at this place.
    fn sentences_in(&self, paragraphs: &Range<usize>, at: usize) -> Range<usize> {
        let ranges = &self.sentences[paragraphs.clone()];
        match (ranges.first(), ranges.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => at..at,
        }
    }
}

/// Marks all pairs of these as doubtful.
pub(super) fn doubt(rows: &mut [AlignmentRow]) {
    for row in rows.iter_mut().filter(|row| row.is_pair()) {
        row.state = RowState::Doubtful;
    }
}

fn unpaired(text: &Text) -> f64 {
    mismatch(deviation(text.length, 0.0)).min(UNPAIRED_SENTENCE)
}

/// One to one where that is `likely`, unless another alignment is much better.
fn best(source: usize, target: usize, likely: bool, cost: impl Fn(&Bead) -> f64) -> Vec<Bead> {
    if likely && source == 1 {
        return one_to_one(source, cost).0;
    }
    let (found, least) = beads(source, target, &cost);
    if likely {
        let (straight, total) = one_to_one(source, cost);
        if total <= least + STRUCTURE {
            return straight;
        }
    }
    found
}
