//! Markdown becomes the same tree as a page, and its links keep their goals.

use canopy::text::document::ParagraphKind::{Heading, ListItem, TableCell, Text};
use canopy::text::placeholder::{CLOSE, open, point};

use crate::documents::{kinds, markdown, texts, with_own_text, without_space};

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
    let second = format!("Still *here* & {}there{CLOSE}.", open(0));
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
fn a_reader_sees_code_addresses_and_a_space_for_a_line_break() {
    let document = markdown(
        "Use `SUM` or `a<b>`, *then* ask <me@x.org>,\\\n<a href=\"https://y.org\">them</a>  \nor ![us][them] [all](a.b).\n\n[them]: c.png\n",
    );
    assert_eq!(
        document.plain_texts(),
        ["Use SUM or a<b>, then ask me@x.org, them or all."]
    );
}

#[test]
fn marks_without_words_go_and_space_goes_outside_them() {
    let document = markdown("Click **Save** or *Cancel* in the [dialog](a.html), ~~please~~.");
    let written = |translation: String| document.translated(&[Some(translation)]);
    let none = [0, 1, 2, 3].map(|number| format!("{}{CLOSE}", open(number)));
    assert_eq!(
        written(format!(
            "Klicken {}.{}{}{}",
            none[0], none[1], none[2], none[3]
        )),
        "Klicken .[dialog](a.html)"
    );
    assert_eq!(
        written(format!(
            "{} Hier{CLOSE} auf{} Speichern {CLOSE}{} {CLOSE}im {} Dialog{CLOSE}.",
            open(3),
            open(0),
            open(1),
            open(2)
        )),
        "~~Hier~~ auf **Speichern**  im [ Dialog](a.html)."
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

#[test]
fn tags_in_a_paragraph_are_pairs_and_their_code_is_left() {
    let text = "Press <kbd>Ctrl</kbd>+<kbd>*C*</kbd> to <b class=\"x\">copy</b> it,<br>see <a href=\"x.html\">the *page*</a> \
        or <img src=\"y.png\"/> <b>this.\n\nA </b> *<b>stray* one</b> <!-- and --> <CODE>code.\n";
    let document = markdown(text);
    let first = format!(
        "Press {}+{} to {}copy{CLOSE} it,{}see {}the {}page{CLOSE}{CLOSE} or {} {}this.",
        point(0),
        point(1),
        open(2),
        point(3),
        open(4),
        open(5),
        point(6),
        point(7)
    );
    let second = format!(
        "A {} {}{}stray{CLOSE} one{} {} {}code.",
        point(0),
        open(1),
        point(2),
        point(3),
        point(4),
        point(5)
    );
    assert_eq!(texts(&document), [first, second]);
}

#[test]
fn addresses_and_paths_are_left() {
    let text = "Get it from https://x.org/a_b-7.html, write to **info@x.org** or open `x` and C:\\Temp\\a.txt.\n\n<https://y.org>\n";
    let document = markdown(text);
    let expected = format!(
        "Get it from {}, write to {}{}{CLOSE} or open {} and {}.",
        point(0),
        open(1),
        point(2),
        point(3),
        point(4)
    );
    assert_eq!(texts(&document), [expected]);
}

#[test]
fn a_backslash_before_marks_is_no_escape() {
    let document = markdown("**A folder.** and [that](x.html)\n");
    let translation = format!("{}C:\\{CLOSE} und {}D:\\{CLOSE}", open(0), open(1));
    let written = document.translated(&[Some(translation)]);
    assert_eq!(written, "**C:\\\\** und [D:\\\\](x.html)\n");
}
