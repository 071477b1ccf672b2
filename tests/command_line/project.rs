//! `canopy project`: what was done on documents.

use serde_json::Value;

use crate::desk::{Desk, assert_done, canopy, stderr, stdout};

fn json(output: &std::process::Output) -> Value {
    serde_json::from_str(&stdout(output)).expect("JSON")
}

#[test]
fn a_document_that_nobody_worked_on_has_no_history() {
    let desk = Desk::new();
    let page = desk.file("page.html", "<p>Open the file.</p><p>Close it.</p>");
    let told = canopy(&["project", "history", &page]);
    assert_done(&told);
    assert_eq!(stdout(&told), "");
    let told = json(&canopy(&["project", "history", &page, "--json"]));
    assert_eq!(told["sentences"], Value::Array(vec![]));
    let wrong = canopy(&["project", "history", &page, "--sentence", "3"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("the document has 2"));
}
