//! Marks within words, markup beside what a model reads, quotation marks.

use super::*;

#[test]
fn marks_within_words_go_to_their_beginning_or_around_them() {
    let done = |source, points: &[&str], target, pairs: &[(usize, usize)]| {
        project(source, points, target, pairs).0
    };
    let save = [(0, 0), (1, 1), (2, 2), (3, 3)];
    let plain = StrippedSource::from_text(&written("Save the docu<0/>ment."), &[String::new()]);
    assert_eq!(plain.text, "Save the document.");
    assert_eq!(
        done(
            "Save the docu<0/>ment.",
            &[""],
            "Das Dokument speichern.",
            &[(0, 1), (1, 2), (2, 0), (3, 3)]
        ),
        "Das <0/>Dokument speichern."
    );
    assert_eq!(
        done(
            "Save the <0>docu</>ment.",
            &[],
            "Speichern das Dokument.",
            &save
        ),
        "Speichern das <0>Dokument</>."
    );
    assert_eq!(
        done(
            "<0>S</>ave the document.",
            &[],
            "Speichern das Dokument.",
            &save
        ),
        "<0>S</>peichern das Dokument."
    );
    assert_eq!(
        done(
            "Press the <0>E</>nter key.",
            &[],
            "Drücken die Eingabetaste.",
            &[(0, 0), (1, 1), (2, 2), (2, 3), (3, 4)]
        ),
        "Drücken die <0>E</>ingabetaste."
    );
    let row = [(0, 3), (1, 1), (2, 2), (3, 4), (4, 5)];
    assert_eq!(
        done(
            "The 2<0>nd</> row moves.",
            &[],
            "Die 2. Zeile wandert.",
            &[(0, 0), (1, 1), (3, 2), (4, 3), (5, 4)]
        ),
        "Die 2<0>.</> Zeile wandert."
    );
    assert_eq!(
        done(
            "The 2<0>nd</> row moves.",
            &[],
            "Die zweite Zeile wandert.",
            &[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]
        ),
        "Die <0>zweite</> Zeile wandert."
    );
    assert_eq!(
        done(
            "Some H<0>2</>O is in H<1>2</>O.",
            &[],
            "In H2O ist H2O.",
            &row
        ),
        "In H<0>2</>O ist H<1>2</>O."
    );
    assert_eq!(
        done(
            "Print<0/>Save",
            &[""],
            "Drucken Speichern",
            &[(0, 0), (1, 1)]
        ),
        "Drucken<0/> Speichern",
        "an image between two words is no part of one"
    );
}

/// Puts markup that a model does not read into what it has written.
fn project_unread(source: &str, points: &[&str], target: &str, pairs: &[(usize, usize)]) -> String {
    let points: Vec<String> = points.iter().map(ToString::to_string).collect();
    let source = StrippedSource::around_read(&written(source), &points).expect("marks");
    let target = written(target);
    let alignment = aligned(&source.text, &target, pairs);
    shown(&projected(&source, &target, &alignment, "de").text)
}

#[test]
fn what_a_model_does_not_read_stands_beside_what_it_writes() {
    let read = |source: &str, points: &[&str]| {
        let points: Vec<String> = points.iter().map(ToString::to_string).collect();
        StrippedSource::around_read(&written(source), &points).map(|it| shown(&it.text))
    };
    let source = "Click <0>Save</> and<1/>close <2/>.";
    let read_text = read(source, &["", " ", "Ctrl+W"]);
    assert_eq!(
        read_text.as_deref(),
        Some("Click <0>Save</> and close <2/>.")
    );
    assert_eq!(read("Click <0>Save</> or <1/>.", &["", "Ctrl+W"]), None);
    let pairs = [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 3),
        (4, 4),
        (5, 5),
        (6, 6),
        (7, 7),
    ];
    assert_eq!(
        project_unread(
            source,
            &["", " ", "Ctrl+W"],
            "Klicken <0>Speichern</> und schließen <2/>.",
            &pairs
        ),
        "Klicken <0>Speichern</> und<1/>schließen <2/>."
    );
    assert_eq!(
        project_unread(
            "The <0>big docu<1/>ment</> is open.",
            &["", ""],
            "Das <0>große Dokument</> ist offen.",
            &pairs
        ),
        "Das <0>große <1/>Dokument</> ist offen."
    );
    assert_eq!(
        project_unread(
            "A <0>b</>ig <1>red</> thing",
            &[],
            "Ein großes <1>rotes</> Ding",
            &pairs[..6]
        ),
        "Ein <0>g</>roßes <1>rotes</> Ding"
    );
}

#[test]
fn pairs_that_touch_are_two_words_unless_they_go_on_small() {
    let read = |source: &str| StrippedSource::from_text(&written(source), &[]).text;
    assert_eq!(read("<0>Command</><1>Ctrl</>+Z"), "Command Ctrl+Z");
    assert_eq!(read("<0>Command+T</><1>F11</>"), "Command+T F11");
    assert_eq!(read("<0>docu</><1>ment</>"), "document");
    assert_eq!(read("<0>T</><1>HE END</>"), "THE END");
    let keys = StrippedSource::around_read(&written("<0>Command</><1>Ctrl</>"), &[]);
    assert_eq!(keys, None, "a model reads both");
}

#[test]
fn lost_quotation_marks_are_put_back_as_the_language_has_them() {
    let pairs = [(0, 0), (1, 2), (2, 4), (3, 5)];
    let done = |source: &str, target: &str, language: &str| {
        let source = StrippedSource::from_text(&written(source), &[]);
        let alignment = aligned(&source.text, target, &pairs);
        shown(&projected(&source, target, &alignment, language).text)
    };
    let source = "The “Contributor” agrees.";
    assert_eq!(
        done(source, "Der Beitragende stimmt.", "de"),
        "Der „Beitragende“ stimmt."
    );
    assert_eq!(
        done(source, "O Contribuinte concorda.", "pt"),
        "O “Contribuinte” concorda."
    );
    assert_eq!(
        done(source, "Le Contributeur accepte.", "fr"),
        "Le «\u{A0}Contributeur\u{A0}» accepte."
    );
    assert_eq!(
        done(
            "The \"Contributor\" agrees.",
            "Der Beitragende stimmt.",
            "de"
        ),
        "Der \"Beitragende\" stimmt."
    );
    assert_eq!(
        done(source, "Der „Beitragende“ stimmt.", "de"),
        "Der „Beitragende“ stimmt."
    );
    assert_eq!(
        done(
            "The “<0>Contributor</>” agrees.",
            "Der Beitragende stimmt.",
            "de"
        ),
        "Der „<0>Beitragende</>“ stimmt."
    );
}

#[test]
fn an_address_has_one_space_before_it() {
    let (text, _) = project(
        "Write to <0/>.",
        &["me@x.org"],
        "Schreiben an  me@x.org.",
        &[(0, 0), (1, 1)],
    );
    assert_eq!(text, "Schreiben an <0/>.");
}

#[test]
fn nothing_beside_what_is_read_is_lost_or_misnested_whatever_the_alignment() {
    for seed in 0..2000 {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
        let (mut text, mut next) = (String::new(), 0);
        random.tree(&mut text, &mut next, 0);
        let shows = ["", " ", "ls -l", "", "\t"];
        let points: Vec<String> = (0..next)
            .map(|_| shows[random.below(5)].to_owned())
            .collect();
        let Some(source) = StrippedSource::around_read(&text, &points) else {
            continue;
        };
        // What the model writes has the placeholders that it reads.
        let target = source.text.replace("Bb", "xyz").replace("é", "ee q");
        let [own, other] = [source.text.as_str(), &target].map(|text| Words::new(text, &[]).ranges);
        let weights = other
            .iter()
            .map(|_| own.iter().map(|_| random.0.random::<f32>()).collect());
        let alignment = Alignment {
            weights: weights.collect(),
            source: own.clone(),
            target: other.clone(),
        };
        let projected = projected(&source, &target, &alignment, "de").text;
        let context = format!(
            "seed {seed}: {} | {} | {}",
            shown(&text),
            shown(&target),
            shown(&projected)
        );
        assert_eq!(placeholders(&projected), placeholders(&text), "{context}");
        assert!(nesting(&projected).is_some(), "{context}");
        let plain = |text: &str| stripped(text).split_whitespace().collect::<String>();
        assert_eq!(plain(&projected), plain(&target), "{context}");
    }
}
