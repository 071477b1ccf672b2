use super::*;

/// The kinds of what all checks find in one pair.
fn found(source: &str, target: &str, language: &str) -> Vec<&'static str> {
    let checks = Checks {
        kinds: CheckKind::ALL.to_vec(),
        target_language: Some(language.to_owned()),
    };
    let findings = checks.run(&[Pair::new(source, target)]);
    findings
        .iter()
        .map(|finding| finding.check.name())
        .collect()
}

#[test]
fn right_translations_have_no_finding() {
    for (source, target, language) in [
        ("Open the file.", "Öffnen Sie die Datei.", "de"),
        (
            "It costs 1,000.50 dollars.",
            "Es kostet 1.000,50 Dollar.",
            "de",
        ),
        ("It has 10000 rows.", "Es hat 10 000 Zeilen.", "de"),
        ("Two of 5 pages", "2 von 5 Seiten", "de"),
        ("On 12/31/2024 it ended.", "Es endete am 31.12.2024.", "de"),
        ("Is it there?", "それはありますか？", "ja"),
        ("Open the file.", "ファイルを開きます。", "ja"),
        ("Really?", "Vraiment ?", "fr"),
        ("Copied %s to {name}.", "{name} hat jetzt %s.", "de"),
        ("50% of all", "50 % der Dateien", "de"),
        ("See (above).", "Siehe (oben).", "de"),
        ("people who love", "Menschen, die die Liebe", "de"),
        ("the iPhone", "Das iPhone", "de"),
        ("Page 3", "صفحة ٣", "ar"),
        (
            "Click \u{E000}OK\u{E200}.",
            "Auf \u{E000}OK\u{E200} klicken.",
            "de",
        ),
    ] {
        assert_eq!(
            found(source, target, language),
            [""; 0],
            "{source} → {target}"
        );
    }
}

#[test]
fn every_check_finds_its_fault() {
    for (source, target, expected) in [
        ("Open it.", " ", "untranslated"),
        (
            "Open this other file now",
            "Open this other file now",
            "identical",
        ),
        ("Click \u{E000}OK\u{E200}.", "Auf OK klicken.", "tags"),
        (
            "Click \u{E000}OK\u{E200}.",
            "Auf \u{E000}OK klicken.",
            "tags",
        ),
        ("Copied %s.", "Kopiert.", "variables"),
        ("Dear {name}", "Liebe {Name}", "variables"),
        (
            "See https://a.org/b.",
            "Siehe https://a.org/c.",
            "variables",
        ),
        ("Page 3", "Seite 4", "numbers"),
        ("It has 1,000 rows.", "Es hat 100 Zeilen.", "numbers"),
        (
            "Yes",
            "Ja, und das ist noch längst nicht alles, was man sagen kann",
            "length",
        ),
        ("Is it there?", "Es ist da.", "end-mark"),
        ("He opens the file.", "Er öffnet die Datei", "end-mark"),
        ("See (above).", "Siehe (oben.", "brackets"),
        ("Open it.", "Öffnen  Sie es.", "spaces"),
        ("Open it!", "Öffnen Sie es !", "spaces"),
        ("Open it.", "öffnen Sie es.", "capital"),
        (
            "Open the file.",
            "Öffnen Sie die Datei Datei.",
            "repeated-word",
        ),
    ] {
        let found = found(source, target, "de");
        assert!(found.contains(&expected), "{source} → {target}: {found:?}");
    }
    let mut long = Pair::new("Yes", "Jawohl");
    long.max_chars = Some(4);
    let findings = Checks::default().run(&[long]);
    assert_eq!(findings[0].check, CheckKind::TooLong);
    assert_eq!(findings[0].severity, Severity::Error);
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
    let told: Vec<_> = findings
        .iter()
        .map(|it| (it.segment, it.message.as_str()))
        .collect();
    let expected = [
        (2, "translated otherwise in segment 1"),
        (3, "the translation of another source in segment 2"),
    ];
    assert_eq!(told, expected);
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
