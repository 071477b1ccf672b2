//! A run goes on only as what it was: same counters, same corpus, same format.

use std::fs;

use canopy::training::error::Error;

use super::*;

#[test]
fn a_run_stopped_anywhere_ends_as_if_it_had_not_been() {
    let place = Place(tempfile::tempdir().expect("a folder"));
    validation::corpus(&place.corpus());
    let config = TrainingConfig {
        validate_every: 2,
        validation_segments: 6,
        hidden_words: 0.3,
        bpe_dropout: 0.2,
        // A rate so high that the dev loss soon rises again.
        learning_rate_factor: 30.0,
        patience: 2,
        ..place.config(12)
    };
    let whole = place.run("whole");
    let reason = observed(&config, &whole, false, &mut |_| ()).expect("trains");
    let last = progress(&whole).step;
    assert_eq!(reason, EndReason::Patience, "after {last} steps");
    for stop in 1..last {
        let run = place.run(&format!("stopped-{stop}"));
        stopped_after(stop, &config, &run);
        let again = observed(&config, &run, true, &mut |_| ()).expect("goes on");
        assert_eq!(again, reason);
        assert_same_state(&run, &whole);
        assert_eq!(progress(&run).best_bleu, progress(&whole).best_bleu);
    }
}

#[test]
fn a_corpus_that_has_changed_is_refused_and_one_that_has_moved_is_found() {
    let (place, run) = (Place::new(), "run");
    trained(&place.config(1), &place.run(run), false).expect("trains");
    let train = place.corpus().join("train.jsonl");
    let text = fs::read_to_string(&train).expect("readable");
    fs::write(&train, text.replace("window", "wimdow")).expect("writes");
    let refused = trained(&place.config(2), &place.run(run), true);
    assert!(
        matches!(refused, Err(Error::CorpusChanged { .. })),
        "{refused:?}"
    );
    fs::write(&train, text).expect("writes");

    let moved = place.run("moved-corpus");
    fs::rename(place.corpus(), &moved).expect("moves");
    let gone = trained(&place.config(2), &place.run(run), true).expect_err("no corpus");
    assert!(gone.to_string().contains("restore it"), "{gone}");
    let config = TrainingConfig {
        corpus: moved,
        ..place.config(2)
    };
    let on = trained(&config, &place.run(run), true).expect("goes on");
    assert_eq!(steps(&on), [2]);
}

#[test]
fn a_run_folder_of_a_newer_program_is_left_alone() {
    let (place, run) = (Place::new(), "run");
    trained(&place.config(1), &place.run(run), false).expect("trains");
    let record = place.run(run).join("run.json");
    let text = fs::read_to_string(&record).expect("readable");
    fs::write(&record, text.replace("\"version\": 1", "\"version\": 9")).expect("writes");
    let before = files(&place.run(run));
    let refused = trained(&place.config(2), &place.run(run), true).expect_err("newer");
    assert!(refused.to_string().contains("version 9"), "{refused}");
    assert_eq!(files(&place.run(run)), before);
}

#[test]
fn other_batches_in_a_run_that_goes_on_are_said() {
    let (place, run) = (Place::new(), "run");
    trained(&place.config(3), &place.run(run), false).expect("trains");
    let config = TrainingConfig {
        batch_tokens: 60,
        ..place.config(5)
    };
    let on = trained(&config, &place.run(run), true).expect("goes on");
    let said = |event: &TrainingEvent| matches!(event, TrainingEvent::Warning { message } if message.contains("60 tokens instead of 120"));
    assert!(on.iter().any(said), "{on:?}");
    assert_eq!(steps(&on), [4, 5]);
}

#[test]
fn wrong_settings_are_refused_by_line_and_field() {
    let place = Place::new();
    let path = place.run("settings.toml");
    for (text, line, field) in [
        (
            "corpus = \"c\"\nbatch_tokens = \"many\"\n",
            "line 2",
            "batch_tokens",
        ),
        (
            "corpus = \"c\"\n\nbatch_token = 100\n",
            "line 3",
            "batch_token",
        ),
        ("steps = -1\n", "line 1", "steps"),
        ("seed = 1\nschedule = \"linear\"\n", "line 2", "schedule"),
        ("seed = 1\nsteps 5\n", "line 2", "steps"),
    ] {
        fs::write(&path, text).expect("writes");
        let refused = TrainingConfig::open(&path).expect_err(text).to_string();
        for word in [line, field, "settings.toml"] {
            assert!(refused.contains(word), "{word:?} is not in: {refused}");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copies");
    }
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
