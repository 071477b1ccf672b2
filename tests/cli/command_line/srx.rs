//! `--srx`: sentences by the rules of a file, wherever documents are read, and the messages about rules that cannot be used.

use serde_json::Value;

use crate::command_line::desk::{Desk, assert_done, assert_failed, canopy, stdout};

/// Segments end at semicolons too; in German not after `bzgl.`.
const RULES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<srx xmlns="http://www.lisa.org/srx20" version="2.0">
  <header segmentsubflows="yes" cascade="yes"/>
  <body>
    <languagerules>
      <languagerule languagerulename="German">
        <rule break="no"><beforebreak>\bbzgl\.</beforebreak><afterbreak>\h</afterbreak></rule>
      </languagerule>
      <languagerule languagerulename="Any">
        <rule break="yes"><beforebreak>[;.?!]</beforebreak><afterbreak>\s</afterbreak></rule>
      </languagerule>
    </languagerules>
    <maprules>
      <languagemap languagepattern="(?i)de.*" languagerulename="German"/>
      <languagemap languagepattern=".*" languagerulename="Any"/>
    </maprules>
  </body>
</srx>
"#;

const TEXT: &str = "Das gilt bzgl. Namen; sonst nicht. Das ist das Ende der Seite.\n";

fn segments(arguments: &[&str]) -> u64 {
    let output = canopy(&[&["count", "--json"], arguments].concat());
    assert_done(&output);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let counts = report["counts"].as_array().expect("counts");
    let segments = counts
        .iter()
        .map(|band| band["amount"]["segments"].as_u64());
    segments.map(Option::unwrap_or_default).sum()
}

#[test]
fn segments_are_counted_by_the_rules_of_a_language() {
    let desk = Desk::new();
    let (text, rules) = (desk.file("seite.txt", TEXT), desk.file("rules.srx", RULES));
    assert_eq!(segments(&[&text]), 2);
    assert_eq!(segments(&[&text, "--srx", &rules, "--from", "de-AT"]), 3);
    assert_eq!(segments(&[&text, "--srx", &rules, "--from", "en"]), 4);
    // Its text shows that it is German.
    assert_eq!(segments(&[&text, "--srx", &rules]), 3);
    // The document says itself what it is in.
    let page = format!("<html lang=\"de\"><p>{}</p></html>", TEXT.trim());
    let page = desk.file("seite.html", &page);
    assert_eq!(segments(&[&page, "--srx", &rules]), 3);
}

#[test]
fn both_sides_are_aligned_by_the_rules_of_their_languages() {
    let desk = Desk::new();
    let rules = desk.file("rules.srx", RULES);
    let english = desk.file("a.txt", "First; then the second of them.\n");
    let german = desk.file("b.txt", "Zuerst bzgl. Namen; dann das zweite davon.\n");
    let output = canopy(&[
        "align", &english, &german, "--from", "en", "--to", "de", "--srx", &rules, "--json",
    ]);
    assert_done(&output);
    let aligned: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let pairs = aligned["pairs"].as_array().expect("pairs");
    let pair = |number: usize| [&pairs[number]["source"], &pairs[number]["target"]];
    assert_eq!(pair(0), ["First;", "Zuerst bzgl. Namen;"]);
    assert_eq!(
        pair(1),
        ["then the second of them.", "dann das zweite davon."]
    );
}

#[test]
fn a_document_is_translated_and_written_by_rules() {
    let desk = Desk::new();
    let (text, rules) = (desk.file("seite.txt", TEXT), desk.file("rules.srx", RULES));
    let arguments = [
        "translate",
        &text,
        "--srx",
        &rules,
        "--from",
        "de",
        "--pseudo",
    ];
    let same = canopy(&[&arguments[..], &["identity"]].concat());
    assert_done(&same);
    assert_eq!(stdout(&same), TEXT);
    let accents = canopy(&[&arguments[..], &["accents"]].concat());
    assert_done(&accents);
    assert_eq!(
        stdout(&accents).matches('[').count(),
        3,
        "{}",
        stdout(&accents)
    );
}

#[test]
fn rules_that_cannot_be_used_are_reported_with_file_and_line() {
    let desk = Desk::new();
    let text = desk.file("seite.txt", TEXT);
    let wrong = desk.file("wrong.srx", RULES.replace("[;.?!]", "\\X"));
    let failed = canopy(&["count", &text, "--srx", &wrong]);
    assert_failed(&failed, &["wrong.srx", "line 10", "\\X is not known here"]);
    let other = desk.file("other.srx", RULES.replace("\".*\"", "\"fr\""));
    let failed = canopy(&["count", &text, "--srx", &other, "--from", "en"]);
    assert_failed(&failed, &["other.srx", "no rules for the language en"]);
    let failed = canopy(&["count", &text, "--srx", &text, "--from", "en"]);
    assert_failed(&failed, &["seite.txt"]);
    let failed = canopy(&["count", &text, "--srx", &desk.path("none.srx")]);
    assert_failed(&failed, &["none.srx"]);
}
