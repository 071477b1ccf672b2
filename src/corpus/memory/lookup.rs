//! Pairs that are found by their source: equal ones, and those that resemble it.

use rustc_hash::FxHashMap;

use super::edit_distance::edit_distance;
use super::words::words;
use super::{CANDIDATES, COMMON, LEAST, LEAST_SHOWN, Match, PairOrigin, SHOWN, TranslationMemory};
use canopy_document::placeholder::folded;

impl TranslationMemory {
    /// The translation of exactly this sentence, but for kinds of white space, in a memory without a penalty.
    pub fn exact(&self, source: &str) -> Option<&str> {
        let number = *self.sources.get(&folded(source))?;
        let pair = &self.pairs[number as usize];
        (pair.penalty <= 0.0).then_some(pair.target.as_str())
    }

    /// Where the pair of exactly this source comes from, if that is known.
    pub fn origin(&self, source: &str) -> Option<&PairOrigin> {
        let number = *self.sources.get(&folded(source))?;
        self.pairs[number as usize].origin.as_deref()
    }

    /// The most similar pair; of equally similar ones the first.
    pub fn best(&self, source: &str) -> Option<Match<'_>> {
        self.find(source, false)
    }

    /// The best match among pairs with another source, from which a sentence of the memory itself learns.
    pub fn best_other(&self, source: &str) -> Option<Match<'_>> {
        self.find(source, true)
    }

    /// Up to `count` pairs that resemble a sentence by `least` at least, the most similar first.
    pub fn similar(&self, source: &str, count: usize, least: f32) -> Vec<Match<'_>> {
        let mut found = self.matches(source);
        found.retain(|found| found.score >= least);
        found.sort_by(|left, right| right.score.total_cmp(&left.score));
        found.truncate(count);
        found
    }

    /// The few pairs that help a person to translate a sentence: those that resemble it by half.
    pub fn to_show(&self, source: &str) -> Vec<Match<'_>> {
        self.similar(source, SHOWN, LEAST_SHOWN)
    }

    fn find(&self, source: &str, other: bool) -> Option<Match<'_>> {
        let source = &folded(source);
        let mut best: Option<Match<'_>> = None;
        let found = self.matches(source).into_iter();
        for found in found.filter(|found| !other || found.source != source) {
            if found.score >= LEAST && best.is_none_or(|best| found.score > best.score) {
                best = Some(found);
            }
        }
        best
    }

    /// The candidates for a sentence, in order.
    fn matches(&self, source: &str) -> Vec<Match<'_>> {
        let source = &folded(source);
        let own = self.numbers(source);
        let mut candidates = self.candidates(&own, CANDIDATES);
        // A short sentence shares its words with more pairs than are compared.
        if let Some(&same) = self.sources.get(source)
            && let Err(place) = candidates.binary_search(&same)
        {
            candidates.insert(place, same);
        }
        let candidates = candidates.into_iter();
        let candidates = candidates.map(|number| &self.pairs[number as usize]);
        let scored = candidates.map(|pair| {
            let longer = own.len().max(pair.words.len());
            let score = 1.0 - edit_distance(&own, &pair.words) as f32 / longer as f32;
            // What differs in marks or case alone is less than the same.
            let score = if pair.source == *source {
                1.0
            } else {
                score.min(0.99)
            };
            Match {
                source: &pair.source,
                target: &pair.target,
                score: (score - pair.penalty).max(0.0),
            }
        });
        scored.collect()
    }

    /// The words of a sentence; unknown ones are all the same, which no pair has.
    pub(super) fn numbers(&self, source: &str) -> Vec<u32> {
        let unknown = u32::try_from(self.places.len()).expect("fewer than 2³² words");
        words(source)
            .map(|word| self.words.get(&word).copied().unwrap_or(unknown))
            .collect()
    }

    /// Whether a word that occurs in `pairs` pairs finds few enough of them.
    pub(super) fn is_rare(&self, places: usize) -> bool {
        places * COMMON <= self.pairs.len()
    }

    /// Information of a word that occurs in a number of pairs.
    pub(super) fn rarity(&self, places: usize) -> f32 {
        (self.pairs.len() as f32 / places.max(1) as f32)
            .ln()
            .max(1e-3)
    }

    /// The `count` pairs that share the rarest words with these, in order.
    pub(super) fn candidates(&self, words: &[u32], count: usize) -> Vec<u32> {
        let mut distinct: Vec<u32> = words.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let mut weights: FxHashMap<u32, f32> = FxHashMap::default();
        let mut add = |places: &[u32]| {
            let weight = self.rarity(places.len());
            for &pair in places {
                *weights.entry(pair).or_default() += weight;
            }
        };
        let places = distinct
            .iter()
            .filter_map(|&word| self.places.get(word as usize));
        let (rare, common): (Vec<_>, Vec<_>) =
            places.partition(|places| self.is_rare(places.len()));
        let used = if rare.is_empty() { common } else { rare };
        for places in used {
            add(places);
        }
        let mut found: Vec<(u32, f32)> = weights.into_iter().collect();
        found.sort_unstable_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        found.truncate(count);
        let mut numbers: Vec<u32> = found.into_iter().map(|(number, _)| number).collect();
        numbers.sort_unstable();
        numbers
    }
}
