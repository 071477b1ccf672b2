//! Trainings on another machine.

use std::path::{Path, PathBuf};

use canopy::inference::DeviceChoice;
use canopy::remote::Client;
use canopy::training::{
    Control, EndReason, TrainingConfig, TrainingEvent, device_of_run, train, train_remote,
};
use tempfile::TempDir;

use crate::elsewhere::{Machine, tiny};

struct Place {
    folder: TempDir,
    config: TrainingConfig,
}

impl Place {
    fn new(steps: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = folder.path().join("corpus");
        tiny::corpus(&corpus);
        let config = TrainingConfig {
            corpus,
            vocab_size: tiny::VOCAB,
            batch_tokens: 120,
            hidden_words: 0.2,
            checkpoint_every: 2,
            validate_every: 3,
            steps,
            ..TrainingConfig::default()
        };
        Self { folder, config }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn here(&self, run: &Path) {
        let (device, control) = (tiny::device(), Control::default());
        let done = train(
            &self.config,
            run,
            false,
            &device,
            "CPU",
            &control,
            &mut |_| {},
        );
        assert_eq!(done.expect("trained"), EndReason::Steps);
    }
}

fn weights(run: &Path) -> [Vec<u8>; 3] {
    [
        "last/weights.safetensors",
        "last/optimizer.safetensors",
        "best/weights.safetensors",
    ]
    .map(|name| std::fs::read(run.join("checkpoints").join(name)).expect("a checkpoint"))
}

#[test]
fn it_trains_what_this_machine_trains() {
    let (machine, place) = (Machine::start(), Place::new(6));
    let _random = tiny::random_numbers();
    let (here, there) = (place.path("here"), place.path("there"));
    place.here(&here);
    let client = Client::connect(machine.host()).expect("it is there");
    let mut events = Vec::new();
    let control = Control::default();
    let done = train_remote(
        &client,
        &place.config,
        &there,
        false,
        &control,
        &mut |event| {
            events.push(event.clone());
        },
    );
    assert_eq!(done.expect("trained"), EndReason::Steps);
    assert!(weights(&here) == weights(&there), "other weights");
    let losses = |events: &[TrainingEvent]| -> Vec<f32> {
        let steps = events.iter().filter_map(|event| match event {
            TrainingEvent::Step { loss, .. } => Some(*loss),
            _ => None,
        });
        steps.collect()
    };
    let told = std::fs::read_to_string(here.join("events.jsonl")).expect("events");
    let told: Vec<TrainingEvent> = told
        .lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    assert_eq!(losses(&events), losses(&told));
    for name in ["config.toml", "run.json"] {
        let texts =
            [&here, &there].map(|run| std::fs::read_to_string(run.join(name)).expect("text"));
        assert_eq!(texts[0], texts[1], "{name}");
    }
    // It goes on for more updates, there.
    let more = TrainingConfig {
        steps: 8,
        ..place.config.clone()
    };
    let asked = device_of_run(&there, true, DeviceChoice::Auto).expect("known");
    assert_eq!(asked, DeviceChoice::Remote(machine.host()));
    let done = train_remote(&client, &more, &there, true, &control, &mut |_| {});
    assert_eq!(done.expect("trained"), EndReason::Steps);
    let (device, control) = (tiny::device(), Control::default());
    train(&more, &here, true, &device, "CPU", &control, &mut |_| {}).expect("trained");
    assert!(
        weights(&here) == weights(&there),
        "other weights after going on"
    );
    // And here, once its models are.
    device_of_run(&there, true, DeviceChoice::Cpu).expect("its models are here");
    assert!(!there.join("remote.json").exists());
}

#[test]
fn it_goes_on_without_its_client_and_after_a_restart() {
    let (mut machine, place) = (Machine::start(), Place::new(14));
    let _random = tiny::random_numbers();
    let (here, there) = (place.path("here"), place.path("there"));
    let client = Client::connect(machine.host()).expect("it is there");
    let control = Control::default();
    // A client that dies in the midst of it, as a thread does that panics.
    let dies = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        train_remote(
            &client,
            &place.config,
            &there,
            false,
            &control,
            &mut |event| {
                assert!(!event.is_step(), "the client ends");
            },
        )
    }));
    assert!(dies.is_err());
    let asked = device_of_run(&there, true, DeviceChoice::Cpu);
    assert!(
        asked
            .expect_err("its models are there")
            .to_string()
            .contains("goes on there only")
    );
    machine.restart();
    let client = Client::connect(machine.host()).expect("it is there");
    let done = train_remote(&client, &place.config, &there, true, &control, &mut |_| {});
    assert_eq!(done.expect("found again"), EndReason::Steps);
    place.here(&here);
    assert!(weights(&here) == weights(&there), "other weights");
    let told = std::fs::read_to_string(there.join("events.jsonl")).expect("events");
    let steps = told
        .lines()
        .filter(|line| line.contains("\"event\":\"step\""));
    assert_eq!(steps.count(), 14, "each update is told once");
}

#[test]
fn an_order_to_stop_goes_over() {
    let (machine, place) = (Machine::start(), Place::new(5_000));
    let _random = tiny::random_numbers();
    let there = place.path("there");
    let client = Client::connect(machine.host()).expect("it is there");
    let control = Control::default();
    let own = control.clone();
    let done = train_remote(
        &client,
        &place.config,
        &there,
        false,
        &control,
        &mut |event| {
            if event.is_step() {
                own.stop();
            }
        },
    );
    assert_eq!(done.expect("stopped"), EndReason::Stopped);
    assert!(there.join("checkpoints/last/weights.safetensors").exists());
}

#[test]
fn a_corpus_that_cannot_be_trained_with_fails_in_words() {
    let (machine, place) = (Machine::start(), Place::new(5));
    let client = Client::connect(machine.host()).expect("it is there");
    let config = TrainingConfig {
        vocab_size: 3,
        ..place.config.clone()
    };
    let control = Control::default();
    let there = place.path("there");
    let done = train_remote(&client, &config, &there, false, &control, &mut |_| {});
    let error = done.expect_err("no such vocabulary").to_string();
    assert!(error.contains("refuses"), "{error}");
}
