//! Numbers that are not finite, in what a run begins or goes on with.

use canopy::training::error::Error;
use canopy::weights::{Precision, write_tensors};

use super::*;

#[test]
fn a_checkpoint_with_numbers_that_are_not_finite_is_refused_by_tensor() {
    let (place, run) = (Place::new(), "run");
    let config = TrainingConfig {
        preset: "transformer-tiny".to_owned(),
        ..place.config(3)
    };
    trained(&config, &place.run(run), false).expect("trains");
    let last = place.run(run).join("checkpoints/last");
    for (file, tensor) in [
        ("weights.safetensors", "encoder.sublayers.0.norm.gamma"),
        ("optimizer.safetensors", "embedding.words"),
    ] {
        let path = last.join(file);
        let whole = fs::read(&path).expect("readable");
        let tensors = read_tensors(&path).expect("tensors");
        let name = tensors.keys().find(|name| name.contains(tensor));
        let name = name.expect("such a tensor");
        tiny::spoil(&path, name, f32::INFINITY);
        let more = TrainingConfig {
            steps: 4,
            ..config.clone()
        };
        let refused = trained(&more, &place.run(run), true)
            .expect_err("damaged")
            .to_string();
        for words in [file, name, "inf"] {
            assert!(refused.contains(words), "{words} is not in: {refused}");
        }
        fs::write(&path, whole).expect("written");
    }
}

/// Weights are finite, but what is computed with them is not: no smaller step helps.
#[test]
fn a_loss_that_overflows_ends_the_run_with_step_and_part() {
    let (place, first) = (Place::new(), "first");
    let config = TrainingConfig {
        preset: "transformer-tiny".to_owned(),
        ..place.config(3)
    };
    trained(&config, &place.run(first), false).expect("trains");
    let model = place.run(first).join("checkpoints/last");
    let path = model.join("weights.safetensors");
    let whole = read_tensors(&path).expect("tensors");
    for (tensor, part) in [
        ("encoder.sublayers.1", "states of the encoder"),
        ("decoder.layers.0", "scores of the decoder"),
    ] {
        let mut tensors = whole.clone();
        let large = tensors.iter_mut().filter(|(name, _)| {
            name.starts_with(tensor) && name.ends_with("feed_forward.outer.weight")
        });
        large.for_each(|(_, (_, values))| values.fill(f32::MAX));
        write_tensors(&path, &tensors, Precision::Full).expect("written");
        let config = TrainingConfig {
            from: model.clone(),
            validate_every: 0,
            ..config.clone()
        };
        let mut events = Vec::new();
        let run = place.run(tensor);
        let ended = observed(&config, &run, false, &mut |event| {
            events.push(event.clone());
        });
        let error = ended.expect_err("it overflows");
        assert!(matches!(error, Error::Diverged { .. }), "{error}");
        let message = error.to_string();
        for words in ["step 1", part, tensor, "3 tries"] {
            assert!(message.contains(words), "{words} is not in: {message}");
        }
        let back = events
            .iter()
            .filter(|event| matches!(event, TrainingEvent::WentBack { .. }));
        assert_eq!((back.count(), steps(&events)), (3, Vec::new()));
    }
}
