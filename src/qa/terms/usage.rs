//! Whether a translation uses a term.

use std::sync::Arc;

use super::look_up::{TermIndex, TermMatch};
use super::stems::{Stems, is_form, words};
use super::termbase::Termbase;

/// Letters of a word that counts as part of a compound.
const LEAST_OF_COMPOUND: usize = 4;

/// A termbase that pairs of source and translation are held against.
#[derive(Debug)]
pub struct TermUsage {
    index: TermIndex,
    target_stems: Stems,
}

impl TermUsage {
    /// Indexes a termbase.
    pub fn new(base: Arc<Termbase>) -> Self {
        Self {
            target_stems: Stems::for_language(&base.target_language),
            index: TermIndex::new(base),
        }
    }

    /// The index of the source terms.
    pub fn index(&self) -> &TermIndex {
        &self.index
    }

    /// The terms in a source text, each with whether its translation uses it and nothing that is forbidden for it.
    pub fn used(&self, source: &str, target: &str) -> Vec<(TermMatch, bool)> {
        let words = TargetWords::new(target, &self.target_stems);
        let matches = self.index.find(source).into_iter();
        let used = matches.map(|found| {
            let is_used = self.is_used(&found.terms, &words);
            (found, is_used)
        });
        used.collect()
    }

    /// How many of some places, each with the terms that are meant there, have no term in a translation.
    pub fn num_lacking(&self, places: &[Vec<usize>], target: &str) -> usize {
        let words = TargetWords::new(target, &self.target_stems);
        let lacking = places.iter().filter(|terms| !self.is_used(terms, &words));
        lacking.count()
    }

    /// The translations that are forbidden for some terms.
    pub fn forbidden(&self, terms: &[usize]) -> impl Iterator<Item = &str> {
        let base = self.index.base();
        let forbidden = terms.iter().flat_map(|&term| &base.terms[term].forbidden);
        forbidden.map(String::as_str)
    }

    fn is_used(&self, terms: &[usize], words: &TargetWords) -> bool {
        let base = self.index.base();
        let targets = terms.iter().flat_map(|&term| &base.terms[term].targets);
        let mut targets = targets.peekable();
        // A term with forbidden translations only wants nothing else.
        let has_one = targets.peek().is_none() || targets.any(|target| words.has(target));
        has_one && !self.forbidden(terms).any(|target| words.has_apart(target))
    }
}

/// The words of a translation, in which terms are looked up.
#[derive(Debug, Clone)]
pub struct TargetWords<'s> {
    stems: &'s Stems,
    words: Vec<String>,
    stemmed: Vec<String>,
    joins: Vec<bool>,
}

impl<'s> TargetWords<'s> {
    /// The words of a text with their stems.
    pub fn new(text: &str, stems: &'s Stems) -> Self {
        let own = words(text);
        Self {
            stems,
            stemmed: own.iter().map(|word| stems.stem(word.text)).collect(),
            joins: own.iter().map(|word| word.joins).collect(),
            words: own.iter().map(|word| word.text.to_lowercase()).collect(),
        }
    }

    /// Whether the place has the term in any form of its words; in languages that write compounds as one word, also as a part
    /// of one.
    pub fn has(&self, term: &str) -> bool {
        self.places(term, true)
    }

    /// Whether the term occurs outside compounds: a forbidden term may be a part of a right one.
    pub fn has_apart(&self, term: &str) -> bool {
        self.places(term, false)
    }

    fn places(&self, term: &str, compounds: bool) -> bool {
        let own: Vec<String> = words(term)
            .iter()
            .map(|it| it.text.to_lowercase())
            .collect();
        if own.is_empty() {
            return false;
        }
        let stems: Vec<String> = own.iter().map(|word| self.stems.stem(word)).collect();
        let starts = 0..(self.words.len() + 1).saturating_sub(own.len());
        let mut starts = starts.filter(|&start| {
            let has_gap = (1..own.len()).any(|next| !self.joins[start + next]);
            !has_gap
        });
        let is_here = starts.any(|start| {
            (0..own.len()).all(|at| {
                let word = start + at;
                self.words[word] == own[at]
                    || self.stemmed[word] == stems[at] && is_form(&self.words[word], &own[at])
            })
        });
        is_here || compounds && self.stems.compounds && self.has_compound(&own, &stems)
    }

    fn has_compound(&self, own: &[String], stems: &[String]) -> bool {
        let joined = own.concat();
        let stem = match stems {
            [stem] => stem,
            _ => &joined,
        };
        if stem.chars().count() < LEAST_OF_COMPOUND {
            return false;
        }
        self.words
            .iter()
            .any(|word| word.contains(joined.as_str()) || word.contains(stem.as_str()))
    }
}
