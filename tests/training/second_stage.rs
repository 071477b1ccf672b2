//! A document-level system is fine-tuned from a sentence-level model, and its run can be stopped and gone on with.

use crate::support::tiny;
use std::fs;
use std::path::Path;

use canopy::model::Preset;
use canopy::training::{Control, EndReason, TrainingConfig, TrainingEvent, train};
use canopy::weights::{ModelFolder, NamedTensors, read_tensors};

fn run(
    config: &TrainingConfig,
    run: &Path,
    resume: bool,
) -> canopy::training::error::Result<EndReason> {
    let mut observe = |_: &TrainingEvent| ();
    let control = Control::default();
    train(
        config,
        run,
        resume,
        &tiny::device(),
        "CPU",
        &control,
        &mut observe,
    )
}

fn weights(run: &Path) -> NamedTensors {
    read_tensors(&run.join("checkpoints/last/weights.safetensors")).expect("readable")
}

fn bits(tensors: &NamedTensors) -> Vec<(&String, Vec<u32>)> {
    let tensors = tensors.iter();
    tensors
        .map(|(name, (_, values))| (name, values.iter().map(|x| x.to_bits()).collect()))
        .collect()
}

#[test]
fn a_context_is_put_upon_a_trained_model_and_goes_on_to_the_same_bits() {
    let place = tempfile::tempdir().expect("a folder");
    let corpus = place.path().join("corpus");
    tiny::corpus(&corpus);
    let base = TrainingConfig {
        corpus,
        vocab_size: tiny::VOCAB,
        batch_tokens: 120,
        keep_checkpoints: 0,
        steps: 3,
        ..TrainingConfig::default()
    };
    let first = place.path().join("first");
    run(&base, &first, false).expect("trains");

    let from = first.join("checkpoints/last");
    for preset in ["selective-small", "hierarchical-conditional-small"] {
        let second = |steps| TrainingConfig {
            preset: preset.to_owned(),
            hidden_words: 0.2,
            narrowing_steps: 3,
            validate_every: 2,
            validation_segments: 1,
            steps,
            ..TrainingConfig {
                corpus: base.corpus.clone(),
                batch_tokens: base.batch_tokens,
                keep_checkpoints: 0,
                ..TrainingConfig::second_stage(from.clone())
            }
        };
        let [at_once, in_parts] =
            ["at-once", "in-parts"].map(|n| place.path().join(preset).join(n));
        run(&second(4), &at_once, false).expect("trains");
        run(&second(2), &in_parts, false).expect("trains");
        run(&second(4), &in_parts, true).expect("goes on");
        assert_eq!(
            bits(&weights(&at_once)),
            bits(&weights(&in_parts)),
            "{preset}"
        );

        let (before, after) = (weights(&first), weights(&at_once));
        let embedding = "embedding.words";
        assert_ne!(
            before[embedding], after[embedding],
            "{preset} learnt nothing"
        );
        if let Some(frozen) = after.get("stage_one.embedding.words") {
            assert_eq!(frozen, &before[embedding], "{preset} changed its stage one");
        }
        let description = ModelFolder::open(&at_once.join("checkpoints/last")).expect("a model");
        assert!(description.model.context.is_some() && description.model.warm_gate);
    }
}

#[test]
fn what_cannot_be_put_upon_a_model_is_refused_by_field() {
    let place = tempfile::tempdir().expect("a folder");
    let corpus = place.path().join("corpus");
    tiny::corpus(&corpus);
    let model = tiny::model_folder();
    let config = TrainingConfig {
        corpus,
        preset: "transformer-small".to_owned(),
        ..TrainingConfig::second_stage(model.path().to_owned())
    };
    let refused = run(&config, &place.path().join("run"), false).expect_err("another encoder");
    assert!(
        refused.to_string().starts_with("encoder is sf-sf"),
        "{refused}"
    );
    let left: Vec<_> = fs::read_dir(place.path().join("run"))
        .into_iter()
        .flatten()
        .collect();
    assert!(
        left.len() < 4,
        "a refused run leaves a folder that can be used: {left:?}"
    );
}

#[test]
fn the_number_of_sentences_read_narrows_to_the_presets() {
    let config = TrainingConfig {
        narrowing_steps: 100,
        ..TrainingConfig::default()
    };
    let read: Vec<usize> = [0, 50, 99, 100, 500]
        .map(|step| config.top_t_at(step, 4))
        .into();
    assert_eq!(read, [32, 18, 5, 4, 4]);
    assert_eq!(TrainingConfig::default().top_t_at(1, 4), 4);
}

#[test]
fn a_model_that_reads_fewer_sentences_goes_on_with_its_own_preset() {
    let own = Preset::named("conditional-small")
        .expect("a preset")
        .config(100);
    let mut base = own.clone();
    assert!(base.set_top_t(2));
    assert_eq!(own.warm_started_from(&base).expect("the same system"), base);
}

#[test]
fn a_shipped_model_that_reads_documents_goes_on_with_a_preset_of_its_context() {
    for name in ["starter-en-de", "starter-de-en", "starter-en-pt"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("assets/models")
            .join(name);
        let config = TrainingConfig::fine_tuning(folder.clone());
        let model = ModelFolder::alone(&folder).expect("a model").model;
        assert!(model.context.is_some(), "{name} reads documents");
        let preset = Preset::named(&config.preset).expect("a preset");
        let goes_on = preset.config(model.vocab_size).warm_started_from(&model);
        assert_eq!(goes_on.expect("the context is its own"), model, "{name}");
    }
    let sentences = TrainingConfig::fine_tuning("assets/models/help-en-de".into());
    assert_eq!(sentences.preset, TrainingConfig::default().preset);
}

#[test]
fn a_model_keeps_its_encoder() {
    let sizes = |name: &str| Preset::named(name).expect("a preset").config(100);
    let mut base = sizes("x-transformer-small");
    base.encoder = "s-sf-sf-sf".parse().expect("a layout");
    for name in [
        "x-transformer-small",
        "conditional-small",
        "nearest-neighbours-small",
    ] {
        let own = sizes(name).warm_started_from(&base).expect("upon it");
        assert_eq!(own.encoder, base.encoder, "{name}");
    }
    let refused = sizes("transformer-small").warm_started_from(&base);
    let message = refused.expect_err("another encoder").to_string();
    assert!(message.contains("s-sf-sf-sf like the model"), "{message}");
}
