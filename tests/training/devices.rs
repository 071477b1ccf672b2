//! Several devices share every batch: the same weights each time, and the curve of one device.

use canopy::training::Schedule;
use canopy::training::error::{BaseError, Error};

use super::*;

/// A system that reads sentence by sentence, and one that reads documents.
const PRESETS: [&str; 2] = ["transformer-tiny", "hierarchical-conditional-tiny"];

fn config(place: &Place, preset: &str, devices: usize) -> TrainingConfig {
    TrainingConfig {
        preset: preset.to_owned(),
        devices,
        batch_tokens: 250,
        ..place.config(7)
    }
}

#[test]
fn as_many_devices_find_the_same_weights_every_time() {
    let place = Place::new();
    for preset in PRESETS {
        let config = TrainingConfig {
            hidden_words: 0.2,
            bpe_dropout: 0.1,
            ..config(&place, preset, 2)
        };
        let (once, again) = (
            place.run(&format!("{preset} 1")),
            place.run(&format!("{preset} 2")),
        );
        let events = trained(&config, &once, false).expect("trains");
        trained(&config, &again, false).expect("trains");
        assert_same_state(&once, &again);
        let begun = events.iter().find_map(|event| match event {
            TrainingEvent::Started { device, .. } => Some(device.as_str()),
            _ => None,
        });
        assert_eq!(begun, Some("2 × CPU"));

        let stopped = place.run(&format!("{preset} stopped"));
        stopped_after(4, &config, &stopped);
        let on = trained(&config, &stopped, true).expect("goes on");
        assert_eq!(steps(&on), [5, 6, 7]);
        assert_same_state(&stopped, &once);
    }
}

#[test]
fn several_devices_follow_the_curve_of_one() {
    let place = Place::new();
    for preset in PRESETS {
        let of = |devices: usize| {
            let config = TrainingConfig {
                // Higher rates amplify what the order of a sum rounds.
                schedule: Schedule::Constant,
                learning_rate: 1e-3,
                dropout: 0.0,
                hidden_words: 0.2,
                steps: 50,
                validate_every: 0,
                checkpoint_every: 50,
                ..config(&place, preset, devices)
            };
            let run = place.run(&format!("{preset} on {devices}"));
            losses(&trained(&config, &run, false).expect("trains"))
        };
        let one = of(1);
        assert!(one[49] < one[0] - 0.5, "{preset} learns: {one:?}");
        for devices in [2, 3, 5] {
            let several = of(devices);
            let apart = one
                .iter()
                .zip(&several)
                .map(|(one, other)| (one - other).abs());
            let apart = apart.fold(0.0, f32::max);
            println!("{preset}, {devices} devices: {apart:e} apart");
            assert!(one.len() == 50 && several.len() == 50 && apart < 1e-4);
        }
    }
}

#[test]
fn a_run_ends_by_an_order_and_goes_on_with_other_devices() {
    let (place, run) = (Place::new(), "run");
    let config = config(&place, PRESETS[1], 3);
    stopped_after(3, &config, &place.run(run));
    for devices in [1, 2] {
        let config = TrainingConfig {
            devices,
            steps: 3 + 2 * devices,
            ..config.clone()
        };
        let on = trained(&config, &place.run(run), true).expect("goes on");
        assert_eq!(steps(&on).len(), 2);
    }
    assert_eq!(progress(&place.run(run)).step, 7);
}

#[test]
fn a_number_of_devices_that_cannot_be_is_refused() {
    let place = Place::new();
    for devices in [0, 257] {
        let config = config(&place, PRESETS[0], devices);
        let refused = trained(&config, &place.run("run"), false).expect_err("too few or many");
        assert!(refused.to_string().contains("devices"), "{refused}");
        assert!(matches!(refused, Error::Base(BaseError::Config { .. })));
    }
    assert!(!place.run("run").exists());
}
