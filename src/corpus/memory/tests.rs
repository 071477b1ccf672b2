use super::*;
use crate::error::Error;

fn memory() -> TranslationMemory {
    let pairs = [
        ("Click the Save button.", "Klicken Sie auf Speichern."),
        ("Click the Print button.", "Klicken Sie auf Drucken."),
        ("Choose Tools – Options.", "Wählen Sie Extras – Optionen."),
        ("The chart has two axes.", "Das Diagramm hat zwei Achsen."),
        ("The chart has two axes.", "Zwei Achsen hat das Diagramm."),
    ];
    TranslationMemory::new(pairs.map(|(source, target)| (source.to_owned(), target.to_owned())))
}

#[test]
fn the_most_similar_sentence_is_found_and_strangers_are_not() {
    let memory = memory();
    assert_eq!(memory.len(), 4);
    let found = memory.best("Click the Cancel button.").expect("a match");
    assert_eq!(found.target, "Klicken Sie auf Speichern.");
    assert!((found.score - 0.8).abs() < 1e-6, "{found:?}");
    let exact = memory.best("The chart has two axes.").expect("a match");
    assert_eq!(
        (exact.score, exact.target),
        (1.0, "Das Diagramm hat zwei Achsen.")
    );
    let nearly = memory.best("the chart has two axes.").expect("a match");
    assert!(nearly.score < 1.0, "case differs");
    assert_eq!(memory.best("Nothing of this kind occurs here"), None);
    assert_eq!(memory.best(""), None);
    assert_eq!(TranslationMemory::default().best("Click."), None);
}

#[test]
fn a_sentence_of_the_memory_learns_from_others() {
    let memory = memory();
    let found = memory
        .best_other("Click the Save button.")
        .expect("a match");
    assert_eq!(found.source, "Click the Print button.");
    assert_eq!(memory.best_other("The chart has two axes."), None);
}

#[test]
fn a_users_translation_comes_before_others_of_the_same_sentence() {
    let own = (
        "The chart has two axes.",
        "Das Diagramm besitzt zwei Achsen.",
    );
    let own = TranslationMemory::new([(own.0.to_owned(), own.1.to_owned())]);
    let both = own.before(&memory());
    assert_eq!(both.len(), 4);
    let found = both.best("The chart has two axes.").expect("a match");
    assert_eq!(found.target, "Das Diagramm besitzt zwei Achsen.");
    assert!(both.best("Click the Save button.").is_some());
}

#[test]
fn a_memory_comes_back_from_its_file_and_damage_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("memory.tsv");
    memory().save(&path).expect("written");
    assert_eq!(TranslationMemory::open(&path).expect("read"), memory());
    let packed = folder.path().join("memory.tsv.gz");
    memory().save(&packed).expect("written");
    assert_eq!(TranslationMemory::open(&packed).expect("read"), memory());
    let bytes = std::fs::read(&packed).expect("read");
    assert_eq!(bytes[..2], [0x1F, 0x8B]);
    std::fs::write(&packed, &bytes[..bytes.len() / 2]).expect("written");
    let cut = TranslationMemory::open(&packed).expect_err("cut off");
    assert!(cut.to_string().contains("memory.tsv.gz"), "{cut}");
    std::fs::write(&path, " a\u{A0}b  c \td  e\n").expect("written");
    let spaced = TranslationMemory::open(&path).expect("read");
    for source in ["a b c", "a\u{A0}b c"] {
        assert_eq!(spaced.exact(source), Some("d e"));
        let found = spaced.best(source).map(|found| found.score.to_bits());
        assert_eq!(found, Some(1.0f32.to_bits()));
        assert_eq!(spaced.best_other(source), None);
    }
    assert_eq!(spaced.exact("a b \u{E000}c"), None, "markup is no space");
    std::fs::write(&path, "a\tb\nno tab\n").expect("written");
    let message = TranslationMemory::open(&path)
        .expect_err("damaged")
        .to_string();
    assert!(message.contains("line 2"), "{message}");
}

#[test]
fn a_tmx_file_and_a_corpus_are_memories_of_their_languages() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.TMX");
    let unit = |source: &str, target: &str| {
        let variant =
            |language, text| format!("<tuv xml:lang='{language}'><seg>{text}</seg></tuv>");
        format!(
            "<tu>{}{}</tu>",
            variant("en-US", source),
            variant("de-DE", target)
        )
    };
    let units = unit("Click <ph x='1'/>here.", "Klicken Sie <ph x='1'/>hier.") + &unit("Stop.", "");
    let text = format!("<tmx version='1.4'><header srclang='en'/><body>{units}</body></tmx>");
    std::fs::write(&file, text).expect("written");
    let memory = TranslationMemory::read(&file, "en", "de").expect("a memory");
    assert_eq!(memory.len(), 1);
    let found = memory.best("Click here.").expect("a match");
    assert_eq!((found.target, found.score), ("Klicken Sie hier.", 1.0));
    let strange = TranslationMemory::read(&file, "en", "fr").expect_err("no French");
    assert!(matches!(strange, Error::TmxLanguages { .. }), "{strange}");

    let corpus = folder.path().join("corpus");
    let import = crate::tmx::TmxImport {
        file,
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        output: corpus.clone(),
        replace: false,
        filter: None,
    };
    import
        .run(|_, _| std::ops::ControlFlow::Continue(()))
        .expect("a corpus");
    let same = TranslationMemory::read(&corpus, "en", "de").expect("a memory");
    assert_eq!(same, memory);
    let strange = TranslationMemory::read(&corpus, "de", "en").expect_err("the other way round");
    assert!(
        matches!(strange, Error::MemoryLanguages { .. }),
        "{strange}"
    );
}

#[test]
fn pairs_are_chosen_that_cover_a_sentence_together() {
    let pairs = [
        ("Click Save.", "Klicken Sie auf Speichern."),
        ("Click Save now.", "Klicken Sie jetzt auf Speichern."),
        ("The chart has axes.", "Das Diagramm hat Achsen."),
        ("A chart is a picture.", "Ein Diagramm ist ein Bild."),
        ("Nothing else.", "Nichts sonst."),
    ];
    let memory = TranslationMemory::new(
        pairs.map(|(source, target)| (source.to_owned(), target.to_owned())),
    );
    let sources = |count| {
        let chosen = memory.covering("Click Save to save the chart", count);
        chosen.into_iter().map(|pair| pair.0).collect::<Vec<_>>()
    };
    // What the pairs share with it counts once: the second one brings nothing new after the first.
    assert_eq!(sources(2), ["The chart has axes.", "Click Save."]);
    let all = sources(10);
    assert!(
        !all.contains(&"Nothing else."),
        "it shares no word: {all:?}"
    );
    assert!(memory.covering("Bananas", 10).is_empty());
    let exact = memory.covering("The chart has axes.", 1);
    assert_eq!(exact, [("The chart has axes.", "Das Diagramm hat Achsen.")]);
    let long =
        "Whoever has seen as many pictures as a painter may well see one more in every chart.";
    let long = TranslationMemory::new([(long.to_owned(), "Ein Bild.".to_owned())]);
    let both = long.before(&memory);
    let chosen = both.covering("The chart has axes.", 10);
    assert_eq!(chosen, exact, "the other ones have one word of it");
}

#[test]
fn a_document_is_as_like_a_memory_as_its_sentences_are_in_the_mean() {
    let pair = |text: &str| (text.to_owned(), "Das Diagramm hat Achsen.".to_owned());
    let memory = TranslationMemory::new([pair("The chart has axes."), pair("A long sentence.")]);
    let likeness = |sentences: &[&str]| {
        let sentences: Vec<String> = sentences.iter().map(|&it| it.to_owned()).collect();
        memory.likeness(&sentences)
    };
    let (same, other) = ("The chart has axes.", "Bananas grow quickly here");
    assert!((likeness(&[same, other, same, other]) - 0.5).abs() < 1e-6);
    assert!((likeness(&[other; 250])).abs() < 1e-6);
    assert!((likeness(&[same; 250]) - 1.0).abs() < 1e-6);
    assert!(likeness(&[]).abs() < 1e-6, "nothing is like nothing");
}

#[test]
fn the_strings_of_a_program_are_a_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let catalogue = r#"
msgid ""
msgstr ""
"Language: de\n"

msgctxt "menu"
msgid "_Insert Row"
msgstr "Zeile ein_fügen"

#, fuzzy
msgid "Guess"
msgstr "Raten"

msgid "snake_case stays_so"
msgstr "Schlange"

msgctxt "rare"
msgid "Close"
msgstr "Zu"

msgctxt "dialog"
msgid "Close"
msgstr "Schließen"

msgctxt "window"
msgid "Close"
msgstr "Schließen"

msgid "%1 rows"
msgstr "%1 Zeilen"

msgid "One column"
msgid_plural "Several columns"
msgstr[0] "Eine Spalte"
msgstr[1] "Mehrere Spalten"
"#;
    let deeper = folder.path().join("more");
    std::fs::create_dir(&deeper).expect("a folder");
    std::fs::write(deeper.join("app.po"), catalogue).expect("a file");
    std::fs::write(folder.path().join("read.me"), "nothing").expect("a file");
    let memory = TranslationMemory::read(folder.path(), "en", "de").expect("a memory");
    let known = [
        "Close",
        "Insert Row",
        "snake_case stays_so",
        "One column",
        "Several columns",
    ];
    let found = known.map(|source| memory.best(source).map(|found| found.target));
    let expected = [
        "Schließen",
        "Zeile einfügen",
        "Schlange",
        "Eine Spalte",
        "Mehrere Spalten",
    ];
    assert_eq!((found, memory.len()), (expected.map(Some), 5));
    let held_out = [("insert row".to_owned(), "Zeile".to_owned())];
    let without = memory.without(&TranslationMemory::new(held_out));
    assert_eq!((without.len(), without.best("Insert Row")), (4, None));
    let longer = "Click here. Choose the new colour. Then wait.";
    let longer = TranslationMemory::new([(longer.to_owned(), "Klicken Sie.".to_owned())]);
    for (held_out, left) in [("choose the new colour", 0), ("Then wait.", 1)] {
        let held_out = TranslationMemory::new([(held_out.to_owned(), "…".to_owned())]);
        assert_eq!(longer.without(&held_out).len(), left);
    }

    let strange = TranslationMemory::read(folder.path(), "en", "fr").expect_err("no French");
    assert!(
        matches!(strange, Error::MemoryLanguages { .. }),
        "{strange}"
    );
    let damaged = folder.path().join("damaged.po");
    std::fs::write(&damaged, "msgid \"Insert\nmsgstr oops\n").expect("a file");
    let strange = TranslationMemory::read(&damaged, "en", "de").expect_err("no catalogue");
    assert!(matches!(strange, Error::Gettext { .. }), "{strange}");
    assert!(strange.to_string().contains("damaged.po"), "{strange}");
}

#[test]
fn an_odd_catalogue_is_read_and_only_keys_lose_their_marks() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.po");
    let catalogue = r#"
#French translation
msgid ""
msgstr ""
"Language: ca@valencia\n"
#:main.c:1
#,fuzzy,c-format
#|msgid "Guesses"
msgid "Guess"
msgstr "Un"
msgid "Print Q&A"
msgstr "Imprimeix"
msgid "Cut &amp; paste"
msgstr "Talla &amp; enganxa"
msgid "Set PYTHON_PATH"
msgstr "Posa PYTHON_PATH"
msgid "my_file is here"
msgstr "El fitxer"
msgid "Re_place"
msgstr "Su_bstitueix"
#~
#~msgid "Old"
#~ msgstr "Vell"
"#;
    std::fs::write(&path, catalogue).expect("a file");
    let memory = TranslationMemory::read(&path, "en", "ca").expect("a memory");
    let sources = memory.pairs.iter().map(|pair| pair.source.as_str());
    let expected = [
        "Print Q&A",
        "Cut &amp; paste",
        "Set PYTHON_PATH",
        "my_file is here",
        "Replace",
    ];
    assert_eq!(sources.collect::<Vec<_>>(), expected);
    assert_eq!(memory.exact("Replace"), Some("Substitueix"));
    let forms = "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[4294967296] \"c\"\n";
    std::fs::write(&path, forms).expect("a file");
    let error = TranslationMemory::read(&path, "en", "ca").expect_err("so many plural forms");
    assert!(error.to_string().contains("line 3"), "{error}");
    std::fs::write(&path, b"msgid \"a\"\nmsgstr \"\xE4\"\n").expect("a file");
    let error = TranslationMemory::read(&path, "en", "ca").expect_err("Latin 1");
    assert!(
        matches!(
            error,
            Error::Base(crate::error::BaseError::NotUtf8 { line: 2, .. })
        ),
        "{error}"
    );
}

#[test]
fn a_short_sentence_finds_itself_among_many_that_hold_it() {
    let longer = (0..100).map(|number| (format!("Slide {number}"), format!("Folie {number}")));
    let other = (0..2_000).map(|number| (format!("Other {number}"), "…".to_owned()));
    let own = [("Slide".to_owned(), "Folie".to_owned())];
    let memory = TranslationMemory::new(longer.chain(other).chain(own));
    let found = memory.best("Slide").expect("a match");
    assert_eq!(
        (found.target, found.score.to_bits()),
        ("Folie", 1.0f32.to_bits())
    );
    assert_eq!(memory.to_show("Slide")[0].target, "Folie");
}

#[test]
fn sentences_without_spaces_find_similar_ones() {
    for (pairs, query, least) in [
        (
            [
                ("单击保存按钮以保存文件。", "Click Save."),
                ("图表有两个坐标轴。", "Two axes."),
            ],
            "单击打印按钮以保存文件。",
            0.8,
        ),
        (
            [
                ("保存ボタンをクリックします。", "Click Save."),
                ("図には軸が二つあります。", "Two axes."),
            ],
            "印刷ボタンをクリックします。",
            0.8,
        ),
        (
            [("คลิกปุ่มบันทึก", "Click Save."), ("แผนภูมิมีสองแกน", "Two axes.")],
            "คลิกปุ่มพิมพ์",
            0.6,
        ),
    ] {
        let memory = TranslationMemory::new(
            pairs.map(|(source, target)| (source.to_owned(), target.to_owned())),
        );
        let found = memory.best(query).expect("one resembles it");
        assert_eq!(found.target, "Click Save.", "{query}");
        assert!(
            (least..1.0).contains(&found.score),
            "{query}: {}",
            found.score
        );
        assert_eq!(memory.to_show(query).len(), 1, "{query}");
        let covering = memory.covering(query, 1);
        assert_eq!(covering, [pairs[0]], "{query}");
    }
}

#[test]
fn a_bilingual_file_is_a_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("done.xlf");
    let file = "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de-DE\"><body>\
                <trans-unit id=\"1\"><source>Save</source><target state=\"final\">Sichern</target></trans-unit>\
                <trans-unit id=\"2\"><source>Open it</source><alt-trans><source>Open</source><target>Öffnen</target></alt-trans></trans-unit>\
                </body></file></xliff>";
    std::fs::write(&path, file).expect("written");
    let memory = TranslationMemory::read(&path, "en", "de").expect("a memory");
    assert_eq!(memory.len(), 2);
    assert_eq!(memory.exact("Save"), Some("Sichern"));
    assert_eq!(memory.exact("Open"), Some("Öffnen"));
    let other = TranslationMemory::read(&path, "en", "fr");
    assert!(matches!(other, Err(Error::MemoryLanguages { .. })));
}

#[test]
fn a_memory_with_a_penalty_comes_behind_and_is_never_exact() {
    let pair = |source: &str, target: &str| (source.to_owned(), target.to_owned());
    let own = TranslationMemory::new([pair("Close the page now.", "Seite schließen.")]);
    let old = TranslationMemory::new([
        pair("Open the file now.", "Alte Datei."),
        pair("Close the page now.", "Alte Seite."),
    ])
    .with_penalty(0.1);
    for all in [own.before(&old), old.before(&own)] {
        assert_eq!(all.exact("Close the page now."), Some("Seite schließen."));
        assert_eq!(all.exact("Open the file now."), None);
        let found = all.best("Open the file now.").expect("a match");
        assert_eq!(found.target, "Alte Datei.");
        assert!((found.score - 0.9).abs() < 1e-6, "{}", found.score);
    }
}
