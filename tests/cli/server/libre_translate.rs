//! The interface of LibreTranslate.

use serde_json::{Value, json};

use crate::server::client::Server;
use crate::server::tiny;

fn request_for(q: Value) -> Value {
    json!({"q": q, "source": "en", "target": "de"})
}

#[test]
fn texts_are_translated_alone_and_in_lists_the_same() {
    let server = Server::start(&[]);
    let texts = [
        "Open the file.",
        "Close the window. Print the page.",
        "12 + 30",
    ];
    let alone: Vec<Value> = texts
        .iter()
        .map(|text| {
            server
                .post_json("/translate", &request_for(json!(text)))
                .good()["translatedText"]
                .clone()
        })
        .collect();
    assert!(
        alone
            .iter()
            .all(|text| text.as_str().is_some_and(|text| !text.is_empty()))
    );
    assert_eq!(alone[2], "12 + 30");
    let listed = server
        .post_json("/translate", &request_for(json!(texts)))
        .good();
    assert_eq!(listed["translatedText"], json!(alone));
    assert_eq!(listed.get("detectedLanguage"), None);
    let form = [("q", texts[0]), ("source", "en"), ("target", "de")];
    let by_form = server.post_form("/translate", &form).good();
    assert_eq!(by_form["translatedText"], alone[0]);
    let query = "/translate?q=Open%20the%20file.&source=en&target=de";
    let by_query = server.send("POST", query, "", b"").good();
    assert_eq!(by_query["translatedText"], alone[0]);
}

#[test]
fn html_keeps_its_tags_and_lines_stay_apart() {
    let server = Server::start(&[]);
    let mut request = request_for(json!(
        "<p class=\"a\">Open the <b>file</b>.</p><pre>code();</pre>"
    ));
    request["format"] = json!("html");
    let html = server.post_json("/translate", &request).good();
    let html = html["translatedText"].as_str().expect("a text");
    assert!(
        html.starts_with("<p class=\"a\">") && html.ends_with("<pre>code();</pre>"),
        "{html}"
    );
    assert_eq!(
        (html.matches("<b>").count(), html.matches("</b>").count()),
        (1, 1),
        "{html}"
    );
    let text = server
        .post_json(
            "/translate",
            &request_for(json!("Open the file.\n\nClose the window.\n")),
        )
        .good();
    let text = text["translatedText"].as_str().expect("a text");
    assert_eq!(text.matches("\n\n").count(), 1, "{text:?}");
    assert!(text.ends_with('\n'), "{text:?}");
}

#[test]
fn the_language_is_detected_on_request() {
    let server = Server::start(&[]);
    let long = "You can print a text document as a brochure. Two pages are printed on each side.";
    let found = server.post_json("/detect", &json!({ "q": long })).good();
    assert_eq!(found[0]["language"], "en");
    assert!(
        found[0]["confidence"]
            .as_f64()
            .is_some_and(|it| it > 0.0 && it <= 100.0)
    );
    let nothing = server.post_form("/detect", &[("q", "12 + 30")]).good();
    assert_eq!(nothing, json!([{"confidence": 0.0, "language": "en"}]));
    let mut request = request_for(json!(long));
    request["source"] = json!("auto");
    let answer = server.post_json("/translate", &request).good();
    assert_eq!(answer["detectedLanguage"]["language"], "en");
    // Too short for detection: what can be translated is more likely than what cannot.
    request["q"] = json!(["Open", long]);
    let answer = server.post_json("/translate", &request).good();
    assert_eq!(answer["detectedLanguage"].as_array().map(Vec::len), Some(2));
    request["q"] =
        json!("Sie können ein Textdokument als Broschüre drucken. Zwei Seiten werden gedruckt.");
    let same = server.post_json("/translate", &request).good();
    assert_eq!(same["translatedText"], request["q"]);
    request["q"] =
        json!("Vous pouvez imprimer un document texte sous forme de brochure, sur deux pages.");
    assert_eq!(
        server.post_json("/translate", &request).refused(400),
        "fr is not supported"
    );
}

#[test]
fn each_text_of_a_list_has_its_language() {
    let server = Server::start(&[]);
    let english =
        "You can print a text document as a brochure. Two pages are printed on each side.";
    let german = "Sie können ein Textdokument als Broschüre drucken. Zwei Seiten werden gedruckt.";
    let alone = server
        .post_json("/translate", &request_for(json!(english)))
        .good();
    for texts in [[english, german, "12"], [german, english, "12"]] {
        let mut request = request_for(json!(texts));
        request["source"] = json!("auto");
        let answer = server.post_json("/translate", &request).good();
        for (index, text) in texts.iter().enumerate() {
            let (wanted, language) = match *text {
                text if text == english => (&alone["translatedText"], "en"),
                "12" => (&json!("12"), "en"),
                _ => (&json!(german), "de"),
            };
            assert_eq!(&answer["translatedText"][index], wanted);
            assert_eq!(answer["detectedLanguage"][index]["language"], language);
        }
    }
}

#[test]
fn a_field_that_comes_twice_is_a_list_and_a_list_has_texts_alone() {
    let server = Server::start(&[]);
    let listed = server
        .post_json(
            "/translate",
            &request_for(json!(["Open the file.", "Close it."])),
        )
        .good();
    let form = [
        ("q", "Open the file."),
        ("source", "en"),
        ("q", "Close it."),
        ("target", "de"),
    ];
    assert_eq!(server.post_form("/translate", &form).good(), listed);
    let request = request_for(json!(["Open the file.", null]));
    assert_eq!(
        server.post_json("/translate", &request).refused(400),
        "Invalid request: q[1] is null, not a text"
    );
}

#[test]
fn errors_are_reported_as_libretranslate_reports_them() {
    let server = Server::start(&[]);
    let refusal = |request: Value| server.post_json("/translate", &request).refused(400);
    for name in ["q", "source", "target"] {
        let mut request = request_for(json!("Open."));
        request.as_object_mut().expect("an object").remove(name);
        assert_eq!(
            refusal(request),
            format!("Invalid request: missing {name} parameter")
        );
    }
    let mut request = request_for(json!("Open."));
    request["target"] = json!("zz");
    assert_eq!(refusal(request.clone()), "zz is not supported");
    request["target"] = json!("de");
    request["format"] = json!("pdf");
    assert_eq!(refusal(request.clone()), "pdf format is not supported");
    request["format"] = json!("text");
    request["alternatives"] = json!("many");
    assert_eq!(
        refusal(request.clone()),
        "Invalid request: alternatives parameter is not a number"
    );
    let (source, target) = ("de", "en");
    let back = server.post_json(
        "/translate",
        &json!({"q": "Auf", "source": source, "target": target}),
    );
    assert!(
        back.refused(400)
            .contains("English (en) is not available as a target language from German (de)")
    );
}

#[test]
fn a_document_is_translated_and_fetched() {
    let server = Server::start(&[]);
    let pair = [("source", "auto"), ("target", "de")];
    let page = b"<p>Open the <b>file</b>. Close the window.</p>\n";
    let answer = server
        .post_file("/translate_file", &pair, "my page.html", page)
        .good();
    let url = answer["translatedFileUrl"].as_str().expect("an address");
    let path = url
        .strip_prefix("http://localhost")
        .expect("as it was requested");
    assert!(
        path.starts_with("/download_file/") && path.ends_with(".my%20page.de.html"),
        "{path}"
    );
    let file = server.get(path);
    assert_eq!(file.status, 200);
    assert!(
        file.head.contains("filename*=UTF-8''my%20page.de.html"),
        "{}",
        file.head
    );
    assert!(
        file.text().starts_with("<p>") && file.text().ends_with("</p>\n"),
        "{}",
        file.text()
    );
    server.get("/download_file/0123.page.html").refused(404);
    server
        .get("/download_file/..%2F..%2Fetc%2Fpasswd")
        .refused(404);
    let unknown = server.post_file("/translate_file", &pair, "a.exe", b"\x7fELF\0\0");
    assert!(unknown.refused(400).contains("file format not supported"));
    let damaged = server.post_file("/translate_file", &pair, "a.docx", b"PK\x03\x04 broken");
    damaged.refused(400);
}

#[test]
fn settings_and_languages_are_there() {
    let server = Server::start(&[]);
    assert_eq!(server.get("/health").good(), json!({"status": "ok"}));
    let languages = server.get("/languages").good();
    assert_eq!(
        languages,
        json!([{"code": "en", "name": "English", "targets": ["de"]}])
    );
    let settings = server.get("/frontend/settings").good();
    assert_eq!(settings["keyRequired"], false);
    let formats = settings["supportedFilesFormat"]
        .as_array()
        .expect("formats");
    assert!(formats.contains(&json!(".docx")) && formats.contains(&json!(".html")));
    let answer = server.send(
        "OPTIONS",
        "/translate",
        "Origin: https://example.org\r\n",
        b"",
    );
    assert_eq!(answer.status, 204);
    assert!(
        answer
            .head
            .to_lowercase()
            .contains("access-control-allow-origin: *")
    );
}

#[test]
fn other_translations_come_in_the_requested_number() {
    let server = Server::start(&[]);
    let mut request = request_for(json!("Open the file."));
    request["alternatives"] = json!(3);
    let mut count = 0;
    for (source, _) in tiny::pairs() {
        request["q"] = json!(source);
        let answer = server.post_json("/translate", &request).json();
        let others = answer["alternatives"].as_array().expect("a list");
        assert!(others.len() <= 3, "{answer}");
        let best = &answer["translatedText"];
        for (place, other) in others.iter().enumerate() {
            assert!(other.is_string() && other != best, "{answer}");
            assert!(!others[..place].contains(other), "{answer}");
        }
        count += others.len();
    }
    // An untrained model writes much that no text can hold, which is left out.
    assert!(count > 0, "no sentence has another translation");
    request["q"] = json!("Open the file.");
    let best = &server.post_json("/translate", &request).json()["translatedText"];
    // A list of texts has a list of lists, and others are not changed.
    request["q"] = json!(["Open the file.", "Close it."]);
    let answer = server.post_json("/translate", &request).json();
    assert_eq!(answer["alternatives"].as_array().map(Vec::len), Some(2));
    assert_eq!(answer["translatedText"][0], *best);
    request["alternatives"] = json!(0);
    let answer = server.post_json("/translate", &request).json();
    assert!(answer.get("alternatives").is_none(), "{answer}");
}
