//! A run folder: not begun with wrong settings, left alone once it is used, with a record of every event.

use std::fs;

use canopy::training::Phase;
use canopy::training::error::{BaseError, Error};

use super::*;

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
        matches!(refused, Err(Error::Base(BaseError::Settings { .. }))),
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
        ("seed", |config| config.seed = u64::MAX),
        ("target_tokens", |config| config.target_tokens = 1 << 63),
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
