//! The Python client of LibreTranslate, `pip install libretranslatepy`.

use std::process::Command;

use crate::server::client::{Server, skipped};

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
fn the_python_client_translates_detects_and_lists() {
    let python = |arguments: &[&str]| Command::new("python3").args(arguments).output();
    let is_there = python(&["-c", "import libretranslatepy"]);
    if !is_there.is_ok_and(|output| output.status.success()) {
        skipped("there is no Python with libretranslatepy here (pip install libretranslatepy)");
        return;
    }
    let server = Server::start(&["--key", "right"]);
    let output =
        python(&["-c", SCRIPT, &format!("http://{}", server.address)]).expect("Python runs");
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
