//! Documents as a user meets them: read, cut into sentences, written back.

use std::{
    fs,
    path::{Path, PathBuf},
};

use canopy::{
    error::Error,
    text::{
        MAX_DEPTH, MAX_LINE_BYTES,
        document::{
            Document, Format, Markup,
            ParagraphKind::{self, Heading, ListItem, TableCell, Text, Title},
        },
        placeholder::{CLOSE, open, point},
    },
};

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

/// What holds for every document.
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

#[test]
fn a_page_becomes_a_tree_and_comes_back_translated() {
    let page = "<!DOCTYPE html>\n<html lang=en><head><title>A &amp; B</title><style>p{}</style></head>\n<body>\n<h1 id=top>Top\n heading</h1>\n\
        <p id=p1>One <b>bold</b> word.  Two\n<i>words</i>!</p>\n<h2>Below</h2><ul><li><a href='x>y'>Link</a><li><p id=li>Item</p></ul>\n\
        <table><tr><td id=cell>Cell<td><p id=q>Para</table><h2>Next</h2><script>if (a < b) '<p>no</p>'</script></body></html>\n";
    let document = html(page);
    let (bold, italic) = (
        format!("One {}bold{CLOSE} word.", open(0)),
        format!("Two {}words{CLOSE}!", open(0)),
    );
    assert_eq!(
        texts(&document),
        [
            "A & B",
            "Top heading",
            &bold,
            &italic,
            "Below",
            "Link",
            "Item",
            "Cell",
            "Para",
            "Next"
        ]
    );
    assert_eq!(
        kinds(&document),
        [
            Title, Heading, Text, Heading, ListItem, ListItem, TableCell, TableCell, Heading
        ]
    );
    let ids: Vec<_> = document
        .paragraphs
        .iter()
        .map(|paragraph| paragraph.id.as_deref().unwrap_or(""))
        .collect();
    assert_eq!(ids, ["", "top", "p1", "", "", "li", "cell", "q", ""]);
    assert_eq!(
        document
            .sections
            .iter()
            .map(|section| section.level)
            .collect::<Vec<_>>(),
        [0, 1, 2, 2]
    );
    assert_eq!(document.section_path(3), [0, 1, 3]);
    assert_eq!(document.section_title(1), "Top heading");
    assert_eq!(
        (
            document.paragraphs_of(2),
            document.paragraphs_below(1),
            document.sentences_below(2)
        ),
        (3..8, 1..9, 4..9)
    );
    let mut translations = vec![None; 10];
    translations[0] = Some("C < D".to_owned());
    translations[2] = Some(format!("Das ist {}fett{CLOSE}.", open(0)));
    let expected = page
        .replace("A &amp; B", "C &lt; D")
        .replace("One <b>bold</b> word.", "Das ist <b>fett</b>.");
    assert_eq!(document.translated(&translations), expected);
    assert_eq!(
        without_space(&with_own_text(&document)),
        without_space(page)
    );
}

#[test]
fn markup_around_a_sentence_stays_outside_it() {
    let document = html(
        "<p> <a name=x></a><b><i>All of it.</i></b> <img src=x> <br> <b>More. And more.</b></p>",
    );
    assert_eq!(texts(&document), ["All of it.", "More.", "And more."]);
    let document = html("<li><a href=x>Title</a></li>");
    assert_eq!(
        &document.original[document.sentences[0].range.clone()],
        "Title"
    );
}

#[test]
fn opaque_spans_are_points_even_at_the_ends() {
    let document = html(
        "<p><code>f&lt;<b>x</b></code> needs <span class='literal big'>y</span>. Now <span translate=no>Z</span></p>",
    );
    assert_eq!(
        texts(&document),
        [
            format!("{} needs {}.", point(0), point(1)),
            format!("Now {}", point(0))
        ]
    );
    assert!(
        texts(&html(
            "<p><code>only_code</code></p><pre>int i;</pre><div class=notranslate><p>No</div>"
        ))
        .is_empty()
    );
    let document =
        html("<p>Use <svg><title>T</title><path d='M0'/></svg>this <!-- not > that --> one.");
    assert_eq!(
        texts(&document),
        [format!("Use {}this {} one.", point(0), point(1))]
    );
    let drawing = html(
        "<p>a <svg><foreignObject><div>no</div></foreignObject></svg> b <svg/> c<svg><p>out</p>",
    );
    assert_eq!(
        texts(&drawing),
        [format!("a {} b {} c", point(0), point(1)).as_str(), "out"]
    );
}

#[test]
fn adjacent_tags_share_a_placeholder() {
    let document = html("<p>A <a href=x><b>link</b></a> and <a id=y></a> end.</p>");
    assert_eq!(
        texts(&document),
        [format!("A {}link{CLOSE} and {} end.", open(0), point(1))]
    );
    assert_eq!(
        without_space(&with_own_text(&document)),
        without_space(&document.original)
    );
}

#[test]
fn a_pair_across_sentences_is_a_point_in_each() {
    let document = html("<p>See <b>this one. Or that</b> one.</p>");
    assert_eq!(
        texts(&document),
        [
            format!("See {}this one.", point(0)),
            format!("Or that{} one.", point(0))
        ]
    );
}

#[test]
fn broken_html_is_read_as_browsers_do() {
    let unclosed = html("<p>1 < 2 and a<b>c</p>text");
    assert_eq!(
        texts(&unclosed),
        [format!("1 < 2 and a{}c", point(0)).as_str(), "text"]
    );
    let misnested = html("<p>x <b>y <i>z</b> w</i> v");
    assert_eq!(
        texts(&misnested),
        [format!(
            "x {}y {}z{CLOSE} w{} v",
            open(0),
            point(1),
            point(2)
        )]
    );
    assert_eq!(
        texts(&html("<P>UPPER<DIV TITLE='a>b'>case</DIV>\r\n<p>one<p>two")),
        ["UPPER", "case", "one", "two"]
    );
    assert_eq!(
        texts(&html("<p>a &lt; b &amp c &notit; &copy;&nbsp;d &bogus; &")),
        ["a < b & c ¬it; ©\u{A0}d &bogus; &"]
    );
    assert_eq!(
        texts(&html("a <![CDATA[b]]> c <!doctype> d <? e ?> f </>g")).len(),
        1
    );
    assert_eq!(texts(&html("<p>text <!-- unclosed <b>no</b>")), ["text"]);
    assert_eq!(texts(&html("<p>text <a href='unclosed>no</a>")), ["text"]);
    assert_eq!(
        texts(&html("<title>a <b> &lt; c</title><p>d")),
        ["a <b> < c", "d"]
    );
    assert_eq!(texts(&html("no markup")), ["no markup"]);
    assert_eq!(texts(&html("<<p>x</p>")), ["x"]);
}

#[test]
fn nested_tables_and_lists_keep_their_cells() {
    let page = "<table><tr><td>a<table><tr><td>b<td>c</table>d<tr><td><ul><li>e<li>f<ol><li>g</ol></ul></table>";
    let document = html(page);
    assert_eq!(texts(&document), ["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(
        kinds(&document),
        [
            TableCell, TableCell, TableCell, TableCell, ListItem, ListItem, ListItem
        ]
    );
}

#[test]
fn an_id_names_the_paragraph_that_has_it_alone() {
    let document = html(
        "<div id=a><div>one</div></div><div id=b>two<p>three</div><td id=c><p id=d>four</td><li id=e>five<ul><li>six</ul>",
    );
    let ids: Vec<_> = document
        .paragraphs
        .iter()
        .map(|paragraph| paragraph.id.as_deref().unwrap_or("-"))
        .collect();
    assert_eq!(ids, ["a", "-", "-", "d", "e", "-"]);
}

#[test]
fn literal_private_use_characters_are_kept() {
    let document = html("<p>An icon \u{E000} here and \u{E200} there.");
    assert_eq!(
        texts(&document),
        [format!("An icon {} here and {} there.", point(0), point(1))]
    );
    assert_eq!(with_own_text(&document), document.original);
}

#[test]
fn hundreds_of_tags_are_divided() {
    let document = html(&format!("<p>{}", "<b>word</b> and ".repeat(300)));
    assert!(document.sentences.len() > 2);
    assert_eq!(
        without_space(&with_own_text(&document)),
        without_space(&document.original)
    );
    html(&format!("<p>{}", "<b>w</b>".repeat(600)));
    html(&format!("<p>a{}b", "<img>c".repeat(600)));
}

#[test]
fn translations_with_wrong_placeholders_still_give_well_nested_markup() {
    let document = html("<p>A <b>b</b> c <img> d.");
    let rendered = |text: String| document.rendered(&document.sentences[0], &text);
    assert_eq!(rendered(format!("{CLOSE}x {}y", open(0))), "x <b>y</b>");
    assert_eq!(
        rendered(format!("x{}{}{}", point(1), point(7), open(9))),
        "x<img>"
    );
}

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

#[test]
fn an_empty_document_gives_an_empty_one() {
    for format in [Format::Html, Format::Markdown, Format::Text] {
        for text in ["", "\u{FEFF}", "\r\n", "<>"] {
            let document = Document::parse("empty", format, text.to_owned()).expect("readable");
            check(&document);
            assert!(document.sentences.is_empty());
            assert_eq!(document.translated(&[]), text);
        }
    }
}

#[test]
fn a_byte_order_mark_and_line_ends_are_kept() {
    let document = html("\u{FEFF}<p>One\r\ntwo.</p>\r\n");
    assert_eq!(texts(&document), ["One two."]);
    assert_eq!(
        document.translated(&[Some("Eins.".to_owned())]),
        "\u{FEFF}<p>Eins.</p>\r\n"
    );
    assert_eq!(markdown("\u{FEFF}# One\r\ntwo\r\n").sections.len(), 2);
}

#[test]
fn bad_files_are_refused_by_name_place_and_remedy() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        let error = Document::open(&path, None).expect_err("refused");
        assert!(error.to_string().contains(name), "{error}");
        error
    };
    assert!(matches!(
        refused("a.html", b"<p>\xC3\xA4\n\xFF"),
        Error::NotUtf8 {
            offset: 6,
            line: 2,
            ..
        }
    ));
    assert!(matches!(
        refused("b.txt", b"ab\0c"),
        Error::Binary { offset: 2, .. }
    ));
    assert!(matches!(
        refused("c.md", b"\xFF\xFEa\0"),
        Error::Utf16 { .. }
    ));
    assert!(matches!(
        refused(
            "d.txt",
            &[b"a\n", vec![b'x'; MAX_LINE_BYTES + 1].as_slice()].concat()
        ),
        Error::LongLine { line: 2, .. }
    ));
    assert!(matches!(
        Document::open(folder.path().join("missing.txt"), None),
        Err(Error::Read { .. })
    ));
    assert!(matches!(
        Document::open(folder.path(), None),
        Err(Error::Read { .. })
    ));
}

#[test]
fn deep_nesting_is_refused_without_overflowing_the_stack() {
    let deep = |format, text: String| {
        let result = Document::parse("deep", format, text);
        assert!(
            matches!(
                result,
                Err(Error::TooDeep {
                    limit: MAX_DEPTH,
                    ..
                })
            ),
            "{:?}",
            result.map(|document| document.sentences.len())
        );
    };
    deep(Format::Html, "<div>".repeat(200_000));
    deep(
        Format::Html,
        "<p>".to_owned() + &"<b>".repeat(200_000) + "x",
    );
    deep(Format::Html, "<ul><li>".repeat(200_000));
    deep(Format::Html, "<table><tr><td>".repeat(200_000));
    deep(Format::Markdown, ">".repeat(2_000) + " x");
    html(&"<p>x".repeat(20_000));
    html(&"<li>x</p></i>".repeat(20_000));
    html(&"<code>".repeat(200_000));
    html(&("<div>".repeat(500) + "x" + &"</div>".repeat(500)));
}

#[test]
fn what_looks_quadratic_is_not() {
    let started = std::time::Instant::now();
    html(&format!("<p>a{}b", "&amp".repeat(100_000)));
    html(&format!("<p>a{}b", "<a>".repeat(100_000)));
    html(&format!("<p>{}b", "1. ".repeat(200_000)));
    html(&format!(
        "<p><b>{}a</b> c{}",
        " ".repeat(200_000),
        "<img> ".repeat(20_000)
    ));
    html(&"<".repeat(300_000));
    html(&"<!---->".repeat(50_000));
    markdown(&"*a ".repeat(20_000));
    markdown(&"[a](".repeat(20_000));
    assert!(
        started.elapsed().as_secs() < 60,
        "took {:?}",
        started.elapsed()
    );
}

/// The help pages below `CANOPY_HELP` (`…/en-US/text`), every `step`th, or none with a word about it.
fn help_pages(step: usize) -> Vec<PathBuf> {
    let Some(root) = std::env::var_os("CANOPY_HELP") else {
        eprintln!("CANOPY_HELP does not name a folder of help pages: nothing is checked");
        return Vec::new();
    };
    let (mut folders, mut pages) = (vec![PathBuf::from(root)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if Format::of(Path::new(&path)) == Format::Html {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages.into_iter().step_by(step).collect()
}

#[test]
fn real_pages_come_back_as_they_were() {
    for page in help_pages(1) {
        let document = Document::open(&page, None).expect("readable");
        check(&document);
        assert!(
            !document.sentences.is_empty() || document.original.is_empty(),
            "{page:?}"
        );
        assert_eq!(
            without_space(&with_own_text(&document)),
            without_space(&document.original),
            "{page:?}"
        );
    }
}

#[test]
fn damaged_pages_come_back_as_they_were() {
    let mut state = 1_u64;
    let mut random = |below: usize| {
        // Knuth's MMIX generator; its upper bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below.max(1)
    };
    for page in help_pages(13) {
        let whole = fs::read_to_string(&page).expect("readable");
        for format in [Format::Html, Format::Markdown, Format::Text] {
            let mut characters: Vec<char> = whole.chars().collect();
            for _ in 0..=random(200) {
                let at = random(characters.len());
                characters.drain(at..(at + 1 + random(4)).min(characters.len()));
            }
            characters.truncate(1 + random(2 * characters.len()));
            let damaged: String = characters.into_iter().collect();
            let document = Document::parse("damaged", format, damaged.clone()).expect("readable");
            check(&document);
            with_own_text(&document);
        }
    }
}
