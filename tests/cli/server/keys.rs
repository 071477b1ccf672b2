//! Access by keys.

use std::io::BufRead;

use serde_json::json;

use crate::server::client::Server;

#[test]
fn a_server_with_a_key_requires_it_of_everybody() {
    let server = Server::start(&["--key", "open sesame"]);
    let request = json!({"q": "Open the file.", "source": "en", "target": "de"});
    server.post_json("/translate", &request).refused(401);
    for path in [
        "/MTRestService/TranslateJson?input=Open&srcLangCode=en&trgLangCode=de",
        "/MTRestService/ListSupportedLanguagePairs",
    ] {
        server.get(path).refused(401);
    }
    server
        .post_form("/detect", &[("q", "Open the file.")])
        .refused(401);
    let file = server.post_file(
        "/translate_file",
        &[("source", "en"), ("target", "de")],
        "a.txt",
        b"Open.",
    );
    file.refused(401);
    let mut with_key = request.clone();
    with_key["api_key"] = json!("open");
    assert_eq!(
        server.post_json("/translate", &with_key).refused(403),
        "Invalid API key"
    );
    with_key["api_key"] = json!("open sesame");
    let translated = server.post_json("/translate", &with_key).good();
    let body = request.to_string();
    for header in [
        "Authorization: Bearer open sesame",
        "X-Api-Key: open sesame",
    ] {
        let headers = format!("Content-Type: application/json\r\n{header}\r\n");
        let answer = server.send("POST", "/translate", &headers, body.as_bytes());
        assert_eq!(answer.good(), translated);
    }
    let wrong = "Content-Type: application/json\r\nX-Api-Key: x\r\n";
    server
        .send("POST", "/translate", wrong, body.as_bytes())
        .refused(403);
    let pairs = server.get("/MTRestService/ListSupportedLanguagePairs?tokenCode=open%20sesame");
    assert_eq!(pairs.good(), json!(["en-de"]));
    // What says nothing but that it is there.
    for path in [
        "/",
        "/health",
        "/languages",
        "/frontend/settings",
        "/openapi.json",
        "/v1/models",
    ] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    assert_eq!(server.get("/frontend/settings").good()["keyRequired"], true);
}

#[test]
fn others_than_this_machine_need_a_key_that_is_shown_once() {
    let mut server = Server::start(&["--host", "0.0.0.0"]);
    let mut line = String::new();
    server.stderr.read_line(&mut line).expect("a line");
    let key = line.trim().rsplit(' ').next().expect("a key").to_owned();
    assert!(
        line.contains("not shown again") && key.len() == 32,
        "{line}"
    );
    let request =
        |key: &str| json!({"q": "Open the file.", "source": "en", "target": "de", "api_key": key});
    server.post_json("/translate", &request("")).refused(401);
    server.post_json("/translate", &request(&key)).good();
}
