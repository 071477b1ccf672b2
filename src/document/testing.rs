//! Steps that unit tests share.

use crate::document::{Document, Format};

pub(crate) fn read(format: Format, text: &str) -> Document {
    Document::parse("test", format, text.to_owned()).expect("readable")
}

/// Writes a document with all its sentences translated.
pub(crate) fn rewritten(
    document: &Document,
    language: Option<&str>,
    translate: impl Fn(&str) -> String,
) -> String {
    let sentences = document.sentences.iter();
    let translated: Vec<_> = sentences.map(|it| Some(translate(&it.text))).collect();
    let written = document.written(&translated, language).expect("written");
    String::from_utf8(written).expect("text")
}

/// The first sentence of each paragraph as `id|text|note`.
pub(crate) fn paragraphs(document: &Document) -> Vec<String> {
    let paragraphs = document.paragraphs.iter().map(|it| {
        let text = document.sentences[it.sentences.start].plain_text();
        let [id, note] = [&it.id, &it.note].map(|it| it.as_deref().unwrap_or_default());
        format!("{id}|{text}|{note}")
    });
    paragraphs.collect()
}

/// Asserts that each text is refused with the number of a line.
pub(crate) fn assert_damaged(format: Format, cases: &[(&str, usize)]) {
    for (text, line) in cases {
        let refused = Document::parse("test", format, (*text).to_owned());
        let error = refused.expect_err("damaged").to_string();
        assert!(
            error.contains(&format!("line {line}:")),
            "{text:?}: {error}"
        );
    }
}
