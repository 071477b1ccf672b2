//! How fast what reads beyond the sentence learns.

use canopy::training::error::{BaseError, Error};
use canopy::training::{Schedule, TrainingConfig};

use super::{Place, assert_same_state, state, stopped_after, trained};

const GATE: &str = "gate.own.bias";

/// The biases of gates after a training.
fn biases(place: &Place, run: &str) -> Vec<f32> {
    let (weights, ..) = state(&place.run(run));
    let gates = weights.iter().filter(|(name, _)| name.ends_with(GATE));
    let biases: Vec<f32> = gates.flat_map(|(_, (_, values))| values.clone()).collect();
    assert!(!biases.is_empty(), "{run} has no gate");
    biases
}

#[test]
fn a_gate_opens_by_schedule_and_a_context_learns_at_its_own_rate() {
    let place = Place::new();
    trained(&place.config(2), &place.run("base"), false).expect("trains");
    let config = |steps: usize, factor: f64, opening: usize| TrainingConfig {
        preset: "han-small".to_owned(),
        from: place.run("base").join("checkpoints/last"),
        schedule: Schedule::Constant,
        learning_rate: 1e-5,
        context_learning_rate_factor: factor,
        gate_opening_steps: opening,
        ..place.config(steps)
    };
    let run = |name: &str, config: TrainingConfig| {
        trained(&config, &place.run(name), false).expect("trains");
        biases(&place, name)
    };
    let moved = |biases: &[f32]| {
        let far = biases.iter().map(|bias| (bias - 2.0).abs());
        far.fold(0.0_f32, f32::max)
    };
    let slow = moved(&run("slow", config(4, 1.0, 0)));
    let fast = moved(&run("fast", config(4, 10.0, 0)));
    assert!(slow > 0.0 && fast > 5.0 * slow, "{slow} and {fast}");
    for bias in run("opened", config(4, 1.0, 4)) {
        assert!(bias.abs() < 1e-3, "{bias}");
    }
    for bias in run("half", config(2, 1.0, 4)) {
        assert!((bias - 1.0).abs() < 1e-3, "{bias}");
    }
    let whole = config(4, 10.0, 3);
    run("whole", whole.clone());
    stopped_after(2, &whole, &place.run("stopped"));
    trained(&whole, &place.run("stopped"), true).expect("goes on");
    assert_same_state(&place.run("whole"), &place.run("stopped"));

    let none_to_open = TrainingConfig {
        preset: "x-transformer-small".to_owned(),
        ..config(2, 1.0, 4)
    };
    let open_already = TrainingConfig {
        from: place.run("opened").join("checkpoints/last"),
        ..config(2, 1.0, 4)
    };
    for (name, config) in [("none", none_to_open), ("open", open_already)] {
        let refused = trained(&config, &place.run(name), false);
        let field = "gate_opening_steps";
        assert!(
            matches!(refused, Err(Error::Base(BaseError::Config { field: it, .. })) if it == field),
            "{refused:?}"
        );
    }
}
