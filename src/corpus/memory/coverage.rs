//! Pairs that together have as many of a sentence's words and phrases as possible.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Pair, TranslationMemory};

/// Pairs that are weighed, those that share the rarest words with the sentence.
const CANDIDATES: usize = 200;

/// Words of the longest phrase.
const LONGEST: usize = 4;

/// The share of a phrase's weight that every pair with it leaves.
const LEFT: f32 = 0.5;

/// Words that every pair costs in addition to its own.
const COST: usize = 3;

/// The share of what the first pair brings that every other one has to bring: states of pairs that share a word and little
/// else are read for long and agree by chance.
const LEAST_GAIN: f32 = 0.1;

/// Sentences of a document that are compared with a memory, at most.
const COMPARED: usize = 100;

/// Words and phrases of a sentence.
struct Phrases<'s> {
    numbers: HashMap<&'s [u32], usize>,
    /// The rarer its words the more, and the more pairs have brought it the less.
    weights: Vec<f32>,
}

impl TranslationMemory {
    /// Up to `count` pairs, source and target, that share words with a sentence: one after the other the one that brings
    /// most for its length, where a phrase counts the less the more often it was brought before, as long as that is a tenth of
    /// what the first one brings.
    pub fn covering(&self, source: &str, count: usize) -> Vec<(&str, &str)> {
        let own = self.numbers(source);
        let mut phrases = self.phrases(&own);
        let candidates = self.candidates(&own, CANDIDATES).into_iter();
        let mut candidates: Vec<(&Pair, Vec<usize>)> = candidates
            .map(|number| &self.pairs[number as usize])
            .map(|pair| (pair, phrases.find(&pair.words)))
            .collect();
        let (mut chosen, mut least) = (Vec::new(), f32::MIN_POSITIVE);
        while chosen.len() < count {
            let gains = candidates.iter().map(|(pair, has)| phrases.gain(pair, has));
            let best = gains.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((best, gain)) = best.filter(|best| best.1 >= least) else {
                break;
            };
            if chosen.is_empty() {
                least = LEAST_GAIN * gain;
            }
            let (pair, has) = candidates.swap_remove(best);
            for phrase in has {
                phrases.weights[phrase] *= LEFT;
            }
            chosen.push((pair.source.as_str(), pair.target.as_str()));
        }
        chosen
    }

    /// How much these sentences resemble the memory, from 0 to 1: the mean of each one's [best](Self::best) score, 0 where there
    /// is none. Uses an evenly spread sample of many sentences.
    pub fn likeness(&self, sentences: &[String]) -> f32 {
        let stride = sentences.len().div_ceil(COMPARED).max(1);
        let sample: Vec<&String> = sentences.iter().step_by(stride).collect();
        let scores = sample.par_iter().map(|sentence| {
            let best = self.best(sentence);
            best.map_or(0.0, |best| best.score)
        });
        scores.sum::<f32>() / sample.len().max(1) as f32
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
    /// Phrases among a pair's words, each once.
    fn find(&self, words: &[u32]) -> Vec<usize> {
        let windows = (1..=LONGEST).flat_map(|length| words.windows(length));
        let found = windows.filter_map(|phrase| self.numbers.get(phrase).copied());
        let mut found: Vec<usize> = found.collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn gain(&self, pair: &Pair, has: &[usize]) -> f32 {
        let weights = has.iter().map(|&phrase| self.weights[phrase]);
        weights.sum::<f32>() / (pair.words.len() + COST) as f32
    }
}
