//! Terms in a text of the source: whatever form their words have, the longest first.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::function_words::is_function_word;
use super::stems::{Stems, Word, is_form, words};
use super::termbase::{Term, Termbase};

/// A place of terms in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermMatch {
    /// Its bytes.
    pub range: Range<usize>,
    /// Numbers in the termbase of the terms that are meant; several where a source has several meanings.
    pub terms: Vec<usize>,
}

/// A termbase that is ready to be looked up in.
#[derive(Debug, Clone)]
pub struct TermIndex {
    base: Arc<Termbase>,
    stems: Arc<Stems>,
    /// By the stem of the first word, the longest first.
    entries: HashMap<String, Vec<Entry>>,
}

/// The words of a term.
#[derive(Debug, Clone)]
struct Entry {
    term: usize,
    stems: Vec<String>,
    words: Vec<String>,
    /// Which of the words are abbreviations that small letters make a word of their own, as `IT` and `it`.
    abbreviations: Vec<bool>,
    /// A spelling that the text must have: for terms that case or signs such as those of `C++` distinguish.
    literal: Option<Literal>,
}

#[derive(Debug, Clone)]
struct Literal {
    text: String,
    case_sensitive: bool,
    /// Bytes before its first word.
    lead: usize,
}

impl TermIndex {
    /// Indexes a termbase by the stems of its source terms.
    pub fn new(base: Arc<Termbase>) -> Self {
        let stems = Stems::for_language(&base.source_language);
        let mut entries: HashMap<String, Vec<Entry>> = HashMap::new();
        for (number, term) in base.terms.iter().enumerate() {
            let Some(mut entry) = Entry::new(number, &term.source, term.case_sensitive, &stems)
            else {
                continue;
            };
            let is_abbreviation = |word: &String| {
                word.chars().nth(1).is_some()
                    && word.chars().all(char::is_uppercase)
                    && is_function_word(&base.source_language, &word.to_lowercase())
            };
            entry.abbreviations = entry.words.iter().map(is_abbreviation).collect();
            entries
                .entry(entry.stems[0].clone())
                .or_default()
                .push(entry);
        }
        for entries in entries.values_mut() {
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.stems.len()));
        }
        Self {
            base,
            stems: Arc::new(stems),
            entries,
        }
    }

    /// The indexed termbase.
    pub fn base(&self) -> &Arc<Termbase> {
        &self.base
    }

    /// The terms of a match.
    pub fn terms<'b>(&'b self, found: &'b TermMatch) -> impl Iterator<Item = &'b Term> {
        found.terms.iter().map(|&number| &self.base.terms[number])
    }

    /// The terms in a text, each once, with what they are called.
    pub fn pairs(&self, text: &str) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for found in self.find(text) {
            for term in self.terms(&found) {
                let pair = (term.source.clone(), term.targets.join(", "));
                if !pair.1.is_empty() && !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        pairs
    }

    /// The terms in a text, which may hold placeholders, from left to right; none overlaps another.
    pub fn find(&self, text: &str) -> Vec<TermMatch> {
        if self.entries.is_empty() {
            return Vec::new();
        }
        let words = words(text);
        let stems: Vec<String> = words
            .iter()
            .map(|word| self.stems.stem(word.text))
            .collect();
        let mut matches = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let Some((length, terms)) = self.at(text, &words[at..], &stems[at..]) else {
                at += 1;
                continue;
            };
            matches.push(TermMatch {
                range: words[at].range.start..words[at + length - 1].range.end,
                terms,
            });
            at += length;
        }
        matches
    }

    /// The longest terms that begin with the first of these words, and how many words they have.
    fn at(&self, text: &str, words: &[Word], stems: &[String]) -> Option<(usize, Vec<usize>)> {
        let entries = self.entries.get(stems.first()?)?;
        let mut found: Option<(usize, Vec<usize>)> = None;
        for entry in entries {
            let length = entry.stems.len();
            if found.as_ref().is_some_and(|(longest, _)| length < *longest) {
                break;
            }
            if entry.is_at(text, words, stems) {
                found.get_or_insert((length, Vec::new())).1.push(entry.term);
            }
        }
        found
    }
}

impl Entry {
    /// None if a term has no word.
    fn new(term: usize, source: &str, case_sensitive: bool, stems: &Stems) -> Option<Self> {
        let source = source.trim();
        let own = words(source);
        let first = own.first()?;
        let is_plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || "-‐‑'’".contains(c);
        let has_signs = !source.chars().all(is_plain);
        let literal = (case_sensitive || has_signs).then(|| Literal {
            text: source.to_owned(),
            case_sensitive,
            lead: first.range.start,
        });
        Some(Self {
            term,
            stems: own.iter().map(|word| stems.stem(word.text)).collect(),
            words: own.iter().map(|word| word.text.to_owned()).collect(),
            abbreviations: Vec::new(),
            literal,
        })
    }

    fn is_at(&self, text: &str, words: &[Word], stems: &[String]) -> bool {
        let length = self.stems.len();
        if stems.len() < length || stems[..length] != self.stems[..] {
            return false;
        }
        let mut abbreviations = words.iter().zip(&self.abbreviations);
        if abbreviations.any(|(word, &is_one)| is_one && word.text.contains(char::is_lowercase)) {
            return false;
        }
        if let Some(literal) = &self.literal {
            return literal.is_at(text, words[0].range.start);
        }
        let mut places = words.iter().zip(&self.words).enumerate();
        places.all(|(place, (word, own))| (place == 0 || word.joins) && is_form(word.text, own))
    }
}

impl Literal {
    fn is_at(&self, text: &str, first_word: usize) -> bool {
        let found = first_word
            .checked_sub(self.lead)
            .and_then(|start| text.get(start..start + self.text.len()));
        found.is_some_and(|found| {
            found == self.text
                || !self.case_sensitive && found.to_lowercase() == self.text.to_lowercase()
        })
    }
}
