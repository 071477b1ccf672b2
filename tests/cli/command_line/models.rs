//! Models are trained, evaluated and described.

use std::fs;
use std::path::Path;

use canopy::weights::{Precision, read_tensors, write_tensors};
use serde_json::Value;

use crate::command_line::desk::{
    Desk, assert_done, assert_failed, canopy, canopy_with, stderr, stdout,
};
use crate::command_line::tiny;

#[test]
fn a_model_is_trained_resumed_evaluated_and_used() {
    let desk = Desk::new();
    let (corpus, run) = (desk.path("corpus"), desk.path("run"));
    tiny::corpus(Path::new(&corpus));
    let settings = desk.file("run.toml", "vocab_size = 340\nbatch_tokens = 100\n");
    let train = |arguments: &[&str]| {
        canopy(&[&["train", "--device", "cpu", "--run", &run], arguments].concat())
    };
    let output = train(&[
        "--corpus", &corpus, "--config", &settings, "--steps", "1", "--seed", "5",
    ]);
    assert_done(&output);
    assert!(
        stderr(&output).contains("parameters") && stderr(&output).contains("finished after step 1"),
        "{}",
        stderr(&output)
    );
    assert_failed(
        &train(&["--corpus", &corpus, "--steps", "2"]),
        &["--resume", "run"],
    );
    let output = train(&["--resume", "--steps", "2"]);
    assert_done(&output);
    assert!(
        stderr(&output).contains("finished after step 2"),
        "{}",
        stderr(&output)
    );
    let kept = desk.read("run/config.toml");
    assert!(
        kept.contains("seed = 5")
            && kept.contains("batch_tokens = 100")
            && kept.contains("steps = 2"),
        "{kept}"
    );

    let model = format!("{run}/checkpoints/best");
    let output = canopy(&[
        "evaluate", "--device", "cpu", "--beam", "1", "--model", &model, "--corpus", &corpus,
        "--json",
    ]);
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (
            &report["scores"][0]["segments"],
            &report["scores"][0]["count"]
        ),
        (&"all".into(), &1.into())
    );
    let lines = desk.path("lines.txt");
    let evaluate = [
        "evaluate",
        "--device",
        "cpu",
        "--beam",
        "1",
        "--model",
        &model,
        "--corpus",
        &corpus,
        "--hypotheses",
        &lines,
    ];
    assert_done(&canopy(&evaluate));
    assert_eq!(desk.read("lines.txt").lines().count(), 1);
    assert_failed(&canopy(&evaluate), &["lines.txt"]);
    let both = [&evaluate[..9], &["--output", &lines]].concat();
    let output = canopy(&both);
    assert_done(&output);
    for part in ["lines.txt", "chrF2", "+0.00  p = 1.000", "by source words"] {
        assert!(stdout(&output).contains(part), "{}", stdout(&output));
    }
    let output = canopy(&[both.as_slice(), &["--json"]].concat());
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["systems"][1]["model"], "lines.txt");
    assert_eq!(report["comparison"]["systems"][1]["scores"][0]["p"], 1.0);
    assert_eq!(
        report["comparison"]["segments"][0]["scores"][1],
        report["comparison"]["segments"][0]["scores"][0]
    );
    assert_two_of_a_name_are_distinguished(&evaluate, &model, &run);
    let short = desk.file("short.txt", "");
    assert_failed(
        &canopy(&["evaluate", "--corpus", &corpus, "--output", &short]),
        &["short.txt", "0 lines", "1 segments"],
    );
    assert_done(&canopy_with(
        &[
            "translate",
            "--device",
            "cpu",
            "--beam",
            "1",
            "--model",
            &model,
        ],
        "Open the file.",
    ));
}

#[test]
fn a_model_is_described_by_its_parts() {
    for preset in ["x-transformer-small", "selective", "rnnsearch-small"] {
        let output = canopy(&["model", "describe", preset, "--json"]);
        assert_done(&output);
        let description: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let parts = description["parts"].as_array().expect("parts");
        let sum: u64 = parts
            .iter()
            .filter_map(|part| part["parameters"].as_u64())
            .sum();
        assert_eq!(Some(sum), description["parameters"].as_u64(), "{preset}");
    }
    let folder = tiny::model_folder();
    let output = canopy(&["model", "describe", &folder.path().to_string_lossy()]);
    assert_done(&output);
    assert!(stdout(&output).contains("in all"), "{}", stdout(&output));
    let unknown = canopy(&["model", "describe", "no-such-model"]);
    assert_failed(&unknown, &["no-such-model", "selective-small"]);
}

#[test]
fn nothing_is_said_of_a_licence_that_is_not_known() {
    let folder = tiny::model_folder();
    let path = folder.path().join("model.toml");
    let listed = || {
        stdout(&canopy(&[
            "model",
            "describe",
            &folder.path().to_string_lossy(),
        ]))
    };
    assert!(listed().contains("en to de, licence MIT\n"), "{}", listed());
    let text = fs::read_to_string(&path).expect("readable");
    let text = text.replace("licence = \"MIT\"", "licence = \"\"");
    fs::write(&path, text).expect("writes");
    assert!(listed().contains("en to de\n"), "{}", listed());
}

#[test]
fn hypotheses_are_replaced_only_with_force() {
    let desk = Desk::new();
    let (corpus, lines) = (desk.path("corpus"), desk.file("lines.txt", "mine\n"));
    tiny::corpus(Path::new(&corpus));
    let model = desk.model.path().to_str().expect("a name");
    let evaluate = [
        "evaluate",
        "--device",
        "cpu",
        "--beam",
        "1",
        "--model",
        model,
        "--corpus",
        &corpus,
        "--hypotheses",
        &lines,
    ];
    assert_failed(&canopy(&evaluate), &["lines.txt", "--force"]);
    assert_done(&canopy(&[&evaluate[..], &["--force"]].concat()));
    assert_ne!(desk.read("lines.txt"), "mine\n");
}

#[test]
fn a_folder_that_is_no_model_says_where_one_is() {
    let desk = Desk::new();
    desk.file("run/checkpoints/last/model.toml", "");
    desk.file("notes/one.txt", "Open.");
    for (folder, words) in [
        ("run", ["training run", "run/checkpoints/last"]),
        ("notes", ["no model.toml", "notes"]),
    ] {
        let model = desk.path(folder);
        let arguments = ["translate", "--device", "cpu", "--model", &model];
        assert_failed(&canopy_with(&arguments, "Open."), &words);
    }
}

/// Both have the name of their preset.
fn assert_two_of_a_name_are_distinguished(evaluate: &[&str], model: &str, run: &str) {
    let last = format!("{run}/checkpoints/last");
    let two = [
        &evaluate[..7],
        &[last.as_str()],
        &evaluate[7..9],
        &["--json"],
    ]
    .concat();
    let output = canopy(&two);
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["systems"][0]["model"], model);
    assert_eq!(report["comparison"]["systems"][1]["name"], last.as_str());
}

#[test]
fn a_sample_run_takes_no_folder_that_holds_something() {
    let desk = Desk::new();
    desk.file("mine/notes.txt", "Keep this.");
    let mine = desk.path("mine");
    assert_failed(&canopy(&["demo", "--run", &mine]), &["mine", "exists"]);
    assert_eq!(desk.read("mine/notes.txt"), "Keep this.");
    let entries = fs::read_dir(&mine).expect("a folder");
    assert_eq!(entries.count(), 1);
}

#[test]
fn a_shortlist_is_made_for_a_model_and_serves_that_one_alone() {
    let desk = Desk::new();
    let model = desk.model.path().to_str().expect("a name");
    let memory = desk.file("memory.tsv", "Open the file.\tÖffnen Sie die Datei.\n");
    let list = desk.path("list.bin");
    let make = ["model", "shortlist", "--model", model, "-o", &list];
    assert_failed(&canopy(&make), &["--memory", "has no memory"]);
    let make = [make.as_slice(), &["--memory", &memory]].concat();
    let output = canopy(&make);
    assert_done(&output);
    assert!(stdout(&output).contains("from 1 translations"));
    assert_failed(&canopy(&make), &["--force"]);
    let page = desk.file("page.txt", "Open the file.\n");
    let all = stdout(&desk.translate(&[&page]));
    let output = desk.translate(&[&page, "--shortlist", &list]);
    assert_done(&output);
    assert!(!stdout(&output).is_empty() && !all.is_empty());
    // It knows its vocabulary, and when it was damaged.
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/help-en-de");
    let foreign = ["translate", &page, "--device", "cpu", "--model", other];
    let foreign = [foreign.as_slice(), &["--shortlist", &list]].concat();
    assert_failed(&canopy(&foreign), &["list.bin", "canopy model shortlist"]);
    let mut bytes = fs::read(&list).expect("a file");
    bytes[60] ^= 1;
    fs::write(&list, bytes).expect("a file");
    assert_failed(
        &desk.translate(&[&page, "--shortlist", &list]),
        &["damaged"],
    );
}

#[test]
fn a_model_with_weights_of_8_bits_searches_with_8_bits() {
    let desk = Desk::new();
    let weights = desk.model.path().join("weights.safetensors");
    let tensors = read_tensors(&weights).expect("tensors");
    let log_prob = |more: &[&str]| {
        let model = desk.model.path().to_str().expect("a path");
        let translate = ["translate", "--device", "cpu", "--json", "--model", model];
        let output = canopy_with(&[&translate, more].concat(), "Open the file.");
        assert_done(&output);
        let log_prob: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        log_prob["sentences"][0]["log_prob"]
            .as_f64()
            .expect("a number")
    };
    let [none, int8] = ["none", "int8"].map(|name| log_prob(&["--quantize", name]));
    assert!((none - int8).abs() > 0.0, "{none}");
    assert!((log_prob(&[]) - none).abs() < 1e-9);
    write_tensors(&weights, &tensors, Precision::Int8).expect("written");
    let [none, int8] = ["none", "int8"].map(|name| log_prob(&["--quantize", name]));
    assert!((none - int8).abs() > 0.0, "{none}");
    assert!((log_prob(&[]) - int8).abs() < 1e-9);
}
