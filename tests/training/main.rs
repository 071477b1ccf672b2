//! Runs are repeatable, can be stopped and gone on with, and leave nothing half-done.

mod checkpoints;
mod context_only;
mod context_rates;
mod context_task;
mod contrast;
mod control;
mod devices;
mod drafts;
mod examples;
mod going_on;
mod learns_to_copy;
mod memory;
mod mixed_precision;
mod numbers;
mod promoting;
mod run_folder;
mod second_stage;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod update_the_rest;
mod upon_imported;
mod validation;

use support::tiny;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use canopy::training::error::Result;
use canopy::training::{Control, EndReason, Progress, TrainingConfig, TrainingEvent, train};
use canopy::weights::{NamedTensors, read_tensors};
use tempfile::TempDir;

/// A corpus, and a folder for runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        tiny::corpus(&place.corpus());
        place
    }

    fn corpus(&self) -> PathBuf {
        self.0.path().join("corpus")
    }

    fn run(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Four batches an epoch.
    fn config(&self, steps: usize) -> TrainingConfig {
        TrainingConfig {
            corpus: self.corpus(),
            vocab_size: tiny::VOCAB,
            batch_tokens: 120,
            warmup_steps: 10,
            checkpoint_every: 3,
            keep_checkpoints: 0,
            steps,
            ..TrainingConfig::default()
        }
    }
}

type Observer<'a> = &'a mut dyn FnMut(&TrainingEvent);

fn steered(
    config: &TrainingConfig,
    run: &Path,
    resume: bool,
    control: &Control,
    observe: Observer,
) -> Result<EndReason> {
    train(
        config,
        run,
        resume,
        &tiny::device(),
        "CPU",
        control,
        observe,
    )
}

fn observed(
    config: &TrainingConfig,
    run: &Path,
    resume: bool,
    observe: Observer,
) -> Result<EndReason> {
    steered(config, run, resume, &Control::default(), observe)
}

/// Trains to the end; gives all events.
fn trained(config: &TrainingConfig, run: &Path, resume: bool) -> Result<Vec<TrainingEvent>> {
    let mut events = Vec::new();
    observed(config, run, resume, &mut |event| events.push(event.clone()))?;
    Ok(events)
}

/// Trains until a step is done, then stops.
fn stopped_after(steps: usize, config: &TrainingConfig, run: &Path) {
    let control = Control::default();
    let reason = steered(config, run, false, &control, &mut |event| {
        if matches!(event, TrainingEvent::Step { step, .. } if *step == steps) {
            control.stop();
        }
    });
    assert_eq!(reason.expect("trains"), EndReason::Stopped);
}

fn steps(events: &[TrainingEvent]) -> Vec<usize> {
    let step = |event: &TrainingEvent| match event {
        TrainingEvent::Step { step, .. } => Some(*step),
        _ => None,
    };
    events.iter().filter_map(step).collect()
}

fn losses(events: &[TrainingEvent]) -> Vec<f32> {
    let loss = |event: &TrainingEvent| match event {
        TrainingEvent::Step { loss, .. } => Some(*loss),
        _ => None,
    };
    events.iter().filter_map(loss).collect()
}

fn progress(run: &Path) -> Progress {
    let text = fs::read_to_string(run.join("checkpoints/last/progress.json")).expect("readable");
    serde_json::from_str(&text).expect("counters")
}

/// All that decides how a run goes on; not its best score, since a session that ends is scored once more.
fn state(run: &Path) -> (NamedTensors, NamedTensors, Progress) {
    let tensors =
        |name: &str| read_tensors(&run.join("checkpoints/last").join(name)).expect("readable");
    let progress = Progress {
        elapsed_secs: 0.0,
        validation_secs: 0.0,
        best_bleu: None,
        ..progress(run)
    };
    (
        tensors("weights.safetensors"),
        tensors("optimizer.safetensors"),
        progress,
    )
}

fn assert_same_state(one: &Path, other: &Path) {
    let ((weights, memory, progress), (other_weights, other_memory, other_progress)) =
        (state(one), state(other));
    assert_eq!(progress, other_progress);
    for (found, expected) in [(weights, other_weights), (memory, other_memory)] {
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>()
        );
        for (name, (_, values)) in found {
            let same = values
                .iter()
                .zip(&expected[&name].1)
                .all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{name} differs");
        }
    }
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(path).expect("readable"));
            }
        }
    }
    found
}

#[test]
fn the_same_seed_gives_the_same_weights() {
    let place = Place::new();
    for (run, seed) in [("a", 1), ("b", 1), ("c", 2)] {
        trained(
            &TrainingConfig {
                seed,
                ..place.config(6)
            },
            &place.run(run),
            false,
        )
        .expect("trains");
    }
    assert_same_state(&place.run("a"), &place.run("b"));
    assert_ne!(state(&place.run("a")).0, state(&place.run("c")).0);
}
