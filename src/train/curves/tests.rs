use std::fs;
use std::io::Write;

use super::*;
use crate::{EndReason, Phase};

/// A run folder that a test writes.
pub(crate) struct Run {
    folder: tempfile::TempDir,
    pub curves: Curves,
}

impl Run {
    /// A run with the events `text`, all of them read.
    pub(crate) fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let curves = Curves::follow(folder.path());
        let mut run = Self { folder, curves };
        run.append(text);
        run
    }

    /// Adds events, and reads them.
    pub(crate) fn append(&mut self, text: &str) -> bool {
        let mut options = fs::OpenOptions::new();
        let path = self.folder.path().join("events.jsonl");
        let mut file = options.create(true).append(true).open(path).expect("open");
        file.write_all(text.as_bytes()).expect("written");
        self.curves.poll().expect("read")
    }

    fn replace(&mut self, text: &str) {
        let path = self.folder.path().join("events.jsonl");
        fs::write(path, text).expect("written");
        self.curves.poll().expect("read");
    }

    fn losses(&self) -> &[f64] {
        &self.curves.history.updates.loss
    }
}

fn step(step: usize, loss: &str) -> String {
    format!("{{\"event\":\"step\",\"step\":{step},\"loss\":{loss},\"elapsed_secs\":60.0}}\n")
}

fn validated(step: usize, best: bool) -> String {
    format!(
        "{{\"event\":\"validated\",\"step\":{step},\"dev_loss\":2.5,\"dev_bleu\":20.0,\"best\":{best}}}\n"
    )
}

#[test]
fn only_new_whole_lines_are_read() {
    let mut run = Run::with(&step(1, "5.0"));
    assert!(!run.append(""), "nothing new");
    let line = step(2, "4.0");
    let (half, rest) = line.split_at(20);
    assert!(!run.append(half));
    assert_eq!(run.losses(), [5.0]);
    assert!(run.append(rest));
    assert_eq!(run.losses(), [5.0, 4.0]);
    assert_eq!(run.curves.history.foreign_lines, 0);
    assert_eq!(run.curves.history.updates.at.minutes, [1.0, 1.0]);
}

#[test]
fn what_a_killed_run_does_again_replaces_what_it_did() {
    let mut run = Run::with(&(step(1, "5.0") + &step(2, "4.0") + &validated(2, true)));
    run.append(&(step(3, "3.0") + &validated(3, true) + "{\"event\":\"st"));
    let path = run.folder.path().join("events.jsonl");
    // A resumed run cuts the half line off.
    let text = fs::read_to_string(&path).expect("read");
    let whole = text.trim_end_matches("{\"event\":\"st");
    fs::write(&path, whole).expect("written");
    run.append("{\"event\":\"started\",\"step\":2}\n");
    assert_eq!(run.losses(), [5.0, 4.0]);
    assert_eq!(run.curves.history.best(), Some(0));
    run.append(&step(3, "3.5"));
    assert_eq!(run.losses(), [5.0, 4.0, 3.5]);
    assert_eq!(run.curves.history.validations.at.steps, [2.0]);
    run.append(&step(2, "4.4"));
    assert_eq!(run.losses(), [5.0, 4.4], "even if it does not say so");
}

#[test]
fn a_step_that_is_scored_again_stays_one_point() {
    let mut run = Run::with(&(step(1, "5.0") + &step(2, "4.0") + &validated(2, true)));
    // Saved after the step, killed after the validation.
    run.append("{\"event\":\"started\",\"step\":2}\n");
    run.append(&(validated(2, true) + &step(3, "3.0")));
    let history = &run.curves.history;
    assert_eq!(history.validations.at.steps, [2.0]);
    assert_eq!(history.validations.best, [true]);
    assert_eq!(run.losses(), [5.0, 4.0, 3.0]);
}

#[test]
fn foreign_lines_are_counted_and_passed_over() {
    let foreign = "no JSON\n\n[1]\n{\"event\":\"danced\"}\n{\"event\":\"step\"}\n\u{fffd}\n";
    let run = Run::with(&(foreign.to_owned() + &step(1, "5.0")));
    assert_eq!(run.curves.history.foreign_lines, 6);
    assert_eq!(run.losses(), [5.0]);
}

#[test]
fn a_line_without_end_does_not_fill_the_memory() {
    let mut run = Run::with(&"x".repeat(3 << 20));
    run.append(&("y\n".to_owned() + &step(1, "5.0")));
    assert_eq!(run.losses(), [5.0]);
    assert_eq!(run.curves.history.foreign_lines, 1);
}

#[test]
fn a_loss_that_is_no_number_stays_a_point() {
    let run = Run::with(&(step(1, "5.0") + &step(2, "null") + &step(3, "4.0")));
    let losses = run.losses();
    assert!(losses[1].is_nan() && losses.len() == 3, "{losses:?}");
}

#[test]
fn another_run_in_the_same_place_begins_anew() {
    let mut run = Run::with(&(step(1, "5.0") + &step(2, "4.0")));
    run.replace(&step(1, "7.0"));
    assert_eq!(run.losses(), [7.0]);
    run.replace(&(step(1, "8.0") + &step(2, "7.5") + &step(3, "7.0")));
    assert_eq!(run.losses(), [8.0, 7.5, 7.0], "though the file is longer");
}

#[test]
fn phases_warnings_and_the_end_are_reported() {
    let mut run = Run::with("{\"event\":\"phase\",\"phase\":\"validate\"}\n");
    let summary = |run: &Run| run.curves.history.summary.clone();
    assert_eq!(summary(&run).phase, Some(Phase::Validate));
    run.append(&(step(7, "5.0") + "{\"event\":\"warning\",\"message\":\"slow\"}\n"));
    assert_eq!(summary(&run).warnings, ["slow"]);
    let stalled = "dev BLEU has not risen for 3 validations";
    run.append(&format!(
        "{{\"event\":\"warning\",\"message\":\"{stalled}\"}}\n"
    ));
    assert_eq!(summary(&run).warnings, ["slow", stalled]);
    run.append("{\"event\":\"validated\",\"step\":7,\"target_tokens\":9,\"dev_loss\":1.0,\"dev_bleu\":2.0,\"best\":true,\"elapsed_secs\":1.0}\n");
    assert_eq!(summary(&run).warnings, ["slow"], "it has risen again");
    run.append("{\"event\":\"finished\",\"step\":7,\"reason\":\"patience\"}\n");
    assert_eq!(summary(&run).ended, Some(EndReason::Patience));
    assert!(
        summary(&run)
            .log
            .last()
            .is_some_and(|line| line.contains("no longer falls"))
    );
}

#[test]
fn the_score_of_all_documents_is_no_point_of_the_sampled_curve() {
    let mut run = Run::with("");
    let scores = |whole: bool, bleu: &str| {
        format!(
            "{{\"event\":\"validated\",\"step\":7,\"dev_loss\":1.5,\"dev_bleu\":{bleu},\"whole\":{whole},\"best\":false,\"target_tokens\":9,\"elapsed_secs\":1.0}}\n"
        )
    };
    run.append(&scores(false, "20.5"));
    let sample = "{\"source\":\"a\",\"reference\":\"b\",\"translation\":\"c\"}";
    run.append(&format!(
        "{{\"event\":\"samples\",\"step\":7,\"samples\":[{sample}]}}\n"
    ));
    run.append(&scores(true, "21.5"));
    run.append("{\"event\":\"failed\",\"message\":\"no room\"}\n");
    let history = &run.curves.history;
    assert_eq!(history.validations.dev_bleu, [20.5]);
    let summary = &history.summary;
    assert_eq!(summary.whole.map(|whole| whole.dev_bleu), Some(21.5));
    assert_eq!(summary.samples[0].translation, "c");
    assert_eq!(summary.failed.as_deref(), Some("no room"));
    assert_eq!(history.foreign_lines, 0);
}

#[test]
fn a_folder_without_a_run_is_an_error_and_may_be_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(
        Curves::read(folder.path()),
        Err(Error::NoEvents { .. })
    ));
    let foreign = folder.path().join("foreign.jsonl");
    fs::write(&foreign, "{\"name\": \"something else\"}\n").expect("written");
    assert!(matches!(
        Curves::read(&foreign),
        Err(Error::NoEvents { .. })
    ));
    let mut curves = Curves::follow(&folder.path().join("not/yet"));
    assert!(!curves.poll().expect("nothing to read"));
}
