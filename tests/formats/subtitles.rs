//! Subtitles: sentences over several cues, and what stays around them.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use canopy::text::document::{Document, SubtitleLayout};
use canopy::text::placeholder::{CLOSE, Placeholder, open};

use super::properties::hostile;
use super::{read, seen, texts, translated};

fn srt(cues: &[&str]) -> String {
    let cue = |(number, text): (usize, &&str)| {
        let seconds = 2 * number;
        format!(
            "{}\n00:00:{seconds:02},000 --> 00:00:{:02},500\n{text}\n\n",
            number + 1,
            seconds + 1
        )
    };
    cues.iter().enumerate().map(cue).collect()
}

/// The texts of the cues of a file.
fn cues(file: &str) -> Vec<String> {
    let blocks = file.split("\n\n").filter(|block| block.contains("-->"));
    let text = |block: &str| {
        block
            .lines()
            .skip_while(|line| !line.contains("-->"))
            .skip(1)
            .collect::<Vec<_>>()
            .join("\n")
    };
    blocks.map(text).collect()
}

fn written(document: &Document, translations: &[&str]) -> String {
    String::from_utf8(translated(document, translations, None)).expect("text")
}

#[test]
fn a_sentence_over_cues_is_translated_whole_and_laid_back() {
    let file = srt(&[
        "It's only in the last hundred years",
        "or so, that we tightly",
        "restricted it. Nobody knew.",
        "<i>Then it ended.</i>",
    ]);
    let document = read("a.srt", file.as_bytes());
    assert_eq!(
        texts(&document),
        [
            "It's only in the last hundred years or so, that we tightly restricted it.",
            "Nobody knew.",
            "Then it ended."
        ]
    );
    let german = "Erst in den letzten hundert Jahren etwa haben wir das so streng eingeschränkt.";
    let written = written(
        &document,
        &[german, "Das wusste niemand.", "Dann war es vorbei."],
    );
    let found = cues(&written);
    assert_eq!(found.len(), 4);
    assert_eq!(
        found.join(" ").replace('\n', " "),
        format!("{german} Das wusste niemand. <i>Dann war es vorbei.</i>")
    );
    assert!(found[2].contains("Das wusste niemand."), "{found:?}");
    for cue in &found {
        assert!(!cue.is_empty() && cue.lines().count() <= 2, "{found:?}");
        assert!(
            cue.lines().all(|line| line.chars().count() <= 42),
            "{found:?}"
        );
    }
    let times = |file: &str| {
        file.lines()
            .filter(|line| line.contains("-->"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(times(&written), times(&file));
}

#[test]
fn turns_speakers_and_notes_stay_where_they_are() {
    let file = srt(&[
        "- Hello, John.\n- Good morning!",
        "{\\an8}JOHN: What is it?",
        "♪ la la la ♪",
        "<font color=\"red\">Stop</font> it.",
    ]);
    let document = read("a.srt", file.as_bytes());
    assert_eq!(
        texts(&document),
        [
            "Hello, John.",
            "Good morning!",
            "What is it?",
            "la la la",
            &format!("{}Stop{CLOSE} it.", open(0))
        ]
    );
    let written = written(
        &document,
        &[
            "Hallo, John.",
            "Guten Morgen!",
            "Was ist?",
            "tra la",
            &format!("Lass {}das{CLOSE}.", open(0)),
        ],
    );
    assert_eq!(
        cues(&written),
        [
            "- Hallo, John.\n- Guten Morgen!",
            "{\\an8}JOHN: Was ist?",
            "♪ tra la ♪",
            "Lass <font color=\"red\">das</font>."
        ]
    );
}

#[test]
fn a_pair_that_goes_over_cues_is_closed_and_opened_again() {
    let file = "WEBVTT\n\n00:01.000 --> 00:02.000\nWe <i>really want\n\n00:02.000 --> 00:03.000\nto go</i> there, friends.\n";
    let document = read("a.vtt", file.as_bytes());
    assert_eq!(document.sentences.len(), 1);
    let text = &document.sentences[0].text;
    let translation = text
        .replace("really want", "wirklich alle wollen")
        .replace("to go", "dahin gehen");
    let written = written(&document, &[&translation]);
    for cue in cues(&written) {
        assert_eq!(
            cue.matches("<i>").count(),
            cue.matches("</i>").count(),
            "{written}"
        );
    }
}

#[test]
fn events_keep_styles_tags_and_drawings() {
    let head = "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n";
    let file = format!(
        "{head}Dialogue: 0,0:00:01.00,0:00:02.00,Default,Ann,0,0,0,,{{\\pos(1,2)}}This is one, \\Nand {{\\i1}}this{{\\i0}} too.\n\
         Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{{\\p1}}m 0 0 l 2 2{{\\p0}}\n\
         Comment: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,Not this\n"
    );
    let document = read("a.ass", file.as_bytes());
    assert_eq!(document.sentences.len(), 1);
    let shown: String = document.sentences[0]
        .text
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_none())
        .collect();
    assert_eq!(shown, "This is one, and this too.");
    let translation = document.sentences[0]
        .text
        .replace("This is one", "Das ist {eins}")
        .replace(" too", " auch");
    let written = written(&document, &[&translation]);
    assert!(
        written.contains(",,{\\pos(1,2)}Das ist \\{eins\\}, and {\\i1}this{\\i0} auch."),
        "{written}"
    );
    assert!(written.contains("{\\p1}m 0 0 l 2 2{\\p0}\n") && written.contains(",,Not this\n"));
}

#[test]
fn the_room_can_be_set() {
    let file = srt(&["One two three four five six seven eight."]);
    let mut document = read("a.srt", file.as_bytes());
    document.subtitle_layout = SubtitleLayout {
        max_chars: 12,
        max_lines: 4,
    };
    let found = cues(&written(
        &document,
        &["Eins zwei drei vier fünf sechs sieben acht."],
    ));
    assert!(
        found[0].lines().all(|line| line.chars().count() <= 12),
        "{found:?}"
    );
    assert_eq!(found[0].lines().count(), 4);
}

#[test]
fn damaged_subtitles_are_refused_with_a_line() {
    for (name, text, line) in [
        ("a.srt", "hello\nworld\n", "line 1"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:x\nHello\n", "line 2"),
        ("a.vtt", "Hello", "line 1"),
        (
            "a.vtt",
            "WEBVTT\n\n00:xx.000 --> 00:02.000\nHello\n",
            "line 3",
        ),
        ("a.ass", "Hello", "line 1"),
        (
            "a.ass",
            "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:00.00\n",
            "line 3",
        ),
    ] {
        let format = canopy::text::document::Format::from_path(name.as_ref()).expect("a format");
        let error = Document::from_bytes(name, format, text.as_bytes().to_vec()).expect_err(text);
        assert!(error.to_string().contains(line), "{error}");
    }
}

#[test]
fn another_script_needs_another_encoding() {
    let french = srt(&["L'\u{e9}t\u{e9} est d\u{e9}j\u{e0} pass\u{e9}, mon ami."]);
    let bytes: Vec<u8> = french
        .chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin"))
        .collect();
    let document = read("a.srt", &bytes);
    assert_eq!(texts(&document), ["L'été est déjà passé, mon ami."]);
    let german = translated(&document, &["Der schöne Sommer ist vorüber."], None);
    assert!(german.contains(&0xF6) && std::str::from_utf8(&german).is_err());
    let russian = written(&document, &["Лето прошло."]);
    assert!(russian.starts_with('\u{FEFF}') && russian.contains("Лето прошло."));
}

/// Cues of a kind: head, times, and what stands around a marked word.
struct Kind {
    name: &'static str,
    head: &'static str,
    cue: fn(usize, &str) -> String,
    spelt: fn(&str) -> String,
    marks: [&'static str; 2],
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "a.srt",
        head: "",
        cue: |number, text| {
            format!(
                "{}\r\n00:00:{number:02},000 --> 00:00:{:02},900\r\n{text}\r\n\r\n",
                number + 1,
                number
            )
        },
        spelt: |text| text.replace('<', "<\u{2060}").replace('{', "{\u{2060}"),
        marks: ["<i>", "</i>"],
    },
    Kind {
        name: "a.vtt",
        head: "WEBVTT\n\nNOTE nothing\n\n",
        cue: |number, text| {
            format!("00:{number:02}.000 --> 00:{number:02}.900 align:left\n{text}\n\n")
        },
        spelt: |text| {
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
        },
        marks: ["<c.x>", "</c>"],
    },
    Kind {
        name: "a.ass",
        head: "[Script Info]\nScriptType: v4.00+\n[Events]\n",
        cue: |number, text| {
            format!("Dialogue: 0,0:00:{number:02}.00,0:00:{number:02}.90,Default,,0,0,0,,{text}\n")
        },
        spelt: |text| {
            text.replace('\\', "\\\u{2060}")
                .replace('{', "\\{")
                .replace('}', "\\}")
        },
        marks: ["{\\i1}", "{\\i0}"],
    },
];

#[test]
fn random_subtitles_are_read_as_they_were_written() {
    for kind in &KINDS {
        let mut random = ChaCha8Rng::seed_from_u64(41);
        for _ in 0..400 {
            let mut file = kind.head.to_owned();
            let mut shown = String::new();
            for number in 0..random.random_range(1..7) {
                let text = hostile(&mut random);
                let mut cue = (kind.spelt)(text.trim());
                shown += text.trim();
                if random.random_bool(0.4) {
                    let marked = hostile(&mut random);
                    shown += marked.trim();
                    let [open, close] = kind.marks;
                    let spelt = (kind.spelt)(marked.trim());
                    cue = format!("{cue} {open}{spelt}{close} x");
                    shown.push('x');
                }
                if random.random_bool(0.5) {
                    cue.push(*[',', '.', '?'].choose(&mut random).expect("one"));
                    shown.push(cue.chars().next_back().expect("pushed"));
                }
                file += &(kind.cue)(number, &cue);
            }
            check(kind, &file, &shown, &mut random);
        }
    }
}

fn check(kind: &Kind, file: &str, shown: &str, random: &mut ChaCha8Rng) {
    let document = read(kind.name, file.as_bytes());
    let own: Vec<String> = document
        .sentences
        .iter()
        .map(|sentence| sentence.text.clone())
        .collect();
    assert_eq!(seen(&own.concat()), seen(shown), "{file}");
    let same: Vec<_> = own.iter().cloned().map(Some).collect();
    assert!(
        document.written(&same, None).expect("written") == file.as_bytes(),
        "{file}"
    );
    let translations: Vec<String> = own
        .iter()
        .map(|text| {
            let mut translation = hostile(random).trim().to_owned();
            for placeholder in text
                .chars()
                .filter(|&c| Placeholder::from_char(c).is_some())
            {
                translation.push(' ');
                translation.push(placeholder);
                translation += hostile(random).trim();
            }
            translation + " and more words here."
        })
        .collect();
    let given: Vec<_> = translations.iter().cloned().map(Some).collect();
    let written = document.written(&given, Some("de")).expect("written");
    let again = read(kind.name, &written);
    let found: String = texts(&again).concat();
    assert_eq!(
        seen(&found),
        seen(&translations.concat()),
        "{file} -> {translations:?}"
    );
    let written = String::from_utf8(written).expect("text");
    let times = |file: &str| {
        let lines = file
            .lines()
            .filter(|line| line.contains(" --> ") && line.starts_with('0'));
        let events = file
            .lines()
            .filter_map(|line| line.strip_prefix("Dialogue:")?.split(",,").next());
        lines.chain(events).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(times(&written), times(file));
    // Where a pair goes over cues its tags are repeated.
    for mark in kind.marks {
        assert!(
            written.matches(mark).count() >= file.matches(mark).count(),
            "{file} -> {written}"
        );
    }
    assert_eq!(
        written.matches(kind.marks[0]).count(),
        written.matches(kind.marks[1]).count()
    );
}

/// Whatever is changed in a file, it is read or refused, and nothing else.
#[test]
fn cues_of_webvtt_are_those_that_a_browser_shows() {
    let file = "WEBVTT\nKind: captions\n\n-->\n00:00.000 --> 00:01.000\nFirst one.\nfoo-->\n00:02.000-->00:03.000align:left\nSecond one.\n\n\
        00:xx.000 --> 00:05.000\nNobody sees it.\n\nNOTE\nNor this.\n\nnotes\n00:06.000 --> 00:07.000\nThird \0 one\n \nand more of it.\n\n\
        00:08.000 --> 00:09.000\nFourth one.</i\n\n00:10.000 --> 00:11.000\n5 < 6 is true.\n\n00:12.000 -a -->\n";
    let document = read("a.vtt", file.as_bytes());
    let shown = [
        "First one.",
        "Second one.",
        "Third \u{FFFD} one and more of it.",
        "Fourth one.",
        "5 < 6 is true.",
    ];
    assert_eq!(texts(&document), shown);
    let written = translated(&document, &["Ein Satz."; 5], Some("de"));
    let written = String::from_utf8(written).expect("UTF-8");
    let wanted = "WEBVTT\nKind: captions\n\n-->\n00:00.000 --> 00:01.000\nEin Satz.\nfoo-->\n00:02.000-->00:03.000align:left\nEin Satz.\n\n\
        00:xx.000 --> 00:05.000\nNobody sees it.\n\nNOTE\nNor this.\n\nnotes\n00:06.000 --> 00:07.000\nEin Satz.\n\n\
        00:08.000 --> 00:09.000\nEin Satz.</i\n\n00:10.000 --> 00:11.000\nEin Satz.\n\n00:12.000 -a -->\n";
    assert_eq!(written, wanted);
}

#[test]
fn damaged_subtitles_are_refused_or_read() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for kind in &KINDS {
        for _ in 0..300 {
            let cue = |number: usize, random: &mut ChaCha8Rng| {
                let text = hostile(random) + kind.marks[0] + &hostile(random) + kind.marks[1];
                (kind.cue)(number, &text)
            };
            let mut bytes = kind.head.to_owned();
            (0..4).for_each(|number| bytes += &cue(number, &mut random));
            let mut bytes = bytes.into_bytes();
            let place = random.random_range(0..bytes.len());
            match random.random_range(0..3) {
                0 => bytes.truncate(place),
                1 => bytes[place] = random.random(),
                _ => drop(bytes.drain(place..(place + 9).min(bytes.len()))),
            }
            let format =
                canopy::text::document::Format::from_path(kind.name.as_ref()).expect("a format");
            let Ok(document) = Document::from_bytes(kind.name, format, bytes.clone()) else {
                continue;
            };
            let none = vec![None; document.sentences.len()];
            assert!(document.written(&none, None).expect("written") == bytes);
            let all = vec![Some("Etwas anderes.".to_owned()); document.sentences.len()];
            // A guessed encoding may lack nothing of it.
            document.written(&all, None).expect("written");
        }
    }
}
