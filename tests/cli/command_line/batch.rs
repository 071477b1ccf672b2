//! `canopy translate` of folders and lists, by several processes that are killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::command_line::desk::{
    Desk, PAGE, assert_done, assert_failed, canopy, canopy_with, stderr, stdout,
};

/// The fate of each document.
fn outcomes(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let field = |name: &str| line[name].as_str().expect("a text").to_owned();
        (field("document"), field("outcome"))
    });
    lines.collect()
}

fn desk_of(names: &[&str]) -> Desk {
    let desk = Desk::new();
    for name in names {
        let path = desk.path(&format!("in/{name}"));
        fs::create_dir_all(Path::new(&path).parent().expect("below")).expect("a folder");
        fs::write(path, PAGE).expect("a file");
    }
    desk
}

#[test]
fn a_folder_is_translated_once_and_keeps_its_paths() {
    let desk = desk_of(&["a.html", "sub/b.html", "picture.png"]);
    let (from, to) = (desk.path("in"), desk.path("out"));
    let output = desk.translate(&[&from, "-o", &to]);
    assert_done(&output);
    assert!(stderr(&output).contains("1 files of unknown formats are left out"));
    let found = outcomes(&stdout(&output));
    assert_eq!(found.len(), 2);
    assert!(found.values().all(|outcome| outcome == "translated"));
    let alone = stdout(&desk.translate(&[&desk.path("in/sub/b.html")]));
    assert_eq!(desk.read("out/sub/b.html"), alone);
    let output = desk.translate(&[&from, "-o", &to]);
    assert!(
        outcomes(&stdout(&output))
            .values()
            .all(|it| it == "unchanged")
    );
    // Another search is another translation.
    for [option, value] in [["--beam", "1"], ["--formality", "sie"]] {
        let output = desk.translate(&[&from, "-o", &to, option, value]);
        assert!(
            outcomes(&stdout(&output))
                .values()
                .all(|it| it == "translated"),
            "{option}"
        );
    }
}

#[test]
fn the_worst_document_decides_how_a_batch_ends() {
    let desk = desk_of(&["a.html", "c.html"]);
    fs::write(desk.path("in/b.docx"), "no zip").expect("a file");
    let (from, to) = (desk.path("in"), desk.path("out"));
    let output = canopy(&["translate", &from, "-o", &to, "--pseudo", "accents"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("1 of 3 documents failed"));
    let found = outcomes(&stdout(&output));
    assert_eq!(found["b.docx"], "failed");
    assert_eq!(found["c.html"], "translated");
    assert!(!Path::new(&desk.path("out/b.docx")).exists());
    // Another person's file in the place of a translation.
    fs::write(desk.path("in/d.html"), PAGE).expect("a file");
    fs::write(desk.path("out/d.html"), "mine").expect("a file");
    canopy(&["translate", &from, "-o", &to, "--pseudo", "accents"]);
    assert_eq!(desk.read("out/d.html"), "mine");
}

#[test]
fn a_batch_needs_a_folder_and_has_no_single_trace() {
    let desk = desk_of(&["a.html"]);
    let from = desk.path("in");
    for arguments in [
        &[&from[..]][..],
        &[&from, "-o", "-"],
        &[&from, "-o", "x", "--trace", "x.json"],
    ] {
        let output = desk.translate(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
    let into_itself = canopy(&["translate", &from, "-o", &from, "--pseudo", "identity"]);
    assert_failed(&into_itself, &["a.html"]);
    let output = canopy(&[
        "translate",
        "--list",
        "absent.txt",
        "-o",
        &from,
        "--pseudo",
        "identity",
    ]);
    assert_failed(&output, &["absent.txt"]);
}

#[test]
fn a_list_and_its_parts() {
    let desk = desk_of(&["a.html", "b.html", "c.html"]);
    let list: Vec<String> = ["a", "b", "c"]
        .iter()
        .map(|name| desk.path(&format!("in/{name}.html")))
        .collect();
    let list = list.join("\n");
    let out = desk.path("out");
    let part = |shard: &str| {
        let arguments = [
            "translate",
            "--list",
            "-",
            "-o",
            &out,
            "--pseudo",
            "accents",
            "--shard",
            shard,
        ];
        outcomes(&stdout(&canopy_with(&arguments, &list)))
    };
    let (one, other) = (part("1/2"), part("2/2"));
    assert_eq!(one.keys().collect::<Vec<_>>(), ["a.html", "c.html"]);
    assert_eq!(other.keys().collect::<Vec<_>>(), ["b.html"]);
    assert!(
        one.values()
            .chain(other.values())
            .all(|it| it == "translated")
    );
}

/// A process that translates a folder; its lines go to a file.
fn start(from: &str, to: &str, log: &Path) -> Child {
    let log = fs::File::create(log).expect("a file");
    Command::new(env!("CARGO_BIN_EXE_canopy"))
        .args(["translate", from, "-o", to, "--pseudo", "accents"])
        .stdout(log)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

#[test]
fn processes_that_are_killed_lose_and_double_nothing() {
    const NUM: usize = 300;
    let names: Vec<String> = (0..NUM)
        .map(|number| format!("{}/{number}.html", number % 7))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let desk = desk_of(&names);
    let (from, to) = (desk.path("in"), desk.path("out"));
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut logs: Vec<PathBuf> = Vec::new();
    let mut begin = || {
        let log = PathBuf::from(desk.path(&format!("{}.log", logs.len())));
        let process = start(&from, &to, &log);
        logs.push(log);
        process
    };
    let mut processes: Vec<Child> = (0..3).map(|_| begin()).collect();
    for _ in 0..12 {
        thread::sleep(Duration::from_millis(rng.random_range(20..120)));
        let victim = rng.random_range(0..processes.len());
        let _ = processes[victim].kill();
        let _ = processes[victim].wait();
        processes[victim] = begin();
    }
    for mut process in processes {
        assert!(process.wait().expect("an end").success());
    }
    let undisturbed = desk.path("undisturbed");
    assert_done(&canopy(&[
        "translate",
        &from,
        "-o",
        &undisturbed,
        "--pseudo",
        "accents",
    ]));
    for name in &names {
        assert_eq!(
            desk.read(&format!("out/{name}")),
            desk.read(&format!("undisturbed/{name}")),
            "{name}"
        );
    }
    let mut translated: BTreeMap<String, usize> = BTreeMap::new();
    for log in &logs {
        let text = fs::read_to_string(log).expect("a log");
        // A process may be killed within a line.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for (document, outcome) in outcomes(whole) {
            *translated.entry(document).or_default() += usize::from(outcome == "translated");
        }
    }
    assert!(
        translated.values().all(|&count| count <= 1),
        "{translated:?}"
    );
    let reported = translated.values().sum::<usize>();
    assert!(
        reported + 12 >= NUM,
        "{reported} of {NUM} are reported as translated"
    );
    let state = fs::read_dir(desk.path("out/.canopy-batch")).expect("a folder");
    let left = state.filter(|entry| {
        let path = entry.as_ref().expect("an entry").path();
        path.extension().is_some_and(|ending| ending == "lease")
    });
    assert_eq!(left.count(), 0, "leases are left");
}
