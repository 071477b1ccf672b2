//! BLEU of a corpus, equal to sacrebleu's default.
//!
//! Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation", ACL 2002, with the tokenisation
//! `13a` and the exponential smoothing of Chen & Cherry, "A Systematic Comparison of Smoothing Techniques for
//! Sentence-Level BLEU", WMT 2014 (method 3), as Post, "A Call for Clarity in Reporting BLEU Scores", WMT 2018, fixes
//! them.

use std::collections::HashMap;
use std::fmt;

use super::tokenize::{is_space, tokenize_13a};

const MAX_ORDER: usize = 4;

/// A BLEU score and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bleu {
    /// 0 to 100.
    pub score: f64,
    /// Per cent of the hypotheses' 1- to 4-grams that stand in the reference, smoothed.
    pub precisions: [f64; MAX_ORDER],
    /// 1 if the hypotheses are at least as long as the references, else less.
    pub brevity_penalty: f64,
    /// Words of all hypotheses.
    pub hyp_len: usize,
    /// Words of all references.
    pub ref_len: usize,
}

impl Bleu {
    /// How the score is counted, in sacrebleu's form; the version is Canopy's.
    pub fn signature(&self) -> String {
        format!(
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:canopy-{}",
            env!("CARGO_PKG_VERSION")
        )
    }
}

impl fmt::Display for Bleu {
    /// As sacrebleu prints it: `BLEU = 39.06 68.2/45.9/33.3/24.6 (BP = 0.976 ratio = 0.976 hyp_len = … ref_len = …)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three, four] = self.precisions;
        let ratio = if self.ref_len == 0 {
            0.0
        } else {
            float(self.hyp_len) / float(self.ref_len)
        };
        write!(
            f,
            "BLEU = {:.2} {one:.1}/{two:.1}/{three:.1}/{four:.1} (BP = {:.3} ratio = {ratio:.3} hyp_len = {} ref_len = {})",
            self.score, self.brevity_penalty, self.hyp_len, self.ref_len
        )
    }
}

/// BLEU of all hypotheses together, each against its one reference.
///
/// # Panics
/// If there are not equally many hypotheses and references.
pub fn corpus_bleu(hypotheses: &[impl AsRef<str>], references: &[impl AsRef<str>]) -> Bleu {
    bleu_of(hypotheses, references, |text| {
        tokenize_13a(text.trim_end_matches(is_space))
    })
}

fn bleu_of(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
    tokenize: impl Fn(&str) -> Vec<String>,
) -> Bleu {
    let (given, expected) = (hypotheses.len(), references.len());
    assert!(
        given == expected,
        "{given} hypotheses, {expected} references"
    );
    let mut counts = Counts::default();
    for (hypothesis, reference) in hypotheses.iter().zip(references) {
        counts.add(
            &tokenize(hypothesis.as_ref()),
            &tokenize(reference.as_ref()),
        );
    }
    counts.bleu()
}

/// Sums over the corpus; index `n` is for `n + 1`-grams.
#[derive(Debug, Default)]
struct Counts {
    correct: [usize; MAX_ORDER],
    total: [usize; MAX_ORDER],
    hyp_len: usize,
    ref_len: usize,
}

impl Counts {
    fn add(&mut self, hypothesis: &[String], reference: &[String]) {
        self.hyp_len += hypothesis.len();
        self.ref_len += reference.len();
        for order in 1..=MAX_ORDER {
            let mut left: HashMap<&[String], usize> = HashMap::new();
            for ngram in reference.windows(order) {
                *left.entry(ngram).or_default() += 1;
            }
            for ngram in hypothesis.windows(order) {
                self.total[order - 1] += 1;
                if let Some(count) = left.get_mut(ngram).filter(|count| **count > 0) {
                    *count -= 1;
                    self.correct[order - 1] += 1;
                }
            }
        }
    }

    fn bleu(&self) -> Bleu {
        let (hyp_len, ref_len) = (self.hyp_len, self.ref_len);
        let brevity_penalty = match hyp_len {
            0 if ref_len > 0 => 0.0,
            _ if hyp_len < ref_len => (1.0 - float(ref_len) / float(hyp_len)).exp(),
            _ => 1.0,
        };
        let precisions = self.precisions();
        // A precision of 0 is not smoothed: no hypothesis has that many words.
        let geometric_mean = precisions
            .iter()
            .map(|precision| precision.ln())
            .sum::<f64>()
            / float(MAX_ORDER);
        let score = brevity_penalty * geometric_mean.exp();
        Bleu {
            score,
            precisions,
            brevity_penalty,
            hyp_len,
            ref_len,
        }
    }

    fn precisions(&self) -> [f64; MAX_ORDER] {
        let mut precisions = [0.0; MAX_ORDER];
        if self.correct.iter().all(|&correct| correct == 0) {
            return precisions;
        }
        let mut smoothing = 1.0;
        for ((precision, &correct), &total) in
            precisions.iter_mut().zip(&self.correct).zip(&self.total)
        {
            if total == 0 {
                break;
            }
            *precision = if correct == 0 {
                smoothing *= 2.0;
                100.0 / (smoothing * float(total))
            } else {
                100.0 * float(correct) / float(total)
            };
        }
        precisions
    }
}

#[expect(clippy::cast_precision_loss, reason = "word counts become f64")]
fn float(count: usize) -> f64 {
    count as f64
}
