//! A translation memory: what was translated before, and the sentence of it that resembles a new one most.
//!
//! Resemblance is what translators know as a fuzzy match, in words: 1 − edit distance / length of the longer sentence,
//! Bulte & Tezcan, "Neural Fuzzy Repair: Integrating Fuzzy Matches into Neural Machine Translation", ACL 2019, Eq. 1. Only
//! the sentences that share the rarest words with the new one are compared, as they do it.
//!
//! The datastore of the crate `canopy-nn` holds decoder states of its pairs, for nearest-neighbour translation; fine-tuning on the
//! matches of a document is in `src/train/for_document`.

mod analysis;
mod coverage;
mod edit_distance;
mod files;
mod gettext;
mod lookup;
mod suffixes;
mod training;
mod words;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

use self::words::{normalized_words, words};
use canopy_metrics::formality::EarlierForms;

pub use analysis::{Amount, Analysis, Band};
pub use suffixes::{constraint_suffix, fuzzy_suffix, previous_suffix};

/// The least resemblance of a match; below it the translation has little to do with the new sentence.
pub const LEAST: f32 = 0.4;

/// Pairs that are shown to a person, and the least resemblance of one.
const SHOWN: usize = 5;

const LEAST_SHOWN: f32 = 0.5;

/// Words of a sentence that is more than a phrase which occurs anywhere.
const TELLING: usize = 4;

/// Sentences that are compared word by word.
const CANDIDATES: usize = 40;

/// A word that occurs in more than one of this many sentences finds too many of them.
const COMMON: usize = 12;

/// Number of pairs that are cut into words before they are added.
const CUT_AT_ONCE: usize = 8_192;

/// Pairs of sentences as a reader sees them, searchable by their source.
#[derive(Debug, Clone, Default)]
pub struct TranslationMemory {
    pairs: Vec<Pair>,
    /// Numbers of the pairs by their source.
    sources: FxHashMap<String, u32>,
    words: FxHashMap<String, u32>,
    /// For each word the pairs whose source has it, in order.
    places: Vec<Vec<u32>>,
    forms: EarlierForms,
}

#[derive(Debug, Clone)]
struct Pair {
    source: String,
    target: String,
    words: Vec<u32>,
    origin: Option<Arc<PairOrigin>>,
    /// Penalty of its memory, subtracted from its score, from 0 to 1.
    penalty: f32,
}

/// A pair before it is added.
struct NewPair {
    source: String,
    target: String,
    origin: Option<Arc<PairOrigin>>,
    penalty: f32,
}

/// Where a pair comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PairOrigin {
    /// The name of the memory's file, or of the document in which it was confirmed.
    pub memory: String,
    /// The person who changed it last, or wrote it.
    pub author: Option<String>,
    /// When, as a reader sees it.
    pub date: Option<String>,
}

/// A pair that resembles a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Match<'m> {
    /// The source of the pair.
    pub source: &'m str,
    /// The translation of the pair.
    pub target: &'m str,
    /// From 0 to 1.
    pub score: f32,
}

impl Pair {
    fn parts(&self) -> NewPair {
        NewPair {
            source: self.source.clone(),
            target: self.target.clone(),
            origin: self.origin.clone(),
            penalty: self.penalty,
        }
    }
}

impl PartialEq for TranslationMemory {
    fn eq(&self, other: &Self) -> bool {
        self.pairs().eq(other.pairs())
    }
}

impl TranslationMemory {
    /// Adds pairs of source and target; the first of several with the same source.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let pairs = pairs.into_iter();
        Self::from_new_pairs(pairs.map(|(source, target)| NewPair {
            source,
            target,
            origin: None,
            penalty: 0.0,
        }))
    }

    /// Adds pairs of source and target with their origin; the first of several with the same source.
    pub fn with_origins(pairs: impl IntoIterator<Item = (String, String, PairOrigin)>) -> Self {
        let pairs = pairs.into_iter();
        Self::from_new_pairs(pairs.map(|(source, target, origin)| NewPair {
            source,
            target,
            origin: Some(origin.into()),
            penalty: 0.0,
        }))
    }

    fn from_new_pairs(mut pairs: impl Iterator<Item = NewPair>) -> Self {
        let mut memory = Self::default();
        loop {
            let part: Vec<_> = pairs.by_ref().take(CUT_AT_ONCE).collect();
            if part.is_empty() {
                return memory;
            }
            let words = part.par_iter().map(|pair| words(&pair.source).collect());
            let words: Vec<Vec<String>> = words.collect();
            for (pair, words) in part.into_iter().zip(words) {
                memory.insert(pair, words);
            }
        }
    }

    /// Pairs of unknown origin are of the memory of this name.
    fn named(mut self, name: &str) -> Self {
        let origin = Arc::new(PairOrigin {
            memory: name.to_owned(),
            ..PairOrigin::default()
        });
        for pair in &mut self.pairs {
            pair.origin.get_or_insert_with(|| Arc::clone(&origin));
        }
        self
    }

    /// Takes so much, from 0 to 1, from the scores of all pairs: those of a memory that is trusted less. What is exact in it
    /// is a fuzzy match then.
    #[must_use]
    pub fn with_penalty(mut self, penalty: f32) -> Self {
        for pair in &mut self.pairs {
            pair.penalty = penalty;
        }
        self
    }

    /// Adds a pair; among pairs with the same source the one with the smallest penalty stays, or else the first one.
    fn insert(&mut self, new: NewPair, words: Vec<String>) {
        let NewPair {
            source,
            target,
            origin,
            penalty,
        } = new;
        if target.trim().is_empty() {
            return;
        }
        if let Some(&number) = self.sources.get(&source) {
            let known = &mut self.pairs[number as usize];
            if penalty < known.penalty {
                (known.target, known.origin, known.penalty) = (target, origin, penalty);
            }
            return;
        }
        let number = u32::try_from(self.pairs.len()).expect("fewer than 2³² pairs");
        self.sources.insert(source.clone(), number);
        let words = words.into_iter().map(|word| self.add(word, number));
        let words = words.collect();
        self.pairs.push(Pair {
            source,
            target,
            words,
            origin,
            penalty,
        });
    }

    /// These pairs and, where they have none with the same source, or one of a memory with a larger penalty, those of `other`.
    #[must_use]
    pub fn before(&self, other: &Self) -> Self {
        let all = self.pairs.iter().chain(&other.pairs);
        Self::from_new_pairs(all.map(Pair::parts)).with_forms(self.forms.clone())
    }

    /// Sets the forms of address of the documents that the memory comes from.
    #[must_use]
    pub fn with_forms(self, forms: EarlierForms) -> Self {
        Self { forms, ..self }
    }

    /// The form of address in the documents that it comes from, if known.
    pub fn forms(&self) -> &EarlierForms {
        &self.forms
    }

    /// The pairs that reveal nothing of `other`: whose source neither is one of its sources, but for case and marks, nor has
    /// a longer one within itself.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let excluded: HashSet<Vec<String>> = other
            .pairs
            .iter()
            .map(|it| normalized_words(&it.source))
            .collect();
        let lengths: BTreeSet<usize> = excluded.iter().map(Vec::len).collect();
        let is_excluded = |pair: &&Pair| {
            let own = normalized_words(&pair.source);
            let mut within = lengths
                .range(TELLING..)
                .flat_map(|&length| own.windows(length));
            excluded.contains(&own) || within.any(|words| excluded.contains(words))
        };
        let kept = self.pairs.iter().filter(|pair| !is_excluded(pair));
        Self::from_new_pairs(kept.map(Pair::parts))
    }

    fn add(&mut self, word: String, pair: u32) -> u32 {
        let next = u32::try_from(self.places.len()).expect("fewer than 2³² words");
        let id = *self.words.entry(word).or_insert(next);
        if id == next {
            self.places.push(Vec::new());
        }
        let places = &mut self.places[id as usize];
        if places.last() != Some(&pair) {
            places.push(pair);
        }
        id
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether the memory holds no pair.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All pairs, source and target.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.pairs.iter();
        pairs.map(|pair| (pair.source.as_str(), pair.target.as_str()))
    }
}

#[cfg(test)]
mod tests;
