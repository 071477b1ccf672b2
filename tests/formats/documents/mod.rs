//! Documents as a user meets them: read, cut into sentences, written back.

mod damaged;
mod html;
mod markdown;
mod odd_files;
mod real_pages;

use canopy::text::document::{Document, Format, Markup, ParagraphKind};

fn html(text: &str) -> Document {
    let document = Document::parse("page.html", Format::Html, text.to_owned()).expect("readable");
    check(&document);
    document
}

fn markdown(text: &str) -> Document {
    let document = Document::parse("page.md", Format::Markdown, text.to_owned()).expect("readable");
    check(&document);
    document
}

/// Checks that hold for every document.
fn check(document: &Document) {
    let original = &document.original;
    assert_eq!(&document.translated(&[]), original);
    assert_eq!(
        &document.translated(&vec![None; document.sentences.len()]),
        original
    );
    let mut place = 0;
    for (index, sentence) in document.sentences.iter().enumerate() {
        assert!(
            sentence.range.start >= place && !sentence.range.is_empty(),
            "sentence {index} overlaps: {sentence:?}"
        );
        assert!(sentence.markup.len() <= 255);
        place = sentence.range.end;
        assert!(
            document.paragraphs[sentence.paragraph]
                .sentences
                .contains(&index)
        );
        assert_eq!(document.position(index).sentence, index);
        for markup in &sentence.markup {
            let (Markup::Pair {
                open: first,
                close: last,
            }
            | Markup::Point {
                range: first @ last,
            }) = markup;
            assert!(
                first.start >= sentence.range.start && last.end <= sentence.range.end,
                "{sentence:?}"
            );
        }
    }
    for (index, section) in document.sections.iter().enumerate().skip(1) {
        assert!(section.parent.is_some_and(
            |parent| parent < index && document.sections[parent].level < section.level
        ));
    }
}

fn texts(document: &Document) -> Vec<&str> {
    document
        .sentences
        .iter()
        .map(|sentence| sentence.text.as_str())
        .collect()
}

fn kinds(document: &Document) -> Vec<ParagraphKind> {
    document
        .paragraphs
        .iter()
        .map(|paragraph| paragraph.kind)
        .collect()
}

fn with_own_text(document: &Document) -> String {
    document.translated(
        &document
            .sentences
            .iter()
            .map(|sentence| Some(sentence.text.clone()))
            .collect::<Vec<_>>(),
    )
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}
