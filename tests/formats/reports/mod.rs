//! Files as users of other programs reported them: kinds of fault, each with the right value.

mod inputs;
mod subtitles;
mod word;

use canopy::text::placeholder::Placeholder;

use super::{entry, package, read, texts};

/// The file with every letter of ASCII in its sentences as a capital, and `end` after each sentence.
fn shouted(name: &str, bytes: &[u8], end: &str, language: Option<&str>) -> Vec<u8> {
    let document = read(name, bytes);
    let sentences = document.sentences.iter();
    let translations = sentences.map(|sentence| {
        let is_open = sentence.known.is_none();
        is_open.then(|| sentence.text.to_ascii_uppercase() + end)
    });
    let translations: Vec<Option<String>> = translations.collect();
    document.written(&translations, language).expect("written")
}

fn shout(name: &str, text: &str) -> String {
    let written = shouted(name, text.as_bytes(), "", Some("de"));
    String::from_utf8(written).expect("UTF-8")
}

#[test]
fn a_declared_encoding_holds_where_all_is_ascii() {
    for (name, body) in [
        (
            "a.xlf",
            "<xliff version='1.2'><file source-language='en'><body><trans-unit id='1'><source>Go</source></trans-unit></body></file></xliff>",
        ),
        (
            "strings.xml",
            "<resources><string name='a'>Go</string></resources>",
        ),
        (
            "a.resx",
            "<root><data name='a'><value>Go on</value></data></root>",
        ),
        (
            "a.ts",
            "<TS><context><message><source>Go</source><translation type='unfinished'/></message></context></TS>",
        ),
        ("a.dita", "<topic id='a'><title>Go</title></topic>"),
        (
            "a.dbk",
            "<book xmlns='http://docbook.org/ns/docbook'><title>Go</title></book>",
        ),
        (
            "a.stringsdict",
            "<plist><dict><key>a</key><string>Go on</string></dict></plist>",
        ),
    ] {
        for (encoding, wanted) in [
            ("windows-1252", &b"\xE9\x80&#357;"[..]),
            ("ISO-8859-1", b"\xE9&#8364;&#357;"),
            ("us-ascii", b"&#233;&#8364;&#357;"),
        ] {
            let file = format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n{body}");
            let written = shouted(name, file.as_bytes(), "é€ť", Some("de"));
            let is_there = written.windows(wanted.len()).any(|bytes| bytes == wanted);
            let shown = String::from_utf8_lossy(&written);
            assert!(is_there, "{name} {encoding}: {shown}");
            assert_eq!(shouted(name, &written, "", None), written, "{name}");
        }
    }
}

#[test]
fn a_catalogue_stays_in_its_encoding_as_long_as_it_can() {
    let file = |charset: &str| {
        format!(
            "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset={charset}\\n\"\n\nmsgid \"Go\"\nmsgstr \"\"\n"
        )
    };
    let written =
        |charset: &str, end: &str| shouted("a.po", file(charset).as_bytes(), end, Some("de"));
    assert!(written("ISO-8859-1", "é").ends_with(b"msgstr \"GO\xE9\"\n"));
    for (charset, end) in [
        ("ISO-8859-1", "ť"),
        ("ISO-8859-1", "€"),
        ("ASCII", "é"),
        ("CHARSET", "é"),
    ] {
        let written = String::from_utf8(written(charset, end)).expect("UTF-8");
        assert!(written.contains("charset=UTF-8\\n"), "{written}");
        assert!(
            written.ends_with(&format!("msgstr \"GO{end}\"\n")),
            "{written}"
        );
    }
}

#[test]
fn variables_and_code_of_templates_are_kept_in_every_format() {
    let text = "Write {{- html}} or {{#if a}}go{{/if}} to {% x y %} and <%= z w %>, see [it](https://x.org/a)";
    let wanted = "WRITE {{- html}} OR {{#if a}}GO{{/if}} TO {% x y %} AND <%= z w %>, SEE [IT](https://x.org/a)";
    let escape = |text: &str| text.replace('<', "&lt;");
    let xliff = |text: &str| {
        format!(
            "<xliff version='2.0' srcLang='en'><file id='f'><unit id='u'><segment><source>{text}</source></segment></unit></file></xliff>"
        )
    };
    for (name, file) in [
        ("a.json", format!("{{\"a\": \"{text}\"}}")),
        ("a.yml", format!("a: \"{text}\"\n")),
        ("a.properties", format!("a={text}\n")),
        ("a.po", format!("msgid \"{text}\"\nmsgstr \"\"\n")),
        ("a.strings", format!("\"a\" = \"{text}\";\n")),
        ("a.csv", format!("key,text\na,\"{text}\"\n")),
        ("a.txt", format!("{text}.\n")),
        ("a.html", format!("<p>{text}</p>")),
        ("a.xlf", xliff(&escape(text))),
        (
            "strings.xml",
            format!(
                "<resources><string name='a'>{}</string></resources>",
                escape(text)
            ),
        ),
    ] {
        let written = shout(name, &file).replace("&lt;", "<").replace("&gt;", ">");
        assert!(written.contains(wanted), "{name}: {written}");
    }
    for (text, wanted) in [
        (":count files by :name", ":count FILES BY :name"),
        (
            "See @:common.title for {'@'}",
            "SEE @:common.title FOR {'@'}",
        ),
        (
            "Press [[key]] at %H:%M, __name__",
            "PRESS [[key]] AT %H:%M, __name__",
        ),
        (
            "Save {{ 'x' | t }} to {{ a['b'] }}",
            "SAVE {{ 'x' | t }} TO {{ a['b'] }}",
        ),
    ] {
        let file = format!("{{\"a\": \"{text}\"}}");
        assert_eq!(shout("a.json", &file), format!("{{\"a\": \"{wanted}\"}}"));
    }
}

#[test]
fn units_of_xliff_have_the_placeholders_of_programs() {
    let file = "<xliff version='1.2'><file source-language='en'><body>\
        <trans-unit id='1'><source>%1$s of {0} &lt;b>now&lt;/b></source></trans-unit>\
        <trans-unit id='2'><source>Go to %d</source><target state='translated'>Geh zu %d</target></trans-unit>\
        <trans-unit id='3'><source>{n, plural, one {<x id='a'/> file} other {# files}}</source></trans-unit>\
        </body></file></xliff>";
    let document = read("a.xlf", file.as_bytes());
    let known = document.sentences[1].known_text().expect("a translation");
    let codes = |text: &str| {
        text.chars()
            .filter(|&c| Placeholder::from_char(c).is_some())
            .count()
    };
    assert_eq!(codes(known), codes(&document.sentences[1].text));
    assert_eq!(codes(known), 1);
    let written = shout("a.xlf", file);
    for part in [
        ">%1$s OF {0} &lt;b&gt;NOW&lt;/b&gt;</target>",
        ">Geh zu %d</target>",
        ">{n, plural, one {<x id='a'/> FILE} other {# FILES}}</target>",
    ] {
        assert!(written.contains(part), "{part}\n{written}");
    }
}

#[test]
fn targets_of_xliff_say_their_language_and_numbers_have_one() {
    let unit = |version: &str, units: &str| match version {
        "1.2" => format!(
            "<xliff version='1.2'><file source-language='en'><body>{units}</body></file></xliff>"
        ),
        _ => format!(
            "<xliff version='2.0' srcLang='en' trgLang='de'><file id='f'>{units}</file></xliff>"
        ),
    };
    let written = shout(
        "a.xlf",
        &unit(
            "1.2",
            "<trans-unit id='1'><source>Go</source><target xml:lang=\"fr\" state='new'>Go</target></trans-unit>\
            <trans-unit id='2'><source>12,5 <x id='1'/></source></trans-unit>",
        ),
    );
    assert!(
        written.contains("<target xml:lang=\"de\" state='needs-review-translation'>GO</target>"),
        "{written}"
    );
    assert!(written.contains(">12,5 <x id='1'/></target>"), "{written}");
    let written = shout(
        "a.xlf",
        &unit(
            "2.0",
            "<unit id='u'><segment><source>Go</source><target xml:lang=\"fr\"></target></segment>\
            <segment><source>42</source></segment></unit>",
        ),
    );
    assert!(
        written.contains("<target xml:lang=\"de\">GO</target>"),
        "{written}"
    );
    assert!(written.contains("<target>42</target>"), "{written}");
    let french = unit(
        "1.2",
        "<trans-unit id='1'><source>Go</source><target xml:lang=\"fr\">Va</target></trans-unit>",
    );
    assert_eq!(
        read("a.xlf", french.as_bytes()).target_language.as_deref(),
        Some("fr")
    );
}

#[test]
fn digits_of_a_character_may_go_on_in_the_next_line() {
    let document = read("a.properties", b"a=Two \\u\\\n  0050 and \\u00\\\r\n\t51\n");
    assert_eq!(texts(&document), ["Two P and Q"]);
}

#[test]
fn messages_of_icu_have_a_unit_a_branch_in_every_format() {
    let text = "{n, plural, one {a file} other {# files}}";
    let wanted = "{n, plural, one {A FILE} other {# FILES}}";
    for (name, file) in [
        (
            "strings.xml",
            format!("<resources><string name='a'>{text}</string></resources>"),
        ),
        (
            "a.ts",
            format!(
                "<TS><context><message><source>{text}</source><translation type='unfinished'/></message></context></TS>"
            ),
        ),
        (
            "a.resx",
            format!("<root><data name='a'><value>{text}</value></data></root>"),
        ),
        ("a.json", format!("{{\"a\": \"{text}\"}}")),
        ("a.po", format!("msgid \"{text}\"\nmsgstr \"\"\n")),
        (
            "a.xlf",
            format!(
                "<xliff version='1.2'><file source-language='en'><body><trans-unit id='1'><source>{text}</source></trans-unit></body></file></xliff>"
            ),
        ),
    ] {
        let written = shout(name, &file);
        assert!(written.contains(wanted), "{name}: {written}");
    }
}
