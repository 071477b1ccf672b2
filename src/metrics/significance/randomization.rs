//! Approximate randomisation: if two systems are equally good, it does not matter which one a translation is from.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{Metric, SegmentSums, mean, p_value};

/// Trials that are counted together; each such group has random numbers of its own.
const GROUP: usize = 250;
/// Units whose swaps are one random number.
const BLOCK: usize = 64;
/// Units whose sixteen possible sums are looked up.
const NIBBLE: usize = 4;

/// The two-sided p-value of the difference between two systems' scores: how often swapping the translations of each unit
/// with probability ½ makes it as large.
///
/// Of several training runs, run i of one system and run i of the other are swapped, independently of the other runs:
/// translations only change places within their unit, the stratified test of Clark et al. 2011. The statistic is the
/// difference of the mean scores; unlike in MultEval, sums of different runs are not put together.
///
/// # Panics
/// If the systems have not equally many runs and units.
pub fn approximate_randomization(
    metric: &dyn Metric,
    baseline: &[SegmentSums],
    system: &[SegmentSums],
    trials: usize,
    seed: u64,
) -> f64 {
    let units = baseline[0].len();
    assert!(
        baseline.len() == system.len(),
        "different numbers of training runs"
    );
    assert!(
        baseline
            .iter()
            .chain(system)
            .all(|sums| sums.len() == units),
        "systems of different test sets"
    );
    let pairs: Vec<Pair> = baseline
        .iter()
        .zip(system)
        .map(|(left, right)| Pair::new(left, right))
        .collect();
    let unswapped = vec![vec![0; baseline[0].width()]; pairs.len()];
    let observed = difference(metric, &pairs, &unswapped);
    let groups: Vec<Vec<f64>> = (0..trials.div_ceil(GROUP))
        .into_par_iter()
        .map(|group| {
            let size = GROUP.min(trials - group * GROUP);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(group as u64);
            let by_run: Vec<Vec<Vec<i64>>> = pairs
                .iter()
                .map(|pair| pair.swapped_sums(size, &mut rng))
                .collect();
            let trial = |trial: usize| {
                let moved: Vec<Vec<i64>> = by_run.iter().map(|sums| sums[trial].clone()).collect();
                difference(metric, &pairs, &moved)
            };
            (0..size).map(trial).collect()
        })
        .collect();
    p_value(groups.concat().into_iter(), observed)
}

/// One run of both systems.
struct Pair {
    baseline: Vec<i64>,
    system: Vec<i64>,
    /// Counts that swapping a unit adds to the baseline's sums and takes from the system's, `[units, width]`.
    gains: Vec<Vec<i64>>,
}

impl Pair {
    fn new(baseline: &SegmentSums, system: &SegmentSums) -> Self {
        let gain = |unit: usize| {
            let rows = system.row(unit).iter().zip(baseline.row(unit));
            rows.map(|(right, left)| right - left).collect()
        };
        Self {
            baseline: baseline.total(),
            system: system.total(),
            gains: (0..baseline.len()).map(gain).collect(),
        }
    }

    /// The gains of the units that each trial swaps, summed, `[trials, width]`.
    ///
    /// Four units have sixteen possible sums, so a trial adds a quarter as many rows as there are units.
    fn swapped_sums(&self, trials: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<i64>> {
        let width = self.baseline.len();
        let mut sums = vec![vec![0; width]; trials];
        for block in self.gains.chunks(BLOCK) {
            let tables: Vec<Vec<i64>> = block
                .chunks(NIBBLE)
                .map(|units| subset_sums(units, width))
                .collect();
            for sum in &mut sums {
                let mut swaps = rng.next_u64();
                for table in &tables {
                    let subset = (swaps & 0xF) as usize * width;
                    let gain = &table[subset..subset + width];
                    for (sum, gain) in sum.iter_mut().zip(gain) {
                        *sum += gain;
                    }
                    swaps >>= NIBBLE;
                }
            }
        }
        sums
    }
}

/// The sums of all subsets of up to four units, `[16, width]`: bit i of the subset's number is for unit i.
fn subset_sums(units: &[Vec<i64>], width: usize) -> Vec<i64> {
    let mut table = vec![0; width << NIBBLE];
    for subset in 1..1 << NIBBLE {
        for (_, gain) in units
            .iter()
            .enumerate()
            .filter(|(unit, _)| subset >> unit & 1 == 1)
        {
            for (sum, gain) in table[subset * width..].iter_mut().zip(gain) {
                *sum += gain;
            }
        }
    }
    table
}

/// The absolute difference of the mean scores after the swaps that have these gains.
fn difference(metric: &dyn Metric, pairs: &[Pair], gains: &[Vec<i64>]) -> f64 {
    let moved = |sums: &[i64], gain: &[i64], sign: i64| {
        let sums = sums.iter().zip(gain).map(|(sum, gain)| sum + sign * gain);
        metric.score(&sums.collect::<Vec<_>>())
    };
    let runs = || pairs.iter().zip(gains);
    let baseline = mean(runs().map(|(pair, gain)| moved(&pair.baseline, gain, 1)));
    let system = mean(runs().map(|(pair, gain)| moved(&pair.system, gain, -1)));
    (baseline - system).abs()
}
