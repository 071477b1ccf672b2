//! Runs are repeatable, can be stopped and gone on with, and leave nothing half-done.

mod control;
mod going_on;
mod memory;
mod sweep;
#[path = "../tiny/mod.rs"]
mod tiny;
mod validation;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use canopy::corpus::{CorpusInfo, CorpusWriter, Split, Unit};
use canopy::error::{Error, Result};
use canopy::training::{
    Control, EndReason, Example, ExampleSet, Phase, Progress, TrainingConfig, TrainingData,
    TrainingEvent, train,
};
use canopy::weights::{NamedTensors, averaged_model, module_tensors, read_tensors};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

/// A corpus, and room for runs beside it.
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

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copies");
    }
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

#[test]
fn a_run_gone_on_with_equals_one_without_a_pause() {
    let place = Place::new();
    let (whole, stopped, killed) = (
        place.run("whole"),
        place.run("stopped"),
        place.run("killed"),
    );
    let config = place.config(7);
    // A killed run leaves what it saved last.
    let done = observed(&config, &whole, false, &mut |event| {
        if matches!(event, TrainingEvent::Saved { step: 3, .. }) {
            copy(
                &whole.join("checkpoints/last"),
                &killed.join("checkpoints/last"),
            );
        }
    });
    assert_eq!(done.expect("trains"), EndReason::Steps);
    // The best score is known from the validation after the last step only.
    assert!(progress(&whole).best_bleu.is_some());
    stopped_after(5, &config, &stopped);
    assert_eq!(progress(&stopped).step, 5);
    let on = trained(&config, &stopped, true).expect("goes on");
    assert_eq!(steps(&on), [6, 7]);
    assert_same_state(&stopped, &whole);
    let on = trained(&config, &killed, true).expect("goes on");
    assert_eq!(steps(&on), [4, 5, 6, 7]);
    assert_same_state(&killed, &whole);
}

#[test]
fn steps_are_the_total_of_all_sessions() {
    let (place, run) = (Place::new(), "run");
    trained(&place.config(2), &place.run(run), false).expect("trains");
    let on = trained(&place.config(4), &place.run(run), true).expect("goes on");
    assert_eq!(steps(&on), [3, 4]);
    let again = trained(&place.config(4), &place.run(run), true).expect("is done");
    assert_eq!(steps(&again), [0; 0]);
    assert_eq!(
        again.last(),
        Some(&TrainingEvent::Finished {
            step: 4,
            reason: EndReason::Steps
        })
    );
    assert_eq!(progress(&place.run(run)).step, 4);
}

#[test]
fn a_used_run_folder_is_left_alone() {
    let (place, run) = (Place::new(), "run");
    trained(&place.config(1), &place.run(run), false).expect("trains");
    let before = files(&place.run(run));
    let refused = trained(&place.config(2), &place.run(run), false);
    assert!(
        matches!(refused, Err(Error::RunExists { .. })),
        "{refused:?}"
    );
    let other = TrainingConfig {
        preset: "transformer-small".to_owned(),
        ..place.config(2)
    };
    let refused = trained(&other, &place.run(run), true);
    assert!(
        matches!(refused, Err(Error::Settings { .. })),
        "{refused:?}"
    );
    let after = files(&place.run(run));
    assert_eq!(
        before.keys().collect::<Vec<_>>(),
        after.keys().collect::<Vec<_>>()
    );
    let changed = |path: &Path| !path.ends_with("events.jsonl") && before[path] != after[path];
    assert!(!before.keys().any(|path| changed(path)));
}

#[test]
fn a_mistyped_corpus_does_not_use_up_the_run_folder() {
    let place = Place::new();
    let config = TrainingConfig {
        corpus: place.run("no-corpus"),
        ..place.config(1)
    };
    let refused = trained(&config, &place.run("run"), false);
    assert!(refused.is_err_and(|error| error.to_string().contains("no-corpus")));
    assert!(!place.run("run").exists());
}

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
fn every_event_is_a_line_of_the_run_folder() {
    let (place, run) = (Place::new(), "run");
    let config = TrainingConfig {
        validate_every: 2,
        ..place.config(3)
    };
    let events = trained(&config, &place.run(run), false).expect("trains");
    let text = fs::read_to_string(place.run(run).join("events.jsonl")).expect("readable");
    let lines: Vec<TrainingEvent> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    assert_eq!(
        lines.iter().map(std::mem::discriminant).collect::<Vec<_>>(),
        events
            .iter()
            .map(std::mem::discriminant)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        lines.first(),
        Some(&TrainingEvent::Phase { phase: Phase::Read })
    );
    assert_eq!(
        lines.last(),
        Some(&TrainingEvent::Finished {
            step: 3,
            reason: EndReason::Steps
        })
    );
    assert_eq!(steps(&lines), [1, 2, 3]);
    let validated = |event: &TrainingEvent| match event {
        TrainingEvent::Validated { step, dev_loss, .. } => Some((*step, dev_loss.is_finite())),
        _ => None,
    };
    assert_eq!(
        lines.iter().filter_map(validated).collect::<Vec<_>>(),
        [(2, true), (3, true)]
    );
}

#[test]
fn identical_and_repeated_pairs_do_not_count() {
    let place = Place::new();
    let data = TrainingData::open(&place.config(1), None, 160).expect("opens");
    // The six documents have 36 pairs and one heading that repeats itself.
    assert_eq!((data.train.num_counted(), data.skipped), (37, 0));
    let source = |text: &str| {
        data.train
            .examples
            .iter()
            .filter(|example| example.counts && data.vocabulary.decode(&example.source) == text)
            .count()
    };
    assert_eq!(
        (
            source("Canopy 1.0"),
            source("See also:"),
            source("Print the page.")
        ),
        (0, 1, 1)
    );
    let heading =
        data.train.examples.iter().find(|example| {
            example.counts && data.vocabulary.decode(&example.source) == "See also:"
        });
    assert_eq!(
        heading.map(|example| example.place),
        Some((1, 3)),
        "left out pairs still count for the places"
    );
    let dev = data.examples(Split::Dev).expect("reads");
    assert_eq!(dev.num_counted(), 2);
    let short = TrainingData::open(&place.config(1), None, 8).expect("opens");
    assert!(short.skipped > 0 && short.train.num_counted() + short.skipped == 37);
    assert!(
        short
            .train
            .examples
            .iter()
            .all(|example| example.source.len() < 8 && example.target.len() < 8)
    );
}

#[test]
fn a_corpus_with_nothing_to_learn_is_refused() {
    let place = Place(tempfile::tempdir().expect("a folder"));
    let info = CorpusInfo {
        name: "empty".to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        origin: String::new(),
        licence: String::new(),
    };
    let mut writer = CorpusWriter::create(place.corpus(), info, false).expect("a new corpus");
    let same = Unit::new("OK".to_owned(), "OK".to_owned());
    writer
        .add(Split::Train, tiny::document("a", vec![same]))
        .expect("writes");
    writer.finish().expect("a corpus");
    let refused = trained(&place.config(1), &place.run("run"), false);
    assert!(
        matches!(refused, Err(Error::NothingToLearn { .. })),
        "{refused:?}"
    );
}

#[test]
fn an_epoch_holds_every_example_once() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut words = || vec![50; rng.random_range(1..40)];
    let examples: Vec<Example> = (0..500)
        .map(|_| Example {
            source: words(),
            target: words(),
            place: (0, 0),
            counts: true,
        })
        .collect();
    let set = ExampleSet {
        documents: std::iter::once(0..examples.len()).collect(),
        examples,
        ..ExampleSet::default()
    };
    let examples = &set.examples;
    for (batch_tokens, seed, epoch) in [
        (200, 1, 0),
        (200, 1, 1),
        (200, 2, 0),
        (10, 1, 0),
        (1_000_000, 1, 0),
    ] {
        let batches = set.sentence_batches(batch_tokens, seed, epoch);
        let mut seen: Vec<usize> = batches.iter().flatten().flat_map(Range::clone).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..examples.len()).collect::<Vec<_>>());
        for batch in &batches {
            let tokens: usize = batch
                .iter()
                .map(|run| examples[run.start].target_tokens())
                .sum();
            assert!(
                tokens <= batch_tokens || batch.len() == 1,
                "{tokens} tokens in a batch of {batch_tokens}"
            );
            let made = set.batch(batch);
            assert_eq!((made.labels.len(), made.target.ids.len()), (tokens, tokens));
        }
    }
    let order = |seed, epoch| set.sentence_batches(200, seed, epoch);
    assert_eq!(order(1, 0), order(1, 0));
    assert!(order(1, 0) != order(1, 1) && order(1, 0) != order(2, 0));
}

#[test]
fn wrong_settings_are_refused_by_field() {
    type Change = fn(&mut TrainingConfig);
    let cases: &[(&str, Change)] = &[
        ("corpus", |config| config.corpus = PathBuf::new()),
        ("preset", |config| {
            "x-transformer-huge".clone_into(&mut config.preset);
        }),
        ("batch_tokens", |config| config.batch_tokens = 0),
        ("checkpoint_every", |config| config.checkpoint_every = 0),
        ("label_smoothing", |config| config.label_smoothing = 1.0),
        ("dropout", |config| config.dropout = -0.1),
        ("learning_rate_factor", |config| {
            config.learning_rate_factor = f64::NAN;
        }),
        ("clip_norm", |config| config.clip_norm = -1.0),
        ("minutes", |config| config.minutes = f64::NAN),
    ];
    let place = Place::new();
    for (field, change) in cases {
        let mut config = place.config(1);
        change(&mut config);
        let refused = trained(&config, &place.run("run"), false).expect_err(field);
        assert!(
            refused.to_string().starts_with(&format!("{field} is ")),
            "{field}: {refused}"
        );
    }
    assert!(!place.run("run").exists());
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
    assert!(!kept(2).exists(), "more checkpoints than asked for");
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
