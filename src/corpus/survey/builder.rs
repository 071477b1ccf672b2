//! The findings of a survey, gathered pair by pair.

use std::collections::BTreeMap;

use super::material::Material;
use super::pair_filter::{PairDefect, PairFilter};
use crate::split::Split;

/// Pairs that are read before any is judged.
const FIRST: usize = 1_000;
/// Doubtful pairs of each kind that are kept to be shown.
const SHOWN: usize = 3;

/// A doubtful pair that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulPair {
    /// The defect that was found.
    pub defect: PairDefect,
    /// The source text.
    pub source: String,
    /// The target text.
    pub target: String,
}

/// Everything that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// The kind of the files.
    pub material: Material,
    /// Language of the material, or the requested one; empty where neither is known.
    pub source_language: String,
    /// Language of the translations, or the requested one; empty where neither is known.
    pub target_language: String,
    /// The languages that a memory names, with how many texts each has.
    pub languages: Vec<(String, usize)>,
    /// Number of documents.
    pub documents: usize,
    /// Number of these that are test documents, by the rule that holds documents out.
    pub test_documents: usize,
    /// Number of these that are development documents, by the same rule.
    pub dev_documents: usize,
    /// Documents without a counterpart.
    pub unpaired_documents: usize,
    /// Pairs with text on both sides, doubtful ones included.
    pub pairs: usize,
    /// Number of pairs with each defect.
    pub doubtful: BTreeMap<PairDefect, usize>,
    /// Some of the doubtful pairs.
    pub examples: Vec<DoubtfulPair>,
    /// Documents that were read, where they are not all: pairs are those of these.
    pub sampled: Option<usize>,
    /// The filter that judged the pairs.
    pub filter: PairFilter,
}

impl Survey {
    /// Pairs to learn from and to be scored on.
    pub fn sure(&self) -> usize {
        let doubtful = self.doubtful.iter();
        let doubtful = doubtful.filter(|(defect, _)| **defect != PairDefect::Empty);
        self.pairs - doubtful.map(|(_, count)| count).sum::<usize>()
    }
}

/// Adds what is read, pair by pair.
pub(crate) struct SurveyBuilder {
    languages: (String, String),
    /// Pairs that wait until there are enough to judge by, and whether the aligner is sure.
    waiting: Vec<(String, String, bool)>,
    filter: Option<PairFilter>,
    pairs: usize,
    doubtful: BTreeMap<PairDefect, usize>,
    examples: Vec<DoubtfulPair>,
    documents: usize,
    held_out: BTreeMap<Split, usize>,
    unpaired_documents: usize,
    sampled: Option<usize>,
}

impl SurveyBuilder {
    pub(super) fn new(languages: (String, String)) -> Self {
        Self {
            languages,
            waiting: Vec::new(),
            filter: None,
            pairs: 0,
            doubtful: BTreeMap::new(),
            examples: Vec::new(),
            documents: 0,
            held_out: BTreeMap::new(),
            unpaired_documents: 0,
            sampled: None,
        }
    }

    /// A document that will be in this split.
    pub(crate) fn document(&mut self, split: Split) {
        self.documents += 1;
        *self.held_out.entry(split).or_default() += 1;
    }

    /// Adds to the count of documents without a counterpart.
    pub(crate) fn unpaired_documents(&mut self, count: usize) {
        self.unpaired_documents += count;
    }

    /// No more documents than these are read.
    pub(crate) fn sampled(&mut self, documents: usize) {
        self.sampled = Some(documents);
    }

    /// Number of texts without a counterpart.
    pub(crate) fn lonely(&mut self, count: usize) {
        if count > 0 {
            *self.doubtful.entry(PairDefect::Empty).or_default() += count;
        }
    }

    /// A pair as a reader sees it, and whether an aligner is sure of it.
    pub(crate) fn pair(&mut self, source: String, target: String, is_sure: bool) {
        if self.filter.is_some() {
            self.judge(source, target, is_sure);
            return;
        }
        self.waiting.push((source, target, is_sure));
        if self.waiting.len() == FIRST {
            self.judge_waiting();
        }
    }

    fn judge_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let texts = waiting.iter();
        let texts = texts.map(|(source, target, _)| (source.clone(), target.clone()));
        let texts: Vec<_> = texts.collect();
        self.filter = Some(PairFilter::fit(&self.languages, &texts));
        for (source, target, is_sure) in waiting {
            self.judge(source, target, is_sure);
        }
    }

    fn judge(&mut self, source: String, target: String, is_sure: bool) {
        let found = self.filter.and_then(|it| it.defect(&source, &target));
        let found = found.or((!is_sure).then_some(PairDefect::Alignment));
        self.pairs += usize::from(found != Some(PairDefect::Empty));
        let Some(defect) = found else { return };
        let count = self.doubtful.entry(defect).or_default();
        *count += 1;
        if *count <= SHOWN {
            self.examples.push(DoubtfulPair {
                defect,
                source,
                target,
            });
        }
    }

    pub(super) fn finish(mut self, material: Material, named: Vec<(String, usize)>) -> Survey {
        if self.filter.is_none() {
            self.judge_waiting();
        }
        let of = |split| self.held_out.get(&split).copied().unwrap_or(0);
        let mut examples = self.examples;
        examples.sort_by_key(|example| example.defect);
        Survey {
            material,
            languages: named,
            documents: self.documents,
            test_documents: of(Split::Test),
            dev_documents: of(Split::Dev),
            unpaired_documents: self.unpaired_documents,
            pairs: self.pairs,
            doubtful: self.doubtful,
            examples,
            sampled: self.sampled,
            filter: self.filter.expect("they were judged"),
            source_language: self.languages.0,
            target_language: self.languages.1,
        }
    }
}
