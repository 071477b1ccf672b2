//! `canopy terms`, and the checks that need a termbase or dictionary.

use serde_json::Value;

use crate::command_line::desk::{Desk, assert_done, assert_failed, canopy, stderr, stdout};

const TERMS: &str = "source,target,forbidden\nfile,Datei,Akte\npage style,Seitenvorlage,\n";
const LANGUAGES: [&str; 4] = ["--from", "en", "--to", "de"];

fn run(arguments: &[&str]) -> std::process::Output {
    canopy(&[arguments, &LANGUAGES].concat())
}

fn json(output: &std::process::Output) -> Value {
    serde_json::from_str(&stdout(output)).expect("JSON")
}

#[test]
fn termbases_are_listed_and_written_in_other_formats() {
    let desk = Desk::new();
    let table = desk.file("terms.csv", TERMS);
    for name in ["terms.tbx", "terms.tsv", "again.csv"] {
        let output = desk.path(name);
        assert_done(&run(&["terms", "convert", &table, &output]));
        let listed = run(&["terms", "list", &output]);
        assert_eq!(
            stdout(&listed),
            "file\tDatei\tnot Akte\npage style\tSeitenvorlage\n",
            "{name}"
        );
        assert_failed(&run(&["terms", "convert", &table, &output]), &["--force"]);
    }
    assert_eq!(desk.read("again.csv").lines().count(), 3);
    // A TBX file names its languages.
    let listed = canopy(&["terms", "list", &desk.path("terms.tbx"), "--json"]);
    assert_eq!(json(&listed)["terms"][0]["targets"][0], "Datei");
    let unsaid = canopy(&["terms", "list", &table]);
    assert_eq!(unsaid.status.code(), Some(2));
    assert!(
        stderr(&unsaid).contains("give --from and --to"),
        "{}",
        stderr(&unsaid)
    );
    let broken = desk.file("broken.tsv", "file\n");
    assert_failed(&run(&["terms", "list", &broken]), &["line 1"]);
}

#[test]
fn terms_are_found_taken_and_counted() {
    let desk = Desk::new();
    let table = desk.file("terms.csv", TERMS);
    let source = desk.file(
        "page.html",
        "<p>Page <b>styles</b> of files.</p><p>The file opens.</p><p>A file closes.</p>",
    );
    let found = json(&run(&["terms", "find", &table, &source, "--json"]));
    let places = found.as_array().expect("places").iter();
    let texts: Vec<&str> = places
        .map(|it| it["text"].as_str().expect("a text"))
        .collect();
    assert_eq!(texts, ["Page styles", "files", "file", "file"]);
    let target = desk.file(
        "page.de.html",
        "<p>Seitenvorlagen von Dateien.</p><p>Die Akte öffnet sich.</p><p>Eine Datei schließt sich.</p>",
    );
    let usage = run(&[
        "terms",
        "usage",
        &table,
        "--source",
        &source,
        "--translation",
        &target,
        "--json",
    ]);
    let usage = json(&usage);
    assert_eq!(
        (&usage["places"], &usage["used"]),
        (&Value::from(4), &Value::from(3))
    );
    assert_eq!(
        (&usage["repeated"], &usage["consistent"]),
        (&Value::from(3), &Value::from(2))
    );
    assert_eq!(usage["missing"][0]["segment"], 2);
    let memory = desk.file(
        "memory.tsv",
        "The page style is set.\tDie Seitenvorlage ist gesetzt.\nA page style opens.\tEine Seitenvorlage öffnet sich.\n\
         Page styles close.\tSeitenvorlagen schließen sich.\n",
    );
    let text = desk.file("text.txt", "A page style. The page style. Page styles.");
    let taken = run(&["terms", "extract", &text, "--memory", &memory]);
    assert_eq!(
        stdout(&taken),
        "3\tpage style\tSeitenvorlage | Seitenvorlagen\n"
    );
    let output = desk.path("taken.csv");
    assert_done(&run(&[
        "terms", "extract", &text, "--memory", &memory, "-o", &output,
    ]));
    let listed = run(&["terms", "list", &output]);
    assert_eq!(
        stdout(&listed),
        "page style\tSeitenvorlage | Seitenvorlagen\n"
    );
}

#[test]
fn checks_look_up_terms_and_words() {
    let desk = Desk::new();
    let table = desk.file("terms.csv", TERMS);
    let source = desk.file("page.html", "<p>Open the file now.</p>");
    let right = desk.file("right.html", "<p>Jetzt die Datei öffnen.</p>");
    let wrong = desk.file("wrong.html", "<p>Jetzt die Akte öfnen.</p>");
    let check = |target: &str, more: &[&str]| {
        let output = run(&[&["check", &source, target, "--json"], more].concat());
        let findings = json(&output)["findings"].clone();
        let findings = findings.as_array().expect("findings").iter();
        let kinds: Vec<String> = findings
            .map(|it| it["check"].as_str().expect("a check").to_owned())
            .collect();
        (output.status.code(), kinds)
    };
    assert_eq!(check(&right, &["--terms", &table]), (Some(0), vec![]));
    let terms = vec!["terms".to_owned()];
    assert_eq!(check(&wrong, &["--terms", &table]), (Some(3), terms));
    assert_eq!(
        check(&wrong, &["--terms", &table, "--without", "terms"]),
        (Some(0), vec![])
    );
    desk.file("de_DE.aff", "SET UTF-8\n");
    let words = desk.file("de_DE.dic", "5\njetzt\ndie\nDatei\nAkte\nöffnen\n");
    assert_eq!(check(&right, &["--dictionary", &words]), (Some(0), vec![]));
    let spelling = vec!["spelling".to_owned()];
    assert_eq!(
        check(&wrong, &["--dictionary", &words]),
        (Some(3), spelling)
    );
}

#[test]
fn translations_list_the_terms_they_use() {
    let desk = Desk::new();
    let table = desk.file("terms.csv", TERMS);
    let page = desk.file("page.html", "<p>Open the <b>file</b>.</p><p>Close it.</p>");
    for mode in ["soft", "hard"] {
        let output = desk.translate(&[&page, "--json", "--terms", &table, "--term-mode", mode]);
        assert_done(&output);
        let report = json(&output);
        let sentence = &report["sentences"][0];
        let terms = sentence["terms"].as_array().expect("terms");
        assert_eq!(terms.len(), 1);
        assert_eq!(terms[0]["text"], "file");
        let lacks = terms[0]["used"] == false;
        let flags = sentence["flags"].as_array().expect("flags");
        assert_eq!(flags.contains(&Value::from("terms")), lacks, "{sentence}");
        assert_eq!(report["sentences"][1]["terms"], Value::Array(vec![]));
    }
    let missing = desk.path("missing.csv");
    assert_failed(
        &desk.translate(&[&page, "--terms", &missing]),
        &["missing.csv"],
    );
}

#[test]
fn words_are_counted_by_what_is_known_of_them() {
    let desk = Desk::new();
    let memory = desk.file("memory.tsv", "Open the file.\tDatei öffnen.\n");
    let page = desk.file("page.html", "<p>Open the <b>file</b>.</p><p>Wait here.</p>");
    let other = desk.file("other.txt", "Wait here.");
    let counted = run(&["count", &page, &other, "--memory", &memory, "--json"]);
    let report = json(&counted);
    let words = |counts: &Value, band: &str| -> Value {
        let mut counts = counts.as_array().expect("counts").iter();
        let found = counts.find(|it| it["band"] == band).expect("a band");
        found["amount"]["words"].clone()
    };
    for (band, expected) in [("exact", 3), ("new", 2), ("repeated", 2), ("from75", 0)] {
        assert_eq!(words(&report["counts"], band), expected, "{band}");
    }
    assert_eq!(words(&report["documents"][0]["counts"], "repeated"), 0);
    let table = stdout(&canopy(&["count", &page]));
    assert!(
        table
            .lines()
            .any(|line| line.starts_with("new") && line.contains(" 5 ")),
        "{table}"
    );
    assert_eq!(
        canopy(&["count", &page, "--memory", &memory]).status.code(),
        Some(2)
    );
}

#[test]
fn a_document_and_its_translation_become_a_memory() {
    let desk = Desk::new();
    let page = desk.file(
        "page.html",
        "<h1>Print</h1><p>Open the file. Close it & wait.</p><p>Page 12</p>",
    );
    let other = desk.file(
        "page.de.md",
        "# Drucken\n\nDie Datei öffnen. Schließen & warten.\n\nSeite 12\n",
    );
    let output = desk.path("page.tmx");
    assert_done(&run(&["align", &page, &other, "-o", &output, "--doubtful"]));
    let tmx = desk.read("page.tmx");
    assert!(tmx.contains("<seg>Close it &amp; wait.</seg>"), "{tmx}");
    assert!(tmx.contains("<seg>Schließen &amp; warten.</seg>"), "{tmx}");
    let exact = run(&["count", &page, "--memory", &output, "--json"]);
    assert_eq!(json(&exact)["counts"][1]["amount"]["segments"], 4);
    let pairs = json(&run(&["align", &page, &other, "--json"]));
    assert_eq!(pairs["pairs"].as_array().map(Vec::len), Some(4));
    let wrong = run(&["align", &page, &other, "-o", &desk.path("page.doc")]);
    assert_eq!(wrong.status.code(), Some(2));
    // Corrected rows.
    let rows = pairs["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 4);
    let mut corrected = pairs.clone();
    corrected["rows"][1]["state"] = "left_out".into();
    let corrected = desk.file("rows.json", corrected.to_string());
    let output = desk.path("page.tsv");
    assert_done(&run(&[
        "align", &page, &other, "--rows", &corrected, "-o", &output,
    ]));
    let table = desk.read("page.tsv");
    assert!(table.contains("Close it & wait.\t"), "{table}");
    assert!(!table.contains("Open the file.\t"), "{table}");
    let swapped = run(&["align", &other, &page, "--rows", &corrected]);
    assert_done(&swapped);
    let shorter = desk.file("shorter.html", "<p>Open the file.</p>");
    let refused = run(&["align", &shorter, &other, "--rows", &corrected]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("rows.json"));
}
