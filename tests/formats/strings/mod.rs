//! Files of strings: random entries with hostile characters, and random translations of them, are read as they were written,
//! by this program and by its own makers' rules.

mod gettext;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use canopy::text::document::{Document, Format, ReadingOptions};
use canopy::text::placeholder::{Placeholder, visible};

use super::{read, read_with, translated};

/// The material of strings: words, marks of every format, placeholders of a few languages.
const PIECES: [&str; 44] = [
    "word",
    "Größe",
    "ещё",
    "日本",
    "שלום",
    "e\u{301}",
    "👩‍👩‍👧",
    "\u{202E}",
    "\u{A0}",
    "\u{AD}",
    "\u{2028}",
    "< ",
    ">",
    "&",
    "]]>",
    "\"",
    "'",
    "\\",
    "\\n",
    "\\u0041",
    "/",
    "#",
    "!",
    "=",
    ":",
    ": ",
    ";",
    ",",
    "|",
    "-",
    "@",
    "?",
    "*",
    "  ",
    "\n",
    "\t",
    "-->",
    "//",
    "/*",
    "{",
    "}",
    "''",
    "yes",
    "~",
];

const PLACEHOLDERS: [&str; 8] = ["%s", "%1$d", "{0}", "{name}", "<b>", "</b>", "&nbsp;", "%@"];

fn text(random: &mut ChaCha8Rng, pieces: &[&[&str]]) -> String {
    let mut text = String::from("Some text");
    for _ in 0..random.random_range(0..6) {
        if random.random_bool(0.4) {
            text.push(' ');
        }
        let pieces = pieces.choose(random).expect("one");
        text += pieces.choose(random).expect("one");
    }
    text.push('x');
    text
}

/// Braces and apostrophes that mean themselves in one value and quote in another, by what else is in it.
fn is_message(name: &str) -> bool {
    matches!(name, "a.arb" | "a.properties")
}

type Maker = fn(&[String]) -> String;

/// Names of files, and how a file is made of values.
const FORMATS: [(&str, Maker); 16] = [
    ("a.json", json),
    ("a.arb", json),
    ("a.yaml", yaml_double),
    ("b.yaml", yaml_single),
    ("c.yaml", yaml_literal),
    ("a.properties", properties),
    ("a.ftl", fluent),
    ("a.strings", apple),
    ("a.stringsdict", stringsdict),
    ("a.resx", resx),
    ("strings.xml", android),
    ("a.csv", csv),
    ("a.tsv", tsv),
    ("a.xcstrings", xcstrings),
    ("a.po", po),
    ("a.ts", qt),
];

fn lines(values: &[String], line: impl Fn(usize, &str) -> String) -> String {
    (0..)
        .zip(values)
        .map(|(number, value)| line(number, value))
        .collect()
}

fn quoted(value: &str) -> String {
    serde_json::to_string(value).expect("JSON")
}

fn json(values: &[String]) -> String {
    let mut members = lines(values, |number, value| {
        format!("  \"k{number}\": {},\n", quoted(value))
    });
    members.truncate(members.len() - 2);
    format!("{{\n{members}\n}}\n")
}

fn yaml_double(values: &[String]) -> String {
    // YAML knows all escapes of JSON.
    lines(values, |number, value| {
        format!("k{number}: {} # c\n", quoted(value))
    })
}

fn yaml_single(values: &[String]) -> String {
    let one = |value: &str| {
        value
            .replace(['\n', '\t', '\u{2028}'], " ")
            .replace('\'', "''")
    };
    lines(values, |number, value| {
        format!("k{number}: '{}'\n", one(value))
    })
}

fn yaml_literal(values: &[String]) -> String {
    lines(values, |number, value| {
        let body = value.replace('\n', "\n    ").replace("\n    \n", "\n\n");
        format!("k{number}: |\n    {body}\n\n")
    })
}

fn properties(values: &[String]) -> String {
    let one = |value: &str| {
        value
            .replace('\\', "\\\\")
            .replace('\n', "\\n")
            .replace('\t', "\\t")
    };
    lines(values, |number, value| {
        format!("# c\nk{number} = {}\n", one(value))
    })
}

fn fluent(values: &[String]) -> String {
    let one = |value: &str| {
        let mut written = String::new();
        for character in value.chars() {
            match character {
                '{' | '}' => written.extend(["{\"", &character.to_string(), "\"}"]),
                '\n' => written.push_str("\n    {\"\"}"),
                _ => written.push(character),
            }
        }
        written
    };
    lines(values, |number, value| {
        format!("# c\nk{number} = {}\n", one(value))
    })
}

fn apple(values: &[String]) -> String {
    let one = |value: &str| {
        value
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    };
    lines(values, |number, value| {
        format!("/* c */\n\"k{number}\" = \"{}\";\n", one(value))
    })
}

fn escaped(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn stringsdict(values: &[String]) -> String {
    let body = lines(values, |number, value| {
        format!(
            "<key>k{number}</key><dict><key>other</key><string>{}</string></dict>\n",
            escaped(value)
        )
    });
    format!("<plist version=\"1.0\">\n<dict>\n{body}</dict>\n</plist>\n")
}

fn resx(values: &[String]) -> String {
    let body = lines(values, |number, value| {
        format!(
            "  <data name=\"k{number}\" xml:space=\"preserve\">\n    <value>{}</value>\n  </data>\n",
            escaped(value)
        )
    });
    format!("<root>\n{body}</root>\n")
}

fn android(values: &[String]) -> String {
    let one = |value: &str| {
        let value = value
            .replace('\\', "\\\\")
            .replace('\'', "\\'")
            .replace('"', "\\\"");
        escaped(&value.replace('\n', "\\n").replace('\t', "\\t"))
    };
    let body = lines(values, |number, value| {
        format!("  <string name=\"k{number}\">{}</string>\n", one(value))
    });
    format!("<resources>\n{body}</resources>\n")
}

fn tsv(values: &[String]) -> String {
    let body = lines(values, |number, value| {
        format!("k{number}\t\"{}\"\tx\n", value.replace('"', "\"\""))
    });
    format!("key\ttext\tother\n{body}")
}

fn xcstrings(values: &[String]) -> String {
    let entry = |(number, value): (usize, &String)| {
        let value = serde_json::to_string(value).expect("JSON");
        format!(
            "\"k{number}\" : {{ \"localizations\" : {{ \"en\" : {{ \"stringUnit\" : {{ \"state\" : \"translated\", \"value\" : {value} }} }} }} }}"
        )
    };
    let entries: Vec<String> = values.iter().enumerate().map(entry).collect();
    format!(
        "{{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {{ {} }},\n  \"version\" : \"1.0\"\n}}\n",
        entries.join(", ")
    )
}

fn csv(values: &[String]) -> String {
    let body = lines(values, |number, value| {
        format!("k{number},\"{}\",x\n", value.replace('"', "\"\""))
    });
    format!("key,text,other\n{body}")
}

fn po(values: &[String]) -> String {
    let one = |value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        value.replace('\n', "\\n").replace('\t', "\\t")
    };
    lines(values, |number, value| {
        format!(
            "#. c\nmsgctxt \"k{number}\"\nmsgid \"{}\"\nmsgstr \"\"\n\n",
            one(value)
        )
    })
}

fn qt(values: &[String]) -> String {
    let body = lines(values, |_, value| {
        format!(
            "<message><source>{}</source><translation type=\"unfinished\"></translation></message>\n",
            escaped(value)
        )
    });
    format!("<TS version=\"2.1\"><context><name>A</name>\n{body}</context></TS>\n")
}

/// A view without its codes and without space, which may be folded.
fn bare(view: &str) -> String {
    let mut bare = view.to_owned();
    for code in ["<ph>", "</ph>", "<br/>", "<tab/>", "<b>", "</b>", "<b/>"] {
        bare = bare.replace(code, "");
    }
    bare.retain(|c| !c.is_whitespace());
    bare.replace("&amp;", "&").replace("&lt;", "<")
}

/// The text of a translated file: its own, or the translations next to it.
fn said(document: &Document) -> String {
    if !document.format.is_bilingual() {
        return bare(&document.original);
    }
    let known = document.sentences.iter().map(|it| {
        let known = it.known_text().unwrap_or(&it.text);
        visible(known, &it.points)
    });
    bare(&known.collect::<String>())
}

/// A translation with the placeholders of its source.
fn translation(name: &str, source: &str, random: &mut ChaCha8Rng) -> String {
    let clean = |text: String| {
        let text = text.replace('\u{2028}', "");
        if is_message(name) {
            text.replace(['{', '}', '\''], "")
        } else {
            text
        }
    };
    let mut translation = clean(text(random, &[&PIECES]));
    if random.random_bool(0.3) {
        translation += PLACEHOLDERS[2..4].choose(random).expect("one");
    }
    for placeholder in source
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_some())
    {
        translation.push(placeholder);
        if random.random_bool(0.7) {
            translation += " and ";
            translation += &clean(text(random, &[&PIECES]));
        }
    }
    translation
}

fn values(name: &str, count: usize, random: &mut ChaCha8Rng) -> Vec<String> {
    let value = |random: &mut ChaCha8Rng| {
        if is_message(name) {
            let mut value = text(random, &[&PIECES]).replace(['{', '}', '\''], "");
            for _ in 0..random.random_range(0..3) {
                value.extend([" ", PLACEHOLDERS.choose(random).expect("one")]);
            }
            return value;
        }
        text(random, &[&PIECES, &PLACEHOLDERS])
    };
    (0..count).map(|_| value(random)).collect()
}

#[test]
fn random_strings_and_translations_are_read_as_they_were_written() {
    for (name, maker) in FORMATS {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..300 {
            let count = random.random_range(1..5);
            let values = values(name, count, &mut random);
            let file = maker(&values);
            let document = read(name, file.as_bytes());
            assert_eq!(document.paragraphs.len(), count, "{name}: {values:?}");
            let own: Vec<&str> = document
                .sentences
                .iter()
                .map(|it| it.text.as_str())
                .collect();
            assert!(
                translated(&document, &own, None) == file.as_bytes(),
                "{name}: {values:?}"
            );

            let new: Vec<String> = own
                .iter()
                .map(|text| translation(name, text, &mut random))
                .collect();
            let given: Vec<&str> = new.iter().map(String::as_str).collect();
            let written = translated(&document, &given, None);
            // What is fuzzy is not taken for a translation.
            let finished = String::from_utf8_lossy(&written).replace("#, fuzzy\n", "");
            let again = read(name, finished.as_bytes());
            let expected: Vec<_> = new.iter().cloned().map(Some).collect();
            assert_eq!(
                said(&again),
                bare(&document.translated(&expected)),
                "{name}: {values:?} -> {new:?}\n{}",
                String::from_utf8_lossy(&written)
            );
            let names = |document: &Document| {
                let described = document.paragraphs.iter();
                described
                    .map(|it| (it.id.clone(), it.note.clone()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                names(&document),
                names(&again),
                "{name}: {values:?} -> {new:?}"
            );
        }
    }
}

/// Whatever is cut off or changed in a file, it is read or refused, and nothing else.
#[test]
fn damaged_strings_are_refused_or_read() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for (name, maker) in FORMATS {
        for _ in 0..100 {
            let mut bytes = maker(&values(name, 3, &mut random)).into_bytes();
            let place = random.random_range(0..bytes.len());
            match random.random_range(0..3) {
                0 => bytes.truncate(place),
                1 => bytes[place] = *b"\"\\<{\n'&#".choose(&mut random).expect("one"),
                _ => drop(bytes.drain(place..(place + 9).min(bytes.len()))),
            }
            let format = Format::from_path(name.as_ref()).expect("a format");
            let Ok(document) = Document::from_bytes(name, format, bytes.clone()) else {
                continue;
            };
            let same: Vec<&str> = document
                .sentences
                .iter()
                .map(|it| it.text.as_str())
                .collect();
            assert!(
                translated(&document, &same, None) == bytes,
                "{name}: {}",
                String::from_utf8_lossy(&bytes)
            );
        }
    }
}

/// The formats of these tests.
pub fn formats() -> impl Iterator<Item = Format> {
    let named = FORMATS
        .iter()
        .filter_map(|(name, _)| Format::from_path(name.as_ref()));
    named.chain([Format::Android])
}

/// There are no more numbers for placeholders than 256.
#[test]
fn a_message_with_hundreds_of_variables_is_divided_and_comes_back() {
    let words: Vec<String> = (0..700).map(|number| format!("word{number} %s")).collect();
    let message = words.join(" ");
    let file = format!(
        "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\nmsgid \"{message}\"\nmsgstr \"\"\n"
    );
    let document = read("a.po", file.as_bytes());
    assert!(document.sentences.len() > 1, "{}", document.sentences.len());
    let same = document.sentences.iter().map(|it| Some(it.text.clone()));
    let written = document
        .written(&same.collect::<Vec<_>>(), Some("de"))
        .expect("written");
    let written = String::from_utf8(written).expect("UTF-8");
    let found = written.matches("%s").count();
    assert_eq!(found, 1_400, "in the message and in its translation");
}
