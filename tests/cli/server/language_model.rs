//! A language model behind the server: it translates between any languages, whole documents, for several clients.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::server::client::Server;

/// A model of one layer with random weights.
fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data/tiny.gguf")
}

fn server(models: &[&Path], options: &[&str]) -> Server {
    Server::with_models(models, options, tempfile::tempdir().expect("a folder"))
}

#[test]
fn a_language_model_translates_sentences_between_any_languages() {
    let server = server(&[&file()], &[]);
    let models = server.get("/v1/models").good();
    assert_eq!(
        (
            &models["models"][0]["name"],
            &models["models"][0]["any_to_any"]
        ),
        (&json!("tiny"), &json!(true))
    );
    let ask = |from: &str, to: &str| {
        json!({
            "sentences": ["Open the ⟨1⟩file⟨/1⟩.", "Print 2 pages.", "42"],
            "source": from, "target": to,
        })
    };
    let answer = server.post_json("/v1/translate", &ask("en", "pt")).good();
    assert_eq!(
        (&answer["model"], &answer["target"]),
        (&json!("tiny"), &json!("pt"))
    );
    let translations = answer["translations"].as_array().expect("translations");
    assert_eq!(translations.len(), 3);
    let target = translations[0]["target"].as_str().expect("a text");
    assert_eq!(
        (
            target.matches("⟨1⟩").count(),
            target.matches("⟨/1⟩").count()
        ),
        (1, 1),
        "{target}"
    );
    assert_eq!(translations[2]["target"], "42");
    // A confirmed translation is read, so that the next sentence has another one.
    let mut confirmed = ask("en", "pt");
    confirmed["range"] = json!([1, 2]);
    confirmed["translations"] = json!({"0": "Abra o ⟨1⟩ficheiro⟨/1⟩ que se encontra na pasta."});
    let behind = server.post_json("/v1/translate", &confirmed).good();
    assert_ne!(
        behind["translations"][0]["target"],
        translations[1]["target"]
    );
    server.post_json("/v1/translate", &ask("sw", "yue")).good();
    let refused = server
        .post_json("/v1/translate", &ask("en", "xx"))
        .refused(400);
    assert!(refused.contains("xx is not supported"), "{refused}");
}

#[test]
fn a_document_is_one_conversation_over_several_rounds() {
    let server = server(&[&file()], &[]);
    let lines: Vec<String> = (1..=50).map(|number| format!("Open {number}.")).collect();
    let text = lines.join("\n\n");
    let fields = [("source", "en"), ("target", "pt")];
    let answer = server
        .post_file("/v1/documents", &fields, "pages.txt", text.as_bytes())
        .good();
    let rows = answer["sentences"].as_array().expect("sentences");
    assert_eq!(rows.len(), 50, "more than a round has");
    for row in rows {
        assert!(row["target"].is_string(), "{row}");
    }
}

#[test]
fn clients_of_libre_translate_and_opus_cat_have_it_too() {
    let server = server(&[&file()], &[]);
    let languages = server.get("/languages").good();
    let languages = languages.as_array().expect("a list");
    assert!(languages.len() > 30, "{languages:?}");
    let targets = |code: &str| -> &Value {
        let found = languages.iter().find(|language| language["code"] == code);
        &found.expect("a language")["targets"]
    };
    assert!(
        targets("en")
            .as_array()
            .expect("a list")
            .contains(&json!("ja"))
    );
    assert!(
        !targets("en")
            .as_array()
            .expect("a list")
            .contains(&json!("en"))
    );
    let request = json!({"q": ["Open the file.", "Print."], "source": "auto", "target": "fr"});
    let answer = server.post_json("/translate", &request).good();
    assert_eq!(answer["translatedText"].as_array().map(Vec::len), Some(2));
    let pair = "srcLangCode=en&trgLangCode=de";
    let tags = server.get(&format!("/MTRestService/GetLanguagePairModelTags?{pair}"));
    assert_eq!(tags.good(), json!(["tiny"]));
    let segment =
        format!("/MTRestService/TranslateJson?{pair}&input=Open%20%3Cb0%3Ethis%3C/b0%3E.");
    let translated = server.get(&segment).good();
    let text = translated["translation"].as_str().expect("a text");
    assert!(text.contains("<b0>") && text.contains("</b0>"), "{text}");
}

#[test]
fn other_translations_are_drawn_the_same_each_time() {
    let server = server(&[&file()], &[]);
    let request = json!({
        "q": "Open the file and print it.", "source": "en", "target": "fr", "alternatives": 3,
    });
    let first = server.post_json("/translate", &request).good();
    let others = first["alternatives"].as_array().expect("a list");
    assert!(
        others.len() <= 3 && !others.contains(&first["translatedText"]),
        "{first}"
    );
    assert_eq!(server.post_json("/translate", &request).good(), first);
}

#[test]
fn other_models_come_first_where_they_know_the_languages() {
    let kept = crate::support::tiny::model_folder();
    let path = kept.path().to_owned();
    let server = Server::with_models(&[&file(), &path], &[], kept);
    let model = |more: Value| {
        let mut request = json!({"sentences": ["Open the file."], "source": "en", "target": "de"});
        let object = request.as_object_mut().expect("an object");
        object.extend(more.as_object().expect("an object").clone());
        server.post_json("/v1/translate", &request).good()["model"].clone()
    };
    assert_eq!(model(json!({})), "tiny en-de");
    assert_eq!(model(json!({"model": "tiny"})), "tiny");
    assert_eq!(model(json!({"target": "fr"})), "tiny");
}
