//! How sure a score, and a difference of two scores, can be.
//!
//! A test set is a sample of texts of its kind: resampling it estimates how much scores would change
//! then. Units that are drawn are the rows of [`SegmentSums`]: sentences, or documents if the sums were put together by
//! [`SegmentSums::by_document`]. Sentences of one document are not independent, so for systems that read documents the
//! second is the honest choice.
//!
//! Koehn, "Statistical Significance Tests for Machine Translation Evaluation", EMNLP 2004 (bootstrap); Riezler &
//! Maxwell, "On Some Pitfalls in Automatic Evaluation and Significance Testing for MT", 2005 (approximate
//! randomisation); Clark et al., "Better Hypothesis Testing for Statistical Machine Translation: Controlling for
//! Optimizer Instability", ACL 2011 (several training runs).
//!
//! A system that was trained several times has the sums of each run; its score is the mean of its runs' scores.

mod bootstrap;
mod multiple;
mod proportion;
mod randomization;

pub use bootstrap::{Interval, bootstrap_p, bootstrap_scores};
pub use multiple::holm;
pub use proportion::wilson;
pub use randomization::approximate_randomization;

use super::{Metric, SegmentSums};

/// The mean of the runs' scores.
pub fn mean_score(metric: &dyn Metric, runs: &[SegmentSums]) -> f64 {
    mean(runs.iter().map(|sums| metric.score(&sums.total())))
}

/// The standard deviation of the runs' scores, `None` of one run: how much the seed of the training matters.
pub fn deviation(metric: &dyn Metric, runs: &[SegmentSums]) -> Option<f64> {
    if runs.len() < 2 {
        return None;
    }
    let center = mean_score(metric, runs);
    let scores = runs.iter().map(|sums| metric.score(&sums.total()));
    let squares: f64 = scores.map(|score| (score - center).powi(2)).sum();
    Some((squares / count(runs.len() - 1)).sqrt())
}

fn mean(scores: impl ExactSizeIterator<Item = f64>) -> f64 {
    let runs = count(scores.len());
    scores.sum::<f64>() / runs
}

fn count(len: usize) -> f64 {
    super::metric::float(super::metric::sum_of(len))
}

/// The p-value of a statistic: how many of those that chance alone gives are at least as large, itself included.
///
/// Unlike sacrebleu and MultEval, equal ones count, so that two systems with the same translations have p = 1.
fn p_value(by_chance: impl ExactSizeIterator<Item = f64>, observed: f64) -> f64 {
    let trials = count(by_chance.len());
    let large = by_chance.filter(|&statistic| statistic >= observed).count();
    (count(large) + 1.0) / (trials + 1.0)
}

#[cfg(test)]
mod tests;
