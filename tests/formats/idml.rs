//! InDesign documents.

use canopy::text::document::ReadingOptions;
use canopy::text::placeholder::point;

use super::properties::Inline;
use super::{entry, package, read, read_with, texts, translated};

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn document(body: &str) -> Vec<u8> {
    let story = format!(
        "<?xml version=\"1.0\"?>\n<idPkg:Story xmlns:idPkg=\"p\"><Story Self=\"u1\"><StoryPreference/>{body}</Story></idPkg:Story>"
    );
    package(&[
        ("mimetype", "application/vnd.adobe.indesign-idml-package"),
        (
            "designmap.xml",
            "<?xml version=\"1.0\"?><Document xmlns:idPkg=\"p\"><idPkg:Styles src=\"Resources/Styles.xml\"/><idPkg:Story src=\"Stories/Story_u1.xml\"/></Document>",
        ),
        ("Stories/Story_u1.xml", &story),
    ])
}

pub fn idml(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => format!(
            "<CharacterStyleRange><Content>{}</Content></CharacterStyleRange>",
            escaped(text)
        ),
        Inline::Marked(text) => format!(
            "<CharacterStyleRange FontStyle=\"Bold\"><Properties><AppliedFont type=\"string\">F</AppliedFont></Properties><Content>{}</Content></CharacterStyleRange>",
            escaped(text)
        ),
        Inline::Code => {
            "<CharacterStyleRange><TextVariableInstance Self=\"v\"/></CharacterStyleRange>"
                .to_owned()
        }
    };
    let paragraph = |it: &Vec<Inline>| {
        let inner: String = it.iter().map(inline).collect();
        format!(
            "<ParagraphStyleRange>{inner}<CharacterStyleRange><Br/></CharacterStyleRange></ParagraphStyleRange>\n"
        )
    };
    document(&paragraphs.iter().map(paragraph).collect::<String>())
}

#[test]
fn stories_keep_their_ranges() {
    let body = "<ParagraphStyleRange A=\"1\">
<CharacterStyleRange B=\"1\"><Content>Text in </Content></CharacterStyleRange>
<CharacterStyleRange B=\"2\"><Properties><X/></Properties><Content>another</Content></CharacterStyleRange>
<CharacterStyleRange B=\"1\"><Content> font.<?ACE 18?></Content><Br/><Content>Next &amp; last</Content>
<Footnote><ParagraphStyleRange><CharacterStyleRange><Content>A note.</Content></CharacterStyleRange></ParagraphStyleRange></Footnote>
<Content> words.</Content></CharacterStyleRange></ParagraphStyleRange>";
    let file = document(body);
    let document = read("a.idml", &file);
    let notes = format!("Next & last{} words.", point(0));
    let shown: Vec<String> = texts(&document).into_iter().map(super::seen).collect();
    assert_eq!(shown, ["Textinanotherfont.", "Next&lastwords.", "Anote."]);
    assert_eq!(texts(&document)[1], notes);
    let first = texts(&document)[0]
        .replace("Text in", "Text <in>")
        .replace("another", "anderer");
    let written = translated(
        &document,
        &[&first, "Nächste Worte.", "Eine Anmerkung."],
        None,
    );
    let story = entry(&written, "Stories/Story_u1.xml");
    for part in [
        "<Content>Text &lt;in&gt; </Content></CharacterStyleRange>",
        "<CharacterStyleRange B=\"2\"><Properties><X/></Properties><Content>anderer</Content></CharacterStyleRange>",
        "<Content> font.<?ACE 18?></Content><Br/><Content>Nächste Worte.</Content>",
        "<Content>Eine Anmerkung.</Content>",
    ] {
        assert!(story.contains(part), "{part}\nis not in\n{story}");
    }
    assert_eq!(story.matches("<Footnote>").count(), 1);
    assert_eq!(story.matches("<CharacterStyleRange").count(), 4);
}

#[test]
fn notes_of_editors_are_read_where_comments_are_requested() {
    let note = "<Note Collapsed=\"false\" UserName=\"Ann\"><ParagraphStyleRange><CharacterStyleRange><Content>Check this.</Content></CharacterStyleRange></ParagraphStyleRange></Note>";
    let body = format!(
        "<ParagraphStyleRange><CharacterStyleRange><Content>Some words</Content>{note}<Content> go on.</Content></CharacterStyleRange></ParagraphStyleRange>"
    );
    let file = document(&body);
    let sentence = format!("Some words{} go on.", point(0));
    assert_eq!(texts(&read("a.idml", &file)), [sentence.as_str()]);
    let options = ReadingOptions {
        comments: true,
        ..ReadingOptions::default()
    };
    let document = read_with("a.idml", &file, &options);
    assert_eq!(texts(&document), [sentence.as_str(), "Check this."]);
    let first = format!("Einige Worte{} gehen weiter.", point(0));
    let written = translated(&document, &[&first, "Das prüfen."], Some("de"));
    let wanted = body
        .replace("Some words", "Einige Worte")
        .replace(" go on.", " gehen weiter.")
        .replace("Check this.", "Das prüfen.");
    assert!(entry(&written, "Stories/Story_u1.xml").contains(&wanted));
}
