use std::path::{Path, PathBuf};

use burn::tensor::Device;
use tempfile::TempDir;

use crate::error::{Error, Result};
use crate::injected::{Fault, inject};
use crate::{
    Control, EndReason, ProductPrecision, Progress, RunState, RunSummary, TrainingConfig,
    TrainingEvent, run_state, train,
};
use canopy_corpus::{CorpusInfo, CorpusWriter, ParallelDocument, ParallelParagraph, Split, Unit};
use canopy_document::document::{ParagraphKind, Section};
use canopy_models::weights::{NamedTensors, read_tensors};

const PARAMETER: &str = "decoder.layers.1.feed_forward.inner.weight";

/// A corpus of a few sentences, and a folder for runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        let info = CorpusInfo {
            name: "tiny".to_owned(),
            source_language: "en".to_owned(),
            target_language: "de".to_owned(),
            origin: "made in a test".to_owned(),
            licence: "CC0-1.0".to_owned(),
        };
        let mut writer = CorpusWriter::create(place.path("corpus"), info, false).expect("new");
        for (number, noun) in ["file", "page", "table", "cell"].into_iter().enumerate() {
            let verbs = ["Open", "Close", "Save", "Print"];
            let units = verbs.map(|verb| {
                Unit::new(
                    format!("{verb} the {noun}."),
                    format!("{noun} {verb} Sie die."),
                )
            });
            let split = if number == 3 {
                Split::Dev
            } else {
                Split::Train
            };
            writer.add(split, document(noun, &units)).expect("written");
        }
        writer.finish().expect("a corpus");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn config(&self) -> TrainingConfig {
        TrainingConfig {
            corpus: self.path("corpus"),
            vocab_size: 300,
            batch_tokens: 60,
            warmup_steps: 10,
            checkpoint_every: 3,
            keep_checkpoints: 0,
            validate_every: 0,
            steps: 8,
            ..TrainingConfig::default()
        }
    }
}

fn document(id: &str, units: &[Unit]) -> ParallelDocument {
    let paragraph = ParallelParagraph {
        section: 0,
        kind: ParagraphKind::Text,
        id: None,
        note: None,
        units: units.to_vec(),
    };
    ParallelDocument {
        id: id.to_owned(),
        sections: vec![Section {
            parent: None,
            level: 0,
            heading: None,
        }],
        paragraphs: vec![paragraph],
    }
}

fn fault(step: usize, value: f32, times: usize) -> Vec<Fault> {
    vec![Fault {
        step,
        parameter: PARAMETER,
        value,
        times,
    }]
}

fn trained(config: &TrainingConfig, run: &Path) -> (Vec<TrainingEvent>, Result<EndReason>) {
    let (mut events, control) = (Vec::new(), Control::default());
    let ended = train(
        config,
        run,
        false,
        &Device::flex(),
        "CPU",
        &control,
        &mut |event| events.push(event.clone()),
    );
    inject(Vec::new());
    (events, ended)
}

fn steps(events: &[TrainingEvent]) -> Vec<usize> {
    let step = |event: &TrainingEvent| match event {
        TrainingEvent::Step { step, .. } => Some(*step),
        _ => None,
    };
    events.iter().filter_map(step).collect()
}

fn went_back(events: &[TrainingEvent]) -> Vec<(usize, u32, &str)> {
    let back = |event| match event {
        &TrainingEvent::WentBack {
            step,
            halvings,
            ref message,
        } => Some((step, halvings, message.as_str())),
        _ => None,
    };
    events.iter().filter_map(back).collect()
}

fn saved(run: &Path) -> (NamedTensors, NamedTensors, Progress) {
    let last = run.join("checkpoints/last");
    let tensors = |name: &str| read_tensors(&last.join(name)).expect("tensors");
    let text = std::fs::read_to_string(last.join("progress.json")).expect("counters");
    (
        tensors("weights.safetensors"),
        tensors("optimizer.safetensors"),
        serde_json::from_str(&text).expect("counters"),
    )
}

#[test]
fn a_gradient_that_is_not_finite_sends_the_run_back_to_its_checkpoint() {
    let place = Place::new();
    for devices in [1, 2] {
        let config = TrainingConfig {
            devices,
            ..place.config()
        };
        let run = place.path(&format!("run-{devices}"));
        inject(fault(5, f32::NAN, 1));
        let (events, ended) = trained(&config, &run);
        assert_eq!(ended.expect("an end"), EndReason::Steps);
        assert_eq!(steps(&events), [1, 2, 3, 4, 4, 5, 6, 7, 8]);
        let [(to, halvings, message)] = went_back(&events)[..] else {
            panic!("{events:?}")
        };
        assert_eq!((to, halvings), (3, 1));
        for words in ["step 5", PARAMETER, "NaN", "checkpoint of step 3", "half"] {
            assert!(message.contains(words), "{words} is not in: {message}");
        }
        let rates = events.iter().filter_map(|event| match event {
            TrainingEvent::Step {
                step,
                learning_rate,
                loss,
                ..
            } => Some((*step, *learning_rate, *loss)),
            _ => None,
        });
        let rates: Vec<(usize, f64, f32)> = rates.collect();
        assert!((rates[3].1 / rates[4].1 - 2.0).abs() < 1e-9, "{rates:?}");
        assert!(
            rates[8].2.is_finite() && rates[8].2 < rates[0].2,
            "{rates:?}"
        );
        let (weights, _, progress) = saved(&run);
        assert!(
            weights
                .values()
                .flat_map(|(_, it)| it)
                .all(|it| it.is_finite())
        );
        assert_eq!((progress.step, progress.halvings), (8, 1));
        let mut summary = RunSummary::default();
        for event in &events {
            summary.add(event);
        }
        assert_eq!((summary.step, summary.halvings), (8, 1));
        assert!(summary.log.iter().any(|line| line.contains(message)));
        assert!(summary.warnings.iter().any(|it| it == message));
    }
}

#[test]
fn a_run_that_goes_back_to_its_beginning_is_one_with_half_the_rate() {
    let place = Place::new();
    let (faulty, calm) = (place.path("faulty"), place.path("calm"));
    inject(fault(3, f32::INFINITY, 1));
    let (events, ended) = trained(&place.config(), &faulty);
    assert_eq!(ended.expect("an end"), EndReason::Steps);
    let [(0, 1, message)] = went_back(&events)[..] else {
        panic!("{events:?}")
    };
    assert!(message.contains("the beginning"), "{message}");
    let config = TrainingConfig {
        learning_rate_factor: 0.5,
        ..place.config()
    };
    trained(&config, &calm).1.expect("an end");
    let (one, other) = (saved(&faulty), saved(&calm));
    assert!(one.0 == other.0, "the weights differ");
    assert!(one.1 == other.1, "the moments differ");
}

#[test]
fn a_run_that_does_not_get_on_ends_with_step_and_layer_and_keeps_its_checkpoint() {
    let place = Place::new();
    for (name, value, words) in [("nan", f32::NAN, "NaN"), ("large", 1e30, "holds 1e30")] {
        let run = place.path(name);
        inject(fault(5, value, usize::MAX));
        let (events, ended) = trained(&place.config(), &run);
        let error = ended.expect_err("it diverges");
        assert!(matches!(error, Error::Diverged { .. }), "{error}");
        let message = error.to_string();
        for words in ["step 5", PARAMETER, words, "3 tries"] {
            assert!(message.contains(words), "{words} is not in: {message}");
        }
        let back: Vec<u32> = went_back(&events).iter().map(|it| it.1).collect();
        assert_eq!(back, [1, 2, 3]);
        let (weights, _, progress) = saved(&run);
        assert_eq!(progress.step, 3);
        assert!(
            weights
                .values()
                .flat_map(|(_, it)| it)
                .all(|it| it.is_finite())
        );
        let state = run_state(&run).expect("readable");
        assert!(matches!(state, RunState::Failed { message: found } if found == message));
    }
}

/// 65,536 is halved 16 times before 32 bits are tried.
#[test]
fn an_overflow_in_16_bits_halves_the_factor_on_the_loss_and_costs_nothing() {
    let place = Place::new();
    let config = TrainingConfig {
        precision: ProductPrecision::Float16,
        ..place.config()
    };
    for (times, factor, in_full) in [(1, 32_768.0, 0), (3, 8_192.0, 0), (17, 1.0, 1)] {
        let run = place.path(&format!("run-{times}"));
        inject(fault(5, f32::INFINITY, times));
        let (events, ended) = trained(&config, &run);
        assert_eq!(ended.expect("an end"), EndReason::Steps);
        assert_eq!(steps(&events), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(went_back(&events).is_empty(), "{events:?}");
        let warnings = events
            .iter()
            .filter(|event| matches!(event, TrainingEvent::Warning { .. }));
        assert_eq!(warnings.count(), in_full);
        let found = saved(&run).2.loss_scale.factor(config.precision.numbers());
        assert!((found - factor).abs() < f32::EPSILON, "{found}");
    }
    let run = place.path("run");
    inject(fault(5, f32::NAN, usize::MAX));
    let (events, ended) = trained(&config, &run);
    let error = ended.expect_err("it diverges");
    assert!(matches!(error, Error::Diverged { .. }), "{error}");
    assert_eq!(went_back(&events).len(), 3, "as in 32 bits");
}
