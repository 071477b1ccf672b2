//! chrF and chrF++, equal to sacrebleu's.
//!
//! Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015, and "chrF++: words helping character
//! n-grams", WMT 2017.

use super::Metric;
use super::metric::{case, float, yes_no};
use super::ngrams::{Ngrams, common};
use super::tokenize::is_space;

/// How chrF is counted; the default is chrF2 as sacrebleu has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chrf {
    /// Maximum character n-gram order.
    pub char_order: usize,
    /// Longest n-grams of words: 0 for chrF, 2 for chrF++.
    pub word_order: usize,
    /// How many times more recall counts than precision.
    pub beta: u32,
    /// Compares texts in lower case.
    pub lowercase: bool,
    /// Whether white space belongs to the n-grams of characters.
    pub whitespace: bool,
    /// Averages the F-scores of all orders, as chrF++.py and NLTK do, instead of precision and recall of those orders
    /// that occur.
    pub eps_smoothing: bool,
}

impl Default for Chrf {
    fn default() -> Self {
        Self {
            char_order: 6,
            word_order: 0,
            beta: 2,
            lowercase: false,
            whitespace: false,
            eps_smoothing: false,
        }
    }
}

/// Numbers for each order: n-grams of the hypothesis, of the reference, and common ones.
const PER_ORDER: usize = 3;

impl Metric for Chrf {
    fn name(&self) -> String {
        format!("chrF{}{}", self.beta, "+".repeat(self.word_order))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("case", case(self.lowercase)),
            ("eff", yes_no(!self.eps_smoothing)),
            ("nc", self.char_order.to_string()),
            ("nw", self.word_order.to_string()),
            ("space", yes_no(self.whitespace)),
        ]
    }

    fn num_sums(&self) -> usize {
        PER_ORDER * (self.char_order + self.word_order)
    }

    /// Counts n-grams; the best of several references by F-score counts.
    fn count(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let texts = std::iter::once(&hypothesis).chain(references);
        let texts: Vec<String> = texts.map(|text| self.cased(text)).collect();
        let mut sums = vec![Vec::with_capacity(self.num_sums()); references.len()];
        let compact: Vec<String> = texts.iter().map(|text| self.compact(text)).collect();
        let mut chars = Ngrams::from_chars(compact.iter().map(String::as_str));
        add_orders(&mut sums, &mut chars, self.char_order);
        if self.word_order > 0 {
            let words: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
            let mut words = Ngrams::from_words(words.iter().map(Vec::as_slice));
            add_orders(&mut sums, &mut words, self.word_order);
        }
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for sums in sums {
            let score = self.score(&sums);
            if score > best.0 {
                best = (score, sums);
            }
        }
        best.1
    }

    fn score(&self, sums: &[i64]) -> f64 {
        const EPSILON: f64 = 1e-16;
        let factor = f64::from(self.beta * self.beta);
        let (mut f_scores, mut orders) = (0.0, 0.0);
        let (mut precisions, mut recalls, mut occurring) = (0.0, 0.0, 0.0);
        for order in sums.chunks_exact(PER_ORDER) {
            let [hypothesis, reference, common] = [order[0], order[1], order[2]].map(float);
            let share = |whole: f64| if whole > 0.0 { common / whole } else { EPSILON };
            let (precision, recall) = (share(hypothesis), share(reference));
            let weighted = factor * precision + recall;
            f_scores += if weighted > 0.0 {
                (1.0 + factor) * precision * recall / weighted
            } else {
                EPSILON
            };
            orders += 1.0;
            if hypothesis > 0.0 && reference > 0.0 {
                precisions += precision;
                recalls += recall;
                occurring += 1.0;
            }
        }
        if self.eps_smoothing {
            return 100.0 * f_scores / orders;
        }
        if precisions + recalls == 0.0 {
            return 0.0;
        }
        let (precision, recall) = (precisions / occurring, recalls / occurring);
        100.0 * ((1.0 + factor) * precision * recall / (factor * precision + recall))
    }

    fn details(&self, _: &[i64]) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

impl Chrf {
    fn cased(&self, text: &str) -> String {
        if self.lowercase {
            text.to_lowercase()
        } else {
            text.to_owned()
        }
    }

    fn compact(&self, text: &str) -> String {
        text.chars()
            .filter(|&c| self.whitespace || !is_space(c))
            .collect()
    }
}

/// Appends the numbers of orders 1 to `highest` to the sums of each reference.
fn add_orders(sums: &mut [Vec<i64>], ngrams: &mut Ngrams, highest: usize) {
    for order in 0..highest {
        if order > 0 {
            ngrams.longer();
        }
        let hypothesis = ngrams.counts(0);
        for (reference, sums) in sums.iter_mut().enumerate() {
            let total = ngrams.total(reference + 1);
            // An order that the reference is too short for counts neither way.
            let own = if total > 0 { ngrams.total(0) } else { 0 };
            let common = common(&hypothesis, &ngrams.counts(reference + 1));
            sums.extend([own, total, common]);
        }
    }
}

/// Words with one punctuation mark split off, at the end or else at the beginning, as chrF++.py does.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        let last = word.chars().next_back().map_or(0, char::len_utf8);
        let (front, end) = word.split_at(word.len() - last);
        let first = front.chars().next().map_or(0, char::len_utf8);
        if front.is_empty() {
            words.push(word.to_owned());
        } else if end.starts_with(|c: char| c.is_ascii_punctuation()) {
            words.extend([front, end].map(str::to_owned));
        } else if front.starts_with(|c: char| c.is_ascii_punctuation()) {
            words.extend([&word[..first], &word[first..]].map(str::to_owned));
        } else {
            words.push(word.to_owned());
        }
    }
    words
}
