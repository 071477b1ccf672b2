//! Two documents of which one is the translation of the other: their paragraphs, and the sentences in those.
//!
//! Structure comes first: where both sides have the same kinds of paragraphs in the same order, or a pair of paragraphs
//! has equally many sentences, they are paired one to one, unless lengths and anchors speak clearly against it. Else
//! lengths, anchors and kinds of paragraphs decide together.

use std::collections::HashMap;
use std::ops::Range;

use super::anchors::Weights;
use super::lengths::{Bead, beads, deviation, mismatch, one_to_one};
use super::structure::{kind_cost, same_structure};
use super::texts::{Sentences, Text, Texts, characters};
use crate::corpus::format::{ParallelDocument, ParallelParagraph};
use crate::corpus::markup::{Side, matched};
use crate::corpus::unit::{Unit, UnitStatus};
use crate::text::document::Document;

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
/// A document of which less than this share, in characters, is surely aligned is doubtful as a whole.
const LEAST_SURE: f64 = 0.5;

/// Aligns documents of one pair of languages.
#[derive(Debug, Clone, Copy)]
pub(in crate::corpus) struct Aligner {
    /// Characters of the target for one of the source.
    pub length_ratio: f64,
}

/// A document in two languages, and what had to be left out of it.
#[derive(Debug)]
pub(in crate::corpus) struct Aligned {
    pub document: ParallelDocument,
    /// Sentences for which the other side has nothing.
    pub unpaired_source: usize,
    pub unpaired_target: usize,
}

impl Aligner {
    /// The pairs of two documents, with the structure of the source.
    pub fn align(self, id: String, source: &Document, target: &Document) -> Aligned {
        let ours = Sentences::of(source, 1.0);
        let theirs = Sentences::of(target, self.length_ratio);
        let weights = Weights::of(ours.anchors().chain(theirs.anchors()));
        let pair = Pair {
            source: &ours,
            target: &theirs,
            weights,
        };
        let mut aligned = pair.aligned(id);
        if pair.sure_share(&aligned) < LEAST_SURE {
            let paragraphs = aligned.document.paragraphs.iter_mut();
            doubt(paragraphs.flat_map(|paragraph| &mut paragraph.units));
        }
        aligned
    }
}

fn doubt<'a>(units: impl IntoIterator<Item = &'a mut Unit>) {
    for unit in units {
        unit.status = UnitStatus::Doubtful;
    }
}

struct Pair<'d> {
    source: &'d Sentences<'d>,
    target: &'d Sentences<'d>,
    weights: Weights,
}

impl Pair<'_> {
    fn aligned(&self, id: String) -> Aligned {
        let (source, target) = (self.source.document, self.target.document);
        let mut aligned = Aligned {
            document: ParallelDocument {
                id,
                sections: source.sections.clone(),
                paragraphs: Vec::new(),
            },
            unpaired_source: 0,
            unpaired_target: 0,
        };
        let (ours, theirs) = (self.source.paragraphs(), self.target.paragraphs());
        let cost = |bead: &Bead| {
            let cost = self.cost(&ours, &theirs, bead);
            if bead.is_unpaired() {
                return cost.min(UNPAIRED_PARAGRAPH);
            }
            cost + kind_cost(
                &source.paragraphs[bead.source.clone()],
                &target.paragraphs[bead.target.clone()],
            )
        };
        let likely = same_structure(source, target);
        let found = best(ours.single.len(), theirs.single.len(), likely, cost);
        let doubts = self.doubts(&ours, &theirs, &found);
        let mut places = HashMap::new();
        for (bead, is_doubtful) in found.into_iter().zip(doubts) {
            let (mine, yours) = (
                self.source.sentences_in(&bead.source),
                self.target.sentences_in(&bead.target),
            );
            if bead.is_unpaired() {
                aligned.unpaired_source += mine.len();
                aligned.unpaired_target += yours.len();
                continue;
            }
            let mut units = self.units(mine, yours, &mut aligned);
            if units.is_empty() {
                continue;
            }
            if is_doubtful {
                doubt(&mut units);
            }
            let first = &source.paragraphs[bead.source.start];
            places.insert(bead.source.start, aligned.document.paragraphs.len());
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

    /// The pairs of sentences of a pair of paragraphs.
    fn units(
        &self,
        source: Range<usize>,
        target: Range<usize>,
        aligned: &mut Aligned,
    ) -> Vec<Unit> {
        let ours = Texts::new(self.source.texts[source.clone()].to_vec());
        let theirs = Texts::new(self.target.texts[target.clone()].to_vec());
        let whole = |sentences: &Sentences, start: usize, range: &Range<usize>| {
            let document = sentences.document;
            Side::whole(
                document,
                &document.sentences[start + range.start..start + range.end],
            )
        };
        let cost = |bead: &Bead| self.cost(&ours, &theirs, bead);
        let mut units = Vec::new();
        for bead in best(
            source.len(),
            target.len(),
            source.len() == target.len(),
            cost,
        ) {
            if bead.is_unpaired() {
                aligned.unpaired_source += bead.source.len();
                aligned.unpaired_target += bead.target.len();
                continue;
            }
            let mut unit = matched(
                &whole(self.source, source.start, &bead.source),
                &whole(self.target, target.start, &bead.target),
            )
            .unit;
            if self.is_doubtful(&ours, &theirs, &bead) {
                doubt([&mut unit]);
            }
            units.push(unit);
        }
        units
    }

    /// Cost of a bead by lengths and anchors.
    fn cost(&self, source: &Texts, target: &Texts, bead: &Bead) -> f64 {
        match (bead.source.is_empty(), bead.target.is_empty()) {
            (false, false) => {
                let (ours, theirs) = (source.get(&bead.source), target.get(&bead.target));
                mismatch(deviation(ours.length, theirs.length))
                    - self.weights.gain(&ours.anchors, &theirs.anchors)
            }
            (false, true) => unpaired(source.get(&bead.source)),
            (true, _) => unpaired(target.get(&bead.target)),
        }
    }

    fn is_doubtful(&self, source: &Texts, target: &Texts, bead: &Bead) -> bool {
        self.cost(source, target, bead) > DOUBT
    }

    /// Which beads of paragraphs are doubtful, by themselves or because of those around them.
    fn doubts(&self, source: &Texts, target: &Texts, beads: &[Bead]) -> Vec<bool> {
        let is_bad = |bead: &Bead| bead.is_unpaired() || self.is_doubtful(source, target, bead);
        let bad: Vec<bool> = beads.iter().map(is_bad).collect();
        let around = |index: usize| {
            let window = index.saturating_sub(NEIGHBOURS)..bad.len().min(index + NEIGHBOURS + 1);
            bad[window].iter().filter(|&&bad| bad).count()
        };
        let is_doubtful = |index| bad[index] || around(index) >= BAD_NEIGHBOURS;
        (0..bad.len()).map(is_doubtful).collect()
    }

    /// The share of both documents that is in pairs without doubt.
    fn sure_share(&self, aligned: &Aligned) -> f64 {
        let paragraphs = &aligned.document.paragraphs;
        let units = paragraphs.iter().flat_map(|paragraph| &paragraph.units);
        let sure = units.filter(|unit| unit.status != UnitStatus::Doubtful);
        let sure: usize = sure
            .map(|unit| characters(&unit.visible_source()) + characters(&unit.visible_target()))
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "characters of a document")]
        let share = sure as f64 / (self.source.characters + self.target.characters).max(1) as f64;
        share
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
