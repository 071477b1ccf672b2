//! Corpora of document folders, of translation memories and of PO files.

mod folders;
mod po;
mod tmx;

use std::fs;
use std::process::Command;

use canopy::corpus::{Corpus, ParallelDocument, Split};
use serde_json::Value;
use tempfile::TempDir;

use crate::import::tmx::{tmx, unit};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        fs::write(path, text).expect("writes");
    }
    folder
}

fn documents(corpus: &Corpus) -> Vec<ParallelDocument> {
    let splits = Split::ALL.into_iter();
    let mut documents: Vec<ParallelDocument> = splits
        .flat_map(|split| {
            corpus
                .documents(split)
                .expect("opens")
                .map(|document| document.expect("reads"))
        })
        .collect();
    documents.sort_by(|a, b| a.id.cmp(&b.id));
    documents
}

/// Visible texts of both sides.
fn pairs(document: &ParallelDocument) -> Vec<(String, String)> {
    let units = document
        .paragraphs
        .iter()
        .flat_map(|paragraph| &paragraph.units);
    units
        .map(|unit| (unit.visible_source(), unit.visible_target()))
        .collect()
}

#[test]
fn the_command_line_reports_what_was_found() {
    let two = folder(&[
        ("en/a.txt", "Good morning."),
        ("de/a.txt", "Guten Morgen."),
        ("en/b.txt", "Alone."),
    ]);
    let canopy = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        command.current_dir(two.path()).args(["corpus", "import"]);
        command
            .args(arguments)
            .args(["--from", "en", "--to", "de", "--json"]);
        let output = command.output().expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        (
            output.status.code(),
            text,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, text, _) = canopy(&["folders", "--source", "en", "--target", "de", "-o", "out"]);
    let text: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(code, Some(0));
    assert_eq!(
        text["report"]["unpaired_sources"],
        serde_json::json!(["b.txt"])
    );
    assert_eq!(text["report"]["pairs"], 1);
    assert!(text["statistics"]["train"]["units"].is_u64());

    fs::write(two.path().join("memory.tmx"), tmx(&unit("", "One", "Eins"))).expect("writes");
    let (code, text, _) = canopy(&["tmx", "memory.tmx", "-o", "memory"]);
    let text: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, &text["report"]["pairs"]), (Some(0), &Value::from(1)));

    fs::write(two.path().join("memory.tmx"), "").expect("writes");
    let (code, text, error) = canopy(&["tmx", "memory.tmx", "-o", "other"]);
    assert_eq!((code, text.as_str()), (Some(1), ""));
    assert!(error.contains("the file is empty"), "{error}");
}
