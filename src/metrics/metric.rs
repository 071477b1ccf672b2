//! The common interface of all scores.

use std::fmt;

/// A score that is made of sums over segments.
///
/// A segment is what is compared as one piece: a sentence, or a whole document.
pub trait Metric: Send + Sync {
    /// As tables call it: `BLEU`, `chrF2++`.
    fn name(&self) -> String;

    /// How it is counted, as keys and values in sacrebleu's order, without the number of references and the version.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// Which scores are good.
    fn goal(&self) -> Goal {
        Goal::High
    }

    /// How many numbers [`Metric::count`] gives.
    fn num_sums(&self) -> usize;

    /// Counts of one segment, to be added to the sums; there is at least one reference.
    fn count(&self, hypothesis: &str, references: &[&str]) -> Vec<i64>;

    /// Whether what a segment adds depends on its source, too.
    fn reads_source(&self) -> bool {
        false
    }

    /// [`Self::count`] with the source of the segment.
    fn count_with_sources(&self, _source: &str, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        self.count(hypothesis, references)
    }

    /// The score of the sums over any choice of segments, on the scale of 0 to 100 that tables use.
    fn score(&self, sums: &[i64]) -> f64;

    /// Components of the score, by name.
    fn details(&self, sums: &[i64]) -> Vec<(&'static str, f64)>;
}

/// Which scores are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The higher the better.
    High,
    /// The lower the better.
    Low,
    /// As near to 100 as can be.
    Hundred,
}

impl Goal {
    /// The place of the best score; of equal ones the first.
    pub fn best(self, scores: &[f64]) -> Option<usize> {
        let badness = |score: f64| match self {
            Self::High => -score,
            Self::Low => score,
            Self::Hundred => (score - 100.0).abs(),
        };
        let places = 0..scores.len();
        places.min_by(|&left, &right| badness(scores[left]).total_cmp(&badness(scores[right])))
    }
}

/// How a score was counted, in sacrebleu's form: `nrefs:1|case:mixed|…|version:canopy-0.1.0`.
///
/// Post, "A Call for Clarity in Reporting BLEU Scores", WMT 2018. The version is Canopy's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Vec<(&'static str, String)>);

impl Signature {
    /// Begins with the number of references, as sacrebleu's signatures do.
    pub fn new(num_references: usize) -> Self {
        Self(vec![("nrefs", num_references.to_string())])
    }

    /// Appends a parameter.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl fmt::Display) -> Self {
        self.0.push((key, value.to_string()));
        self
    }

    /// Appends all parameters of a metric.
    #[must_use]
    pub fn with_metric(mut self, metric: &dyn Metric) -> Self {
        self.0.extend(metric.parameters());
        self
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.0 {
            write!(f, "{key}:{value}|")?;
        }
        write!(f, "version:canopy-{}", env!("CARGO_PKG_VERSION"))
    }
}

pub(super) fn yes_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

pub(super) fn case(lowercase: bool) -> String {
    if lowercase { "lc" } else { "mixed" }.to_owned()
}

/// A count as a number to compute with.
pub(super) fn float(count: i64) -> f64 {
    count as f64
}

/// A length as a sum.
pub(super) fn sum_of(len: usize) -> i64 {
    i64::try_from(len).expect("no text is that long")
}

/// `part / whole`, 0 of nothing.
pub(super) fn share(part: i64, whole: i64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        float(part) / float(whole)
    }
}
