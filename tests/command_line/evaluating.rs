//! Scores of the program from outside.

use std::fs;
use std::path::PathBuf;

use crate::desk::{Desk, assert_done, assert_failed, canopy, stdout};

const ENGLISH: &str = "Open the file that you want to print. Then press the key, and wait until the program has read all of it. \
    The window closes by itself.\n\
    If you do not want to be asked again, clear the check box. It is in the dialogue for the options of the printer.\n";

fn starter() -> PathBuf {
    canopy::inference::starter_model().expect("shipped")
}

/// Imports a corpus of test documents.
fn corpus(desk: &Desk, english: &str, german: &str) -> String {
    let [source, target] =
        [("a.en", english), ("a.de", german)].map(|(name, text)| desk.file(name, text));
    let corpus = desk.path("corpus");
    assert_done(&canopy(&[
        "corpus", "import", "text", "--source", &source, "--target", &target, "--from", "en",
        "--to", "de", "--split", "test", "-o", &corpus,
    ]));
    corpus
}

/// The translations of a model, a unit a line.
fn translations(desk: &Desk, model: &str, corpus: &str, more: &[&str]) -> String {
    let found = desk.path("found.txt");
    let output = canopy(
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
    );
    assert_done(&output);
    desk.read("found.txt")
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
    let shipped = starter();
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
    let short = translations(&desk, &own, &corpus, &[]);
    let asked = translations(&desk, &own, &corpus, &["--length-penalty", "1"]);
    assert!(short.len() < asked.len(), "{short}{asked}");
    says("1.0");
    assert_eq!(translations(&desk, &own, &corpus, &[]), asked);
    says("nan");
    let output = canopy(&["evaluate", "--model", &own, "--corpus", &corpus]);
    assert_failed(&output, &["model.toml", "length_penalty"]);
}

#[test]
fn an_evaluation_at_work_keeps_the_confirmed_form_and_asks_for_one_before_it() {
    let starter = starter();
    let starter = starter.to_str().expect("a path");
    let desk = Desk::new();
    let english = "You can save your document.\nYou can see your changes here.\n";
    let german = "Du kannst dein Dokument speichern.\nDu siehst deine Änderungen hier.\n";
    let (corpus, found) = (corpus(&desk, english, german), desk.path("found.txt"));
    let evaluated = |form: &str| {
        canopy(&[
            "evaluate",
            "--model",
            starter,
            "--corpus",
            &corpus,
            "--device",
            "cpu",
            "--at-work",
            "--keep-address",
            "hard",
            "--address",
            form,
            "--hypotheses",
            &found,
            "--force",
        ])
    };
    assert_failed(&evaluated("commonest"), &["--keep-address", "commonest"]);
    for (form, said, unsaid) in [("sie", "sie", "du"), ("du", "du", "sie")] {
        assert_done(&evaluated(form));
        let translations = desk.read("found.txt").to_lowercase();
        // Behind the first sentence the form is that of its confirmed translation.
        for (line, (said, unsaid)) in translations.lines().zip([(said, unsaid), ("du", "sie")]) {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(words.contains(&said) && !words.contains(&unsaid), "{line}");
        }
    }
}
