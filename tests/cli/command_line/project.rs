//! `canopy project`: what was done on documents.

use serde_json::Value;

use crate::command_line::desk::{Desk, assert_done, canopy, stderr, stdout};

fn json(output: &std::process::Output) -> Value {
    serde_json::from_str(&stdout(output)).expect("JSON")
}

#[test]
fn a_document_that_nobody_worked_on_has_no_history() {
    let desk = Desk::new();
    let page = desk.file("page.html", "<p>Open the file.</p><p>Close it.</p>");
    let history = canopy(&["project", "history", &page]);
    assert_done(&history);
    assert_eq!(stdout(&history), "");
    let history = json(&canopy(&["project", "history", &page, "--json"]));
    assert_eq!(history["sentences"], Value::Array(vec![]));
    let wrong = canopy(&["project", "history", &page, "--sentence", "3"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("the document has 2"));
}

const SECOND: &str = "<p>Open the <b>file</b>.</p><p>Save 3 files now.</p>";

/// A project of two pages with the tiny model.
fn project(desk: &Desk) -> String {
    let folder = desk.path("book");
    let first = desk.file("first.html", crate::command_line::desk::PAGE);
    let second = desk.file("second.html", SECOND);
    let memory = desk.file("old.tsv", "Close the window.\tFenster schließen.\n");
    let terms = desk.file("terms.csv", "source,target\nfile,Datei\n");
    let model = desk.model.path().to_str().expect("a name");
    let more = [
        "--from", "en", "--to", "de", "--model", model, "--memory", &memory,
    ];
    let new = ["project", "new", &folder, &first, "--terms", &terms];
    assert_done(&canopy(&[&new[..], &more].concat()));
    assert_done(&canopy(&["project", "add", &folder, &second]));
    folder
}

#[test]
fn a_project_has_several_termbases_in_an_order() {
    let desk = Desk::new();
    let folder = project(&desk);
    let own = desk.file("own.tsv", "page\tSeite\n");
    let office = desk.path("book/terms.csv");
    let settings = ["project", "settings", &folder];
    let terms = ["--terms", &own, "--terms", &office];
    assert_done(&canopy(&[&settings[..], &terms].concat()));
    let printed = stdout(&canopy(&settings));
    for line in ["termbase 1  own.tsv", "termbase 2  terms.csv"] {
        assert!(printed.contains(line), "{printed}");
    }
    assert_done(&canopy(&[&settings[..], &["--no-terms"]].concat()));
    let printed = stdout(&canopy(&settings));
    assert!(printed.contains("termbase    none"), "{printed}");
}

#[test]
fn a_project_is_begun_translated_counted_and_written() {
    let desk = Desk::new();
    let folder = project(&desk);
    let head = desk.read("book/canopy-project.toml");
    assert!(
        head.contains("sources/second.html") && head.contains("memory = \"old.tsv\""),
        "{head}"
    );
    let status = || json(&canopy(&["project", "status", &folder, "--json"]));
    assert_eq!(status()["total"]["untranslated"], 4);
    let translate = [
        "project",
        "translate",
        &folder,
        "--device",
        "cpu",
        "--beam",
        "1",
    ];
    assert_done(&canopy(&translate));
    let now = status();
    assert_eq!(
        (&now["total"]["untranslated"], &now["total"]["draft"]),
        (&Value::from(0), &Value::from(4))
    );
    let status = stdout(&canopy(&["project", "status", &folder]));
    assert!(
        status.contains("sources/first.html") && status.contains("repeated"),
        "{status}"
    );
    // Translations of the memory are distinguished from the model's.
    let page = desk.path("book/sources/first.html");
    let history = json(&canopy(&["project", "history", &page, "--json"]));
    let origin = |sentence: usize| history["sentences"][sentence]["history"][0]["origin"].clone();
    assert_eq!(
        (origin(0), origin(1)),
        (Value::from("machine"), Value::from("memory"))
    );
    assert_eq!(
        history["sentences"][1]["history"][0]["text"],
        "Fenster schließen."
    );
    let written = canopy(&["project", "export", &folder]);
    assert_done(&written);
    assert_eq!(stdout(&written).lines().count(), 2);
    assert!(
        desk.read("book/translated/first.html")
            .contains("Fenster schließen.")
    );
    let again = canopy(&["project", "export", &folder]);
    crate::command_line::desk::assert_failed(&again, &["first.html", "--force"]);
    let output = desk.path("out");
    assert_done(&canopy(&[
        "project", "export", &folder, "--export", "xliff", "-o", &output,
    ]));
    assert!(desk.read("out/second.html.xlf").contains("trans-unit"));
}

#[test]
fn the_checks_of_a_project_are_obeyed_by_every_command() {
    let desk = Desk::new();
    let folder = project(&desk);
    let page = desk.path("book/sources/second.html");
    let check = |arguments: &[&str]| canopy(arguments);
    // Nothing is translated yet.
    for arguments in [
        ["project", "check", &folder].as_slice(),
        &["check", &folder],
        &["check", &page],
    ] {
        assert_eq!(check(arguments).status.code(), Some(4), "{arguments:?}");
    }
    let head = desk.read("book/canopy-project.toml");
    let head = head.replace("documents =", "checks = [\"numbers\"]\ndocuments =");
    desk.file("book/canopy-project.toml", head);
    for arguments in [
        ["project", "check", &folder].as_slice(),
        &["check", &folder],
        &["check", &page],
    ] {
        assert_eq!(check(arguments).status.code(), Some(0), "{arguments:?}");
    }
    let with = canopy(&[
        "project",
        "check",
        &folder,
        "--with",
        "untranslated",
        "--json",
    ]);
    assert_eq!(with.status.code(), Some(4));
    let report = json(&with);
    assert_eq!(report["documents"][1]["document"], "sources/second.html");
    assert_eq!(
        report["documents"][1]["findings"][0]["check"],
        "untranslated"
    );
}

#[test]
fn changes_of_others_are_merged_and_conflicts_stay() {
    let desk = Desk::new();
    let folder = project(&desk);
    assert_done(&canopy(&[
        "project",
        "translate",
        &folder,
        "--device",
        "cpu",
        "--beam",
        "1",
    ]));
    let output = desk.path("out");
    assert_done(&canopy(&[
        "project", "export", &folder, "--export", "xliff", "-o", &output,
    ]));
    let exported = desk.read("out/first.html.xlf");
    let theirs = |text: &str| {
        let target = ">Fenster schließen.</target>";
        assert!(exported.contains(target), "{exported}");
        desk.file(
            "back/first.html.xlf",
            exported.replace(target, &format!(">{text}</target>")),
        )
    };
    let file = theirs("Das Fenster schließen.");
    let shown = canopy(&["project", "merge", &file, &folder, "--take", "none"]);
    assert_done(&shown);
    assert!(
        stdout(&shown).contains("sentence 2: changed, left"),
        "{}",
        stdout(&shown)
    );
    let merged = canopy(&["project", "merge", &file, &folder, "--json"]);
    assert_done(&merged);
    let report = json(&merged);
    assert_eq!(report["changes"][0]["old"], "Fenster schließen.");
    assert_eq!(report["changes"][0]["new"], "Das Fenster schließen.");
    assert_eq!(report["changes"].as_array().map(Vec::len), Some(1));
    // The same export comes back from another one.
    let other = theirs("Schließen Sie das Fenster.");
    let conflict = canopy(&["project", "merge", &other, &folder]);
    assert_eq!(conflict.status.code(), Some(3), "{}", stderr(&conflict));
    let page = desk.path("book/sources/first.html");
    let history = || {
        let history = json(&canopy(&[
            "project",
            "history",
            &page,
            "--sentence",
            "2",
            "--json",
        ]));
        let versions = history["sentences"][0]["history"].as_array().cloned();
        let versions = versions.expect("a history").into_iter();
        versions
            .map(|it| it["origin"].as_str().expect("a word").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(history(), ["memory", "merged"]);
    assert_done(&canopy(&[
        "project", "merge", &other, &page, "--take", "all",
    ]));
    assert_eq!(history(), ["memory", "merged", "merged"]);
    let page = desk.file("other.html", "<p>Something else.</p>");
    let nowhere = canopy(&["project", "merge", &other, &page]);
    assert!(
        stdout(&nowhere).contains("0 changes, 0 conflicts, 2 translations that fit nowhere"),
        "{}",
        stdout(&nowhere)
    );
}
