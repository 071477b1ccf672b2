//! Localisations that are added to a catalogue.

use crate::document::{Document, Format, ReadingOptions};
use crate::testing::{read, rewritten};

const FILE: &str = "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n    \"%lld items\" : {\n      \"localizations\" : {\n        \"en\" : {\n          \"variations\" : {\n            \"plural\" : {\n              \"one\" : {\n                \"stringUnit\" : {\n                  \"state\" : \"translated\",\n                  \"value\" : \"%lld item\"\n                }\n              },\n              \"other\" : {\n                \"stringUnit\" : {\n                  \"state\" : \"translated\",\n                  \"value\" : \"%lld items\"\n                }\n              }\n            }\n          }\n        }\n      }\n    },\n    \"Done\" : {\n\n    }\n  },\n  \"version\" : \"1.0\"\n}";

#[test]
fn a_localisation_with_its_own_plurals_is_added() {
    let document = read(Format::Xcstrings, FILE);
    let written = rewritten(&document, Some("ru"), str::to_uppercase);
    let again: serde_json::Value = serde_json::from_str(&written).expect("JSON");
    let items = &again["strings"]["%lld items"]["localizations"];
    let forms = &items["ru"]["variations"]["plural"];
    assert_eq!(forms["few"]["stringUnit"]["value"], "%lld ITEMS");
    assert_eq!(forms["one"]["stringUnit"]["value"], "%lld ITEM");
    assert_eq!(forms.as_object().map(serde_json::Map::len), Some(4));
    assert_eq!(
        items["en"]["variations"]["plural"]["one"]["stringUnit"]["value"],
        "%lld item"
    );
    let done = &again["strings"]["Done"]["localizations"]["ru"]["stringUnit"];
    assert_eq!(
        (&done["value"], &done["state"]),
        (&"DONE".into(), &"needs_review".into())
    );
    let lines = "      \"localizations\" : {\n        \"ru\" : {\n          \"stringUnit\" : {\n            \"state\" : \"needs_review\",\n            \"value\" : \"DONE\"\n";
    assert!(written.contains(lines), "{written}");
}

#[test]
fn without_a_language_the_source_is_replaced() {
    let document = read(Format::Xcstrings, FILE);
    assert_eq!(rewritten(&document, None, str::to_owned), FILE);
    let written = rewritten(&document, None, str::to_uppercase);
    assert!(
        written.contains("\"value\" : \"%lld ITEM\"") && written.contains("\"value\" : \"DONE\""),
        "{written}"
    );
}

#[test]
fn a_localisation_marked_for_review_stays_unless_drafts_are_translated_anew() {
    let draft = "\"Done\" : {\n      \"localizations\" : { \"ru\" : { \"stringUnit\" : { \"state\" : \"needs_review\", \"value\" : \"Готово\" } } }";
    let file = FILE.replace("\"Done\" : {", draft);
    for drafts in [false, true] {
        let options = ReadingOptions {
            drafts,
            ..ReadingOptions::default()
        };
        let bytes = file.clone().into_bytes();
        let document =
            Document::from_bytes_with("a", Format::Xcstrings, bytes, &options).expect("readable");
        let written = rewritten(&document, Some("ru"), str::to_uppercase);
        assert_eq!(written.contains("\"Готово\""), !drafts, "{written}");
        assert_eq!(written.contains("\"DONE\""), drafts, "{written}");
    }
}
