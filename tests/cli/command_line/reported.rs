//! Uses of the command line that were reported as missing.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::command_line::desk::{Desk, PAGE, assert_done, canopy, canopy_with, stderr, stdout};

#[test]
fn references_stand_before_the_dashes_and_files_may_be_packed_or_piped() {
    let desk = Desk::new();
    let text = "the cat sat on the mat today\nand the dog sat on the log\n";
    let first = desk.file("a.txt", text);
    let second = desk.file("b.txt", "a cat was on a mat today\nthe dog was on a log\n");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).expect("packed");
    let packed = desk.file("h.txt.gz", packed.finish().expect("packed"));
    let wanted = canopy(&["score", "-r", &first, "-r", &second, "-f", "json", &first]);
    assert_done(&wanted);
    let score = |output: &std::process::Output| {
        assert_done(output);
        let report: Value = serde_json::from_str(&stdout(output)).expect("JSON");
        report
            .to_string()
            .replace("h.txt.gz", "a.txt")
            .replace("\"-\"", "\"a.txt\"")
    };
    let wanted = score(&wanted);
    assert!(wanted.contains("nrefs:2"), "{wanted}");
    for arguments in [
        ["-r", &first, &second, "-f", "json", "--", &packed],
        ["-f", "json", "-r", &first, &second, "--", "-"],
    ] {
        let all: Vec<&str> = std::iter::once("score").chain(arguments).collect();
        assert_eq!(score(&canopy_with(&all, text)), wanted, "{arguments:?}");
    }
    let twice = canopy_with(&["score", "-r", "-", "--", "-"], text);
    assert_eq!(twice.status.code(), Some(2));
    assert!(stderr(&twice).contains("standard input"));
}

#[test]
fn sentences_are_listed_without_a_model() {
    let desk = Desk::new();
    let page = desk.file("a.html", PAGE);
    let output = canopy(&["translate", "--json", "--pseudo", "identity", &page]);
    assert_done(&output);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(report["sentences"][0]["source"], "Open the ⟨1⟩file⟨/1⟩.");
    assert_eq!(report["sentences"][1]["source"], "Close the window.");
    assert_eq!(report["sentences"][1]["target"], "Close the window.");
    let output = canopy(&[
        "translate",
        "--export",
        "tsv",
        "--pseudo",
        "identity",
        &page,
    ]);
    assert_done(&output);
    assert_eq!(
        stdout(&output),
        "Open the file.\tOpen the file.\nClose the window.\tClose the window.\n"
    );
}

#[test]
fn a_share_of_files_is_translated_once() {
    let desk = Desk::new();
    let files = ["a.html", "b.html"].map(|name| desk.file(name, PAGE));
    std::fs::create_dir(desk.path("out")).expect("a folder");
    let share = |share: &str| {
        let out = desk.path("out");
        let arguments = [
            "translate",
            "--pseudo",
            "accents",
            "-o",
            &out,
            "--shard",
            share,
        ];
        let files = files.iter().map(String::as_str);
        canopy(&arguments.into_iter().chain(files).collect::<Vec<_>>())
    };
    assert_done(&share("1/2"));
    assert!(desk.read("out/a.html").contains("Ćĺóóśéé"));
    assert!(!std::path::Path::new(&desk.path("out/b.html")).exists());
    let again = share("1/2");
    assert_done(&again);
    assert!(stdout(&again).contains("unchanged"), "{}", stdout(&again));
    assert_done(&share("2/2"));
    assert_eq!(desk.read("out/b.html"), desk.read("out/a.html"));
}

#[test]
fn an_import_says_what_is_missing_and_where() {
    let desk = Desk::new();
    let import = |arguments: &[&str]| {
        let out = desk.path("corpus");
        let own = ["corpus", "import"];
        let languages = ["--from", "en", "--to", "de", "-o", &out, "--force"];
        canopy(&[&own[..], arguments, &languages].concat())
    };
    let table = desk.file("a.tsv", "Open\tAuf\nClose\n");
    let output = import(&["tsv", &table]);
    assert!(stderr(&output).contains("line 2: expected a source and a target"));
    assert!(!stderr(&output).contains("memory"), "{}", stderr(&output));
    let memory = desk.file(
        "a.tmx",
        "<tmx version=\"1.4\"><header/><body><tu/></body></tmx>",
    );
    let output = import(&["tmx", &memory]);
    assert!(
        stderr(&output).contains("no segment"),
        "{}",
        stderr(&output)
    );
    let (english, german) = (
        desk.file("a.en", "Open\n\nClose\n\n"),
        desk.file("a.de", "Auf\nZu\n\n\n"),
    );
    let output = import(&["text", "--source", &english, "--target", &german]);
    assert_done(&output);
    assert!(
        stdout(&output)
            .starts_with("1 pairs of lines; left out: 1 only in the source (lines 3), 1 only in the target (lines 2), 1 empty"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn other_translations_of_each_sentence_are_listed_with_their_markup() {
    let desk = Desk::new();
    let page = desk.file("a.html", PAGE);
    let output = desk.translate(&["--json", "--alternatives", "2", &page]);
    assert_done(&output);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let sentences = report["sentences"].as_array().expect("sentences");
    let mut found = 0;
    for sentence in sentences {
        let alternatives = sentence["alternatives"].as_array().expect("a list");
        assert!(alternatives.len() <= 2, "{sentence}");
        found += alternatives.len();
        for other in alternatives {
            assert_ne!(other, &sentence["target"]);
            let [other, source] =
                [other, &sentence["source"]].map(|it| it.as_str().expect("a text"));
            assert_eq!(
                other.matches('⟨').count(),
                source.matches('⟨').count(),
                "{sentence}"
            );
        }
    }
    assert!(found > 0, "{report}");
    let without = desk.translate(&["--json", &page]);
    let without: Value = serde_json::from_str(&stdout(&without)).expect("JSON");
    assert_eq!(without["sentences"][0]["alternatives"], Value::Null);
    let alone = desk.translate(&["--alternatives", "2", &page]);
    assert_eq!(alone.status.code(), Some(2), "{}", stderr(&alone));
}
