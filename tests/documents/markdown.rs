//! Markdown becomes the same tree as a page, and its links keep their goals.

use canopy::text::document::ParagraphKind::{Heading, ListItem, TableCell, Text};
use canopy::text::placeholder::{CLOSE, open, point};

use crate::{kinds, markdown, texts, with_own_text, without_space};

#[test]
fn markdown_is_a_tree_too() {
    let text = "---\ntitle: no\n---\n# Title {#top}\n\nSome *text* with **strong words**, `code` and a [link *here*](http://x.y \"t\").\nStill \\*here\\* &amp; <b>there</b>.\n\n\
        Second\n------\n\n> A quote\n> goes on.\n\n- One\n- Two\n\n  Again ~~no~~.\n\n| A | B |\n|---|---|\n| c \\| d | **e** |\n\n    code\n\n```\ncode\n```\n<div>\nhtml\n</div>\n";
    let document = markdown(text);
    let first = format!(
        "Some {}text{CLOSE} with {}strong words{CLOSE}, {} and a {}link {}here{CLOSE}{CLOSE}.",
        open(0),
        open(1),
        point(2),
        open(3),
        open(4)
    );
    let second = format!("Still *here* & {}there{}.", point(0), point(1));
    let again = format!("Again {}no{CLOSE}.", open(0));
    let expected = [
        "Title",
        &first,
        &second,
        "Second",
        "A quote goes on.",
        "One",
        "Two",
        &again,
        "A",
        "B",
        "c | d",
        "e",
    ];
    assert_eq!(texts(&document), expected);
    assert_eq!(document.paragraphs[0].id.as_deref(), Some("top"));
    assert_eq!(
        kinds(&document),
        [
            Heading, Text, Heading, Text, ListItem, ListItem, ListItem, TableCell, TableCell,
            TableCell, TableCell
        ]
    );
    assert_eq!(
        document
            .sections
            .iter()
            .map(|section| section.level)
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert_eq!(
        without_space(&with_own_text(&document)),
        without_space(&text.replace("> goes", "goes"))
    );
}

#[test]
fn markdown_links_by_their_own_text_keep_their_goal() {
    let document = markdown(
        "See [the page] and [that][] or [this][that].\n\n[the page]: http://a\n[that]: http://b\n",
    );
    assert_eq!(document.sentences.len(), 1);
    let translation = format!(
        "Siehe {}die Seite{CLOSE} und {}das{CLOSE} oder {}dies{CLOSE}.",
        open(0),
        open(1),
        open(2)
    );
    let written = document.translated(&[Some(translation)]);
    assert_eq!(with_own_text(&document), document.original);
    assert_eq!(
        with_own_text(&markdown("End [a][].\n\n[a]: b")),
        "End [a][].\n\n[a]: b"
    );
    assert!(
        written.starts_with("Siehe [die Seite][the page] und [das][that] oder [dies][that].\n"),
        "{written}"
    );
}
