//! Whatever ends the program, a run loses no more than the steps since its last checkpoint.

mod jobs;

use crate::support::tiny;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use canopy::training::{EndReason, Progress, RunState, TrainingConfig, run_state};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

/// A corpus, settings, and room for runs.
struct Place(TempDir);

impl Place {
    fn new(steps: usize) -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        let corpus = place.path("corpus");
        tiny::corpus(&corpus);
        let config = TrainingConfig {
            corpus,
            vocab_size: tiny::VOCAB,
            batch_tokens: 120,
            hidden_words: 0.2,
            checkpoint_every: 2,
            keep_checkpoints: 2,
            validate_every: 3,
            steps,
            ..TrainingConfig::default()
        };
        let text = toml::to_string(&config).expect("settings");
        fs::write(place.path("config.toml"), text).expect("writes");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn train(&self, run: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        command
            .env("HOME", self.0.path())
            .env_remove("XDG_DATA_HOME");
        command.args(["train", "--device", "cpu", "--resume", "--config"]);
        command.arg(self.path("config.toml"));
        command.arg("--run").arg(run);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }
}

fn started(mut command: Command) -> Child {
    command.spawn().expect("the program starts")
}

fn ended(child: Child) -> Output {
    child.wait_with_output().expect("the program ends")
}

fn finish(command: Command) {
    let output = ended(started(command));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
}

/// The bytes of all tensors, the counters and the names of the models that are kept.
fn state(run: &Path) -> (Vec<u8>, Vec<u8>, Progress, Vec<String>) {
    let checkpoints = run.join("checkpoints");
    let last = checkpoints.join("last");
    let bytes = |name: &str| fs::read(last.join(name)).expect("readable");
    let progress: Progress = serde_json::from_slice(&bytes("progress.json")).expect("counters");
    let entries = fs::read_dir(&checkpoints).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.into_string().expect("UTF-8"))
        .collect();
    names.sort();
    let progress = Progress {
        elapsed_secs: 0.0,
        validation_secs: 0.0,
        ..progress
    };
    (
        bytes("weights.safetensors"),
        bytes("optimizer.safetensors"),
        progress,
        names,
    )
}

/// `CANOPY_KILLS` says how many runs are killed, each at some moment between its start and its end.
#[test]
fn a_run_killed_at_any_moment_ends_in_the_same_weights() {
    let kills = std::env::var("CANOPY_KILLS").map_or(2, |kills| kills.parse().expect("a number"));
    let place = Place::new(9);
    // The first run makes the vocabulary, the second is as long as any other.
    finish(place.train(&place.path("first")));
    let begun = Instant::now();
    finish(place.train(&place.path("whole")));
    let whole_secs = begun.elapsed().as_secs_f64();
    let whole = state(&place.path("whole"));
    assert!(
        whole == state(&place.path("first")),
        "no two runs are equal"
    );
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for number in 0..kills {
        let run = place.path(&format!("killed-{number}"));
        let secs = rng.random_range(0.0..whole_secs);
        let mut child = started(place.train(&run));
        sleep(Duration::from_secs_f64(secs));
        child.kill().expect("it was running or has ended");
        ended(child);
        let last = run.join("checkpoints/last/progress.json");
        let saved = fs::read(&last).map_or(0, |text| {
            let progress: Progress = serde_json::from_slice(&text).expect("whole");
            progress.step
        });
        eprintln!(
            "killed after {secs:.2} of {whole_secs:.2} s: {:?}, step {saved} saved",
            run_state(&run).expect("readable")
        );
        finish(place.train(&run));
        assert!(state(&run) == whole, "killed after {secs:.2} s, it differs");
        fs::remove_dir_all(&run).expect("removes");
    }
}

/// Presses Ctrl+C once the run has done a step, or sends another signal; returns its output.
#[cfg(unix)]
fn interrupted(child: Child, run: &Path, signal: &str) -> String {
    let events = run.join("events.jsonl");
    let has_begun = || fs::read_to_string(&events).is_ok_and(|text| text.contains(r#""step","#));
    let begun = Instant::now();
    while !has_begun() && begun.elapsed() < Duration::from_mins(1) {
        sleep(Duration::from_millis(20));
    }
    let interrupt = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(interrupt.expect("there is a kill").success());
    let output = ended(child);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{message}");
    let stopped = RunState::Finished(EndReason::Stopped);
    assert_eq!(run_state(run).expect("readable"), stopped);
    assert!(state(run).2.step > 0);
    message
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_saves_before_it_ends() {
    let place = Place::new(100_000);
    let run = place.path("run");
    let message = interrupted(started(place.train(&run)), &run, "-INT");
    assert!(message.contains("press Ctrl+C again"), "{message}");
}

/// As a cluster or systemd ends a process.
#[cfg(unix)]
#[test]
fn a_terminated_run_saves_before_it_ends() {
    let place = Place::new(100_000);
    let run = place.path("run");
    let message = interrupted(started(place.train(&run)), &run, "-TERM");
    assert!(message.contains("saving"), "{message}");
}

/// As when Ctrl+C also ends the `tee` that receives a run's progress.
#[cfg(unix)]
#[test]
fn an_interrupted_run_saves_though_nobody_reads_its_output() {
    let place = Place::new(100_000);
    let run = place.path("run");
    let mut child = started(place.train(&run));
    drop(child.stderr.take());
    assert_eq!(interrupted(child, &run, "-INT"), "");
}

#[cfg(unix)]
#[test]
fn a_checkpoint_that_finds_no_room_leaves_the_last_one_whole() {
    let place = Place::new(4);
    let (whole, run) = (place.path("whole"), place.path("run"));
    finish(place.train(&whole));
    let mut two_steps = place.train(&run);
    two_steps.args(["--steps", "2"]);
    finish(two_steps);
    let before = state(&run).0;
    // No file may grow above a number of blocks, as if the disk were full.
    let mut limited = Command::new("sh");
    let script = r#"trap '' XFSZ; ulimit -f 2000; exec "$0" "$@""#;
    let unlimited = place.train(&run);
    limited.args(["-c", script]).arg(unlimited.get_program());
    limited.args(unlimited.get_args()).stderr(Stdio::piped());
    let output = ended(started(limited));
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for words in [
        "no checkpoint was written at step",
        "free space",
        "--resume",
    ] {
        assert!(message.contains(words), "{words:?} is not in: {message}");
    }
    assert!(matches!(run_state(&run), Ok(RunState::Failed { .. })));
    assert!(state(&run).0 == before, "the last checkpoint has changed");
    finish(place.train(&run));
    assert!(state(&run).0 == state(&whole).0, "the weights differ");
}
