//! The interface of LibreTranslate.

use serde_json::{Value, json};

use crate::server::client::Server;
use crate::server::tiny;

fn ask(q: Value) -> Value {
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
            server.post_json("/translate", &ask(json!(text))).good()["translatedText"].clone()
        })
        .collect();
    assert!(
        alone
            .iter()
            .all(|text| text.as_str().is_some_and(|text| !text.is_empty()))
    );
    assert_eq!(alone[2], "12 + 30");
    let listed = server.post_json("/translate", &ask(json!(texts))).good();
    assert_eq!(listed["translatedText"], json!(alone));
    assert_eq!(listed.get("detectedLanguage"), None);
    let form = [("q", texts[0]), ("source", "en"), ("target", "de")];
    let by_form = server.post_form("/translate", &form).good();
    assert_eq!(by_form["translatedText"], alone[0]);
    let query = "/translate?q=Open%20the%20file.&source=en&target=de";
    let by_query = server.ask("POST", query, "", b"").good();
    assert_eq!(by_query["translatedText"], alone[0]);
}

#[test]
fn html_keeps_its_tags_and_lines_stay_apart() {
    let server = Server::start(&[]);
    let mut asked = ask(json!(
        "<p class=\"a\">Open the <b>file</b>.</p><pre>code();</pre>"
    ));
    asked["format"] = json!("html");
    let html = server.post_json("/translate", &asked).good();
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
            &ask(json!("Open the file.\n\nClose the window.\n")),
        )
        .good();
    let text = text["translatedText"].as_str().expect("a text");
    assert_eq!(text.matches("\n\n").count(), 1, "{text:?}");
    assert!(text.ends_with('\n'), "{text:?}");
}

#[test]
fn the_language_is_detected_where_it_is_asked_for() {
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
    let mut asked = ask(json!(long));
    asked["source"] = json!("auto");
    let told = server.post_json("/translate", &asked).good();
    assert_eq!(told["detectedLanguage"]["language"], "en");
    // Too short to tell: what can be translated is likelier than what cannot.
    asked["q"] = json!(["Open", long]);
    let told = server.post_json("/translate", &asked).good();
    assert_eq!(told["detectedLanguage"].as_array().map(Vec::len), Some(2));
    asked["q"] =
        json!("Sie können ein Textdokument als Broschüre drucken. Zwei Seiten werden gedruckt.");
    let same = server.post_json("/translate", &asked).good();
    assert_eq!(same["translatedText"], asked["q"]);
    asked["q"] =
        json!("Vous pouvez imprimer un document texte sous forme de brochure, sur deux pages.");
    assert_eq!(
        server.post_json("/translate", &asked).refused(400),
        "fr is not supported"
    );
}

#[test]
fn each_text_of_a_list_tells_its_language() {
    let server = Server::start(&[]);
    let english =
        "You can print a text document as a brochure. Two pages are printed on each side.";
    let german = "Sie können ein Textdokument als Broschüre drucken. Zwei Seiten werden gedruckt.";
    let alone = server.post_json("/translate", &ask(json!(english))).good();
    for texts in [[english, german, "12"], [german, english, "12"]] {
        let mut asked = ask(json!(texts));
        asked["source"] = json!("auto");
        let told = server.post_json("/translate", &asked).good();
        for (index, text) in texts.iter().enumerate() {
            let (wanted, language) = match *text {
                text if text == english => (&alone["translatedText"], "en"),
                "12" => (&json!("12"), "en"),
                _ => (&json!(german), "de"),
            };
            assert_eq!(&told["translatedText"][index], wanted);
            assert_eq!(told["detectedLanguage"][index]["language"], language);
        }
    }
}

#[test]
fn a_field_that_comes_twice_is_a_list_and_a_list_has_texts_alone() {
    let server = Server::start(&[]);
    let listed = server
        .post_json("/translate", &ask(json!(["Open the file.", "Close it."])))
        .good();
    let form = [
        ("q", "Open the file."),
        ("source", "en"),
        ("q", "Close it."),
        ("target", "de"),
    ];
    assert_eq!(server.post_form("/translate", &form).good(), listed);
    let asked = ask(json!(["Open the file.", null]));
    assert_eq!(
        server.post_json("/translate", &asked).refused(400),
        "Invalid request: q[1] is null, not a text"
    );
}

#[test]
fn what_is_wrong_is_told_as_libretranslate_tells_it() {
    let server = Server::start(&[]);
    let told = |asked: Value| server.post_json("/translate", &asked).refused(400);
    for name in ["q", "source", "target"] {
        let mut asked = ask(json!("Open."));
        asked.as_object_mut().expect("an object").remove(name);
        assert_eq!(
            told(asked),
            format!("Invalid request: missing {name} parameter")
        );
    }
    let mut asked = ask(json!("Open."));
    asked["target"] = json!("zz");
    assert_eq!(told(asked.clone()), "zz is not supported");
    asked["target"] = json!("de");
    asked["format"] = json!("pdf");
    assert_eq!(told(asked.clone()), "pdf format is not supported");
    asked["format"] = json!("text");
    asked["alternatives"] = json!("many");
    assert_eq!(
        told(asked.clone()),
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
        .expect("as it was asked");
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
    let answer = server.ask(
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
fn other_translations_come_as_many_as_are_asked_for() {
    let server = Server::start(&[]);
    let mut asked = ask(json!("Open the file."));
    asked["alternatives"] = json!(3);
    let mut count = 0;
    for (source, _) in tiny::pairs() {
        asked["q"] = json!(source);
        let told = server.post_json("/translate", &asked).json();
        let others = told["alternatives"].as_array().expect("a list");
        assert!(others.len() <= 3, "{told}");
        let best = &told["translatedText"];
        for (place, other) in others.iter().enumerate() {
            assert!(other.is_string() && other != best, "{told}");
            assert!(!others[..place].contains(other), "{told}");
        }
        count += others.len();
    }
    // An untrained model writes much that no text can hold, which is left out.
    assert!(count > 0, "no sentence has another translation");
    asked["q"] = json!("Open the file.");
    let best = &server.post_json("/translate", &asked).json()["translatedText"];
    // A list of texts has a list of lists, and nobody else's are changed.
    asked["q"] = json!(["Open the file.", "Close it."]);
    let told = server.post_json("/translate", &asked).json();
    assert_eq!(told["alternatives"].as_array().map(Vec::len), Some(2));
    assert_eq!(told["translatedText"][0], *best);
    asked["alternatives"] = json!(0);
    let told = server.post_json("/translate", &asked).json();
    assert!(told.get("alternatives").is_none(), "{told}");
}
