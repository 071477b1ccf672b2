//! Checkpoints: none yet, one interrupted, one damaged, and the last ones kept to be averaged.

use std::fs;

use canopy::weights::{averaged_model, module_tensors, read_tensors};

use super::*;

#[test]
fn without_a_checkpoint_resuming_starts_from_the_beginning() {
    let (place, run) = (Place::new(), "run");
    fs::create_dir_all(place.run(run).join("checkpoints")).expect("a folder");
    fs::write(place.run(run).join("config.toml"), "").expect("writes");
    let events = trained(&place.config(2), &place.run(run), true).expect("starts");
    assert_eq!(steps(&events), [1, 2]);
    let text = fs::read_to_string(place.run(run).join("config.toml")).expect("readable");
    assert_eq!(
        toml::from_str::<TrainingConfig>(&text).expect("settings"),
        place.config(2)
    );
}

#[test]
fn a_checkpoint_interrupted_between_its_renames_is_found() {
    let (place, run) = (Place::new(), "run");
    let checkpoints = place.run(run).join("checkpoints");
    trained(&place.config(3), &place.run(run), false).expect("trains");
    fs::rename(checkpoints.join("last"), checkpoints.join("last.old")).expect("renames");
    fs::create_dir(checkpoints.join("last.new")).expect("a folder");
    fs::write(checkpoints.join("last.new/weights.safetensors"), "half").expect("writes");
    let on = trained(&place.config(5), &place.run(run), true).expect("goes on");
    assert_eq!(steps(&on), [4, 5]);
    let mut left: Vec<_> = fs::read_dir(&checkpoints)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["best", "last"]);
    trained(&place.config(5), &place.run("whole"), false).expect("trains");
    assert_same_state(&place.run(run), &place.run("whole"));
}

#[test]
fn a_checkpoint_interrupted_between_its_renames_is_kept() {
    let (place, run) = (Place::new(), "run");
    let checkpoints = place.run(run).join("checkpoints");
    trained(&place.config(3), &place.run(run), false).expect("trains");
    let weights = |folder: &str| fs::read(checkpoints.join(folder).join("weights.safetensors"));
    let saved = weights("last").expect("readable");
    fs::rename(checkpoints.join("last"), checkpoints.join("last.old")).expect("renames");
    let config = TrainingConfig {
        keep_checkpoints: 2,
        ..place.config(4)
    };
    trained(&config, &place.run(run), true).expect("goes on");
    assert!(
        weights("step-0000003").expect("kept") == saved,
        "another model"
    );
}

#[test]
fn a_damaged_checkpoint_is_an_error_that_names_the_file() {
    let (place, run) = (Place::new(), "run");
    trained(&place.config(1), &place.run(run), false).expect("trains");
    for name in [
        "optimizer.safetensors",
        "weights.safetensors",
        "progress.json",
        "vocabulary.json",
        "model.toml",
    ] {
        let path = place.run(run).join("checkpoints/last").join(name);
        let whole = fs::read(&path).expect("readable");
        fs::write(&path, &whole[..whole.len() / 3]).expect("writes");
        let refused = trained(&place.config(2), &place.run(run), true).expect_err("damaged");
        assert!(refused.to_string().contains(name), "{name}: {refused}");
        fs::write(&path, whole).expect("writes");
    }
}

#[test]
fn the_models_of_the_last_checkpoints_are_kept_and_can_be_averaged() {
    let place = Place::new();
    let run = place.run("run");
    let config = TrainingConfig {
        checkpoint_every: 2,
        keep_checkpoints: 2,
        ..place.config(6)
    };
    trained(&config, &run, false).expect("trains");
    let kept = |step: usize| run.join(format!("checkpoints/step-{step:07}"));
    assert!(!kept(2).exists(), "more checkpoints than requested");
    let (_, average, _) = averaged_model(&[kept(4), kept(6)], &tiny::device()).expect("of one run");
    let numbers = |step| read_tensors(&kept(step).join("weights.safetensors")).expect("readable");
    let (earlier, later) = (numbers(4), numbers(6));
    for (name, (_, values)) in module_tensors(&average) {
        let means = earlier[&name]
            .1
            .iter()
            .zip(&later[&name].1)
            .map(|(a, b)| (a + b) / 2.0);
        assert!(
            values
                .iter()
                .zip(means)
                .all(|(got, want)| (got - want).abs() < 1e-6),
            "{name}"
        );
    }
}
