//! Trainings of what reads beyond the sentence alone.

use canopy::training::TrainingConfig;
use canopy::training::error::{BaseError, Error};

use super::{Place, assert_same_state, state, stopped_after, trained};

#[test]
fn a_training_of_the_context_alone_leaves_the_sentence_level_network_as_it_is() {
    let place = Place::new();
    trained(&place.config(2), &place.run("base"), false).expect("trains");
    let (base, moments, _) = state(&place.run("base"));
    let has_moments = |name: &String| moments.keys().any(|moment| moment.contains(name.as_str()));
    assert!(
        base.keys().all(has_moments),
        "moments have the names of weights"
    );
    for preset in ["hierarchical-conditional-small", "han-small", "zhang-small"] {
        let [run, stopped] = ["whole", "stopped"].map(|it| place.run(&format!("{preset}-{it}")));
        let config = TrainingConfig {
            preset: preset.to_owned(),
            from: place.run("base").join("checkpoints/last"),
            context_only: true,
            ..place.config(4)
        };
        trained(&config, &run, false).expect("trains");
        let (weights, moments, _) = state(&run);
        for (name, (_, values)) in &base {
            assert_eq!(*values, weights[name].1, "{preset}: {name}");
            let has_moments = moments.keys().any(|moment| moment.contains(name.as_str()));
            assert!(!has_moments, "{preset}: {name} has moments");
        }
        assert!(
            weights.len() > base.len() && !moments.is_empty(),
            "{preset}"
        );
        stopped_after(2, &config, &stopped);
        trained(&config, &stopped, true).expect("goes on");
        assert_same_state(&run, &stopped);
    }
    let nothing_to_keep = TrainingConfig {
        preset: "han-small".to_owned(),
        context_only: true,
        ..place.config(1)
    };
    let no_context = TrainingConfig {
        from: place.run("base").join("checkpoints/last"),
        context_only: true,
        ..place.config(1)
    };
    for config in [nothing_to_keep, no_context] {
        let refused = trained(&config, &place.run("refused"), false);
        let is_refused = matches!(
            refused,
            Err(Error::Base(BaseError::Config {
                field: "context_only",
                ..
            }))
        );
        assert!(is_refused, "{refused:?}");
    }
}
