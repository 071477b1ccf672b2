//! The examples do what they say.

#![allow(dead_code, reason = "each has a `main`")]

#[path = "../../examples/open_model.rs"]
mod open_model;
#[path = "../../examples/read_trace.rs"]
mod read_trace;
#[path = "../../examples/translate_document.rs"]
mod translate_document;

#[test]
fn a_document_is_translated() {
    let page = translate_document::translated().expect("translates");
    assert!(page.contains("<h1>Drucken</h1>"), "{page}");
    assert!(page.contains("<b>"), "{page}");
}

#[test]
fn a_model_of_another_program_opens() {
    let description = open_model::description().expect("opens");
    assert!(description.contains(": en to pt, "), "{description}");
}

#[test]
fn a_trace_shows_what_was_read() {
    let summary = read_trace::summary().expect("traces");
    assert!(
        summary.starts_with("To translate “Delete” the model read sentence"),
        "{summary}"
    );
}
