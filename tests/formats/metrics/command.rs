//! `canopy score` from outside.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::{data, json, number};

fn score(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
    command
        .arg("score")
        .args(arguments)
        .output()
        .expect("it starts")
}

fn printed(arguments: &[&str]) -> String {
    let output = score(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn entries(arguments: &[&str]) -> Vec<Value> {
    let text = printed(&[&["-f", "json"], arguments].concat());
    let entries: Value = serde_json::from_str(&text).expect("JSON");
    entries.as_array().expect("a list").clone()
}

fn complaint(arguments: &[&str], code: i32) -> String {
    let output = score(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).expect("UTF-8")
}

fn path(name: &str) -> String {
    data("score").join(name).display().to_string()
}

/// A folder with files for one test.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn with(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path: PathBuf = Path::join(self.0.path(), name);
        std::fs::write(&path, bytes).expect("written");
        path.display().to_string()
    }
}

#[test]
fn every_system_and_metric_has_an_entry_with_its_signature() {
    let (a, b, reference) = (
        path("system-a.de"),
        path("system-b.de"),
        path("reference.de"),
    );
    let entries = entries(&["-r", &reference, "-m", "bleu", "chrf", "ter", &a, &b]);
    let names: Vec<String> = entries
        .iter()
        .map(|entry| format!("{} {}", entry["system"], entry["metric"]))
        .collect();
    assert_eq!(
        names.join(", ").replace('"', ""),
        "system-a.de BLEU, system-a.de chrF2, system-a.de TER, system-b.de BLEU, system-b.de chrF2, system-b.de TER"
    );
    let expected = &json(&data("score/expected.json"))["sets"]["german"]["scores"]["bleu 13a"];
    assert!((number(&entries[0]["score"]) - number(&expected["score"])).abs() < 1e-9);
    let signature = entries[0]["signature"].as_str().expect("a signature");
    assert!(signature.starts_with(expected["signature"].as_str().expect("a signature")));
    assert!(entries[0].get("p_value").is_none());
}

#[test]
fn paired_tests_compare_with_the_first_system() {
    let (a, b, reference) = (
        path("system-a.de"),
        path("system-b.de"),
        path("reference.de"),
    );
    let ids = path("documents.txt");
    for test in ["--paired-bs", "--paired-ar"] {
        for by in [&[][..], &["--by", "document", "--docids", &ids]] {
            let arguments = [
                &["-r", &reference, "-m", "ter", "--confidence", test][..],
                by,
            ]
            .concat();
            let entries = entries(&[&arguments[..], &["--", &a, &b, &a]].concat());
            assert!(entries[0].get("p_value").is_none());
            let p = |entry: &Value| number(&entry["p_value"]);
            assert!((0.0..=1.0).contains(&p(&entries[1])), "{entries:?}");
            assert!(
                (p(&entries[2]) - 1.0).abs() < 1e-12,
                "the same translations: {entries:?}"
            );
            let interval = |place: usize, field: &str| number(&entries[place]["interval"][field]);
            assert!(interval(1, "lower") < number(&entries[1]["score"]));
            assert!(interval(1, "upper") > number(&entries[1]["score"]));
            let signature = entries[0]["signature"].to_string();
            assert_eq!(
                signature.contains("by:document"),
                !by.is_empty(),
                "{signature}"
            );
        }
    }
}

#[test]
fn levels_runs_and_preparation_are_labelled() {
    let (a, b, reference) = (
        path("system-a.de"),
        path("system-b.de"),
        path("reference.de"),
    );
    let ids = path("documents.txt");
    let levels = entries(&[
        &a,
        "-r",
        &reference,
        "--docids",
        &ids,
        "--level",
        "sentence,document",
    ]);
    assert_eq!(
        [&levels[0]["metric"], &levels[1]["metric"]],
        ["s-BLEU", "d-BLEU"]
    );
    assert!(number(&levels[1]["score"]) > number(&levels[0]["score"]));

    let runs = entries(&[&a, &b, "-r", &reference, "--runs", "2"]);
    let single = entries(&[&a, &b, "-r", &reference]);
    let [one, two] = [&single[0], &single[1]].map(|entry| number(&entry["score"]));
    assert_eq!(runs.len(), 1);
    assert!(runs[0].get("details").is_none() && single[0].get("details").is_some());
    assert!((number(&runs[0]["score"]) - f64::midpoint(one, two)).abs() < 1e-9);
    let deviation = (one - two).abs() / 2_f64.sqrt();
    assert!((number(&runs[0]["deviation"]) - deviation).abs() < 1e-9);

    let tokenised = entries(&[
        &a,
        "-r",
        &reference,
        "--moses",
        "de",
        "--truecase",
        &reference,
    ]);
    assert_eq!(tokenised[0]["metric"], "tok-BLEU");
    let signature = tokenised[0]["signature"].as_str().expect("a signature");
    assert!(
        signature.contains("prepared:moses-de+truecase|"),
        "{signature}"
    );
    assert!(signature.contains("tok:none|"), "{signature}");
}

#[test]
fn tables_are_for_people_and_papers() {
    let (a, b, reference) = (
        path("system-a.de"),
        path("system-b.de"),
        path("reference.de"),
    );
    let arguments = [
        "-r",
        &reference,
        "-m",
        "bleu",
        "ter",
        "--paired-ar",
        "--",
        &a,
        &b,
    ];
    let text = printed(&arguments);
    for part in [
        "BLEU ↑",
        "TER ↓",
        "system-b.de",
        "p = ",
        "approximate randomisation, 10,000 trials",
        "nrefs:1|ar:10000|seed:12345|case:mixed|",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "colours where no terminal is");
    let files = Files::new();
    let odd = files.with("100%_a&b.txt", std::fs::read(&a).expect("read"));
    let latex = printed(&["-r", &reference, "-f", "latex", &a, &odd]);
    for part in [
        "\\toprule",
        "100\\%\\_a\\&b.txt & \\textbf{",
        "\\bottomrule",
        "% BLEU: nrefs:1|",
    ] {
        assert!(latex.contains(part), "{part:?} is not in\n{latex}");
    }
    let paired = ["-r", &reference, "-f", "latex", "--paired-ar", "--", &a, &b];
    let latex = printed(&paired);
    assert!(latex.contains("% BLEU: system-b.de p "), "{latex}");
    let segments = printed(&["-r", &reference, "--sentence-level", "-w", "1", &a]);
    assert_eq!(segments.lines().count(), 121);
    assert_eq!(segments.lines().next(), Some("system-a.de BLEU"));
}

#[test]
fn marks_and_line_ends_of_windows_change_nothing() {
    let files = Files::new();
    let plain = files.with("plain.txt", "ein Satz hier .\nnoch ein Satz .\n");
    let windows = files.with(
        "windows.txt",
        "\u{FEFF}ein Satz hier .\r\nnoch ein Satz .\r\n",
    );
    for (hypothesis, reference) in [(&plain, &windows), (&windows, &plain)] {
        let entries = entries(&[
            "-r",
            reference,
            "-m",
            "chrf",
            "--chrf-whitespace",
            "--",
            hypothesis,
        ]);
        assert!((number(&entries[0]["score"]) - 100.0).abs() < 1e-9);
    }
}

#[test]
fn bad_files_are_named_with_their_lines() {
    let files = Files::new();
    let two = files.with("two.txt", "a\nb\n");
    let three = files.with("three.txt", "a\nb\nc\n");
    let empty = files.with("empty.txt", "");
    let latin = files.with("latin.txt", b"a\nStra\xDFe\n");
    let check = |arguments: &[&str], parts: &[&str]| {
        let error = complaint(arguments, 1);
        for part in parts {
            assert!(error.contains(part), "{part:?} is not in {error}");
        }
    };
    check(
        &["-r", &two, &three],
        &["three.txt", "3 lines", "two.txt", "2", "line 3"],
    );
    check(&["-r", &two, "-r", &three, &two], &["three.txt", "line 3"]);
    check(&["-r", &empty, &empty], &["only empty lines", "empty.txt"]);
    check(&["-r", &two, &latin], &["latin.txt", "line 2", "UTF-8"]);
    check(
        &["-r", &two, "--docids", &three, "--by", "document", &two],
        &["three.txt", "line 3"],
    );
    check(&["-r", &two, "missing.txt"], &["missing.txt"]);
}

#[test]
fn wrong_usage_is_explained() {
    let files = Files::new();
    let two = files.with("two.txt", "a\nb\n");
    for (arguments, part) in [
        (&["-r", &two][..], "at least one file"),
        (
            &["-r", &two, "-m", "blue", &two],
            "'blue' is neither a metric",
        ),
        (
            &["-r", &two, "-m", "bleu", "chrff", &two],
            "'chrff' is neither a metric",
        ),
        (&["-r", &two, "--paired-bs", &two], "second system"),
        (
            &["-r", &two, &two, "--paired-ar", "-m", "bleu", &two],
            "in one place",
        ),
        (&["-r", &two, "--runs", "2", &two], "training runs"),
        (&["-r", &two, "--by", "document", &two], "--docids"),
        (&["-r", &two, "--level", "document", &two], "--docids"),
        (
            &["-r", &two, "--smooth-value", "1", &two],
            "--smooth-method",
        ),
        (
            &["-r", &two, "--paired-bs", "--paired-ar", &two, &two],
            "cannot be used",
        ),
    ] {
        let error = complaint(arguments, 2);
        assert!(error.contains(part), "{part:?} is not in {error}");
    }
}

#[test]
fn translations_that_look_tokenised_get_a_warning() {
    let files = Files::new();
    let tokenised = files.with("tokenised.txt", "ein Satz .\n".repeat(100));
    let warning = |options: &[&str]| {
        let output = score(&[&["-r", &tokenised, &tokenised], options].concat());
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(warning(&[]).contains("tokenised.txt looks tokenised"));
    for options in [
        &["--force"][..],
        &["--tokenize", "none"],
        &["--moses", "de"],
    ] {
        assert_eq!(warning(options), "", "{options:?}");
    }
}
