//! Which values an axis holds.

use super::chart::{Bounds, Scale, Span};

/// Number of values that suffices to find a percentile.
const SAMPLE: usize = 16_384;

/// The span of one curve's values, which need not be finite.
///
/// [`Bounds::Robust`]: between the 2nd and the 98th percentile is the span that counts; a value further away from it
/// than half that span does not stretch the axis. With fewer than 20 values all count.
pub(super) fn span_of(values: impl Iterator<Item = f64> + Clone, bounds: Bounds) -> Option<Span> {
    let values = values.filter(|value| value.is_finite());
    let (count, low, high) = values.clone().fold(
        (0_usize, f64::MAX, f64::MIN),
        |(count, low, high), value| (count + 1, low.min(value), high.max(value)),
    );
    if count == 0 {
        return None;
    }
    if bounds == Bounds::All || count < 20 {
        return Some((low, high));
    }
    let mut sample: Vec<f64> = values.step_by(count.div_ceil(SAMPLE)).collect();
    sample.sort_unstable_by(f64::total_cmp);
    let rank = sample.len() / 50;
    let (first, last) = (sample[rank], sample[sample.len() - 1 - rank]);
    let slack = 0.5 * (last - first);
    if slack == 0.0 {
        return Some((low, high));
    }
    let low = if low < first - slack {
        first - 0.2 * slack
    } else {
        low
    };
    let high = if high > last + slack {
        last + 0.2 * slack
    } else {
        high
    };
    Some((low, high))
}

/// The axis of a panel: what its curves span, with some air, or something sensible if there are none.
pub(super) fn axis_span(
    spans: impl Iterator<Item = Span>,
    scale: Scale,
    baseline: Option<f64>,
) -> Span {
    let data = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let Some((mut low, mut high)) = data else {
        return if scale == Scale::Log {
            (0.1, 10.0)
        } else {
            (0.0, 1.0)
        };
    };
    if scale == Scale::Log {
        let air = (high / low).powf(0.06).max(1.05);
        return (low / air, high * air);
    }
    if let Some(baseline) = baseline {
        (low, high) = (low.min(baseline), high.max(baseline));
    }
    let air = if high > low {
        0.07 * (high - low)
    } else {
        (0.05 * low.abs()).max(1e-6)
    };
    let under = if Some(low) == baseline { 0.0 } else { air };
    (low - under, high + air)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_first_loss_does_not_flatten_the_rest() {
        let values = (0..1_000).map(|n| {
            if n < 5 {
                1e6
            } else {
                2.0 + f64::from(n % 10) * 0.1
            }
        });
        let (low, high) = span_of(values.clone(), Bounds::Robust).expect("values");
        assert!(low > 1.9 && high < 3.5, "{low} {high}");
        assert_eq!(span_of(values, Bounds::All), Some((2.0, 1e6)));
    }

    #[test]
    fn an_ordinary_curve_is_shown_whole() {
        let values = (0..1_000).map(|n| (f64::from(n) * 0.01).sin());
        let (low, high) = span_of(values, Bounds::Robust).expect("values");
        assert!(low < -0.999 && high > 0.999, "{low} {high}");
    }

    #[test]
    fn few_values_all_count() {
        let values = [1.0, 2.0, 90.0, f64::NAN];
        assert_eq!(
            span_of(values.into_iter(), Bounds::Robust),
            Some((1.0, 90.0))
        );
        assert_eq!(span_of([f64::NAN].into_iter(), Bounds::All), None);
    }

    #[test]
    fn a_score_fits_its_data() {
        let (low, high) = axis_span([(42.7, 44.1)].into_iter(), Scale::Linear, None);
        assert!(low > 42.0 && high < 45.0, "{low} {high}");
    }

    #[test]
    fn an_axis_is_never_empty() {
        for spans in [vec![], vec![(3.0, 3.0)], vec![(0.0, 0.0)]] {
            let (low, high) = axis_span(spans.into_iter(), Scale::Linear, None);
            assert!(low < high, "{low} {high}");
        }
    }

    #[test]
    fn a_rate_begins_at_its_baseline() {
        let span = axis_span([(2.0, 4.0)].into_iter(), Scale::Linear, Some(0.0));
        assert_eq!(span.0.to_bits(), 0.0_f64.to_bits());
        assert!(span.1 > 4.0);
    }
}
