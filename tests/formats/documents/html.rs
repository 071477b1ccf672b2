//! Pages of HTML become trees of sentences with placeholders, and come back as browsers would read them.

use canopy::text::document::ParagraphKind::{Heading, ListItem, TableCell, Text, Title};
use canopy::text::document::{Document, Format};
use canopy::text::placeholder::{CLOSE, open, point};

use crate::documents::{html, kinds, texts, with_own_text, without_space};

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
fn elements_of_xhtml_close_themselves() {
    let body = "<head><title/><script src='x.js'/></head><body><div/><p>One <a id='x'/>word.</p>\
                <video src='v'/><p>Two.</p></body></html>";
    let page = format!("<?xml version='1.0'?>\n<html>{body}");
    let document = html(&page);
    assert_eq!(
        texts(&document),
        [format!("One {}word.", point(0)), "Two.".to_owned()]
    );
    assert_eq!(with_own_text(&document), page);
    // Where it is not said to be XML, a browser reads the title on and on.
    let page = format!("<html>{body}");
    assert_eq!(html(&page).sentences.len(), 1);
    let by_name = Document::parse("page.XHTML", Format::Html, page).expect("readable");
    assert_eq!(texts(&by_name), texts(&document));
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
fn a_reader_sees_code_and_a_space_for_a_line_break() {
    let document = html(
        "<h1>User<br>Manual</h1><p>Use&nbsp;<b><code>SUM</code></b> to <img src=x alt=y>add<script>f()</script> up \u{E101}.",
    );
    assert_eq!(
        document.plain_texts(),
        ["User Manual", "Use SUM to add up ."]
    );
    assert_eq!(document.section_title(1), "User Manual");
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
