//! Terms taken from texts: frequent phrases, and what they usually become in a translation memory.
//!
//! Candidates are runs of words without function words at their ends, weighed by the C-value (Frantzi, Ananiadou & Mima,
//! "Automatic Recognition of Multi-Word Terms", IJDL 2000, §2.3; with log₂(n + 1), so that single words count). The
//! translation of one is the phrase of the target that occurs with it most often, by Dice's coefficient.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use super::function_words::is_function_word;
use super::look_up::TermIndex;
use super::stems::{Stems, Word, words};
use super::termbase::{Term, Termbase};
use canopy_document::placeholder::Placeholder;

/// Words of the longest phrase.
const LONGEST: usize = 4;

/// Pairs that must have both a term and its translation.
const LEAST_PAIRS: usize = 3;

/// The share of a term's pairs that must have its translation for it to be looked at.
const LEAST_SHARE: f32 = 0.3;

/// The share of a translation's places that a form of it must have to be written down.
const LEAST_OF_FORM: f32 = 0.05;

/// How terms are taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// Code of the source language.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// Places that a term must have.
    pub least_count: usize,
    /// The least Dice's coefficient of a term and its translation, from 0 to 1.
    pub least_association: f32,
    /// Terms that are kept, the most important ones.
    pub most: usize,
}

impl Extraction {
    /// Extraction of terms between two languages.
    pub fn between(source_language: &str, target_language: &str) -> Self {
        Self {
            source_language: source_language.to_owned(),
            target_language: target_language.to_owned(),
            least_count: 3,
            least_association: 0.5,
            most: 1_000,
        }
    }
}

/// A term that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExtractedTerm {
    /// The term in the source language.
    pub source: String,
    /// Places in the texts.
    pub count: usize,
    /// The C-value.
    pub weight: f32,
    /// Forms of its translation, the most frequent first.
    pub targets: Vec<String>,
    /// Dice's coefficient of both in the memory.
    pub association: f32,
}

impl ExtractedTerm {
    /// The candidate as an entry of a termbase.
    pub fn term(&self) -> Term {
        Term {
            source: self.source.clone(),
            targets: self.targets.clone(),
            ..Term::default()
        }
    }
}

/// A phrase by its stems, and how often its spellings occur.
type Phrases = HashMap<Vec<String>, HashMap<String, usize>>;

impl Extraction {
    /// The terms of some texts, the most important first. With pairs of a memory, only those that have a translation there.
    pub fn run<'t>(
        &self,
        texts: impl Iterator<Item = &'t str>,
        pairs: Option<&[(&str, &str)]>,
    ) -> Vec<ExtractedTerm> {
        let mut found = self.candidates(texts);
        if let Some(pairs) = pairs {
            self.translate(&mut found, pairs);
            found.retain(|term| !term.targets.is_empty());
        }
        found.truncate(self.most);
        found
    }

    fn candidates<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<ExtractedTerm> {
        let stems = Stems::for_language(&self.source_language);
        let mut phrases = Phrases::new();
        for text in texts {
            for_phrases(text, &stems, &self.source_language, |stems, spelling| {
                let spellings = phrases.entry(stems.to_vec()).or_default();
                *spellings.entry(spelling.to_owned()).or_default() += 1;
            });
        }
        let count = |spellings: &HashMap<String, usize>| spellings.values().sum::<usize>();
        let counts: HashMap<&[String], usize> = phrases
            .iter()
            .map(|(stems, spellings)| (stems.as_slice(), count(spellings)))
            .filter(|(_, count)| *count >= self.least_count)
            .collect();
        // The sum and the number of longer phrases that contain each phrase.
        let mut longer: HashMap<&[String], (usize, usize)> = HashMap::new();
        for (stems, count) in &counts {
            let mut inner = HashSet::new();
            for length in 1..stems.len() {
                inner.extend(stems.windows(length));
            }
            for phrase in inner {
                let sums = longer.entry(phrase).or_default();
                *sums = (sums.0 + count, sums.1 + 1);
            }
        }
        let weight = |stems: &[String], count: usize| {
            let (sum, number) = longer.get(stems).copied().unwrap_or((0, 1));
            (stems.len() as f32 + 1.0).log2() * (count as f32 - sum as f32 / number as f32)
        };
        let mut terms: Vec<ExtractedTerm> = counts
            .iter()
            .map(|(&stems, &count)| ExtractedTerm {
                source: most_frequent(&phrases[stems]),
                count,
                weight: weight(stems, count),
                targets: Vec::new(),
                association: 0.0,
            })
            .filter(|term| term.weight > 0.0)
            .collect();
        terms.sort_by(|a, b| {
            let by_weight = b.weight.total_cmp(&a.weight);
            by_weight.then_with(|| a.source.cmp(&b.source))
        });
        terms
    }

    /// Gives the terms their usual translations.
    fn translate(&self, found: &mut [ExtractedTerm], pairs: &[(&str, &str)]) {
        let mut base = Termbase::empty(&self.source_language, &self.target_language);
        base.terms.extend(found.iter().map(ExtractedTerm::term));
        let index = TermIndex::new(Arc::new(base));
        let stems = Stems::for_language(&self.target_language);
        let mut sources = vec![0_usize; found.len()];
        let mut joint: Vec<Phrases> = vec![Phrases::new(); found.len()];
        for (source, target) in pairs {
            let mut terms: Vec<usize> = index
                .find(source)
                .into_iter()
                .flat_map(|it| it.terms)
                .collect();
            terms.sort_unstable();
            terms.dedup();
            if terms.is_empty() {
                continue;
            }
            for &term in &terms {
                sources[term] += 1;
            }
            for (phrase, spelling) in self.target_phrases(target, &stems) {
                for &term in &terms {
                    let spellings = joint[term].entry(phrase.clone()).or_default();
                    *spellings.entry(spelling.clone()).or_default() += 1;
                }
            }
        }
        let share = |count: usize, of: usize| count as f32 / of.max(1) as f32;
        for (phrases, &all) in joint.iter_mut().zip(&sources) {
            phrases.retain(|_, spellings| {
                let count = spellings.values().sum();
                count >= LEAST_PAIRS && share(count, all) >= LEAST_SHARE
            });
        }
        let mut targets: HashMap<Vec<String>, usize> = HashMap::new();
        targets.extend(
            joint
                .iter()
                .flat_map(HashMap::keys)
                .map(|it| (it.clone(), 0)),
        );
        for (_, target) in pairs {
            for (phrase, _) in self.target_phrases(target, &stems) {
                if let Some(count) = targets.get_mut(&phrase) {
                    *count += 1;
                }
            }
        }
        for ((term, phrases), &all) in found.iter_mut().zip(joint).zip(&sources) {
            let scored = phrases.into_iter().map(|(phrase, spellings)| {
                let both: usize = spellings.values().sum();
                let dice = share(2 * both, all + targets[&phrase]);
                (dice, phrase, spellings)
            });
            let best = scored.max_by(|a, b| {
                let by_dice = a.0.total_cmp(&b.0);
                by_dice
                    .then(a.1.len().cmp(&b.1.len()))
                    .then_with(|| b.1.cmp(&a.1))
            });
            let Some((dice, _, spellings)) = best else {
                continue;
            };
            let forms = forms(spellings);
            // What stays as it is needs no term.
            let is_same = forms
                .iter()
                .any(|form| form.to_lowercase() == term.source.to_lowercase());
            if dice >= self.least_association && !is_same {
                term.association = dice;
                term.targets = forms;
            }
        }
    }

    /// The phrases of a target, each once, with one of their spellings.
    fn target_phrases(&self, target: &str, stems: &Stems) -> HashMap<Vec<String>, String> {
        let mut phrases = HashMap::new();
        for_phrases(target, stems, &self.target_language, |stems, spelling| {
            phrases
                .entry(stems.to_vec())
                .or_insert_with(|| spelling.to_owned());
        });
        phrases
    }
}

/// Calls `each` with the stems and the spelling of every phrase that may be a term.
fn for_phrases(text: &str, stems: &Stems, language: &str, mut each: impl FnMut(&[String], &str)) {
    let words = words(text);
    let stemmed: Vec<String> = words.iter().map(|word| stems.stem(word.text)).collect();
    let is_end: Vec<bool> = words.iter().map(|word| may_end(word, language)).collect();
    for start in 0..words.len() {
        if !is_end[start] {
            continue;
        }
        for end in start..words.len().min(start + LONGEST) {
            if end > start && !words[end].joins {
                break;
            }
            let spelling = &text[words[start].range.start..words[end].range.end];
            // Tags inside of a phrase are no part of it.
            if is_end[end] && !spelling.contains(is_mark) {
                each(&stemmed[start..=end], spelling);
            }
        }
    }
}

fn may_end(word: &Word, language: &str) -> bool {
    let letters = word.text.chars().filter(|c| c.is_alphabetic()).count();
    let is_long = letters > 2 || word.text.chars().any(|c| c as u32 >= 0x2E80);
    is_long && !is_function_word(language, &word.text.to_lowercase())
}

fn most_frequent(spellings: &HashMap<String, usize>) -> String {
    let best = spellings
        .iter()
        .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
    best.map_or_else(String::new, |(spelling, _)| spelling.clone())
}

/// The spellings that are no exceptions, the most frequent first.
fn forms(spellings: HashMap<String, usize>) -> Vec<String> {
    let least = spellings.values().sum::<usize>() as f32 * LEAST_OF_FORM;
    let mut forms: Vec<(String, usize)> = spellings.into_iter().collect();
    forms.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    forms.retain(|(_, count)| *count as f32 >= least);
    forms.into_iter().map(|(form, _)| form).collect()
}

fn is_mark(character: char) -> bool {
    Placeholder::from_char(character).is_some()
}
