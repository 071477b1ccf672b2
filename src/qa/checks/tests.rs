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
fn units_dates_and_quotation_marks_follow_the_target() {
    for (source, target, language, expected) in [
        ("It is 10 cm wide.", "Es ist 10 cm breit.", "de", None),
        (
            "It is 10cm wide.",
            "Es ist 10 Zentimeter breit.",
            "de",
            None,
        ),
        ("It is 10 cm wide.", "Es ist 10 breit.", "de", Some("units")),
        ("It has 5 MB.", "Il a 5 Mo.", "fr", None),
        ("It has 5 MB.", "Es hat 5 GB.", "de", Some("units")),
        ("It is 10 cm wide.", "幅は10センチです。", "ja", None),
        (
            "On 12/31/2024 it ended.",
            "Es endete am 31.12.2024.",
            "de",
            None,
        ),
        (
            "On 12/31/2024 it ended.",
            "Es endete am 12.31.2024.",
            "de",
            Some("dates"),
        ),
        (
            "Write 12/31/2024 so.",
            "Schreiben Sie 12/31/2024 so.",
            "de",
            None,
        ),
        (
            "Version 1.20.2024 is out.",
            "Version 1.20.2024 ist da.",
            "de",
            None,
        ),
        ("Choose “Open”.", "Wählen Sie „Öffnen“.", "de", None),
        ("Choose “Open”.", "Wählen Sie »Öffnen«.", "de", None),
        (
            "Choose “Open”.",
            "Wählen Sie “Öffnen”.",
            "de",
            Some("quotes"),
        ),
        ("Choose “Open”.", "Wählen Sie \"Öffnen\".", "de", None),
        ("Choose “Open”.", "Wählen Sie Öffnen.", "de", Some("quotes")),
        ("Choose “Open”.", "Wählen Sie ‚Öffnen‘.", "de", None),
        (
            "Choose \"Open\".",
            "Wählen Sie \"Öffnen.",
            "de",
            Some("quotes"),
        ),
        ("Choose “Open”.", "Choisissez « Ouvrir ».", "fr", None),
        (
            "Choose “Open”.",
            "Choisissez „Ouvrir“.",
            "fr",
            Some("quotes"),
        ),
        ("and goes on” here.", "und geht“ hier weiter.", "de", None),
    ] {
        let found = found(source, target, language);
        let expected: Vec<&str> = expected.into_iter().collect();
        assert_eq!(found, expected, "{source} → {target}");
    }
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
