use super::*;
use canopy_document::placeholder::CLOSE;
use canopy_tokenize::vocabulary::Vocabulary;

/// A vocabulary that has learned the letters of English and German, and ✅.
fn vocabulary() -> Vocabulary {
    let words = "open the file in folder über größe öffnen für value press name is and map to — …";
    let texts = (0..50).map(|_| format!("✅ {words} {}", words.to_uppercase()));
    Vocabulary::train(texts, 700).expect("large enough")
}

fn prepared(text: &str) -> Preparation {
    let vocabulary = vocabulary();
    let reader = Reader {
        tokenizer: &vocabulary,
        side: Side::Source,
        reads_points: true,
        hides_names: true,
        target_language: "de",
    };
    Preparation::from_text(text, &[], reader)
}

/// A text with a point for each `{}`, numbered from left to right.
fn with_points(text: &str) -> String {
    (0..9).fold(text.to_owned(), |text, number| {
        text.replacen("{}", &point(number).to_string(), 1)
    })
}

#[test]
fn sentences_without_anything_special_are_read_as_they_are() {
    for text in [
        "Open the file in the folder — über 5 km …",
        "",
        "\u{E003}Open\u{E200} it (e.g. now)...",
    ] {
        let prepared = prepared(text);
        assert_eq!(prepared.text, text);
        assert_eq!(prepared.restored("Öffnen".to_owned()), "Öffnen");
    }
}

#[test]
fn pictograms_become_points_among_the_others_and_come_back() {
    let text = format!("✅ Open {}file{CLOSE} 🔎 to, {}.", open(0), point(15));
    let prepared = prepared(&text);
    let read = format!(
        "✅ Open {}file{CLOSE} {} to, {}.",
        open(0),
        point(1),
        point(2)
    );
    assert_eq!(prepared.text, read);
    assert_eq!(prepared.points, ["", "X", ""]);
    assert_eq!(prepared.restored(read), text);
    let many = format!("{}open", "open 🔎 to ".repeat(20));
    let prepared = self::prepared(&many);
    assert_eq!(prepared.kept.len(), MAX_PLACEHOLDERS);
    assert_eq!(prepared.restored(prepared.text.clone()), many);
}

#[test]
fn nothing_that_is_not_to_change_reaches_a_model() {
    for (text, read, shown) in [
        ("The value is ≥ 5", "The value is {} 5", vec![""]),
        ("The value is ₹1,500.", "The value is {}.", vec!["1,500"]),
        (
            "The name is Дмитрий Иванов.",
            "The name is {}.",
            vec!["Dmitrii Ivanov"],
        ),
        (
            "São and Łódź-Map open",
            "{} and {} open",
            vec!["Sao", "Lodz-Map"],
        ),
        ("Open 北京 in the map", "Open {} in the map", vec!["X"]),
        (
            "Open setup.exe (file.txt)",
            "Open {} ({})",
            vec!["setup.exe", "file.txt"],
        ),
        (
            "Open ____ and ....... in X",
            "Open {} and {} in X",
            vec!["Y", ""],
        ),
        ("The value is z₁", "The value is {}", vec!["z1"]),
        (
            "Press ⌘ and ⌥ to open",
            "Press {} and {} to open",
            vec!["X", "Y"],
        ),
    ] {
        let prepared = prepared(text);
        assert_eq!(prepared.text, with_points(read), "{text}");
        assert_eq!(prepared.points, shown, "{text}");
        assert_eq!(prepared.restored(prepared.text.clone()), text);
    }
}

#[test]
fn blanks_and_signs_at_the_ends_are_put_back() {
    let line = format!("Name: {}", "_".repeat(39));
    for (text, read) in [
        (line.as_str(), "Name:"),
        ("----- open the file -----", "open the file"),
        ("The name ........ 12", "The name"),
        ("The value is ≥ 5", "The value is {} 5"),
        ("1. ____ Open it", "Open it"),
        ("Name: ____ File: ____.", "Name: {} File:"),
        ("🔎 Open it ⌘.", "Open it"),
    ] {
        let prepared = prepared(text);
        assert_eq!(prepared.text, with_points(read), "{text}");
        assert_eq!(prepared.restored(prepared.text.clone()), text);
    }
}

#[test]
fn capitals_and_invisible_characters_come_back_with_what_is_kept() {
    let prepared = prepared("OPEN THE FILE SETUP.EXE NOW");
    assert_eq!(prepared.text, with_points("Open the file {} now"));
    let translated = prepared.restored(with_points("Die Größe {}"));
    assert_eq!(translated, "DIE GRÖSSE SETUP.EXE");
    let prepared = self::prepared("Open the fol\u{AD}der of Fu\u{308}r");
    assert_eq!(prepared.text, "Open the folder of Für");
    let translated = prepared.restored("Für Ordner".to_owned());
    assert_eq!(translated, "Fu\u{308}r Ordner");
}

#[test]
fn names_that_are_lost_are_noticed() {
    assert!(loses_names("Run setup.exe.", "Einrichtung.exe starten."));
    assert!(!loses_names("Run setup.exe.", "„setup.exe“ starten."));
}

#[test]
fn words_alone_that_a_vocabulary_cannot_spell_are_no_work_for_a_model() {
    for (text, has_words, lacks_letters) in [
        ("北京", false, true),
        ("setup.exe", false, false),
        ("Open 北京", true, true),
    ] {
        let prepared = prepared(text);
        assert_eq!(prepared.has_words(), has_words, "{text}");
        assert_eq!(prepared.lacks_letters(), lacks_letters, "{text}");
    }
}
