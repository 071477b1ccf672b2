//! Translations that XLIFF files bring along: drafts, and what is confirmed.

use super::*;

/// The text and standing of what each sentence has already.
fn known(document: &Document) -> Vec<Option<(&str, Standing)>> {
    let known = document.sentences.iter().map(|it| it.known.as_ref());
    known
        .map(|known| known.map(|known| (known.text.as_str(), known.standing)))
        .collect()
}

#[test]
fn drafts_stay_unless_they_are_to_be_translated_anew() {
    use Standing::{Approved, Draft, Translated};
    let unit = |id: u8, attributes: &str, state: &str, target: &str| {
        format!(
            "<trans-unit id=\"{id}\"{attributes}><source>Open</source><target{state}>{target}</target></trans-unit>"
        )
    };
    let text = first(
        &[
            unit(1, "", " state=\"new\"", "Auf"),
            unit(2, "", " state=\"needs-translation\"", "Auf"),
            unit(3, "", " state=\"needs-translation\"", "Open"),
            unit(4, "", " state=\"needs-review-translation\"", "Open"),
            unit(5, "", " state=\"translated\"", "Öffnen"),
            unit(6, "", " state=\"signed-off\"", "Öffnen"),
            unit(
                7,
                " approved=\"yes\"",
                " state=\"needs-translation\"",
                "Öffnen",
            ),
            unit(8, "", "", "Öffnen"),
        ]
        .concat(),
    );
    let document = read("a.xlf", text.as_bytes());
    let auf = Some(("Auf", Draft));
    assert_eq!(
        known(&document),
        [
            auf,
            auf,
            None,
            Some(("Open", Draft)),
            Some(("Öffnen", Translated)),
            Some(("Öffnen", Approved)),
            Some(("Öffnen", Approved)),
            Some(("Öffnen", Translated)),
        ]
    );
    // What is not a finished translation is not used.
    assert_eq!(document.known_pairs().count(), 4);
    let all: Vec<_> = document
        .sentences
        .iter()
        .map(|it| it.known.is_none().then(|| "Aufmachen".to_owned()))
        .collect();
    let translated = document.written(&all, Some("de")).expect("written");
    let translated = String::from_utf8(translated).expect("UTF-8");
    let expected = text
        .replace(
            "<trans-unit id=\"3\"><source>Open</source><target state=\"needs-translation\">Open",
            "<trans-unit id=\"3\"><source>Open</source><target state=\"needs-review-translation\">Aufmachen",
        )
        .replace("original=\"y\"", "original=\"y\" target-language=\"de\"");
    assert_eq!(translated, expected);

    let anew = ReadingOptions {
        drafts: true,
        ..ReadingOptions::default()
    };
    let read_anew = |name, text: String| read_with(name, text.as_bytes(), &anew);
    let open = |document: &Document| {
        let known = document.sentences.iter().map(|it| it.known.is_none());
        known.collect::<Vec<_>>()
    };
    assert_eq!(
        open(&read_anew("a.xlf", text)),
        [true, true, true, true, false, false, false, false]
    );
    let text = second(
        "<unit id=\"u\"><segment state=\"initial\"><source>One.</source><target>Eins?</target></segment>\
         <segment state=\"reviewed\"><source>Two.</source><target>Zwei.</target></segment></unit>",
    );
    assert_eq!(
        known(&read("a.xlf", text.as_bytes())),
        [Some(("Eins?", Draft)), Some(("Zwei.", Approved))]
    );
    assert_eq!(open(&read_anew("a.xlf", text)), [true, false]);
}

#[test]
fn trados_and_memoq_distinguish_drafts_from_what_is_confirmed() {
    use Standing::{Approved, Draft};
    let mrk = |id: u8, text: &str| format!("<mrk mtype=\"seg\" mid=\"{id}\">{text}</mrk>");
    let seg = |id: u8, conf: &str| format!("<sdl:seg id=\"{id}\" conf=\"{conf}\"/>");
    let all = |texts: [&str; 4]| {
        (1..)
            .zip(texts)
            .map(|(id, text)| mrk(id, text))
            .collect::<String>()
    };
    let source = all(["One.", "Two.", "Three.", "Four."]);
    let target = all(["Eins?", "Zwei.", "Three.", "Vier?"]);
    let states = ["Draft", "Translated", "Draft", "RejectedTranslation"];
    let states: String = (1..).zip(states).map(|(id, conf)| seg(id, conf)).collect();
    let text = first(&format!(
        "<trans-unit id=\"1\"><source>One.Two.Three.Four.</source><seg-source>{source}</seg-source><target>{target}</target>\
         <sdl:seg-defs>{states}</sdl:seg-defs></trans-unit>"
    ));
    let text = text.replace("version=\"1.2\"", "version=\"1.2\" xmlns:sdl=\"s\"");
    let document = read("a.sdlxliff", text.as_bytes());
    assert_eq!(
        known(&document),
        [
            Some(("Eins?", Draft)),
            Some(("Zwei.", Approved)),
            None,
            Some(("Vier?", Draft)),
        ]
    );
    let new = vec![None, None, Some("Drei.".to_owned()), None];
    let written = document.written(&new, Some("de")).expect("written");
    let written = String::from_utf8(written).expect("UTF-8");
    for kept in [
        mrk(1, "Eins?"),
        mrk(2, "Zwei."),
        mrk(3, "Drei."),
        mrk(4, "Vier?"),
    ] {
        assert!(written.contains(&kept), "{written}");
    }

    let unit = |id: u8, status: &str| {
        format!(
            "<trans-unit id=\"{id}\" mq:status=\"{status}\"><source>One</source><target>Eins</target></trans-unit>"
        )
    };
    let units = [
        "PartiallyEdited",
        "MachineTranslated",
        "ManuallyConfirmed",
        "NotStarted",
    ];
    let units: String = (1..)
        .zip(units)
        .map(|(id, status)| unit(id, status))
        .collect();
    let text = first(&units).replace("version=\"1.2\"", "version=\"1.2\" xmlns:mq=\"MQXliff\"");
    let document = read("a.mqxliff", text.as_bytes());
    let eins = |standing| Some(("Eins", standing));
    assert_eq!(
        known(&document),
        [eins(Draft), eins(Draft), eins(Approved), eins(Draft)]
    );
}

#[test]
fn translations_that_a_file_brings_along_are_read() {
    let text = first(
        "<trans-unit id=\"1\"><source>Open the file.</source><alt-trans match-quality=\"80\"><source>Open a file.</source><target>Eine Datei öffnen.</target></alt-trans>\
         <alt-trans match-quality=\"100%\"><target>Die Datei öffnen.</target></alt-trans></trans-unit>\
         <trans-unit id=\"2\"><source>Done</source><target state=\"final\">Fertig</target></trans-unit>",
    );
    let document = read("a.xlf", text.as_bytes());
    assert_eq!(texts(&document), ["Open the file.", "Done"]);
    assert_eq!(
        document.matching("Open a  file."),
        Some("Eine Datei öffnen.")
    );
    assert_eq!(
        document.matching("Open the file."),
        Some("Die Datei öffnen.")
    );
    let mut pairs: Vec<_> = document.known_pairs().collect();
    pairs.sort();
    let pair = |source: &str, target: &str| (source.to_owned(), target.to_owned());
    assert_eq!(
        pairs,
        [
            pair("Done", "Fertig"),
            pair("Open a file.", "Eine Datei öffnen."),
            pair("Open the file.", "Die Datei öffnen."),
        ]
    );
    let text = second(
        "<unit id=\"u\"><m:matches xmlns:m=\"urn:oasis:names:tc:xliff:matches:2.0\"><m:match ref=\"#s\"><source>Old.</source><target>Alt.</target></m:match></m:matches>\
         <segment id=\"s\"><source>New.</source></segment></unit>",
    );
    assert_eq!(
        read("a.xlf", text.as_bytes()).matching("Old."),
        Some("Alt.")
    );
}
