//! Input and output of a model: signs, names, numbers, capitals, blanks, other languages.

use serde_json::Value;

use crate::command_line::desk::{Desk, assert_done, canopy, stdout};

/// The sentences that the starter from English to German makes of lines, with their flags.
fn translated(lines: &[&str]) -> Vec<(String, Vec<String>)> {
    let starter = canopy::inference::starter_model().expect("shipped");
    let starter = starter.to_str().expect("a path");
    let desk = Desk::new();
    let source = desk.file("page.txt", lines.join("\n\n"));
    let output = canopy(&[
        "translate",
        &source,
        "--model",
        starter,
        "--device",
        "cpu",
        "--json",
    ]);
    assert_done(&output);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let sentences = report["sentences"].as_array().expect("sentences").iter();
    let sentences = sentences.map(|sentence| {
        let flags = sentence["flags"].as_array().expect("flags").iter();
        let flags = flags.map(|flag| flag.as_str().expect("a name").to_owned());
        let text = sentence["target"].as_str().expect("a text");
        (text.to_owned(), flags.collect())
    });
    let sentences: Vec<_> = sentences.collect();
    assert_eq!(sentences.len(), lines.len());
    sentences
}

#[test]
fn what_the_vocabulary_cannot_spell_comes_back_as_it_is() {
    let lines: [(&str, &[&str]); 13] = [
        ("The value is ≥ 5 and ≠ 7.", &["≥ 5", "≠ 7"]),
        (
            "The currency is ₹500 or ₿1 or ¥100.",
            &["₹500", "₿1", "¥100"],
        ),
        ("Temperature is 20 ℃ today.", &["20 ℃"]),
        ("Size is 5 µm ± 2 %.", &["5 µm"]),
        ("The formula is x² + y³ = z₁.", &["z₁"]),
        ("The angle α is small, π is 3.14.", &["α", "π"]),
        ("The note ‡ explains it, see §5 and ¶2.", &["‡", "§5", "¶2"]),
        ("The name is Дмитрий Иванов.", &["Дмитрий Иванов."]),
        ("The city is 北京 in China.", &["北京", "China"]),
        (
            "The word naïve and São Paulo and Łódź are names.",
            &["naïve", "São Paulo", "Łódź"],
        ),
        ("Press ⌘ and S to save the file.", &["⌘ und S"]),
        ("Mark ☐ or ☑ in the list.", &["☐ oder ☑"]),
        ("Add ½ cup and ¾ spoon.", &["½", "¾"]),
    ];
    let sources = lines.map(|(source, _)| source);
    for ((source, kept), (target, flags)) in lines.iter().zip(translated(&sources)) {
        for kept in *kept {
            assert_eq!(target.matches(kept).count(), 1, "{source} → {target}");
        }
        for flag in ["signs", "numbers", "repetition"] {
            assert!(
                !flags.iter().any(|it| it == flag),
                "{source} → {target} {flags:?}"
            );
        }
    }
}

#[test]
fn names_of_files_numbers_capitals_and_blanks_are_right() {
    let blank = format!("Name: {}", "_".repeat(39));
    let lines: [(&str, &[&str]); 8] = [
        (
            "Run setup.exe and delete print.log.",
            &["setup.exe", "print.log"],
        ),
        ("Open the file (file.txt) and save it.", &["(file.txt)"]),
        ("The price is $1,234.56 today.", &["1.234,56"]),
        ("The distance is 3.5 km or 2,175 miles.", &["2.175 "]),
        ("SAVE THE FILE NOW", &["DATEI"]),
        ("DO NOT REMOVE THE COVER", &["NICHT"]),
        (&blank, &[&blank[6..]]),
        ("----- Save the file -----", &["----- ", " -----"]),
    ];
    let sources = lines.map(|(source, _)| source);
    let translated = translated(&sources);
    for ((source, kept), (target, _)) in lines.iter().zip(&translated) {
        for kept in *kept {
            assert!(target.contains(kept), "{source} → {target}");
        }
    }
    assert_eq!(translated[6].0.matches('_').count(), 39);
    for (target, _) in &translated[4..6] {
        assert_eq!(*target, target.to_uppercase());
    }
}

#[test]
fn forms_of_characters_do_not_change_a_translation() {
    let lines = [
        "Save the document in the folder.",
        "Save the docu\u{AD}ment in the fol\u{AD}der.",
        "Save the docu\u{200B}ment in the fol\u{2060}der.",
        "\u{2068}Save\u{2069} the \u{200E}document in the folder.",
        "Save the\u{A0}document in\u{202F}the folder.",
        "\u{FF33}\u{FF41}\u{FF56}\u{FF45} the document in the folder.",
    ];
    for (target, _) in translated(&lines) {
        assert_eq!(target, "Das Dokument im Ordner speichern.");
    }
}

#[test]
fn sentences_of_other_languages_are_left_as_they_are() {
    let lines = [
        "Open the file that you have saved before.",
        "Close the window in which you have opened the document.",
        "You can print the document as soon as you have saved it.",
        "Wählen Sie den Befehl zum Speichern der Datei im Menü aus.",
        "Можно напечатать текстовый документ в виде брошюры.",
    ];
    let translated = translated(&lines);
    for (source, (target, flags)) in lines[3..].iter().zip(&translated[3..]) {
        assert_eq!(target, source);
        assert_eq!(flags, &["other_language"]);
    }
    for (target, flags) in &translated[..3] {
        assert!(flags.is_empty(), "{target}");
    }
}
