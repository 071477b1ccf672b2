//! Files of strings: random entries with hostile characters, and random translations of them, are read as they were written,
//! by this program and by its own makers' rules.

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

/// The text of a translated file: its own, or the translations beside it.
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
                let told = document.paragraphs.iter();
                told.map(|it| (it.id.clone(), it.note.clone()))
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

const PO: &str = "# A note\nmsgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n\"Content-Type: text/plain; charset=CHARSET\\n\"\n\"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n\"\n\n#. For the title\n#, c-format\nmsgctxt \"window\"\nmsgid \"100% of %s\"\nmsgstr \"\"\n\nmsgid \"One file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n#, fuzzy\n#| msgid \"Ope\"\nmsgid \"Open\"\nmsgstr \"Zu\"\n\nmsgid \"Close %s\"\nmsgstr \"%s schließen\"\n\n#~ msgid \"Old\"\n#~ msgstr \"Alt\"\n";

#[test]
fn a_template_becomes_a_catalogue_of_its_language() {
    let document = read("a.pot", PO.as_bytes());
    assert_eq!(
        document.paragraphs[0].note.as_deref(),
        Some("For the title\nwindow")
    );
    let close = document.sentences.last().expect("a sentence");
    assert_eq!(
        close.known_text(),
        Some(format!("{} schließen", close.text.replace("Close ", "")).as_str())
    );
    let new: Vec<Option<String>> = document
        .sentences
        .iter()
        .map(|it| it.known.is_none().then(|| format!("Ж{}", it.text)))
        .collect();
    let written = document.written(&new, Some("ru")).expect("written");
    let written = String::from_utf8(written).expect("UTF-8");
    let expected = PO
        .replace("Language: ", "Language: ru")
        .replace("CHARSET", "UTF-8")
        .replace("nplurals=INTEGER; plural=EXPRESSION;", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);")
        .replace("#, c-format", "#, fuzzy, c-format")
        .replace("%s\"\nmsgstr \"\"", "%s\"\nmsgstr \"Ж100% of %s\"")
        .replace("msgid \"One file\"", "#, fuzzy\nmsgid \"One file\"")
        .replace("msgstr[0] \"\"\nmsgstr[1] \"\"", "msgstr[0] \"Ж%d files\"\nmsgstr[1] \"Ж%d files\"\nmsgstr[2] \"Ж%d files\"")
        .replace("\"Zu\"", "\"ЖOpen\"");
    assert_eq!(written, expected);
}

#[test]
fn fuzzy_messages_stay_unless_they_translate_another_or_are_to_be_translated_anew() {
    let file = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n\
                #, fuzzy\nmsgid \"Open\"\nmsgstr \"Auf\"\n\n#, fuzzy\n#| msgid \"Clos\"\nmsgid \"Close\"\nmsgstr \"Zu\"\n";
    let document = read("a.po", file.as_bytes());
    let known = document.sentences[0].known.as_ref().expect("a draft");
    assert_eq!((known.text.as_str(), known.is_draft()), ("Auf", true));
    assert_eq!(document.sentences[1].known, None);
    assert_eq!(document.known_pairs().count(), 0);
    let written = document
        .written(&[None, Some("Schließen".to_owned())], Some("de"))
        .expect("written");
    assert_eq!(
        String::from_utf8(written).expect("UTF-8"),
        file.replace("Zu", "Schließen")
    );
    let anew = ReadingOptions {
        drafts: true,
        ..ReadingOptions::default()
    };
    let document = read_with("a.po", file.as_bytes(), &anew);
    assert_eq!(document.sentences[0].known, None);
    let written = document
        .written(&[Some("Öffnen".to_owned())], Some("de"))
        .expect("written");
    assert_eq!(
        String::from_utf8(written).expect("UTF-8"),
        file.replace("Auf", "Öffnen")
    );
}

#[test]
fn a_language_that_the_encoding_lacks_makes_a_catalogue_utf8() {
    let file = b"msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n\nmsgid \"Open\"\nmsgstr \"\"\n\nmsgid \"Close\"\nmsgstr \"Schlie\xDFen\"\n";
    let document = read("a.po", file);
    let keeps = document
        .written(&[Some("Öffnen".to_owned())], Some("de"))
        .expect("written");
    assert!(keeps.ends_with(b"msgstr \"\xD6ffnen\"\n\nmsgid \"Close\"\nmsgstr \"Schlie\xDFen\"\n"));
    let other = document
        .written(&[Some("Открыть".to_owned())], Some("ru"))
        .expect("written");
    let other = String::from_utf8(other).expect("UTF-8");
    assert!(
        other.contains("charset=UTF-8") && other.contains("\"Schließen\""),
        "{other}"
    );
}

/// gettext itself finds nothing wrong with what is written.
#[test]
fn gettext_accepts_what_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let values: Vec<String> = (0..200).map(|_| text(&mut random, &[&PIECES])).collect();
    let header = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";
    let document = read("a.po", format!("{header}{}", po(&values)).as_bytes());
    let new: Vec<Option<String>> = document
        .sentences
        .iter()
        .map(|it| Some(translation("a.po", &it.text, &mut random)))
        .collect();
    let written = document.written(&new, Some("pl")).expect("written");
    let path = folder.path().join("a.po");
    std::fs::write(&path, written).expect("written");
    let checked = std::process::Command::new("msgfmt")
        .arg("--use-fuzzy")
        .arg("-o")
        .arg("/dev/null")
        .arg(&path)
        .output();
    let Ok(checked) = checked else {
        println!("skipped: there is no msgfmt");
        return;
    };
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stderr)
    );
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

#[test]
fn a_catalogue_that_ends_within_a_plural_form_is_refused() {
    let file = "msgid \"One\"\nmsgid_plural \"Many\"\nmsgstr[0";
    let format = Format::from_content("a.po".as_ref(), file.as_bytes()).expect("a catalogue");
    let options = ReadingOptions::default();
    let told = Document::from_bytes_with("a.po", format, file.as_bytes().to_vec(), &options);
    let told = told.expect_err("it is cut off").to_string();
    assert!(told.contains("plural form"), "{told}");
}
