//! Our own interface: sentences in their document, and documents.

use serde_json::{Value, json};

use crate::server::client::Server;

const TEXTS: [&str; 3] = [
    "Open the ⟨1⟩file⟨/1⟩.",
    "Close the window.",
    "Print the page.",
];

fn request_with(more: &Value) -> Value {
    let mut request = json!({"sentences": TEXTS, "source": "en", "target": "de"});
    let object = request.as_object_mut().expect("an object");
    object.extend(more.as_object().expect("an object").clone());
    request
}

#[test]
fn sentences_are_translated_with_confidence_and_alignment() {
    let server = Server::start(&[]);
    let all = server
        .post_json("/v1/translate", &request_with(&json!({})))
        .good();
    assert_eq!(
        (&all["model"], &all["target"]),
        (&json!("tiny en-de"), &json!("de"))
    );
    let translations = all["translations"].as_array().expect("translations");
    assert_eq!(translations.len(), 3);
    for (index, (text, translation)) in TEXTS.iter().zip(translations).enumerate() {
        assert_eq!(
            (&translation["index"], &translation["source"]),
            (&json!(index), &json!(text))
        );
        let confidence = translation["confidence"]
            .as_f64()
            .expect("a model wrote it");
        assert!(confidence > 0.0 && confidence < 1.0);
        let target = translation["target"]
            .as_str()
            .expect("a text")
            .replace(['⟨', '⟩', '/', '1'], "");
        let links = translation["alignment"].as_array().expect("links");
        assert!(!links.is_empty());
        for link in links {
            let end = |side: &str| link[side][1].as_u64().expect("a place");
            assert!(end("source") <= text.chars().count() as u64);
            assert!(end("target") <= target.chars().count() as u64 + 1);
        }
    }
    let tags = translations[0]["target"].as_str().expect("a text");
    assert_eq!(
        (tags.matches("⟨1⟩").count(), tags.matches("⟨/1⟩").count()),
        (1, 1),
        "{tags}"
    );
    let one = request_with(
        &json!({"range": [1, 2], "alignment": false, "translations": {"0": "Öffnen Sie die ⟨1⟩Datei⟨/1⟩."}}),
    );
    let one = server.post_json("/v1/translate", &one).good();
    let one = &one["translations"];
    assert_eq!(one.as_array().map(Vec::len), Some(1));
    // A model that reads sentences by themselves finds the same; what it confirmed is not translated again.
    assert_eq!(
        (&one[0]["target"], &one[0]["index"]),
        (&translations[1]["target"], &json!(1))
    );
    assert_eq!(one[0]["alignment"], json!([]));
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let server = Server::start(&[]);
    for (more, expected) in [
        (json!({"sentences": []}), "sentences is a list"),
        (json!({"sentences": "Open."}), "sentences is a list"),
        (json!({"sentences": [1, 2]}), "sentences[0] is a number"),
        (
            json!({"sentences": ["Open ⟨1⟩."]}),
            "sentence 0: ⟨/1⟩ is missing",
        ),
        (json!({"range": [2, 2]}), "range is"),
        (json!({"range": [0, 4]}), "range is"),
        (json!({"range": "all"}), "range is"),
        (json!({"translations": {"9": "Auf"}}), "translations is"),
        (json!({"translations": ["Auf"]}), "translations is"),
        (
            json!({"translations": {"0": "Datei"}}),
            "translation 0: ⟨1⟩ is missing",
        ),
        (json!({"paragraphs": ["x"]}), "paragraphs is"),
        (json!({"target": "xx"}), "xx is not supported"),
        (json!({"source": "de"}), "nothing to translate"),
    ] {
        let refused = server
            .post_json("/v1/translate", &request_with(&more))
            .refused(400);
        assert!(refused.contains(expected), "{more}: {refused}");
    }
    let named = request_with(&json!({"model": "another"}));
    assert!(
        server
            .post_json("/v1/translate", &named)
            .refused(404)
            .contains("/v1/models")
    );
    let named = request_with(&json!({"model": "tiny en-de"}));
    server.post_json("/v1/translate", &named).good();
}

#[test]
fn a_document_comes_beside_its_translation_and_as_a_file() {
    let server = Server::start(&[]);
    let pair = [("source", "en"), ("target", "de")];
    let page = b"<p>Open the <b>file</b>. Close the window.</p><p>Print.</p>\n";
    let answer = server
        .post_file("/v1/documents", &pair, "page.html", page)
        .good();
    assert_eq!(
        (&answer["name"], &answer["source"]),
        (&json!("page.de.html"), &json!("en"))
    );
    let sentences = answer["sentences"].as_array().expect("sentences");
    assert_eq!(sentences.len(), 3);
    assert_eq!(sentences[0]["source"], "Open the ⟨1⟩file⟨/1⟩.");
    assert_eq!(
        (&sentences[1]["paragraph"], &sentences[2]["paragraph"]),
        (&json!(0), &json!(1))
    );
    let id = answer["id"].as_str().expect("an id");
    assert_eq!(
        answer["download"],
        format!("http://localhost/v1/documents/{id}")
    );
    let file = server.get(&format!("/v1/documents/{id}"));
    assert!(
        file.text().starts_with("<p>") && file.text().contains("<b>"),
        "{}",
        file.text()
    );
    server.get("/v1/documents/x").refused(404);
    let text = [
        ("text", "Open the file."),
        ("source", "en"),
        ("target", "de"),
    ];
    let answer = server.post_form("/v1/documents", &text).good();
    assert_eq!(answer["name"], "text.de.txt");
    assert_eq!(
        server.post_form("/v1/documents", &pair).refused(400),
        "Invalid request: missing file parameter"
    );
    let models = server.get("/v1/models").good();
    assert_eq!(models["models"][0]["name"], "tiny en-de");
}
