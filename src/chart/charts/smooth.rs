//! Smoothing of noisy curves.

/// The exponential moving average of the values, without its bias towards 0 at the beginning.
///
/// `mₜ = β mₜ₋₁ + (1 − β) yₜ`, shown as `mₜ / (1 − βᵗ)`: Kingma & Ba, "Adam", ICLR 2015, section 3. `smoothing` is β,
/// in `[0, 1)`; about `1 / (1 − β)` points are averaged. Every point counts the same, however far apart they are. A
/// value that is not finite stays in its place and is left out of the average.
pub fn exponential_average(points: &[(f64, f64)], smoothing: f64) -> Vec<(f64, f64)> {
    let beta = smoothing.clamp(0.0, 0.9999);
    let (mut mean, mut weight) = (0.0, 0.0);
    let average = |&(x, y): &(f64, f64)| {
        if !y.is_finite() {
            return (x, y);
        }
        mean = beta * mean + (1.0 - beta) * y;
        weight = beta * weight + (1.0 - beta);
        (x, mean / weight)
    };
    points.iter().map(average).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smoothed(values: &[f64], smoothing: f64) -> Vec<f64> {
        let points: Vec<_> = values.iter().map(|&y| (0.0, y)).collect();
        let smoothed = exponential_average(&points, smoothing);
        smoothed.into_iter().map(|point| point.1).collect()
    }

    #[test]
    fn a_constant_stays_what_it_is_from_the_first_point_on() {
        for y in smoothed(&[3.0; 50], 0.98) {
            assert!((y - 3.0).abs() < 1e-12, "{y}");
        }
    }

    #[test]
    fn the_average_is_the_weighted_mean_of_all_points_so_far() {
        let found = smoothed(&[4.0, 2.0, 1.0], 0.5);
        let expected = [4.0, (4.0 + 2.0 * 2.0) / 3.0, (4.0 + 2.0 * 2.0 + 4.0) / 7.0];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn what_is_no_number_breaks_the_curve_and_not_the_average() {
        let found = smoothed(&[2.0, f64::NAN, f64::INFINITY, 2.0], 0.9);
        assert!(found[1].is_nan() && found[2].is_infinite());
        assert!((found[3] - 2.0).abs() < 1e-12);
    }
}
