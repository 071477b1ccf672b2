//! METEOR of exact and stemmed words, equal to NLTK's `meteor_score` without synonyms. **It is not Meteor 1.5.**
//!
//! Banerjee & Lavie, "METEOR: An Automatic Metric for MT Evaluation with Improved Correlation with Human Judgments", 2005,
//! with the parameters α = 0.9, β = 3 and γ = 0.5 of Lavie & Agarwal, WMT 2007, that NLTK has as defaults. Meteor 1.5
//! (Denkowski & Lavie, WMT 2014) also knows synonyms, paraphrases and function words and has weights for each language;
//! its scores are higher and cannot be compared with these.
//!
//! As in NLTK the alignment is greedy: words equal in lower case first, then words with equal stems, each from the end of
//! the text. Unlike NLTK, which takes words, a text is split into words here.

mod porter;
mod stem;

use std::collections::HashMap;

pub use porter::porter_stem;
pub use stem::Stemmer;

use super::Metric;
use super::metric::{float, share, sum_of};
use super::tokenize::Tokenizer;

/// How METEOR is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meteor {
    /// Splits texts into words.
    pub tokenizer: Tokenizer,
    /// Reduces words to stems for the second round of matches.
    pub stemmer: Stemmer,
    /// Weight of recall against precision, 0 to 1.
    pub alpha: f64,
    /// How fast the penalty grows with the number of chunks.
    pub beta: f64,
    /// The highest penalty.
    pub gamma: f64,
    /// How scores of segments become the score of a test set.
    pub average: MeteorAverage,
}

/// How the score of a corpus comes from its segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MeteorAverage {
    /// The mean of the segments' scores, as users of NLTK compute it.
    #[default]
    Segments,
    /// The score of all matches and chunks together, as Banerjee & Lavie have it.
    Matches,
}

impl Default for Meteor {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::default(),
            stemmer: Stemmer::default(),
            alpha: 0.9,
            beta: 3.0,
            gamma: 0.5,
            average: MeteorAverage::default(),
        }
    }
}

/// Scores of segments are summed in units of 10⁻¹², so that sums do not depend on their order.
const UNITS: f64 = 1e12;

impl Metric for Meteor {
    fn name(&self) -> String {
        "METEOR".to_owned()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let average = match self.average {
            MeteorAverage::Segments => "segments",
            MeteorAverage::Matches => "matches",
        };
        vec![
            ("case", "lc".to_owned()),
            ("tok", self.tokenizer.name().to_owned()),
            ("modules", format!("exact+{}", self.stemmer.name())),
            ("alpha", self.alpha.to_string()),
            ("beta", self.beta.to_string()),
            ("gamma", self.gamma.to_string()),
            ("average", average.to_owned()),
            ("kind", "nltk-not-meteor-1.5".to_owned()),
        ]
    }

    /// Matches, words of the hypothesis, of the reference, chunks; the score in units of 10⁻¹², segments.
    fn num_sums(&self) -> usize {
        6
    }

    /// Counts matches; the best of several references by score counts.
    fn count(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let hypothesis = self.words(hypothesis);
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for reference in references {
            let reference = self.words(reference);
            let (matches, chunks) = self.alignment(&hypothesis, &reference);
            let counts = [matches, hypothesis.len(), reference.len(), chunks].map(sum_of);
            let score = self.score_counts(&counts);
            if score > best.0 {
                best = (score, counts.to_vec());
            }
        }
        let (score, mut sums) = best;
        #[expect(clippy::cast_possible_truncation, reason = "a score is at most 1")]
        sums.extend([(score * UNITS).round() as i64, 1]);
        sums
    }

    fn score(&self, sums: &[i64]) -> f64 {
        match self.average {
            MeteorAverage::Segments => 100.0 * share(sums[4], sums[5]) / UNITS,
            MeteorAverage::Matches => 100.0 * self.score_counts(&sums[..4]),
        }
    }

    fn details(&self, sums: &[i64]) -> Vec<(&'static str, f64)> {
        vec![
            ("precision", share(sums[0], sums[1])),
            ("recall", share(sums[0], sums[2])),
            ("chunks_per_match", share(sums[3], sums[0])),
        ]
    }
}

impl Meteor {
    fn words(&self, text: &str) -> Vec<String> {
        let words = self.tokenizer.words_of(text, false).into_iter();
        words.map(|word| word.to_lowercase()).collect()
    }

    /// The score, 0 to 1, of matches, words of the hypothesis, words of the reference and chunks.
    fn score_counts(&self, counts: &[i64]) -> f64 {
        let [matches, hyp_len, ref_len, chunks] = [0, 1, 2, 3].map(|place| float(counts[place]));
        if matches == 0.0 {
            return 0.0;
        }
        let (precision, recall) = (matches / hyp_len, matches / ref_len);
        let mean = precision * recall / (self.alpha * precision + (1.0 - self.alpha) * recall);
        let penalty = self.gamma * (chunks / matches).powf(self.beta);
        (1.0 - penalty) * mean
    }

    /// How many words match, and in how many chunks of neighbours that match neighbours.
    fn alignment(&self, hypothesis: &[String], reference: &[String]) -> (usize, usize) {
        let mut counterparts: Vec<Option<usize>> = vec![None; hypothesis.len()];
        let mut taken = vec![false; reference.len()];
        match_words(hypothesis, reference, &mut counterparts, &mut taken);
        if self.stemmer != Stemmer::None {
            let stems = |words: &[String]| self.stemmer.stems(words);
            match_words(
                &stems(hypothesis),
                &stems(reference),
                &mut counterparts,
                &mut taken,
            );
        }
        let pairs: Vec<(usize, usize)> = counterparts
            .iter()
            .enumerate()
            .filter_map(|(word, counterpart)| counterpart.map(|other| (word, other)))
            .collect();
        let broken = pairs
            .windows(2)
            .filter(|pair| pair[1] != (pair[0].0 + 1, pair[0].1 + 1))
            .count();
        (pairs.len(), broken + usize::from(!pairs.is_empty()))
    }
}

/// Gives every word that has no counterpart yet, from the last one on, the last equal word that is not taken.
fn match_words(
    hypothesis: &[String],
    reference: &[String],
    counterparts: &mut [Option<usize>],
    taken: &mut [bool],
) {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, word) in reference
        .iter()
        .enumerate()
        .filter(|(place, _)| !taken[*place])
    {
        places.entry(word).or_default().push(place);
    }
    let open = hypothesis.iter().zip(counterparts).rev();
    for (word, counterpart) in open.filter(|(_, counterpart)| counterpart.is_none()) {
        *counterpart = places.get_mut(word.as_str()).and_then(Vec::pop);
        if let Some(place) = *counterpart {
            taken[place] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in NLTK's documentation.
    #[test]
    fn the_military_always_obeys() {
        let hypothesis = "It is a guide to action which ensures that the military always obeys the commands of the party";
        let references = [
            "It is a guide to action that ensures that the military will forever heed Party commands",
            "It is the guiding principle which guarantees the military forces always being under the command of the Party",
        ];
        let meteor = Meteor::default();
        let score = meteor.score(&meteor.count(hypothesis, &references));
        assert!((score - 69.44).abs() < 0.005, "{score}");
    }

    #[test]
    fn nothing_in_common_scores_0() {
        for average in [MeteorAverage::Segments, MeteorAverage::Matches] {
            let meteor = Meteor {
                average,
                ..Meteor::default()
            };
            for (hypothesis, reference) in [("a", "b"), ("", "b"), ("a", ""), ("", "")] {
                let score = meteor.score(&meteor.count(hypothesis, &[reference]));
                assert!(score.abs() < 1e-12, "{hypothesis:?} {reference:?} {score}");
            }
        }
    }
}
