//! Bootstrap: test sets drawn from the test set.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{Metric, SegmentSums, mean, p_value};

/// The range of the score for 95 of 100 test sets of this kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Mean over the samples.
    pub mean: f64,
    /// The 2.5th percentile.
    pub lower: f64,
    /// The 97.5th percentile.
    pub upper: f64,
}

impl Interval {
    /// The interval of 95 % that leaves out equally many samples on both sides, as sacrebleu has it.
    ///
    /// # Panics
    /// If there is no sample.
    pub fn from_samples(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let left_out = sorted.len() / 40;
        Self {
            mean: mean(samples.iter().copied()),
            lower: sorted[left_out],
            upper: sorted[sorted.len() - left_out - 1],
        }
    }

    /// Half the width, what sacrebleu prints after `±`.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.upper - self.lower)
    }
}

/// The scores of each system on test sets drawn with replacement, the same ones for all systems.
///
/// # Shapes
/// - systems: `[systems, runs]`, all of equally many units
/// - output: `[systems, samples]`
///
/// # Panics
/// If the systems have not equally many units, or none.
pub fn bootstrap_scores(
    metric: &dyn Metric,
    systems: &[&[SegmentSums]],
    samples: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    let units = systems[0][0].len();
    assert!(
        systems
            .iter()
            .all(|runs| runs.iter().all(|sums| sums.len() == units)),
        "systems of different test sets"
    );
    let by_sample: Vec<Vec<f64>> = (0..samples)
        .into_par_iter()
        .map(|sample| {
            let drawn = draw(units, seed, sample);
            let score = |sums: &SegmentSums| metric.score(&sums.sum(drawn.iter().copied()));
            let system = |runs: &&[SegmentSums]| mean(runs.iter().map(score));
            systems.iter().map(system).collect()
        })
        .collect();
    (0..systems.len())
        .map(|system| by_sample.iter().map(|scores| scores[system]).collect())
        .collect()
}

/// As many units as there are, with replacement; every sample has random numbers of its own.
fn draw(units: usize, seed: u64, sample: usize) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(sample as u64);
    let units = u32::try_from(units).expect("fewer than 2^32 segments");
    (0..units)
        .map(|_| rng.random_range(0..units) as usize)
        .collect()
}

/// The two-sided p-value of a difference between two systems' scores, from their bootstrap scores.
///
/// As in sacrebleu: how often the absolute difference on a sample is above its mean by the observed difference. It finds
/// differences significant more readily than [`super::approximate_randomization`] does.
pub fn bootstrap_p(baseline: &[f64], system: &[f64], observed: f64) -> f64 {
    let differences: Vec<f64> = system
        .iter()
        .zip(baseline)
        .map(|(system, baseline)| (system - baseline).abs())
        .collect();
    let center = mean(differences.iter().copied());
    let shifted = differences.iter().map(|difference| difference - center);
    p_value(shifted, observed.abs())
}
