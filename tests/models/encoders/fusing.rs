//! A model that reads BERT over chosen contexts, from its training to a translated document.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use canopy::inference::{DeviceChoice, Flag, SearchOptions, Translator};
use canopy::memory::TranslationMemory;
use canopy::model::{Context, ContextSentence};
use canopy::text::document::{Document, Format};
use canopy::training::{for_document, retrieved};
use canopy::weights::{ModelFolder, Precision, read_tensors, write_tensors};

use crate::encoders::desk::{Desk, assert_done, assert_failed, canopy, stdout};
use crate::encoders::selecting::encoder;
use crate::encoders::tiny;

const SETTINGS: &str =
    "vocab_size = 340\nbatch_tokens = 120\nkeep_checkpoints = 1\nvalidate_every = 2\n";

fn train(desk: &Desk, run: &str, more: &[&str]) -> std::process::Output {
    let settings = desk.path("settings.toml");
    fs::write(&settings, SETTINGS).expect("written");
    let (corpus, run) = (desk.path("corpus"), desk.path(run));
    let fixed = [
        "train", "--corpus", &corpus, "--run", &run, "--config", &settings, "--device", "cpu",
    ];
    canopy(&[&fixed[..], more].concat())
}

#[test]
fn a_fused_model_is_trained_stopped_and_translates_a_document() {
    let desk = Desk::new();
    tiny::corpus(std::path::Path::new(&desk.path("corpus")));
    let bert = encoder(&desk);
    let (corpus, contexts) = (desk.path("corpus"), desk.path("contexts.jsonl"));
    let select = [
        "corpus",
        "select-context",
        "--corpus",
        &corpus,
        "--encoder",
        &bert,
        "--device",
        "cpu",
        "-o",
        &contexts,
    ];
    assert_done(&canopy(&select));
    let of_preset = |preset| ["--preset", preset, "--bert", &bert, "--contexts", &contexts];
    for preset in ["catsby-small", "bert-fused-small", "bert-fused-gate-small"] {
        let whole = [&of_preset(preset)[..], &["--steps", "3"]].concat();
        assert_done(&train(&desk, &format!("{preset}-whole"), &whole));
        let parts = format!("{preset}-parts");
        let begun = [&of_preset(preset)[..], &["--steps", "2"]].concat();
        assert_done(&train(&desk, &parts, &begun));
        let going_on = [&whole[..], &["--resume"]].concat();
        assert_done(&train(&desk, &parts, &going_on));
        let weights = |run: &str| {
            let path = desk.path(&format!("{run}/checkpoints/last/weights.safetensors"));
            read_tensors(std::path::Path::new(&path)).expect("readable")
        };
        assert!(
            weights(&parts) == weights(&format!("{preset}-whole")),
            "{preset}"
        );

        let model = desk.path(&format!("{parts}/checkpoints/last"));
        let description = ModelFolder::open(std::path::Path::new(&model)).expect("a model");
        assert!(matches!(
            description.model.context,
            Some(Context::Bert {
                sentence: ContextSentence::Similar(_),
                ..
            })
        ));
        let page = desk.path("page.html");
        fs::write(&page, "<p>Open the file. Close the file. Print it.</p>\n").expect("written");
        let output = desk.path(&format!("{preset}.html"));
        assert_done(&canopy(&[
            "translate",
            "--model",
            &model,
            "--device",
            "cpu",
            &page,
            "-o",
            &output,
        ]));
        let evaluate = [
            "evaluate", "--model", &model, "--corpus", &corpus, "--device", "cpu",
        ];
        let chosen = [&evaluate[..], &["--split", "dev", "--contexts", &contexts]].concat();
        for arguments in [&evaluate[..], &chosen] {
            let done = canopy(arguments);
            assert_done(&done);
            assert!(stdout(&done).contains("BLEU"), "{}", stdout(&done));
        }
        looks_up(Path::new(&model));
        is_not_traced_without_its_bert(Path::new(&model));
    }
}

/// Where the states of BERT are no numbers, there is no trace of a model that read nothing of it.
fn is_not_traced_without_its_bert(model: &Path) {
    let weights = model.join("weights.safetensors");
    let mut tensors = read_tensors(&weights).expect("readable");
    let (_, words) = tensors.get_mut("bert.bert.words").expect("its BERT");
    words.fill(f32::MAX);
    write_tensors(&weights, &tensors, Precision::Full).expect("written");
    let translator = Translator::open(model, DeviceChoice::Cpu).expect("a model");
    let text = "Close the file. Open the page and print it.".to_owned();
    let page = Document::parse("page.txt", Format::Text, text).expect("a text");
    let refused = translator.trace(&page, &[None, None]);
    let refused = refused.expect_err("no numbers").to_string();
    assert!(refused.contains("number"), "{refused}");
}

/// The datastore of such a model is the one that its search uses.
fn looks_up(model: &Path) {
    let mut translator = Translator::open(model, DeviceChoice::Cpu).expect("a model");
    let pairs = ["file", "page"].map(|noun| (format!("Open the {noun}."), format!("Die {noun}.")));
    translator.remember(TranslationMemory::new(pairs));
    let text = "Close the file. Open the page and print it.".to_owned();
    let page = Document::parse("page.txt", Format::Text, text).expect("a text");
    let mut go_on = |_, _| ControlFlow::Continue(());
    let made = for_document(&translator, &page, &mut go_on).expect("words are shared");
    let mut found = vec![None; 2];
    let mut take = |sentence: usize, translation| {
        found[sentence] = Some(translation);
        ControlFlow::Continue(())
    };
    let options = SearchOptions::default();
    made.translate(&page, &[1], &options, &mut take)
        .expect("it translates");
    let view = retrieved(&translator, (&page, &found, 1), &mut None, &mut go_on);
    let view = view.expect("it was looked up");
    let translated = found[1].as_ref().expect("translated");
    // So little trained, it may not have come to an end.
    let written = translated.num_tokens - usize::from(translated.flags.contains(&Flag::CutOff));
    let words = view.words.iter().take(written);
    let log_prob: f32 = words.map(|word| word.mixed.ln()).sum();
    let difference = (log_prob - translated.log_prob).abs();
    assert!(
        difference < 1e-3 * translated.log_prob.abs(),
        "{log_prob}, not {translated:?}"
    );
    assert!(view.words.iter().any(|word| word.weight > 0.0));
}

#[test]
fn a_trained_model_is_taken_up_with_contexts_by_place() {
    let desk = Desk::new();
    tiny::corpus(std::path::Path::new(&desk.path("corpus")));
    let bert = encoder(&desk);
    let base = ["--preset", "x-transformer-small", "--steps", "1"];
    assert_done(&train(&desk, "base", &base));
    let from = desk.path("base/checkpoints/last");
    let (corpus, contexts) = (desk.path("corpus"), desk.path("previous.jsonl"));
    let select = ["corpus", "select-context", "--corpus", &corpus, "--type"];
    assert_done(&canopy(
        &[&select[..], &["previous", "-o", &contexts]].concat(),
    ));
    let fused = ["--bert", &bert, "--contexts", &contexts];
    let presets: [(&str, &[&str]); 4] = [
        ("catsby-small", &[]),
        ("catsby-small", &["--train-bert"]),
        ("bert-fused-small", &[]),
        ("bert-fused-gate-small", &[]),
    ];
    for (number, (preset, more)) in presets.into_iter().enumerate() {
        let run = format!("run-{number}");
        let upon = ["--from", &from, "--preset", preset, "--steps", "2"];
        assert_done(&train(&desk, &run, &[&upon[..], &fused, more].concat()));
        let model = desk.path(&format!("{run}/checkpoints/last"));
        let weights = |folder: &str| {
            let path = std::path::Path::new(folder).join("weights.safetensors");
            read_tensors(&path).expect("readable")
        };
        let (imported, now) = (weights(&bert), weights(&model));
        let has_learnt = imported["words"] != now["bert.bert.words"];
        assert_eq!(
            has_learnt,
            more.contains(&"--train-bert"),
            "{preset} {more:?}"
        );
        let description = ModelFolder::open(std::path::Path::new(&model)).expect("a model");
        assert!(matches!(
            description.model.context,
            Some(Context::Bert {
                sentence: ContextSentence::Previous,
                ..
            })
        ));
    }
    let flat = [
        "--from",
        &from,
        "--preset",
        "flat-transformer-small",
        "--steps",
        "2",
    ];
    assert_done(&train(&desk, "flat", &flat));
}

#[test]
fn what_a_fused_model_lacks_is_named() {
    let desk = Desk::new();
    tiny::corpus(std::path::Path::new(&desk.path("corpus")));
    let bert = encoder(&desk);
    let preset = ["--preset", "catsby-small", "--steps", "1"];
    assert_failed(&train(&desk, "bare", &preset), &["bert", "model import"]);
    let with_bert = [&preset[..], &["--bert", &bert]].concat();
    assert_failed(
        &train(&desk, "without contexts", &with_bert),
        &["contexts", "select-context"],
    );
    let contexts = desk.path("contexts.jsonl");
    fs::write(&contexts, "{}\n").expect("written");
    let damaged = [&with_bert[..], &["--contexts", &contexts]].concat();
    assert_failed(
        &train(&desk, "damaged", &damaged),
        &["contexts.jsonl", "line 1"],
    );
}
