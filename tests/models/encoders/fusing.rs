//! A model that reads BERT over chosen contexts, from its training to a translated document.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use canopy::corpus::{ContextTexts, Corpus, Split, document_units};
use canopy::inference::{DeviceChoice, Flag, SearchOptions, Translator, contexts_among};
use canopy::memory::TranslationMemory;
use canopy::model::{Context, ContextSentence};
use canopy::similarity::Range;
use canopy::text::document::{Document, Format};
use canopy::training::{for_document, retrieved};
use canopy::weights::{ModelFolder, Precision, read_tensors, write_tensors};

use crate::encoders::desk::{Desk, assert_done, assert_failed, canopy, stderr, stdout};
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
    translator.set_memory(TranslationMemory::new(pairs));
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
    let presets: [(&str, &[&str]); 5] = [
        ("catsby-small", &[]),
        ("catsby-small", &["--train-bert"]),
        ("bert-fused-small", &[]),
        ("bert-fused-gate-small", &[]),
        ("flat-transformer-bert-small", &[]),
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
        let context = description.model.context.and_then(Context::bert);
        assert!(matches!(context, Some((_, ContextSentence::Previous))));
        if preset.starts_with("flat") {
            let page = desk.path("page.html");
            fs::write(&page, "<p>Open the file. Close the file. Print it.</p>\n").expect("written");
            let output = desk.path("flat.html");
            let translate = [
                "translate",
                "--model",
                &model,
                "--device",
                "cpu",
                &page,
                "-o",
            ];
            assert_done(&canopy(&[&translate[..], &[output.as_str()]].concat()));
        }
    }
    let same = desk.path("same.jsonl");
    assert_done(&canopy(&[&select[..], &["same", "-o", &same]].concat()));
    let upon = [
        "--preset",
        "flat-transformer-bert-small",
        "--steps",
        "1",
        "--bert",
        &bert,
    ];
    let other = [&upon[..], &["--contexts", &same]].concat();
    assert_failed(&train(&desk, "same", &other), &["contexts", "previous"]);
    assert_done(&train(&desk, "none", &upon));
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

/// The folder of the small encoder again, with other weights.
fn other_encoder(desk: &Desk, bert: &str) -> String {
    let other = desk.path("other");
    fs::create_dir(&other).expect("a folder");
    for file in fs::read_dir(bert).expect("a folder") {
        let file = file.expect("a file");
        fs::copy(file.path(), Path::new(&other).join(file.file_name())).expect("copied");
    }
    let weights = Path::new(&other).join("weights.safetensors");
    let mut tensors = read_tensors(&weights).expect("readable");
    tensors.get_mut("words").expect("its words").1.reverse();
    write_tensors(&weights, &tensors, Precision::Full).expect("written");
    other
}

/// CATSBY's contexts are found in translating as they were in training: by the same encoder, in the same range.
#[test]
fn a_model_finds_contexts_as_those_of_its_training_were_found() {
    let desk = Desk::new();
    let corpus = desk.path("corpus");
    tiny::corpus(Path::new(&corpus));
    let bert = encoder(&desk);
    let other = other_encoder(&desk, &bert);
    let choose = |name: &str, encoder: &str, range: &str| {
        let output = desk.path(&format!("{name}.jsonl"));
        let select = ["corpus", "select-context", "--corpus", &corpus, "--encoder"];
        let rest = ["--range", range, "--device", "cpu", "-o", &output];
        assert_done(&canopy(&[&select[..], &[encoder], &rest].concat()));
        output
    };
    let contexts = choose("contexts", &other, "all");
    let upon = |contexts: &str, run: &str| {
        let more = [
            "--preset",
            "catsby-small",
            "--steps",
            "1",
            "--bert",
            &bert,
            "--contexts",
        ];
        train(&desk, run, &[&more[..], &[contexts]].concat())
    };
    assert_done(&upon(&contexts, "run"));
    // The model has the encoder itself.
    fs::remove_dir_all(&other).expect("deleted");
    assert_failed(&upon(&contexts, "without"), &["context_encoder"]);
    let model = desk.path("run/checkpoints/last");
    let description = ModelFolder::open(Path::new(&model)).expect("a model");
    let search = description.contexts.expect("how contexts were found");
    assert_eq!((search.range, search.own_encoder), (Range::All, false));

    let read = Corpus::open(Path::new(&corpus)).expect("a corpus");
    let units = document_units(&read, Split::Train).expect("documents");
    let shown: Vec<&[String]> = units.iter().map(|it| it.shown.as_slice()).collect();
    let ids = read.documents(Split::Train).expect("documents");
    let ids: Vec<String> = ids.map(|it| it.expect("a document").id).collect();
    let of_file = |path: &str| -> Vec<Vec<Option<String>>> {
        let texts = ContextTexts::open(Path::new(path), &read).expect("contexts");
        let of_document = |id: &String| texts.get(Split::Train, id).expect("chosen").to_vec();
        ids.iter().map(of_document).collect()
    };
    let translator = Translator::open(Path::new(&model), DeviceChoice::Cpu).expect("a model");
    let found = contexts_among(&translator, &shown).expect("finite numbers");
    assert_eq!(found, Some(of_file(&contexts)));
    let of_bert = choose("of-bert", &bert, "all");
    assert_ne!(
        found,
        Some(of_file(&of_bert)),
        "the other encoder chooses otherwise"
    );

    let evaluate = [
        "evaluate", "--model", &model, "--corpus", &corpus, "--device", "cpu",
    ];
    let rest = ["--split", "dev", "--contexts"];
    for (file, is_other) in [(&contexts, false), (&choose("each", &bert, "each"), true)] {
        let done = canopy(&[&evaluate[..], &rest, &[file.as_str()]].concat());
        assert_done(&done);
        assert_eq!(
            stderr(&done).contains("was trained with"),
            is_other,
            "{}",
            stderr(&done)
        );
    }
    assert_done(&upon(&of_bert, "own"));
    let own = desk.path("own/checkpoints/last");
    let own = ModelFolder::open(Path::new(&own)).expect("a model");
    assert!(own.contexts.is_some_and(|search| search.own_encoder));
    assert!(own.context_encoder.is_none());

    fs::remove_file(Path::new(&model).join("context-encoder.toml")).expect("deleted");
    let refused = Translator::open(Path::new(&model), DeviceChoice::Cpu);
    let refused = refused.expect_err("no encoder").to_string();
    assert!(refused.contains("context-encoder.toml"), "{refused}");
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
