use super::*;

/// The kinds of what all checks find in one pair.
fn found(source: &str, target: &str, language: &str) -> Vec<&'static str> {
    let checks = Checks {
        kinds: CheckKind::ALL.to_vec(),
        source_language: Some("en".to_owned()),
        target_language: Some(language.to_owned()),
    };
    let findings = checks.run(&[Pair::new(source, target)]);
    findings
        .iter()
        .map(|finding| finding.check.name())
        .collect()
}

#[test]
fn faults_are_found_and_right_translations_have_none() {
    let cases = include_str!("cases.tsv")
        .replace("<1>", "\u{E000}")
        .replace("</1>", "\u{E200}");
    let cases = cases.lines().skip(2);
    let cases: Vec<Vec<&str>> = cases.map(|line| line.split('\t').collect()).collect();
    assert_eq!(cases.len(), 52);
    for case in cases {
        let [source, target, language, expected] = case[..] else {
            panic!("{case:?}");
        };
        let found = found(source, target, language);
        let is_right = match expected.split_at(1) {
            ("+", kind) => found.contains(&kind),
            ("=", kind) => found == [kind],
            _ => expected == "-" && found.is_empty(),
        };
        assert!(is_right, "{case:?}: {found:?}");
    }
}

#[test]
fn a_translation_is_no_longer_than_its_place() {
    let mut long = Pair::new("Yes", "Jawohl");
    long.max_chars = Some(4);
    let findings = Checks::default().run(&[long]);
    assert_eq!(findings[0].check, CheckKind::TooLong);
    assert_eq!(findings[0].severity, Severity::Error);
}

#[test]
fn terms_that_are_called_otherwise_are_named() {
    use crate::terms::{Term, Termbase};
    let mut base = Termbase::empty("en", "de");
    base.terms = vec![
        Term::new("file", "Datei"),
        Term {
            forbidden: vec!["Akte".to_owned()],
            targets: Vec::new(),
            ..Term::new("record", "")
        },
    ];
    let usage = TermUsage::new(std::sync::Arc::new(base));
    let resources = Resources {
        terms: Some(&usage),
        spelling: None,
    };
    let problem = |source: &str, target: &str| {
        let findings = Checks::default().run_with(&[Pair::new(source, target)], resources);
        findings.first().map(|finding| finding.message.clone())
    };
    assert_eq!(problem("The files open.", "Die Dateien öffnen sich."), None);
    assert_eq!(
        problem("The files open.", "Die Ordner öffnen sich.").as_deref(),
        Some("term not used: files → Datei")
    );
    assert_eq!(
        problem("The record opens.", "Die Akte öffnet sich.").as_deref(),
        Some("forbidden term: record → Akte")
    );
}

#[test]
fn segments_that_disagree_name_each_other() {
    let pairs = [
        Pair::new("Open", "Öffnen"),
        Pair::new("Close", "Schließen"),
        Pair::new("Open", "Aufmachen"),
        Pair::new("Shut", "Schließen"),
    ];
    let checks = Checks {
        kinds: vec![CheckKind::Inconsistent],
        ..Checks::default()
    };
    let findings = checks.run(&pairs);
    let found: Vec<_> = findings
        .iter()
        .map(|it| (it.segment, it.message.as_str()))
        .collect();
    let expected = [
        (2, "translated otherwise in segment 1"),
        (3, "the translation of another source in segment 2"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_repair_has_no_finding_of_its_kind() {
    let checks = Checks {
        target_language: Some("de".to_owned()),
        ..Checks::default()
    };
    for (source, target) in [
        ("Open it.", "Öffnen  Sie   es."),
        ("Open it!", "Öffnen Sie es !"),
        ("Open it.", "öffnen Sie es."),
        ("Open “it”.", "Öffnen Sie “es”."),
    ] {
        let findings = checks.run(&[Pair::new(source, target)]);
        let [finding] = findings.as_slice() else {
            panic!("{findings:?}");
        };
        let repaired = finding.repaired.clone().expect("a repair");
        assert_eq!(checks.run(&[Pair::new(source, repaired)]), []);
    }
}

#[test]
fn hostile_texts_are_checked_without_a_panic() {
    let texts = [
        "",
        "%",
        "{{{{",
        "\u{E200}\u{E200}",
        "\u{202E}…",
        "e\u{301}",
        "１２",
        "%1$",
        "𝟙𝟚",
    ];
    for source in texts {
        for target in texts {
            let _ = found(source, target, "de");
        }
    }
}
