//! Scores of the program from outside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::command_line::desk::{Desk, assert_done, assert_failed, canopy, stdout};

const ENGLISH: &str = "Open the file that you want to print. Then press the key, and wait until the program has read all of it. \
    The window closes by itself.\n\
    If you do not want to be asked again, clear the check box. It is in the dialogue for the options of the printer.\n";

fn starter() -> PathBuf {
    canopy::inference::starter_model().expect("shipped")
}

/// Imports a corpus of test documents.
fn corpus(desk: &Desk, english: &str, german: &str) -> String {
    corpus_to("de", desk, english, german)
}

fn corpus_to(language: &str, desk: &Desk, english: &str, other: &str) -> String {
    let target = format!("a.{language}");
    let [source, target] =
        [("a.en", english), (&target, other)].map(|(name, text)| desk.file(name, text));
    let corpus = desk.path("corpus");
    assert_done(&canopy(&[
        "corpus", "import", "text", "--source", &source, "--target", &target, "--from", "en",
        "--to", language, "--split", "test", "-o", &corpus,
    ]));
    corpus
}

/// Writes the translations of a model into `found.txt`, a unit a line.
fn evaluated(desk: &Desk, model: &str, corpus: &str, more: &[&str]) -> Output {
    let found = desk.path("found.txt");
    canopy(
        &[
            &[
                "evaluate",
                "--model",
                model,
                "--corpus",
                corpus,
                "--device",
                "cpu",
                "--hypotheses",
                &found,
                "--force",
            ],
            more,
        ]
        .concat(),
    )
}

fn translations(desk: &Desk, model: &str, corpus: &str, more: &[&str]) -> String {
    assert_done(&evaluated(desk, model, corpus, more));
    desk.read("found.txt")
}

#[test]
fn what_a_model_does_not_read_stands_in_the_translation_that_is_scored() {
    let desk = Desk::new();
    let english = "Write your name here: ________\n";
    let corpus = corpus_to("pt", &desk, english, "Escreva seu nome aqui: ________\n");
    let found = translations(&desk, "starter-en-pt", &corpus, &[]);
    assert!(found.trim_end().ends_with(" ________"), "{found}");
}

#[test]
fn units_cut_into_sentences_are_translated_as_a_document_is() {
    let desk = Desk::new();
    let starter = starter();
    let starter = starter.to_str().expect("a path");
    let corpus = corpus(&desk, ENGLISH, "Eins. Zwei.\nDrei.\n");
    let page = desk.file("page.txt", ENGLISH.replace('\n', "\n\n"));
    let output = canopy(&[
        "translate",
        &page,
        "--model",
        starter,
        "--device",
        "cpu",
        "-o",
        "-",
    ]);
    assert_done(&output);
    let document: Vec<String> = stdout(&output)
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    let cut = translations(&desk, starter, &corpus, &["--cut-sentences"]);
    assert_eq!(cut.lines().collect::<Vec<_>>(), document);
    let whole = translations(&desk, starter, &corpus, &[]);
    assert_ne!(cut, whole);
}

#[test]
fn a_model_says_with_which_length_penalty_it_is_searched() {
    let desk = Desk::new();
    // In 32 bits, where the hypotheses of a beam are the same ones with any processor.
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/help-en-de");
    let corpus = corpus(&desk, ENGLISH, "Eins.\nZwei.\n");
    let own = desk.path("own");
    fs::create_dir(&own).expect("a folder");
    for name in ["vocabulary.json", "weights.safetensors"] {
        fs::copy(shipped.join(name), format!("{own}/{name}")).expect("copies");
    }
    let description = fs::read_to_string(shipped.join("model.toml")).expect("readable");
    let says = |exponent: &str| {
        let text = format!("{description}\n[search]\nlength_penalty = {exponent}\n");
        fs::write(format!("{own}/model.toml"), text).expect("writes");
    };
    says("-20.0");
    let wide = ["--beam", "8"];
    let short = translations(&desk, &own, &corpus, &wide);
    let wide_and_long = [&wide[..], &["--length-penalty", "1"]].concat();
    let wide_and_long = translations(&desk, &own, &corpus, &wide_and_long);
    assert!(short.len() < wide_and_long.len(), "{short}{wide_and_long}");
    says("1.0");
    assert_eq!(translations(&desk, &own, &corpus, &wide), wide_and_long);
    says("nan");
    let refused = evaluated(&desk, &own, &corpus, &[]);
    assert_failed(&refused, &["model.toml", "length_penalty"]);
}

#[test]
fn an_evaluation_at_work_keeps_the_confirmed_form_and_requests_one_before_it() {
    let starter = starter();
    let starter = starter.to_str().expect("a path");
    let desk = Desk::new();
    let english = "You can save your document.\nYou can see your changes here.\n";
    let german = "Du kannst dein Dokument speichern.\nDu siehst deine Änderungen hier.\n";
    let corpus = corpus(&desk, english, german);
    let kept = [
        "--confirmed-history",
        "--keep-formality",
        "hard",
        "--formality",
    ];
    let arguments = |form| [&kept[..], &[form]].concat();
    let refused = evaluated(&desk, starter, &corpus, &arguments("majority"));
    assert_failed(&refused, &["--keep-formality", "majority"]);
    for (form, said, unsaid) in [("sie", "sie", "du"), ("du", "du", "sie")] {
        let translations = translations(&desk, starter, &corpus, &arguments(form)).to_lowercase();
        assert_eq!(translations.lines().count(), 2, "{translations}");
        // Behind the first sentence the form is that of its confirmed translation.
        for (line, (said, unsaid)) in translations.lines().zip([(said, unsaid), ("du", "sie")]) {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(words.contains(&said) && !words.contains(&unsaid), "{line}");
        }
    }
}

#[test]
fn what_is_confirmed_in_a_document_serves_in_the_next_one_of_a_project() {
    let starter = starter();
    let starter = starter.to_str().expect("a path");
    let desk = Desk::new();
    let twice = |text: &str| format!("<d>\n{text}\n<d>\n{text}\n");
    let english = twice("The window closes by itself.");
    let confirmed = "Das Fensterchen geht ganz von allein zu.";
    let corpus = corpus(&desk, &english, &twice(confirmed));
    let alone = translations(&desk, starter, &corpus, &["--confirmed-history"]);
    assert!(!alone.contains("Fensterchen"), "{alone}");
    let project = translations(
        &desk,
        starter,
        &corpus,
        &["--confirmed-history", "--project"],
    );
    let lines: Vec<&str> = project.lines().collect();
    assert_eq!(lines, [alone.lines().next().expect("a line"), confirmed]);
    let refused = evaluated(&desk, starter, &corpus, &["--project"]);
    assert_eq!(
        refused.status.code(),
        Some(2),
        "it needs --confirmed-history"
    );
}

#[test]
fn a_control_with_another_document_says_what_it_exchanged() {
    let desk = Desk::new();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models");
    let english = "<d>\nOpen the file.\nIt is closed now.\n<d>\nPress the key.\nIt is released.\n";
    let german = "<d>\nEins.\nZwei.\n<d>\nDrei.\nVier.\n";
    let corpus = corpus(&desk, english, german);
    for (model, exchanged) in [
        ("help-en-de", "nothing"),
        (
            "starter-en-de",
            "the other source sentences and their translations",
        ),
    ] {
        let model = models.join(model);
        let model = model.to_str().expect("a path");
        let output = evaluated(&desk, model, &corpus, &["--wrong-context"]);
        assert_done(&output);
        let line = format!("of another document: {exchanged}");
        assert!(stdout(&output).contains(&line), "{}", stdout(&output));
        assert_eq!(desk.read("found.txt").lines().count(), 4);
        let plain = evaluated(&desk, model, &corpus, &[]);
        assert!(!stdout(&plain).contains("of another document"));
    }
}

#[test]
fn attention_over_a_corpus_is_reported_with_what_the_context_is_worth() {
    let desk = Desk::new();
    let german =
        "Öffnen Sie die Datei, die Sie drucken möchten.\nSie ist im Dialog.\nSchließen Sie ihn.\n";
    let english = "Open the file that you want to print.\nIt is in the dialogue.\nClose it.\n";
    let corpus = corpus(&desk, english, german);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models");
    let evaluate_with = |model: &str, more: &[&str]| {
        let model = format!("{folder}/{model}");
        let arguments = [
            "attention-statistics",
            "--corpus",
            &corpus,
            "--model",
            &model,
            "--device",
            "cpu",
        ];
        canopy(&[&arguments, more].concat())
    };
    let output = evaluate_with("starter-en-de", &["--json"]);
    assert_done(&output);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["all"]["sentences"], 3);
    let gain = report["all"]["p_cxmi_per_sentence"]
        .as_f64()
        .expect("a number");
    assert!(gain.is_finite() && gain != 0.0, "{gain}");
    let heads = report["attention"].as_array().expect("a list");
    assert!(heads.iter().any(|head| head["head"].is_null()), "{heads:?}");
    for head in heads {
        let shares = head["distances"].as_array().expect("a list");
        let sum: f64 = shares.iter().filter_map(|it| it["share"].as_f64()).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    }
    let output = evaluate_with("starter-en-de", &[]);
    assert_done(&output);
    assert!(stdout(&output).contains("P-CXMI: "), "{}", stdout(&output));
    assert_failed(
        &evaluate_with("help-en-de", &[]),
        &["no attention to other sentences"],
    );
}
