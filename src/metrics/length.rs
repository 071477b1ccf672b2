//! Two numbers that say what went wrong when a score is low: too short or too long, and the same again and again.

use super::metric::{share, sum_of};
use super::ngrams::Ngrams;
use super::tokenize::Tokenizer;
use super::{Goal, Metric};

/// Words of the hypotheses, in per cent of the words of the references (the mean of several): 100 is as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LengthRatio {
    /// Splits texts into words.
    pub tokenizer: Tokenizer,
}

impl Metric for LengthRatio {
    fn name(&self) -> String {
        "length".to_owned()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("tok", self.tokenizer.name().to_owned())]
    }

    fn goal(&self) -> Goal {
        Goal::Hundred
    }

    /// Words of the hypothesis, once for each reference, and words of all references.
    fn num_sums(&self) -> usize {
        2
    }

    fn count(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let len = |text: &str| self.tokenizer.words_of(text, false).len();
        let all = references.iter().map(|text| len(text)).sum();
        vec![sum_of(len(hypothesis) * references.len()), sum_of(all)]
    }

    fn score(&self, sums: &[i64]) -> f64 {
        100.0 * share(sums[0], sums[1])
    }

    fn details(&self, _: &[i64]) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

/// Per cent of the hypotheses' n-grams that occur earlier in the same segment.
///
/// `seq-rep-n` of Welleck et al., "Neural Text Generation With Unlikelihood Training", ICLR 2020: 1 − different n-grams /
/// all n-grams; unlike theirs it is of the sums over all segments, not the mean of segments. The references' own share,
/// in the details, says how much is natural.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    /// Splits texts into words.
    pub tokenizer: Tokenizer,
    /// Words of an n-gram, at least 1.
    pub order: usize,
}

impl Default for Repetition {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::default(),
            order: 4,
        }
    }
}

impl Metric for Repetition {
    fn name(&self) -> String {
        format!("repetition{}", self.order)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("n", self.order.to_string()),
            ("tok", self.tokenizer.name().to_owned()),
        ]
    }

    fn goal(&self) -> Goal {
        Goal::Low
    }

    /// Repeated and all n-grams of the hypothesis, the same of the references.
    fn num_sums(&self) -> usize {
        4
    }

    fn count(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let texts: Vec<Vec<String>> = std::iter::once(&hypothesis)
            .chain(references)
            .map(|text| self.tokenizer.words_of(text, false))
            .collect();
        let mut ngrams = Ngrams::from_words(texts.iter().map(Vec::as_slice));
        for _ in 1..self.order {
            ngrams.longer();
        }
        let repeated = |text: usize| ngrams.total(text) - ngrams.distinct(text);
        let references = 1..texts.len();
        vec![
            repeated(0),
            ngrams.total(0),
            references.clone().map(repeated).sum(),
            references.map(|text| ngrams.total(text)).sum(),
        ]
    }

    fn score(&self, sums: &[i64]) -> f64 {
        100.0 * share(sums[0], sums[1])
    }

    fn details(&self, sums: &[i64]) -> Vec<(&'static str, f64)> {
        vec![("references", 100.0 * share(sums[2], sums[3]))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_a_hundred_is_as_long() {
        let ratio = LengthRatio::default();
        let score =
            |hypothesis, references: &[&str]| ratio.score(&ratio.count(hypothesis, references));
        assert!((score("eins zwei", &["one two"]) - 100.0).abs() < 1e-9);
        assert!((score("eins", &["one two", "one two"]) - 50.0).abs() < 1e-9);
        assert!(score("", &["one"]).abs() < 1e-9);
        assert!(score("eins", &[""]).abs() < 1e-9);
    }

    #[test]
    fn what_stood_before_is_repeated() {
        let repetition = Repetition {
            order: 2,
            ..Repetition::default()
        };
        let sums = repetition.count("a b a b a", &["a b c", "a a a"]);
        assert_eq!(sums, [2, 4, 1, 4]);
        assert!((repetition.score(&sums) - 50.0).abs() < 1e-9);
    }
}
