//! XLIFF of both versions: states, codes, drafts and what other tools write.

use super::*;

#[test]
fn targets_and_states_are_written_and_what_is_done_is_kept() {
    let text = first(
        "<trans-unit id=\"1\" maxwidth=\"20\" size-unit=\"char\">\n  <source>Open</source>\n<note>A button</note></trans-unit>\
         <trans-unit id=\"2\"><source>Close</source><target state=\"new\">Close</target></trans-unit>\
         <trans-unit id=\"3\"><source>Save</source><target state=\"translated\">Sichern</target></trans-unit>\
         <trans-unit id=\"4\" translate=\"no\"><source>Quit</source></trans-unit>\
         <group translate=\"no\"><trans-unit id=\"5\"><source>Help</source></trans-unit></group>",
    );
    let document = read("a.xlf", text.as_bytes());
    assert_eq!(texts(&document), ["Open", "Close", "Save"]);
    assert_eq!(document.sentences[2].known_text(), Some("Sichern"));
    let first = &document.paragraphs[0];
    assert_eq!(
        (first.note.as_deref(), first.max_chars, first.id.as_deref()),
        (Some("A button"), Some(20), Some("1"))
    );
    let translated = written("a.xlf", &text, &["Öffnen", "Close", "Sichern"]);
    let expected = text
        .replace(
            "<source>Open</source>",
            "<source>Open</source>\n  <target state=\"needs-review-translation\">Öffnen</target>",
        )
        .replace("state=\"new\"", "state=\"needs-review-translation\"")
        .replace("original=\"y\"", "original=\"y\" target-language=\"de\"");
    assert_eq!(translated, expected);
}

#[test]
fn segments_keep_their_places_and_codes() {
    let text = first(
        "<trans-unit id=\"1\"><source><x id=\"0\"/>One. <bpt id=\"1\">{b}</bpt>Two<ept id=\"1\">{/b}</ept>.</source><seg-source>\
         <x id=\"0\"/><mrk mtype=\"seg\" mid=\"a\">One.</mrk> <mrk mtype=\"seg\" mid=\"b\"><bpt id=\"1\">{b}</bpt>Two<ept id=\"1\">{/b}</ept>.</mrk></seg-source></trans-unit>",
    );
    let document = read("a.xlf", text.as_bytes());
    assert_eq!(
        texts(&document),
        ["One.", &format!("{}Two{CLOSE}.", open(0))]
    );
    let translated = written("a.xlf", &text, &["Eins.", "Zwei."]);
    let target = "<target state=\"needs-review-translation\"><x id=\"0\"/><mrk mtype=\"seg\" mid=\"a\">Eins.</mrk> \
                  <mrk mtype=\"seg\" mid=\"b\">Zwei.<bpt id=\"1\">{b}</bpt><ept id=\"1\">{/b}</ept></mrk></target>";
    assert!(translated.contains(target), "{translated}");
}

#[test]
fn trados_and_memoq_are_marked_in_their_own_words() {
    let text = first(
        "<trans-unit id=\"1\"><source>One.</source><seg-source><mrk mtype=\"seg\" mid=\"1\">One.</mrk> <mrk mtype=\"seg\" mid=\"2\">Two.</mrk></seg-source>\
         <target><mrk mtype=\"seg\" mid=\"1\"/> <mrk mtype=\"seg\" mid=\"2\">Zwei.</mrk></target>\
         <sdl:seg-defs><sdl:seg id=\"1\"/><sdl:seg id=\"2\" locked=\"true\"/></sdl:seg-defs></trans-unit>",
    );
    let text = text.replace("version=\"1.2\"", "version=\"1.2\" xmlns:sdl=\"s\"");
    let document = read("a.sdlxliff", text.as_bytes());
    assert_eq!(texts(&document), ["One."]);
    let translated = written("a.sdlxliff", &text, &["Eins."]);
    let expected = "<target><mrk mtype=\"seg\" mid=\"1\">Eins.</mrk> <mrk mtype=\"seg\" mid=\"2\">Zwei.</mrk></target>\
                    <sdl:seg-defs><sdl:seg id=\"1\" conf=\"Draft\"/>";
    assert!(translated.contains(expected), "{translated}");

    let text = first(
        "<trans-unit id=\"1\" mq:status=\"NotStarted\"><source>One</source><target/></trans-unit>\
                      <trans-unit id=\"2\" mq:locked=\"locked\"><source>Two</source></trans-unit>",
    );
    let text = text.replace("version=\"1.2\"", "version=\"1.2\" xmlns:mq=\"MQXliff\"");
    let translated = written("a.mqxliff", &text, &["Eins"]);
    assert!(
        translated.contains("mq:status=\"PartiallyEdited\"")
            && translated.contains(">Eins</target>"),
        "{translated}"
    );
    assert_eq!(translated.matches("<target").count(), 1);
}

#[test]
fn units_of_the_second_version_have_their_segments() {
    let text = second(
        "<unit id=\"u\"><notes><note>Say it well</note></notes><segment id=\"s1\"><source>One <pc id=\"1\">two</pc> <ph id=\"2\"/></source></segment>\
         <ignorable><source> </source></ignorable><segment state=\"final\"><source>Done</source><target>Fertig</target></segment></unit>",
    );
    let document = read("a.xlf", text.as_bytes());
    assert_eq!(
        texts(&document),
        [&format!("One {}two{CLOSE}", open(0)), "Done"]
    );
    assert_eq!(document.paragraphs[0].id.as_deref(), Some("u/s1"));
    assert_eq!(document.sentences[1].known_text(), Some("Fertig"));
    let translated = written(
        "a.xlf",
        &text,
        &[&format!("Eins {}zwei{CLOSE}", open(0)), "Fertig"],
    );
    let expected = "<segment id=\"s1\" state=\"translated\"><source>One <pc id=\"1\">two</pc> <ph id=\"2\"/></source>\
                    <target>Eins <pc id=\"1\">zwei</pc> <ph id=\"2\"/></target></segment>";
    assert!(
        translated.contains(expected) && translated.contains("trgLang=\"de\""),
        "{translated}"
    );
}

#[test]
fn a_further_state_goes_with_the_state_before() {
    let text = second(
        "<unit id=\"u\"><segment id=\"s\" subState=\"x:y\" state=\"initial\"><source>One.</source></segment></unit>",
    );
    let translated = written("a.xlf", &text, &["Eins."]);
    assert!(
        translated.contains("<segment id=\"s\" state=\"translated\"><source>"),
        "{translated}"
    );
}

#[test]
fn a_unit_may_be_translated_within_a_group_that_is_not() {
    let text = first(
        "<group translate=\"no\"><trans-unit id=\"1\"><source>No</source></trans-unit><trans-unit id=\"2\" translate=\"yes\"><source>Yes</source></trans-unit></group>",
    );
    assert_eq!(texts(&read("a.xlf", text.as_bytes())), ["Yes"]);
}

#[test]
fn approved_targets_stay_even_if_they_equal_their_source() {
    let text = first(
        "<trans-unit id=\"1\" approved=\"yes\"><source>Menu</source><target>Menu</target></trans-unit>\
         <trans-unit id=\"2\"><source>Copy</source><target>Copy</target></trans-unit>",
    );
    let document = read("a.xlf", text.as_bytes());
    let known: Vec<_> = document
        .sentences
        .iter()
        .map(|it| it.known_text())
        .collect();
    assert_eq!(known, [Some("Menu"), None]);
    let text = first(
        "<trans-unit id=\"1\" mq:status=\"ManuallyConfirmed\"><source>Menu</source><target>Menu</target></trans-unit>",
    );
    let text = text.replace("version=\"1.2\"", "version=\"1.2\" xmlns:mq=\"MQXliff\"");
    let document = read("a.mqxliff", text.as_bytes());
    assert_eq!(document.sentences[0].known_text(), Some("Menu"));
}

#[test]
fn segments_within_segments_are_no_reason_to_panic() {
    let segment = |id: u8, inner: &str| format!("<mrk mid=\"{id}\" mtype=\"seg\">{inner}</mrk>");
    let inner = segment(1, "come stai?");
    let unit = format!(
        "<trans-unit id=\"1\"><source>Hello, how are you?</source><seg-source>{}{}</seg-source><target>{}</target></trans-unit>",
        segment(0, "Hello,"),
        segment(1, &format!("how are you? {inner}")),
        segment(0, "Ciao,"),
    );
    let file = format!(
        "<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\"><file original=\"a\" source-language=\"en\" \
         target-language=\"it\" datatype=\"plaintext\"><body>{unit}</body></file></xliff>"
    );
    let document = read("a.xliff", file.as_bytes());
    let texts = document.sentences.iter().map(|it| Some(it.text.clone()));
    let texts: Vec<_> = texts.collect();
    document.written(&texts, Some("it")).expect("written");
}
