//! Where an axis is labelled, and how numbers read.

use super::chart::{Scale, Span, XAxis};
use super::number_format::apart;

/// Minutes between labels of a time axis, as clocks divide it.
const MINUTES: [f64; 13] = [
    0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 180.0, 360.0, 720.0, 1_440.0,
];

/// A labelled place on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// About `count` round values on a vertical axis.
pub(super) fn y_ticks(span: Span, scale: Scale, count: usize) -> Vec<Tick> {
    match scale {
        Scale::Linear => {
            let mut step = round_step((span.1 - span.0) / divisor(count));
            let mut places = multiples(span, step);
            // One label alone says nothing about distances; two finer steps always give two.
            for _ in 0..2 {
                if places.len() < 2 {
                    step = round_step(step / 2.5);
                    places = multiples(span, step);
                }
            }
            let largest = places
                .iter()
                .fold(step, |largest, at| largest.max(at.abs()));
            labelled(places, |at| linear_label(at, step, largest))
        }
        Scale::Log => labelled(log_places(span, count), |at| {
            linear_label(at, 10_f64.powf(at.log10().floor()), at)
        }),
    }
}

/// About `count` round values on a horizontal axis.
pub(super) fn x_ticks(span: Span, axis: XAxis, count: usize) -> Vec<Tick> {
    let rough = (span.1 - span.0) / divisor(count);
    match axis {
        XAxis::Minutes => {
            let step = MINUTES.into_iter().find(|step| *step >= rough);
            let step = step.unwrap_or_else(|| 1_440.0 * round_step(rough / 1_440.0));
            let step = if rough < 0.25 {
                round_step(rough)
            } else {
                step
            };
            labelled(multiples(span, step), clock)
        }
        XAxis::Steps | XAxis::Tokens => {
            let step = round_step(rough).max(1.0);
            let largest = span.0.abs().max(span.1.abs());
            labelled(multiples(span, step), |at| linear_label(at, step, largest))
        }
    }
}

/// A value under the pointer: four digits.
pub fn y_value(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    match size {
        0.0 => "0".to_owned(),
        _ if size < 0.01 => format!("{value:.2e}"),
        _ if size < 10.0 => format!("{value:.3}"),
        _ if size < 100.0 => format!("{value:.2}"),
        _ if size < 1_000.0 => format!("{value:.1}"),
        _ if size < 1e7 => grouped(value),
        _ => format!("{value:.3e}"),
    }
}

/// A place on the horizontal axis, with its unit.
pub fn x_value(value: f64, axis: XAxis) -> String {
    match axis {
        XAxis::Steps => format!("step {}", grouped(value)),
        XAxis::Minutes => clock((value * 60.0).round() / 60.0),
        XAxis::Tokens if value >= 1e6 => format!("{:.2}M tokens", value / 1e6),
        XAxis::Tokens => format!("{} tokens", grouped(value)),
    }
}

fn divisor(count: usize) -> f64 {
    count.max(1) as f64
}

fn labelled(places: Vec<f64>, label: impl Fn(f64) -> String) -> Vec<Tick> {
    let tick = |at| Tick {
        at,
        label: label(at),
    };
    places.into_iter().map(tick).collect()
}

/// 1, 2 or 5 times a power of ten, not below `rough`.
fn round_step(rough: f64) -> f64 {
    if !(rough.is_finite() && rough > 0.0) {
        return 1.0;
    }
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * power);
    let fits = |step: &f64| *step >= rough * (1.0 - 1e-9);
    steps.into_iter().find(fits).unwrap_or(10.0 * power)
}

/// The multiples of `step` within `span`, at most a hundred.
fn multiples(span: Span, step: f64) -> Vec<f64> {
    let slack = step * 1e-6;
    let first = ((span.0 - slack) / step).ceil();
    let places = (0..100).map(|n| (first + f64::from(n)) * step);
    places.take_while(|at| *at <= span.1 + slack).collect()
}

/// Powers of ten, and 2 and 5 times them where there is room.
fn log_places(span: Span, count: usize) -> Vec<f64> {
    let (first, last) = (span.0.log10().floor(), span.1.log10().ceil());
    let exponents = (first as i32)..=(last as i32);
    let within = |at: &f64| (span.0..=span.1).contains(at);
    let places = |factors: &'static [f64]| {
        let exponents = exponents.clone();
        let all = exponents
            .flat_map(move |exponent| factors.iter().map(move |f| f * 10_f64.powi(exponent)));
        all.filter(within).collect::<Vec<_>>()
    };
    let (few, many) = (places(&[1.0]), places(&[1.0, 2.0, 5.0]));
    if many.len() <= 2 * count.max(1) {
        many
    } else {
        let every = few.len().div_ceil(count.max(1));
        few.into_iter().step_by(every.max(1)).collect()
    }
}

/// A label with as many digits as the step between labels needs, written like the `largest` of its axis.
fn linear_label(value: f64, step: f64, largest: f64) -> String {
    if value.abs() < step * 1e-6 {
        return "0".to_owned();
    }
    match largest {
        _ if largest < 0.01 => powers(value),
        _ if largest >= 1e6 => format!("{}M", trimmed(value / 1e6, step / 1e6)),
        _ if largest >= 1e4 => format!("{}k", trimmed(value / 1e3, step / 1e3)),
        _ if step >= 1.0 => grouped(value),
        _ => trimmed(value, step),
    }
}

/// `2.5e-4`, for numbers that are mostly zeros otherwise.
fn powers(value: f64) -> String {
    let text = format!("{value:.2e}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}e{exponent}")
}

/// As many decimals as distinguish multiples of `step`.
fn trimmed(value: f64, step: f64) -> String {
    let decimals = (-(step * 1.000_001).log10().floor()).clamp(0.0, 8.0) as usize;
    format!("{value:.decimals$}")
}

/// A whole number with its thousands apart: `12,345`.
fn grouped(value: f64) -> String {
    let text = apart(&format!("{:.0}", value.abs()));
    if value <= -0.5 {
        format!("-{text}")
    } else {
        text
    }
}

/// Minutes as clocks show them: `0`, `20 min`, `1:30 h`, `45 s`.
fn clock(minutes: f64) -> String {
    let secs = (minutes * 60.0).round() as i64;
    match secs {
        0 => "0".to_owned(),
        ..60 => format!("{secs} s"),
        60..3_600 if secs % 60 == 0 => format!("{} min", secs / 60),
        60..3_600 => format!("{}:{:02} min", secs / 60, secs % 60),
        _ if secs % 3_600 == 0 => format!("{} h", secs / 3_600),
        _ => format!("{}:{:02} h", secs / 3_600, secs / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn labels_are_round_and_no_longer_than_needed() {
        let linear = |span, count| labels(y_ticks(span, Scale::Linear, count));
        assert_eq!(linear((2.1, 3.6), 3), ["2.5", "3.0", "3.5"]);
        assert_eq!(linear((42.6, 44.2), 3), ["43", "44"]);
        assert_eq!(linear((0.0, 3_400.0), 4), ["0", "1,000", "2,000", "3,000"]);
        assert_eq!(linear((0.0, 34_000.0), 4), ["0", "10k", "20k", "30k"]);
        assert_eq!(linear((0.0, 0.0011), 2), ["0", "1e-3"]);
        assert_eq!(linear((0.0, 0.0011), 4), ["0", "5e-4", "1e-3"]);
        assert_eq!(linear((0.0, 0.0021), 4), ["0", "1e-3", "2e-3"]);
        assert_eq!(linear((1.1, 9.2), 1), ["2", "4", "6", "8"]);
        assert_eq!(linear((-1.0, 1.0), 4), ["-1.0", "-0.5", "0", "0.5", "1.0"]);
    }

    #[test]
    fn log_labels_are_powers_or_their_parts() {
        let log = |span, count| labels(y_ticks(span, Scale::Log, count));
        assert_eq!(log((0.9, 1_200.0), 4), ["1", "10", "100", "1,000"]);
        assert_eq!(log((0.3, 7.0), 3), ["0.5", "1", "2", "5"]);
    }

    #[test]
    fn time_is_divided_like_a_clock() {
        let time = |span, count| labels(x_ticks(span, XAxis::Minutes, count));
        assert_eq!(time((0.0, 100.0), 4), ["0", "30 min", "1 h", "1:30 h"]);
        assert_eq!(time((0.0, 3.0), 3), ["0", "1 min", "2 min", "3 min"]);
        let steps = x_ticks((0.0, 3_779.0), XAxis::Steps, 4);
        assert_eq!(labels(steps), ["0", "1,000", "2,000", "3,000"]);
    }

    #[test]
    fn values_under_the_pointer_have_about_four_digits() {
        let values = [2.1374, 37.9745, 3_297.9, 0.001_016_97, 0.000_25, f64::NAN];
        assert_eq!(
            values.map(y_value),
            [
                "2.137",
                "37.97",
                "3,298",
                "1.02e-3",
                "2.50e-4",
                "not a number"
            ]
        );
        assert_eq!(x_value(1_250.0, XAxis::Steps), "step 1,250");
        assert_eq!(x_value(20.516, XAxis::Minutes), "20:31 min");
        assert_eq!(x_value(3_141_592.0, XAxis::Tokens), "3.14M tokens");
    }

    #[test]
    fn strange_spans_do_not_hang() {
        for span in [
            (0.0, f64::MAX),
            (1e300, 1e300),
            (0.0, 1e-300),
            (1e15, 1e15 + 0.1),
        ] {
            for axis in [XAxis::Steps, XAxis::Minutes] {
                assert!(x_ticks(span, axis, 5).len() <= 100);
            }
            assert!(y_ticks(span, Scale::Linear, 5).len() <= 100);
        }
    }
}
