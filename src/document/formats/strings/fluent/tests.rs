use crate::document::Format;
use crate::testing::{assert_damaged, read};

const FILE: &str = r#"### For the whole file

## Preferences

-brand-short-name = Firefox
-sync-name = { $case ->
   *[nominative] Account
    [accusative] the account
}

# Variables:
#   $count (Number) - open tabs
tabs-close =
    .label = Close <em>{ $count }</em> tabs
    .accesskey = C
    .style = width: 20em
tabs-warning =
    You are about to close { $count ->
        [one] one tab
       *[other] { NUMBER($count, type: "or{dinal") } tabs
    } of { -brand-short-name(case: "genitive") }.
    { "[" }Do it now.
plain = images/a.png
empty = { "" }
same = { tabs-close.label }
"#;

#[test]
fn messages_attributes_terms_and_variants_are_read_and_the_rest_is_kept() {
    let document = read(Format::Fluent, FILE);
    let found = document.sentences.iter().map(|it| {
        let id = document.paragraphs[it.paragraph].id.as_deref();
        format!("{}|{}", id.unwrap_or_default(), it.plain_text())
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "-sync-name|Account",
            "-sync-name|the account",
            "tabs-close.label|Close { $count } tabs",
            "tabs-warning|You are about to close { $count } of { -brand-short-name(case: \"genitive\") }.",
            "tabs-warning|[Do it now.",
            "tabs-warning|one tab",
            "tabs-warning|{ NUMBER($count, type: \"or{dinal\") } tabs",
        ]
    );
    let note = document.paragraphs[2].note.as_deref();
    assert_eq!(note, Some("Variables:\n  $count (Number) - open tabs"));
}

#[test]
fn what_is_syntax_in_a_translation_is_quoted() {
    let document = read(
        Format::Fluent,
        "a = One\nb =\n    Two\nc = { $n ->\n   *[other] Three\n}\n",
    );
    let new = ["{eins}", "[Zwei.\n* Zeilen", ".Drei\n.3"];
    let new: Vec<_> = new.iter().map(|it| Some((*it).to_owned())).collect();
    let written = document.written(&new, None).expect("written");
    let written = String::from_utf8(written).expect("UTF-8");
    let expected = "a = {\"{\"}eins{\"}\"}\nb =\n    {\"[\"}Zwei.\n    {\"*\"} Zeilen\nc = { $n ->\n   *[other] .Drei\n       {\".\"}3\n}\n";
    assert_eq!(written, expected);
    let again = read(Format::Fluent, &written);
    let texts: Vec<String> = again.plain_texts();
    assert_eq!(texts[0], "{eins}");
    assert!(
        texts.last().is_some_and(|text| text.contains(".3")),
        "{texts:?}"
    );
}

#[test]
fn damage_is_reported_with_its_line() {
    let deep = format!("a = One\nb = {}", "{".repeat(600));
    let cases = [
        ("a = One\nb = { $x\n", 3),
        ("a = One\n\nb\n", 3),
        (&deep, 2),
    ];
    assert_damaged(Format::Fluent, &cases);
}
