//! Values of YAML in their styles.

use super::scalars;
use crate::document::{Document, Format};
use crate::testing::{paragraphs, read, rewritten};

fn written(text: &str, language: Option<&str>, translate: impl Fn(&str) -> String) -> String {
    rewritten(&read(Format::Yaml, text), language, translate)
}

const FILE: &str = "# Rails\nen:\n  # The title\n  title: Hello %{name}  # greeting\n  'quoted': 'It''s here'\n  \"double\": \"Two\\nlines\"\n  flag: yes\n  n: 12\n  path: img/a.png\n  list: [First one, \"Second\"]\n  literal: |\n    Line one\n    line two\n\n  folded: >-\n    A long\n    text\n\n    Next\n  bin: !!binary aGVsbG8gd29ybGQ=\n  ref: &x Some words\n  again: *x\n";

#[test]
fn values_are_read_with_their_keys() {
    let document = read(Format::Yaml, FILE);
    assert_eq!(
        paragraphs(&document),
        [
            "en.title|Hello %{name}|The title",
            "en.quoted|It's here|",
            "en.double|Two lines|",
            "en.list[0]|First one|",
            "en.list[1]|Second|",
            "en.literal|Line one line two|",
            "en.folded|A long text|",
            "en.ref|Some words|"
        ]
    );
    assert_eq!(written(FILE, None, str::to_owned), FILE);
}

#[test]
fn styles_are_kept_where_they_can_hold_the_text() {
    let text = written(FILE, Some("de"), |text| format!("{text}: \"é\" # '"));
    for part in [
        "\nde:\n",
        "  title: \"Hello %{name}: \\\"é\\\" # '\"  # greeting\n",
        "'quoted': 'It''s here: \"é\" # '''\n",
        "\"double\": \"Two\\nlines: \\\"é\\\" # '\"\n",
        "    Line one\n    line two: \"é\" # '\n\n  folded: >-\n    A long text: \"é\" # '\n\n    Next: \"é\" # '\n",
        "\n  bin: !!binary aGVsbG8gd29ybGQ=\n",
        "ref: &x \"Some words: \\\"é\\\" # '\"\n  again: *x\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(
        written("a: Open it", None, |_| "Öffnen".to_owned()),
        "a: Öffnen"
    );
    assert_eq!(
        written("a: Open it", None, |_| "no".to_owned()),
        "a: \"no\""
    );
}

#[test]
fn values_over_several_lines_stay_over_several_lines() {
    let file = "a: \"Some words go\\\n  \\ on \\\"here\\\" and\\\n  \\ there.\"\nb: 'Some words go\n  on here and\n  there.'\nc: Some words go\n  on here.\n\
                d: \"Some words\n  go on.\"\n";
    let new = "Ein \"langer\" Satz, der weitergeht";
    let text = written(file, None, |_| new.to_owned());
    assert_eq!(
        text,
        "a: \"Ein \\\"langer\\\"\\\n  \\ Satz, der\\\n  \\ weitergeht\"\nb: 'Ein \"langer\"\n  Satz, der\n  weitergeht'\nc: Ein \"langer\"\n  Satz, der\n  weitergeht\n\
         d: \"Ein\n  \\\"langer\\\"\n  Satz, der\n  weitergeht\"\n"
    );
    let again = read(Format::Yaml, &text);
    assert!(again.sentences.iter().all(|it| it.plain_text() == new));
    assert_eq!(again.sentences.len(), 4);
    let odd = "a   b \\ c \" d ' e # f";
    let again = written(file, None, |_| odd.to_owned());
    let again: Vec<String> = scalars("a.yml", &again)
        .expect("values")
        .into_iter()
        .filter(|it| !it.is_key)
        .map(|it| it.value)
        .collect();
    assert_eq!(again, [odd; 4]);
}

#[test]
fn damage_is_reported_with_its_line() {
    let error = Document::parse("a.yml", Format::Yaml, "a: b\nc: [d\ne: f: g\n".to_owned());
    let error = error.expect_err("damaged").to_string();
    assert!(error.contains("line "), "{error}");
}
