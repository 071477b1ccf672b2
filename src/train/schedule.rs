//! The learning rate over time.

/// The Noam schedule, Vaswani et al. 2017, Eq. 3: `factor · d_model^-½ · min(step^-½, step · warmup_steps^-1½)`.
///
/// `step` counts from 1.
#[expect(clippy::cast_precision_loss, reason = "steps are far below 2^52")]
pub fn noam_rate(step: usize, d_model: usize, warmup_steps: usize, factor: f64) -> f64 {
    assert!(step > 0, "steps count from 1");
    let step = step as f64;
    let warmup = (warmup_steps.max(1) as f64).powf(-1.5) * step;
    factor * (d_model as f64).powf(-0.5) * step.powf(-0.5).min(warmup)
}

/// A rate that rises evenly from `peak / warmup_steps` to `peak`, and stays.
///
/// `step` counts from 1.
#[expect(clippy::cast_precision_loss, reason = "steps are far below 2^52")]
pub(crate) fn warmed_up(peak: f64, step: usize, warmup_steps: usize) -> f64 {
    peak * (step as f64 / warmup_steps.max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_peaks_at_the_end_of_the_warmup() {
        let rate = |step| noam_rate(step, 512, 4_000, 1.0);
        assert!(rate(3_999) < rate(4_000) && rate(4_001) < rate(4_000));
        assert!((rate(4_000) - 6.987_7e-4).abs() < 1e-8);
    }

    #[test]
    fn a_constant_rate_is_reached_by_even_steps() {
        let rates = [1, 2, 4, 5, 1_000].map(|step| warmed_up(2e-4, step, 4));
        for (rate, expected) in rates.into_iter().zip([5e-5, 1e-4, 2e-4, 2e-4, 2e-4]) {
            assert!((rate - expected).abs() < 1e-12, "{rate}");
        }
        assert!((warmed_up(1e-4, 1, 0) - 1e-4).abs() < 1e-12);
    }
}
