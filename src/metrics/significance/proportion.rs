//! How sure a share of right answers is.

use super::{Interval, count};

/// The 0.975 quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The interval of 95 % around a share of `right` in `total` independent trials, with the share as its mean.
///
/// Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the American Statistical
/// Association 22, 1927: unlike share ± deviation it stays within 0 and 1 and is right for few trials and shares near
/// the ends.
///
/// # Panics
/// If there is no trial, or more are right than there are.
pub fn wilson(right: usize, total: usize) -> Interval {
    assert!(0 < total && right <= total, "{right} of {total}");
    let (n, share) = (count(total), count(right) / count(total));
    let scale = 1.0 + Z * Z / n;
    let centre = (share + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    Interval {
        mean: share,
        lower: (centre - half).max(0.0),
        upper: (centre + half).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_literature() {
        // statsmodels.stats.proportion.proportion_confint(right, total, method="wilson")
        for (right, total, lower, upper) in [
            (15, 30, 0.331_501_06, 0.668_498_94),
            (81, 263, 0.255_288_98, 0.366_210_05),
            (0, 20, 0.0, 0.161_125_16),
            (20, 20, 0.838_874_84, 1.0),
        ] {
            let interval = wilson(right, total);
            assert!((interval.lower - lower).abs() < 1e-4, "{interval:?}");
            assert!((interval.upper - upper).abs() < 1e-4, "{interval:?}");
        }
    }
}
