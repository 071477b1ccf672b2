//! TER, equal to sacrebleu's, which follows Tercom.
//!
//! Snover et al., "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA 2006: the insertions,
//! deletions, substitutions and shifts of phrases that turn the hypothesis into the reference, in per cent of the
//! reference's words. The search for shifts is greedy (section 3), with the limits and tie-breaks of Tercom.

mod alignment;
mod shifts;

use std::collections::HashMap;

use super::metric::{case, float, sum_of, yes_no};
use super::tokenize::{TercomOptions, tokenize_tercom};
use super::{Goal, Metric};

/// How TER is counted; the default is sacrebleu's and Tercom's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ter {
    /// Preparation of the texts.
    pub options: TercomOptions,
}

impl Metric for Ter {
    fn name(&self) -> String {
        "TER".to_owned()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let options = self.options;
        vec![
            ("case", case(!options.case_sensitive)),
            ("tok", "tercom".to_owned()),
            ("norm", yes_no(options.normalized)),
            ("punct", yes_no(!options.no_punct)),
            ("asian", yes_no(options.asian_support)),
        ]
    }

    fn goal(&self) -> Goal {
        Goal::Low
    }

    /// Edits to the nearest reference, words of all references, references, segments.
    fn num_sums(&self) -> usize {
        4
    }

    fn count(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let mut numbers = HashMap::new();
        let mut numbered = |text: &str| -> Vec<u32> {
            let words = tokenize_tercom(text, self.options).into_iter();
            let number = |word| {
                let next = u32::try_from(numbers.len()).expect("fewer than 2^32 words");
                *numbers.entry(word).or_insert(next)
            };
            words.map(number).collect()
        };
        let hypothesis = numbered(hypothesis);
        let references: Vec<Vec<u32>> = references.iter().map(|text| numbered(text)).collect();
        let edits = references
            .iter()
            .map(|reference| shifts::edits(&hypothesis, reference));
        let words: usize = references.iter().map(Vec::len).sum();
        vec![
            sum_of(edits.min().unwrap_or(0)),
            sum_of(words),
            sum_of(references.len()),
            1,
        ]
    }

    fn score(&self, sums: &[i64]) -> f64 {
        let ref_len = mean_ref_len(sums);
        match sums[0] {
            0 => 0.0,
            _ if ref_len == 0.0 => 100.0,
            edits => 100.0 * (float(edits) / ref_len),
        }
    }

    fn details(&self, sums: &[i64]) -> Vec<(&'static str, f64)> {
        vec![("edits", float(sums[0])), ("ref_len", mean_ref_len(sums))]
    }
}

/// The words of a reference, summed over the segments, as a mean over the references.
fn mean_ref_len(sums: &[i64]) -> f64 {
    match sums {
        [_, _, 0, _] => 0.0,
        [_, words, references, segments] => float(words * segments) / float(*references),
        _ => unreachable!("there are four sums"),
    }
}
