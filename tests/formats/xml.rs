//! XLIFF, DITA, DocBook and Mallard.

use canopy::text::document::{Document, Format, ReadingOptions, Standing};
use canopy::text::placeholder::{CLOSE, open, point};

use super::properties::Inline;
use super::{read, read_with, texts, translated};

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn content(paragraph: &[Inline], mark: &str, attributes: &str, code: &str) -> String {
    let mut number = 0;
    let mut inline = |inline: &Inline| {
        number += 1;
        match inline {
            Inline::Text(text) => escaped(text),
            Inline::Marked(text) => format!(
                "<{mark}{}>{}</{mark}>",
                attributes.replace('#', &number.to_string()),
                escaped(text)
            ),
            Inline::Code => code.replace('#', &number.to_string()),
        }
    };
    paragraph.iter().map(&mut inline).collect()
}

pub fn xliff1(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let unit = |it: &Vec<Inline>| {
        let source = content(it, "g", " id=\"#\"", "<ph id=\"#\">{}</ph>");
        format!(
            "<trans-unit id=\"a\" xml:space=\"preserve\">\n<source>{source}</source>\n</trans-unit>\n"
        )
    };
    first(&paragraphs.iter().map(unit).collect::<String>()).into_bytes()
}

fn first(units: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\
         <file source-language=\"en\" datatype=\"x\" original=\"y\"><body>\n{units}</body></file></xliff>\n"
    )
}

pub fn xliff2(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let unit = |it: &Vec<Inline>| {
        let source = content(it, "pc", " id=\"#\"", "<ph id=\"#\"/>");
        format!("<unit id=\"a\"><segment><source>{source}</source></segment></unit>\n")
    };
    let units: String = paragraphs.iter().map(unit).collect();
    second(&units).into_bytes()
}

fn second(units: &str) -> String {
    format!(
        "<xliff version=\"2.0\" srcLang=\"en\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\"><file id=\"f\">{units}</file></xliff>"
    )
}

pub fn dita(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let paragraph =
        |it: &Vec<Inline>| format!("<p>{}</p>", content(it, "b", "", "<image href=\"x.png\"/>"));
    let body: String = paragraphs.iter().map(paragraph).collect();
    format!("<?xml version=\"1.0\"?>\n<!DOCTYPE topic PUBLIC \"-//OASIS//DTD DITA Topic//EN\" \"topic.dtd\">\n<topic id=\"t\"><body>{body}</body></topic>").into_bytes()
}

pub fn docbook(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let paragraph = |it: &Vec<Inline>| {
        format!(
            "<para>{}</para>",
            content(it, "emphasis", "", "<anchor id=\"x\"/>")
        )
    };
    let body: String = paragraphs.iter().map(paragraph).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<article xmlns=\"http://docbook.org/ns/docbook\">{body}</article>"
    )
    .into_bytes()
}

pub fn mallard(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let paragraph = |it: &Vec<Inline>| {
        format!(
            "<p>{}</p>",
            content(it, "gui", "", "<media src=\"x.png\"/>")
        )
    };
    let body: String = paragraphs.iter().map(paragraph).collect();
    format!("<page xmlns=\"http://projectmallard.org/1.0/\" id=\"x\">{body}</page>").into_bytes()
}

fn written(name: &str, text: &str, translations: &[&str]) -> String {
    let document = read(name, text.as_bytes());
    String::from_utf8(translated(&document, translations, Some("de"))).expect("UTF-8")
}

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
fn a_topic_keeps_names_listings_and_entities() {
    let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE concept PUBLIC \"-//OASIS//DTD DITA Concept//EN\" \"concept.dtd\" [<!ENTITY name \"Tool\">]>\n\
                <concept id=\"c\" xml:lang=\"en\"><title>About</title><conbody><p>Run <codeph>ls -l</codeph> in &name;<fn>Or not.</fn>.\n<ul><li>One</li></ul> Then rest.</p>\
                <codeblock>keep()</codeblock><p translate=\"no\">As it is</p></conbody></concept>";
    let document = read("a.dita", text.as_bytes());
    let run = format!("Run {} in {}{}.", point(0), point(1), point(2));
    assert_eq!(
        texts(&document),
        ["About", &run, "Or not.", "One", "Then rest."]
    );
    assert_eq!(document.sentences[1].plain_text(), "Run ls -l in &name;.");
    let sentence = format!("In {} läuft {}{}.", point(1), point(0), point(2));
    let translated = written(
        "a.dita",
        text,
        &["Über", &sentence, "Oder nicht.", "Eins", "Then rest."],
    );
    assert!(translated.contains("<p>In &name; läuft <codeph>ls -l</codeph><fn>Oder nicht.</fn>.\n<ul><li>Eins</li></ul> Then rest.</p>"), "{translated}");
    assert!(
        translated.contains("xml:lang=\"de\"")
            && translated.contains("<codeblock>keep()</codeblock>"),
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

#[test]
fn a_book_of_chapters_in_other_files_is_read() {
    let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE book PUBLIC \"-//OASIS//DTD DocBook XML V4.5//EN\" \"d.dtd\" [<!ENTITY one SYSTEM \"one.xml\">]>\n\
                <book>&one;<chapter><title>Two</title><para>Text &amp; <emphasis>more</emphasis>.</para></chapter></book>";
    let document = read("a.dbk", text.as_bytes());
    assert_eq!(
        texts(&document),
        ["Two", &format!("Text & {}more{CLOSE}.", open(0))]
    );
}

/// A book's chapters often lie in files of their own, which the book includes as entities.
#[test]
fn a_part_of_a_book_is_read_by_itself() {
    let text = "<!-- Not a document of its own. -->\n<!DOCTYPE sect1 SYSTEM \"gui.dtd\" [<!ENTITY app \"Sums\">]>\n\
                <sect1 id=\"menus\"><title>Menus of &app;</title><para>Press <guimenu>File</guimenu>.</para></sect1>\n\
                &more;\n<sect1><xi:include href=\"a.xml\"/><title>Two</title><para>Text.</para></sect1>\n";
    for name in ["menus.xml", "menus.docbook"] {
        let document = read(name, text.as_bytes());
        let format = Format::from_content(name.as_ref(), text.as_bytes());
        assert_eq!(format, Some(Format::DocBook));
        assert_eq!(
            document.plain_texts(),
            ["Menus of &app;", "Press File.", "Two", "Text."]
        );
        let translations = [None, None, Some("Zwei".to_owned()), None];
        let german = document
            .written(&translations, Some("de"))
            .expect("written");
        let german = String::from_utf8(german).expect("UTF-8");
        assert_eq!(german, text.replace("Two", "Zwei"));
    }
}

#[test]
fn what_stands_for_a_picture_in_docbook_is_text() {
    let text = "<sect1><title>One</title>\n<para>Press <inlinemediaobject><imageobject><imagedata fileref=\"a.png\"/></imageobject>\
                <textobject><phrase>A red button</phrase></textobject></inlinemediaobject> to go on.</para>\n\
                <figure><title>The window</title><mediaobject><imageobject><imagedata fileref=\"b.png\"/></imageobject>\
                <textobject><phrase>A window with two buttons.</phrase></textobject><caption><para>So it looks.</para></caption></mediaobject></figure></sect1>\n";
    let document = read("a.docbook", text.as_bytes());
    assert_eq!(
        texts(&document),
        [
            "One",
            &format!("Press {} to go on.", point(0)),
            "A red button",
            "The window",
            "A window with two buttons.",
            "So it looks."
        ]
    );
    let german = written(
        "a.docbook",
        text,
        &[
            "Eins",
            &format!("{} drücken, um fortzufahren.", point(0)),
            "Ein roter Knopf",
            "Das Fenster",
            "Ein Fenster mit zwei Knöpfen.",
            "So sieht es aus.",
        ],
    );
    for part in [
        "</inlinemediaobject> drücken, um fortzufahren.</para>",
        "<textobject><phrase>Ein roter Knopf</phrase></textobject>",
        "<textobject><phrase>Ein Fenster mit zwei Knöpfen.</phrase></textobject><caption><para>So sieht es aus.</para></caption>",
    ] {
        assert!(german.contains(part), "{german}");
    }
}

#[test]
fn other_xml_is_refused_by_the_name_of_its_element() {
    let text = b"<doxygen><para>Text.</para></doxygen>";
    let format = Format::from_content("text.xml".as_ref(), text).expect("by its name");
    let refused = Document::from_bytes("text.xml", format, text.to_vec());
    let error = refused.expect_err("no format").to_string();
    assert!(error.contains("<doxygen>"), "{error}");
}

#[test]
fn a_page_of_mallard_is_read_as_itstool_reads_it() {
    let text = "<page xmlns=\"http://projectmallard.org/1.0/\" xmlns:its=\"http://www.w3.org/2005/11/its\" id=\"mouse\">\n<info><link type=\"guide\" xref=\"index\"/>\
         <credit type=\"author\"><name>Ada</name></credit><desc>About the <gui>mouse</gui>.</desc></info>\n<title>The mouse</title>\n\
         <comment><p>To be checked.</p></comment><steps><item><p>Press <keyseq><key>Ctrl</key><key>Q</key></keyseq> or\n  type <cmd>quit</cmd>.</p></item></steps>\
         <section id=\"more\"><title>More</title><p>Look: <media src=\"a.png\"><p>A picture.</p></media></p>\
         <media src=\"b.png\"><p>A film.</p></media><screen><output>Hello</output></screen><p its:translate=\"no\">GNOME</p>\
         <tree><item>Root<item>Leaf</item></item></tree></section></page>\n";
    for name in ["mouse.page", "mouse.xml"] {
        let document = read(name, text.as_bytes());
        assert_eq!(
            document.plain_texts(),
            [
                "About the mouse.",
                "The mouse",
                "Press CtrlQ or type quit.",
                "More",
                "Look:",
                "A picture.",
                "A film.",
                "Root",
                "Leaf"
            ]
        );
        let levels = document.sections.iter().map(|section| section.level);
        assert_eq!(levels.collect::<Vec<_>>(), [0, 1, 2]);
    }
    let document = read("mouse.page", text.as_bytes());
    let title = [None, Some("Die Maus".to_owned())];
    let titled: Vec<_> = title.into_iter().chain((0..7).map(|_| None)).collect();
    let german = document.written(&titled, Some("de")).expect("written");
    let german = String::from_utf8(german).expect("UTF-8");
    let expected = text
        .replace("<page ", "<page xml:lang=\"de\" ")
        .replace("The mouse", "Die Maus");
    assert_eq!(german, expected);
}

#[test]
fn an_entity_bomb_is_refused_by_name() {
    let mut entities = "<!ENTITY e0 \"bang\">".to_owned();
    for number in 1..9 {
        let inner = format!("&e{};", number - 1).repeat(10);
        entities.extend(["<!ENTITY e", &number.to_string(), " \"", &inner, "\">"]);
    }
    let text = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE topic PUBLIC \"-//OASIS//DTD DITA Topic//EN\" \"topic.dtd\" [{entities}]><topic><title>&e8;</title></topic>"
    );
    let refused = Document::from_bytes("bomb.dita", Format::Dita, text.into_bytes());
    let error = refused.expect_err("refused").to_string();
    assert!(
        error.contains("bomb.dita") && error.contains("entity e"),
        "{error}"
    );
}

#[test]
fn a_topic_written_from_the_right_says_so() {
    let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE topic PUBLIC \"-//OASIS//DTD DITA Topic//EN\" \"topic.dtd\">\n<topic id=\"t\" xml:lang=\"en-GB\"><title>One</title></topic>";
    let document = read("a.dita", text.as_bytes());
    let arabic = translated(&document, &["واحد"], Some("ar"));
    let arabic = String::from_utf8(arabic).expect("UTF-8");
    assert!(
        arabic.contains("<topic dir=\"rtl\" id=\"t\" xml:lang=\"ar\">"),
        "{arabic}"
    );
    let back = read("a.dita", arabic.as_bytes());
    let english = translated(&back, &["One"], Some("en"));
    assert!(String::from_utf8_lossy(&english).contains("<topic dir=\"ltr\""));
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
