//! Pairs that together have as many of a sentence's words and phrases as possible.

use std::collections::HashMap;

use super::{Pair, TranslationMemory};

/// Pairs that are weighed, those that share the rarest words with the sentence.
const CANDIDATES: usize = 200;

/// Words of the longest phrase.
const LONGEST: usize = 4;

/// The share of a phrase's weight that every pair with it leaves.
const LEFT: f32 = 0.5;

/// Words that every pair costs beside its own.
const COST: usize = 3;

/// Words and phrases of a sentence.
struct Phrases<'s> {
    numbers: HashMap<&'s [u32], usize>,
    /// The rarer its words the more, and the more pairs have brought it the less.
    weights: Vec<f32>,
}

impl TranslationMemory {
    /// Up to `count` pairs, source and target, that share words with a sentence: one after the other the one that brings
    /// most for its length, where a phrase counts the less the more often it was brought before.
    pub fn covering(&self, source: &str, count: usize) -> Vec<(&str, &str)> {
        let own = self.numbers(source);
        let mut phrases = self.phrases(&own);
        let candidates = self.candidates(&own, CANDIDATES).into_iter();
        let mut candidates: Vec<(&Pair, Vec<usize>)> = candidates
            .map(|number| &self.pairs[number as usize])
            .map(|pair| (pair, phrases.of(&pair.words)))
            .collect();
        let mut chosen = Vec::new();
        while chosen.len() < count {
            let gains = candidates.iter().map(|(pair, has)| phrases.gain(pair, has));
            let best = gains.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((best, _)) = best.filter(|best| best.1 > 0.0) else {
                break;
            };
            let (pair, has) = candidates.swap_remove(best);
            for phrase in has {
                phrases.weights[phrase] *= LEFT;
            }
            chosen.push((pair.source.as_str(), pair.target.as_str()));
        }
        chosen
    }

    /// The rare words of a sentence, or all where none is rare, and all its longer phrases.
    fn phrases<'s>(&self, words: &'s [u32]) -> Phrases<'s> {
        let places = |word: u32| self.places.get(word as usize).map_or(0, Vec::len);
        let is_rare = |word: u32| self.is_rare(places(word));
        let any_rare = words.iter().any(|&word| places(word) > 0 && is_rare(word));
        let mut phrases = Phrases {
            numbers: HashMap::new(),
            weights: Vec::new(),
        };
        for length in 1..=LONGEST {
            for phrase in words.windows(length) {
                let counts = length > 1 || is_rare(phrase[0]) || !any_rare;
                if !counts || phrases.numbers.contains_key(phrase) {
                    continue;
                }
                let weight = phrase.iter().map(|&word| self.rarity(places(word))).sum();
                phrases.numbers.insert(phrase, phrases.weights.len());
                phrases.weights.push(weight);
            }
        }
        phrases
    }
}

impl Phrases<'_> {
    /// Those that a pair's words have, each once.
    fn of(&self, words: &[u32]) -> Vec<usize> {
        let windows = (1..=LONGEST).flat_map(|length| words.windows(length));
        let found = windows.filter_map(|phrase| self.numbers.get(phrase).copied());
        let mut found: Vec<usize> = found.collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    #[expect(clippy::cast_precision_loss, reason = "word counts become f32")]
    fn gain(&self, pair: &Pair, has: &[usize]) -> f32 {
        let weights = has.iter().map(|&phrase| self.weights[phrase]);
        weights.sum::<f32>() / (pair.words.len() + COST) as f32
    }
}
