//! BLEU, equal to sacrebleu's.
//!
//! Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation", ACL 2002, with the smoothing
//! techniques 1, 2 and 3 of Chen & Cherry, "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU",
//! WMT 2014, as Post, "A Call for Clarity in Reporting BLEU Scores", WMT 2018, fixes them.

use std::fmt;

use super::metric::{case, float, share, sum_of, yes_no};
use super::ngrams::{Ngrams, common};
use super::tokenize::Tokenizer;
use super::{Metric, SegmentSums, Signature};

const MAX_ORDER: usize = 4;

/// How BLEU is counted; the default is sacrebleu's.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BleuMetric {
    /// Splits texts into words.
    pub tokenizer: Tokenizer,
    /// Treatment of n-gram orders without a match.
    pub smoothing: Smoothing,
    /// Compares texts in lower case.
    pub lowercase: bool,
    /// Leaves out n-grams longer than every hypothesis instead of giving 0: for scores of single sentences.
    pub effective_order: bool,
}

/// The value in place of a precision of 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Smoothing {
    /// Nothing; the score becomes 0.
    None,
    /// This number of correct n-grams, where there are none (technique 1, with 0.1).
    Floor(f64),
    /// This number more of all n-grams and of the correct ones, from bigrams on (technique 2, with 1).
    AddK(f64),
    /// Half of one correct n-gram, then a quarter, … (technique 3).
    #[default]
    Exp,
}

impl fmt::Display for Smoothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Floor(value) => write!(f, "floor[{value:.2}]"),
            Self::AddK(value) => write!(f, "add-k[{value:.2}]"),
            Self::Exp => f.write_str("exp"),
        }
    }
}

/// A BLEU score and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bleu {
    /// 0 to 100.
    pub score: f64,
    /// Per cent of the hypotheses' 1- to 4-grams in the reference, smoothed.
    pub precisions: [f64; MAX_ORDER],
    /// 1 if the hypotheses are at least as long as the references, else less.
    pub brevity_penalty: f64,
    /// Words of all hypotheses.
    pub hyp_len: usize,
    /// Words of all references; of several, those of the one that is nearest in length.
    pub ref_len: usize,
}

impl Bleu {
    /// How [`corpus_bleu`] counts, in sacrebleu's form; the version is Canopy's.
    pub fn signature(&self) -> String {
        Signature::new(1)
            .with_metric(&BleuMetric::default())
            .to_string()
    }
}

impl fmt::Display for Bleu {
    /// As sacrebleu prints it: `BLEU = 39.06 68.2/45.9/33.3/24.6 (BP = 0.976 ratio = 0.976 hyp_len = … ref_len = …)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three, four] = self.precisions;
        let ratio = share(sum_of(self.hyp_len), sum_of(self.ref_len));
        write!(
            f,
            "BLEU = {:.2} {one:.1}/{two:.1}/{three:.1}/{four:.1} (BP = {:.3} ratio = {ratio:.3} hyp_len = {} ref_len = {})",
            self.score, self.brevity_penalty, self.hyp_len, self.ref_len
        )
    }
}

/// BLEU of all hypotheses together, each against its one reference, counted as sacrebleu does by default.
///
/// # Panics
/// If there are not equally many hypotheses and references.
pub fn corpus_bleu(hypotheses: &[impl AsRef<str>], references: &[impl AsRef<str>]) -> Bleu {
    let hypotheses: Vec<&str> = hypotheses.iter().map(AsRef::as_ref).collect();
    let references: Vec<&str> = references.iter().map(AsRef::as_ref).collect();
    let metric = BleuMetric::default();
    metric.bleu(&SegmentSums::count(&metric, &hypotheses, &[references]).total())
}

impl Metric for BleuMetric {
    fn name(&self) -> String {
        "BLEU".to_owned()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("case", case(self.lowercase)),
            ("eff", yes_no(self.effective_order)),
            ("tok", self.tokenizer.name().to_owned()),
            ("smooth", self.smoothing.to_string()),
        ]
    }

    /// Lengths of hypothesis and reference, correct n-grams by order, all n-grams by order.
    fn num_sums(&self) -> usize {
        2 + 2 * MAX_ORDER
    }

    fn count(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let words = |text: &str| self.tokenizer.words_of(text, self.lowercase);
        let texts: Vec<Vec<String>> = std::iter::once(words(hypothesis))
            .chain(references.iter().map(|text| words(text)))
            .collect();
        let hyp_len = texts[0].len();
        let nearest = texts[1..]
            .iter()
            .map(Vec::len)
            .min_by_key(|&len| (len.abs_diff(hyp_len), len));
        let mut sums = vec![0; self.num_sums()];
        sums[0] = sum_of(hyp_len);
        sums[1] = sum_of(nearest.unwrap_or(0));
        let mut ngrams = Ngrams::from_words(texts.iter().map(Vec::as_slice));
        for order in 0..MAX_ORDER {
            if order > 0 {
                ngrams.longer();
            }
            let most = (2..texts.len()).fold(ngrams.counts(1), |mut most, text| {
                for (most, count) in most.iter_mut().zip(ngrams.counts(text)) {
                    *most = count.max(*most);
                }
                most
            });
            sums[2 + order] = common(&ngrams.counts(0), &most);
            sums[2 + MAX_ORDER + order] = ngrams.total(0);
        }
        sums
    }

    fn score(&self, sums: &[i64]) -> f64 {
        self.bleu(sums).score
    }

    fn details(&self, sums: &[i64]) -> Vec<(&'static str, f64)> {
        let bleu = self.bleu(sums);
        let [one, two, three, four] = bleu.precisions;
        vec![
            ("precision_1", one),
            ("precision_2", two),
            ("precision_3", three),
            ("precision_4", four),
            ("brevity_penalty", bleu.brevity_penalty),
            ("hyp_len", float(sums[0])),
            ("ref_len", float(sums[1])),
        ]
    }
}

impl BleuMetric {
    /// The score of sums, and what it is made of.
    pub fn bleu(&self, sums: &[i64]) -> Bleu {
        let (hyp_len, ref_len) = (sums[0], sums[1]);
        let brevity_penalty = match hyp_len {
            0 if ref_len > 0 => 0.0,
            _ if hyp_len < ref_len => (1.0 - float(ref_len) / float(hyp_len)).exp(),
            _ => 1.0,
        };
        let (precisions, order) = self.precisions(&sums[2..]);
        // A precision of 0 makes the score 0, unless it is of an order that does not count.
        let logarithms = precisions[..order].iter().map(|precision| precision.ln());
        let geometric_mean = (logarithms.sum::<f64>() / float(sum_of(order))).exp();
        Bleu {
            score: brevity_penalty * geometric_mean,
            precisions,
            brevity_penalty,
            hyp_len: usize::try_from(hyp_len).expect("a length"),
            ref_len: usize::try_from(ref_len).expect("a length"),
        }
    }

    /// Per cent of correct n-grams by order, and how many orders count.
    fn precisions(&self, sums: &[i64]) -> ([f64; MAX_ORDER], usize) {
        let (correct, total) = sums.split_at(MAX_ORDER);
        let mut precisions = [0.0; MAX_ORDER];
        let mut effective = MAX_ORDER;
        if correct.iter().all(|&correct| correct == 0) {
            return (precisions, effective);
        }
        let mut halved = 1.0;
        for (order, precision) in precisions.iter_mut().enumerate() {
            let more = match self.smoothing {
                Smoothing::AddK(k) if order > 0 => k,
                _ => 0.0,
            };
            let (correct, total) = (float(correct[order]) + more, float(total[order]) + more);
            if total == 0.0 {
                break;
            }
            if self.effective_order {
                effective = order + 1;
            }
            *precision = if correct > 0.0 {
                100.0 * correct / total
            } else {
                match self.smoothing {
                    Smoothing::Exp => {
                        halved *= 2.0;
                        100.0 / (halved * total)
                    }
                    Smoothing::Floor(value) => 100.0 * value / total,
                    Smoothing::None | Smoothing::AddK(_) => 0.0,
                }
            };
        }
        (precisions, effective)
    }
}
