//! Words of a text with their places, and their stems.

use std::ops::Range;

use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};
use rust_stemmers::{Algorithm, Stemmer};

use canopy_document::placeholder::Placeholder;

/// Letters by which two words with one stem may differ in length: forms of a word do, a verb and its noun often do more.
const LONGEST_ENDING: usize = 3;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'t> {
    /// The word as written.
    pub text: &'t str,
    /// Its bytes.
    pub range: Range<usize>,
    /// Whether nothing but spaces, hyphens and tags are between it and the word before.
    pub joins: bool,
}

/// The words of a text, in any script; texts without spaces are cut by ICU's dictionaries.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut start = 0;
    let segments = segmenter.segment_str(text).iter_with_word_type();
    for (end, kind) in segments {
        if kind.is_word_like() {
            let gap = &text[words.last().map_or(0, |word| word.range.end)..start];
            words.push(Word {
                text: &text[start..end],
                range: start..end,
                joins: !words.is_empty() && gap.chars().all(joins),
            });
        }
        start = end;
    }
    words
}

fn joins(character: char) -> bool {
    let is_tag = matches!(
        Placeholder::from_char(character),
        Some(Placeholder::Open(_) | Placeholder::Close)
    );
    is_tag || character.is_whitespace() || matches!(character, '-' | '‐' | '‑' | '\u{AD}')
}

/// The stems of a language's words; for a language without rules here, the words themselves.
pub struct Stems {
    stemmer: Option<Stemmer>,
    /// Whether the language writes compounds as one word.
    pub(super) compounds: bool,
}

impl Stems {
    /// Stems of the language with this code.
    pub fn for_language(language: &str) -> Self {
        let code = language.split(['-', '_', '@']).next().unwrap_or_default();
        let code = code.to_ascii_lowercase();
        let algorithm = match code.as_str() {
            "ar" => Algorithm::Arabic,
            "da" => Algorithm::Danish,
            "de" => Algorithm::German,
            "el" => Algorithm::Greek,
            "en" => Algorithm::English,
            "es" => Algorithm::Spanish,
            "fi" => Algorithm::Finnish,
            "fr" => Algorithm::French,
            "hu" => Algorithm::Hungarian,
            "it" => Algorithm::Italian,
            "nb" | "nn" | "no" => Algorithm::Norwegian,
            "nl" => Algorithm::Dutch,
            "pt" => Algorithm::Portuguese,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "sv" => Algorithm::Swedish,
            "ta" => Algorithm::Tamil,
            "tr" => Algorithm::Turkish,
            _ => return Self::none(&code),
        };
        Self {
            stemmer: Some(Stemmer::create(algorithm)),
            ..Self::none(&code)
        }
    }

    fn none(code: &str) -> Self {
        Self {
            stemmer: None,
            compounds: matches!(
                code,
                "af" | "da" | "de" | "et" | "fi" | "hu" | "is" | "nb" | "nl" | "nn" | "no" | "sv"
            ),
        }
    }

    /// The stem of a word, in lower case.
    pub fn stem(&self, word: &str) -> String {
        let word = word.to_lowercase();
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(&word).into_owned(),
            None => word,
        }
    }

    /// The stems of all words of a text.
    pub fn stem_words(&self, text: &str) -> Vec<String> {
        let words = words(text).into_iter();
        words.map(|word| self.stem(word.text)).collect()
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let has_rules = self.stemmer.is_some();
        f.debug_struct("Stems")
            .field("rules", &has_rules)
            .finish_non_exhaustive()
    }
}

/// Whether two words with one stem may be forms of one word.
pub(super) fn is_form(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|word| word.chars().count());
    one.abs_diff(other) <= LONGEST_ENDING
}
