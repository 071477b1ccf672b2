//! XLIFF, DITA, DocBook and Mallard.

mod drafts;
mod xliff;

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

fn first(units: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\
         <file source-language=\"en\" datatype=\"x\" original=\"y\"><body>\n{units}</body></file></xliff>\n"
    )
}

fn second(units: &str) -> String {
    format!(
        "<xliff version=\"2.0\" srcLang=\"en\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\"><file id=\"f\">{units}</file></xliff>"
    )
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

pub fn xliff2(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let unit = |it: &Vec<Inline>| {
        let source = content(it, "pc", " id=\"#\"", "<ph id=\"#\"/>");
        format!("<unit id=\"a\"><segment><source>{source}</source></segment></unit>\n")
    };
    let units: String = paragraphs.iter().map(unit).collect();
    second(&units).into_bytes()
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
