//! Products of 16 bits follow the curve of 32.

use canopy::training::{ProductPrecision, Schedule};
use canopy::weights::{Precision, write_tensors};

use super::*;

fn config(place: &Place, preset: &str, precision: ProductPrecision) -> TrainingConfig {
    TrainingConfig {
        preset: preset.to_owned(),
        precision,
        ..place.config(7)
    }
}

/// The losses of 50 updates.
fn curve(place: &Place, config: TrainingConfig) -> Vec<f32> {
    let config = TrainingConfig {
        schedule: Schedule::Constant,
        learning_rate: 1e-3,
        dropout: 0.0,
        steps: 50,
        validate_every: 0,
        checkpoint_every: 50,
        ..config
    };
    let (preset, precision) = (&config.preset, config.precision.name());
    let run = place.run(&format!("{preset} {precision}"));
    let curve = losses(&trained(&config, &run, false).expect("trains"));
    assert!(
        curve.len() == 50 && curve[49] < curve[0] - 0.5,
        "{preset} learns: {curve:?}"
    );
    curve
}

fn apart(one: &[f32], other: &[f32]) -> f32 {
    let apart = one
        .iter()
        .zip(other)
        .map(|(one, other)| (one - other).abs());
    apart.fold(0.0, f32::max)
}

#[test]
fn sixteen_bits_follow_the_curve_of_thirty_two() {
    let place = Place::new();
    for preset in ["transformer-tiny", "hierarchical-conditional-tiny"] {
        let of = |precision| curve(&place, config(&place, preset, precision));
        let whole = of(ProductPrecision::Float32);
        // Formats of 11 and 8 binary digits.
        for (precision, most) in [
            (ProductPrecision::Float16, 0.005),
            (ProductPrecision::BFloat16, 0.04),
        ] {
            let apart = apart(&whole, &of(precision));
            println!("{preset}, {}: {apart:e} apart", precision.name());
            assert!(apart < most, "{apart}");
            assert!(apart > 0.0, "computed in 32 bits");
        }
    }
}

#[test]
fn a_run_of_sixteen_bits_that_was_stopped_ends_like_one_that_was_not() {
    let place = Place::new();
    let config = config(&place, "transformer-tiny", ProductPrecision::Float16);
    let (once, stopped) = (place.run("once"), place.run("stopped"));
    trained(&config, &once, false).expect("trains");
    stopped_after(4, &config, &stopped);
    trained(&config, &stopped, true).expect("goes on");
    assert_same_state(&once, &stopped);
    let kept = fs::read_to_string(stopped.join("config.toml")).expect("settings");
    assert!(kept.contains("precision = \"float16\""), "{kept}");
}

/// States of up to 3e38 are within 32 bits, above 65,504 they are not within 16.
#[test]
fn a_step_that_sixteen_bits_do_not_hold_is_computed_in_thirty_two() {
    let (place, first) = (Place::new(), "first");
    let whole = TrainingConfig {
        steps: 3,
        ..config(&place, "transformer-tiny", ProductPrecision::Float32)
    };
    trained(&whole, &place.run(first), false).expect("trains");
    let model = place.run(first).join("checkpoints/last");
    let path = model.join("weights.safetensors");
    let mut tensors = read_tensors(&path).expect("tensors");
    let large = tensors
        .iter_mut()
        .filter(|(name, _)| name.ends_with("feed_forward.outer.weight"));
    large.for_each(|(_, (_, values))| values.iter_mut().for_each(|value| *value *= 1e7));
    write_tensors(&path, &tensors, Precision::Full).expect("written");
    let of = |precision: ProductPrecision| {
        let config = TrainingConfig {
            from: model.clone(),
            precision,
            ..whole.clone()
        };
        let run = place.run(precision.name());
        trained(&config, &run, false).expect("trains")
    };
    let (whole, half) = (of(ProductPrecision::Float32), of(ProductPrecision::Float16));
    assert_eq!(losses(&whole), losses(&half), "the same to the last bit");
    let warnings = half.iter().filter_map(|event| match event {
        TrainingEvent::Warning { message } => Some(message.as_str()),
        _ => None,
    });
    let warnings: Vec<&str> = warnings.collect();
    assert!(
        matches!(warnings[..], [warning] if warning.contains("step 1") && warning.contains("16 bits")),
        "once: {warnings:?}"
    );
}
