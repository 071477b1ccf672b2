//! Files as users of other programs reported them: kinds of fault, each with the right value.

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

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

fn word(names: [&str; 3], body: &str) -> Vec<u8> {
    let document = format!("<w:document xmlns:w=\"{W}\"><w:body>{body}</w:body></w:document>");
    package(&[
        (
            names[0],
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>",
        ),
        (
            names[1],
            "<Relationships><Relationship Id=\"r1\" Type=\"http://x/officeDocument\" Target=\"word/document.xml\"/></Relationships>",
        ),
        (names[2], &document),
    ])
}

const NAMES: [&str; 3] = ["[Content_Types].xml", "_rels/.rels", "word/document.xml"];

fn word_body(body: &str, language: &str) -> String {
    let written = shouted("a.docx", &word(NAMES, body), "", Some(language));
    let document = entry(&written, NAMES[2]);
    let (_, body) = document.split_once("<w:body>").expect("a body");
    body.replace("</w:body></w:document>", "")
}

fn run(text: &str) -> String {
    format!("<w:r><w:t>{text}</w:t></w:r>")
}

fn mark(kind: &str) -> String {
    format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>")
}

fn instruction(text: &str) -> String {
    format!("<w:r><w:instrText>{text}</w:instrText></w:r>")
}

#[test]
fn links_that_are_fields_are_translated() {
    let page = [
        mark("begin"),
        instruction("PAGEREF a"),
        mark("separate"),
        run("iv"),
        mark("end"),
    ]
    .concat();
    let begin = [
        mark("begin"),
        instruction("HYPERLINK \"a\""),
        mark("separate"),
    ]
    .concat();
    let nested = format!("<w:p>{begin}{}{page}{}</w:p>", run("see page"), mark("end"));
    let written = word_body(&nested, "de");
    assert!(
        written.contains("SEE PAGE") && written.contains("<w:t>iv</w:t>"),
        "{written}"
    );
    assert_eq!(written.matches("w:fldChar ").count(), 6);
    let simple = format!(
        "<w:p>{}<w:fldSimple w:instr=\" HYPERLINK a\">{}</w:fldSimple></w:p>",
        run("see"),
        run("here")
    );
    assert!(word_body(&simple, "de").contains(
        "<w:fldSimple w:instr=\" HYPERLINK a\"><w:r><w:t>HERE</w:t></w:r></w:fldSimple>"
    ));
    let over = format!(
        "<w:p>{}{begin}{}</w:p><w:p>{}{}{}</w:p>",
        run("one"),
        run("two"),
        run("three"),
        mark("end"),
        run("four")
    );
    let written = word_body(&over, "de");
    for text in ["ONE", "TWO", "THREE", "FOUR"] {
        assert!(written.contains(text), "{text}: {written}");
    }
    let (first, second) = written.split_once("</w:p>").expect("two paragraphs");
    assert!(first.find("separate") < first.find("TWO"), "{first}");
    assert!(second.find("THREE") < second.find("\"end\""), "{second}");
    assert!(second.find("\"end\"") < second.find("FOUR"), "{second}");
    // What other fields show is made by the program.
    let page = format!("<w:p>{}{page}</w:p>", run("page"));
    assert!(word_body(&page, "de").contains("<w:t>iv</w:t>"));
}

#[test]
fn tracked_formatting_stays_on_its_words() {
    let tracked = |id: u8| {
        format!(
            "<w:rPr><w:i/><w:rPrChange w:id=\"{id}\" w:author=\"A\"><w:rPr/></w:rPrChange></w:rPr>"
        )
    };
    let body = format!(
        "<w:p><w:r>{}<w:t>changed wor</w:t></w:r><w:r>{}<w:t xml:space=\"preserve\">ds </w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>stay</w:t></w:r></w:p>",
        tracked(1),
        tracked(2)
    );
    let written = word_body(&body, "de");
    let wanted = format!(
        "<w:r>{}<w:t xml:space=\"preserve\">CHANGED WORDS </w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>STAY</w:t></w:r>",
        tracked(1)
    );
    assert!(written.contains(&wanted), "{written}");
}

#[test]
fn a_direction_that_is_off_is_off_or_set() {
    let body = "<w:p><w:pPr><w:bidi w:val=\"0\"/></w:pPr><w:r><w:rPr><w:b/><w:rtl w:val=\"0\"/></w:rPr><w:t>go</w:t></w:r></w:p>";
    assert!(word_body(body, "de").contains("<w:bidi w:val=\"0\"/>"));
    let written = shouted("a.docx", &word(NAMES, body), "שלום", Some("he"));
    let written = entry(&written, NAMES[2]).replace("GO", "");
    assert!(written.contains("<w:pPr><w:bidi/></w:pPr>"), "{written}");
    let only_hebrew = read("a.docx", &word(NAMES, body));
    let written = only_hebrew
        .written(&[Some("שלום".to_owned())], Some("he"))
        .expect("written");
    let written = entry(&written, NAMES[2]);
    assert!(
        written.contains("<w:rtl/>") && !written.contains("rtl w:val"),
        "{written}"
    );
}

#[test]
fn a_section_from_the_right_stays_unless_its_text_was_from_the_right() {
    let file = |text: &str| {
        format!(
            "<w:p>{}</w:p><w:sectPr><w:bidi/><w:rtlGutter/></w:sectPr>",
            run(text)
        )
    };
    assert!(word_body(&file("go"), "de").contains("<w:sectPr><w:bidi/>"));
    let hebrew = read("a.docx", &word(NAMES, &file("שלום")));
    let written = hebrew
        .written(&[Some("Hallo".to_owned())], Some("de"))
        .expect("written");
    assert!(entry(&written, NAMES[2]).contains("<w:sectPr><w:rtlGutter/>"));
}

#[test]
fn names_of_parts_may_have_other_slashes_and_letters() {
    for names in [
        ["[Content_Types].xml", "_rels\\.rels", "word\\document.xml"],
        ["[Content_Types].xml", "_RELS/.rels", "Word/Document.xml"],
    ] {
        let file = word(names, &format!("<w:p>{}</w:p>", run("go")));
        assert_eq!(texts(&read("a.docx", &file)), ["go"]);
        let written = shouted("a.docx", &file, "", Some("de"));
        assert!(entry(&written, names[2]).contains("GO"));
    }
}

#[test]
fn a_processing_instruction_stays_in_its_sentence() {
    let file = "<topic id='a'><title>One <?page 2?>two <!-- no -->three</title></topic>";
    assert!(shout("a.dita", file).contains("<title>ONE <?page 2?>TWO "));
}

#[test]
fn fields_of_forms_are_read_between_texts() {
    let file = "<form><label>Colour <select><option>Red<option selected>Blue</select></label>\
        <textarea>Your name</textarea><textarea>one\ntwo</textarea>\
        <p>Show <select><option>ten</option></select> entries.</p></form>";
    let wanted = "<form><label>COLOUR <select><option>RED<option selected>BLUE</select></label>\
        <textarea>YOUR NAME</textarea><textarea>one\ntwo</textarea>\
        <p>SHOW <select><option>ten</option></select> ENTRIES.</p></form>";
    assert_eq!(shout("a.html", file), wanted);
}

#[test]
fn a_variety_of_the_language_stays() {
    for (name, file) in [
        ("a.html", "<html lang=\"en-GB\"><p>go</p></html>"),
        (
            "a.dita",
            "<topic id=\"a\" xml:lang=\"en-GB\"><title>go</title></topic>",
        ),
        (
            "a.dbk",
            "<book xmlns=\"http://docbook.org/ns/docbook\" xml:lang=\"en-GB\"><title>go</title></book>",
        ),
        (
            "a.page",
            "<page xmlns=\"http://projectmallard.org/1.0/\" xml:lang=\"en-GB\"><title>go</title></page>",
        ),
        ("a.arb", "{\"@@locale\": \"en_GB\", \"a\": \"go\"}"),
    ] {
        for (language, stays) in [("en", true), ("en-US", false), ("de", false)] {
            let written = shouted(name, file.as_bytes(), "", Some(language));
            let written = String::from_utf8(written).expect("UTF-8");
            let stands = written.contains("en-GB") || written.contains("en_GB");
            assert_eq!(stands, stays, "{name} {language}: {written}");
        }
    }
}

#[test]
fn a_number_between_cues_is_a_lost_counter() {
    let time = |second: u8| format!("00:00:0{second},000 --> 00:00:0{},000", second + 1);
    for stray in ["2\n\n2\n", "7\n\n2\n", "2\n\n\n3\n2\n"] {
        let file = format!(
            "1\n{}\nFirst text.\n\n{stray}{}\nSecond text.\n",
            time(1),
            time(3)
        );
        let document = read("a.srt", file.as_bytes());
        assert_eq!(texts(&document), ["First text.", "Second text."], "{stray}");
        assert!(shout("a.srt", &file).contains(&format!("FIRST TEXT.\n\n{stray}{}", time(3))));
    }
    let twice = format!(
        "1\n{}\nFirst text.\n2\n2\n{}\nSecond text.\n",
        time(1),
        time(3)
    );
    assert_eq!(
        texts(&read("a.srt", twice.as_bytes())),
        ["First text.", "Second text."]
    );
    // A number that is the text of a cue, or the end of it.
    let file = format!(
        "1\n{}\nThe bet is\n500.\n\n2\n{}\n12 men\n",
        time(1),
        time(3)
    );
    assert_eq!(
        texts(&read("a.srt", file.as_bytes())),
        ["The bet is 500.", "12 men"]
    );
}

#[test]
fn a_cue_without_times_shares_no_sentence_with_the_one_before() {
    let file = "1\n00:00:01,000 --> 00:00:02,000\nthe first text\n\n2\nand the second.\n\n3\n00:00:05,000 --> 00:00:06,000\nThird.\n";
    let document = read("a.srt", file.as_bytes());
    assert_eq!(
        texts(&document),
        ["the first text", "and the second.", "Third."]
    );
    let wanted = file
        .replace("the first text", "THE FIRST TEXT")
        .replace("and the second", "AND THE SECOND")
        .replace("Third", "THIRD");
    assert_eq!(shout("a.srt", file), wanted);
}

#[test]
fn ends_of_lines_that_were_turned_twice_are_ends_of_lines() {
    let file = "1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\nHow\r\r\nmany?\r\r\n500\r\r\n\r\r\n2\r\r\n00:00:08,000 --> 00:00:09,000\r\r\nGo.\r\r\n";
    let document = read("a.srt", file.as_bytes());
    assert_eq!(texts(&document), ["How many? 500", "Go."]);
    assert!(shout("a.srt", file).contains("500\r\r\n\r\r\n2"));
    assert!(
        !shout("a.srt", file)
            .replace("\r\r\n", "")
            .contains(['\r', '\n'])
    );
}

#[test]
fn each_speaker_has_a_colour() {
    let cue = |text: &str| format!("1\n00:00:01,000 --> 00:00:02,000\n{text}\n");
    let two = cue("<font color=\"#ff0\">you and</font>\n<font color=\"#0f0\">me too</font>");
    assert_eq!(texts(&read("a.srt", two.as_bytes())), ["you and", "me too"]);
    let white = cue("Are you there?\n<font color=\"#0f0\">I am here.</font>");
    let written = shout("a.srt", &white);
    assert!(
        written.contains("ARE YOU THERE?\n<font color=\"#0f0\">I AM HERE.</font>"),
        "{written}"
    );
    let voices = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>you and\n<v Bob>me too\n";
    assert_eq!(
        texts(&read("a.vtt", voices.as_bytes())),
        ["you and", "me too"]
    );
    let over = "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.yellow>you and</c>\n\n00:02.000 --> 00:03.000\n<c.green>me too</c>\n";
    assert_eq!(
        texts(&read("a.vtt", over.as_bytes())),
        ["you and", "me too"]
    );
}

#[test]
fn cues_without_blank_lines_and_with_references_are_read() {
    let file = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\nWait&hellip; a bit.\n2\n00:03.000 --> 00:04.000\nAT&AMP;T &mdash; now.\n00:05.000 --> 00:06.000\nGo.\n";
    assert_eq!(
        texts(&read("a.vtt", file.as_bytes())),
        ["Wait… a bit.", "AT&T — now.", "Go."]
    );
}

#[test]
fn overrides_stay_in_their_event() {
    let event = |start: u8, text: &str| {
        format!(
            "Dialogue: 0,0:00:0{start}.00,0:00:0{}.00,Default,,0,0,0,,{text}\n",
            start + 1
        )
    };
    let file = format!(
        "[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n{}{}",
        event(1, "we {\\fnA}go and"),
        event(2, "then {\\fnB}stay here")
    );
    let document = read("a.ass", file.as_bytes());
    let [text] = texts(&document)[..] else {
        panic!("one sentence");
    };
    let (words, codes): (Vec<char>, Vec<char>) = text
        .chars()
        .partition(|&c| Placeholder::from_char(c).is_none());
    let [first, second] = codes[..] else {
        panic!("two tags");
    };
    let words: String = words.into_iter().collect();
    for translation in [
        format!("{first}{second}{words}"),
        format!("{words}{second}{first}"),
        format!("{second}{words}{first}"),
    ] {
        let written = document
            .written(&[Some(translation)], Some("de"))
            .expect("written");
        let written = String::from_utf8(written).expect("UTF-8");
        let mut events = written.lines().filter(|line| line.starts_with("Dialogue"));
        assert!(
            events.next().is_some_and(|event| event.contains("{\\fnA}")),
            "{written}"
        );
        assert!(
            events.next().is_some_and(|event| event.contains("{\\fnB}")),
            "{written}"
        );
    }
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

#[test]
fn a_control_and_the_part_that_it_is_bound_to_say_the_same() {
    let control = "<w:sdt><w:sdtPr><w:dataBinding w:xpath=\"/ns1:coreProperties[1]/ns0:title[1]\" w:storeItemID=\"{6C3C8BC8-F283-45AE-878A-BAB7291924A1}\"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>go on</w:t></w:r></w:p></w:sdtContent></w:sdt>";
    let document = format!("<w:document xmlns:w=\"{W}\"><w:body>{control}</w:body></w:document>");
    let file = package(&[
        (
            NAMES[0],
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>",
        ),
        (
            NAMES[1],
            "<Relationships><Relationship Id=\"r1\" Type=\"http://x/officeDocument\" Target=\"word/document.xml\"/>\
             <Relationship Id=\"r2\" Type=\"http://x/core-properties\" Target=\"docProps/core.xml\"/></Relationships>",
        ),
        (NAMES[2], &document),
        (
            "docProps/core.xml",
            "<cp:coreProperties xmlns:cp=\"c\" xmlns:dc=\"d\"><dc:title>go on</dc:title><dc:subject>go on</dc:subject></cp:coreProperties>",
        ),
    ]);
    let written = shouted("a.docx", &file, "", Some("de"));
    assert!(entry(&written, NAMES[2]).contains("<w:t>GO ON</w:t>"));
    let core = entry(&written, "docProps/core.xml");
    assert!(
        core.contains("<dc:title>GO ON</dc:title><dc:subject>go on</dc:subject>"),
        "{core}"
    );
}
