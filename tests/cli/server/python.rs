//! The Python client of LibreTranslate, `pip install libretranslatepy`.

use std::process::Command;

use crate::server::client::Server;

const SCRIPT: &str = r#"
import json, sys, urllib.error
from libretranslatepy import LibreTranslateAPI
open_api = LibreTranslateAPI(sys.argv[1], api_key="right")
long = "You can print a text document as a brochure. Two pages are printed on each side."
found = {
    "languages": open_api.languages(),
    "detected": open_api.detect(long),
    "translated": open_api.translate("Open the file.", "en", "de"),
    "auto": open_api.translate(long, "auto", "de"),
}
try:
    LibreTranslateAPI(sys.argv[1], api_key="wrong").translate("Open the file.", "en", "de")
except urllib.error.HTTPError as error:
    found["wrong"] = [error.code, json.loads(error.read())["error"]]
print(json.dumps(found))
"#;

#[test]
#[ignore = "needs Python with libretranslatepy"]
fn the_python_client_translates_detects_and_lists() {
    let server = Server::start(&["--key", "right"]);
    let output = Command::new("python3")
        .args(["-c", SCRIPT, &format!("http://{}", server.address)])
        .output()
        .expect("python3");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["languages"][0]["code"], "en");
    assert_eq!(found["detected"][0]["language"], "en");
    for name in ["translated", "auto"] {
        assert!(
            found[name].as_str().is_some_and(|text| !text.is_empty()),
            "{found}"
        );
    }
    assert_eq!(found["wrong"], serde_json::json!([403, "Invalid API key"]));
}
