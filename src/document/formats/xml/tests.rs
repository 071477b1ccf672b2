//! Nodes of a file know their bytes, and what is not well formed is refused.

use super::*;

fn read(text: &str) -> Result<Xml, Failure> {
    Xml::read("part.xml", text.to_owned())
}

#[test]
fn every_node_knows_its_bytes() {
    let text = "\u{FEFF}<?xml version=\"1.0\"?>\n<a:r xmlns:a='x' b=\"1 &lt; 2\" a:c='\"'>x&amp;<![CDATA[<y>]]><i/><!-- z --></a:r>\n";
    let xml = read(text).expect("well formed");
    let root = xml.root();
    assert_eq!(
        (xml.name(root), xml.qualified(root), xml.namespace(root)),
        ("r", "a:r", "x")
    );
    assert_eq!(xml.attribute(root, "b").as_deref(), Some("1 < 2"));
    assert_eq!(xml.attribute(root, "c").as_deref(), Some("\""));
    assert_eq!(xml.whole_text(root), "x&<y>");
    let parts: Vec<_> = xml
        .children(root)
        .map(|id| xml.slice(xml.range(id)))
        .collect();
    assert_eq!(
        parts,
        ["x", "&amp;", "<![CDATA[<y>]]>", "<i/>", "<!-- z -->"]
    );
    assert_eq!(xml.slice(xml.end_tag(root)), "</a:r>");
    let empty = xml.child(root, "i").expect("an element");
    assert!(xml.is_empty_tag(empty) && !xml.is_empty_tag(root));
    assert_eq!(xml.namespace(empty), "");
}

#[test]
fn an_entity_has_as_many_elements_as_it_likes() {
    let text = "<?xml version=\"1.0\"?><a/>\n&b;<c><p:d/></c>";
    let entity = Xml::read_entity("part.xml", text.to_owned()).expect("well formed");
    let names = entity.roots().map(|id| entity.name(id));
    assert_eq!(names.collect::<Vec<_>>(), ["a", "c"]);
    for text in ["<a/>x", "<a/></b>", "<a><b/>", "&a;"] {
        let refused = Xml::read_entity("part.xml", text.to_owned());
        assert!(matches!(refused, Err(Failure::Damaged { .. })), "{text}");
    }
}

#[test]
fn the_outermost_element_is_recognised_by_the_beginning() {
    for (beginning, element) in [
        (
            "\u{FEFF}<?xml version='1.0'?>\n<!-- <b> --><a x='1",
            Some("a"),
        ),
        ("<!DOCTYPE a [<!ENTITY b '<c>'>\n]><a:b/>", Some("a:b")),
        ("<!DOCTYPE a PUBLIC '-//x' 'y'>\n<a>", Some("a")),
        ("<!-- and so on", None),
        ("text <a>", None),
        ("", None),
    ] {
        assert_eq!(outermost(beginning), element, "{beginning}");
    }
}

#[test]
fn what_is_not_well_formed_is_refused() {
    for text in [
        "",
        "x",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a/>x",
        "<a b=1/>",
        "<a b='1' b='2'/>",
        "<a>&#0;</a>",
        "<a>\u{1}</a>",
        "<p:a/>",
        "</a>",
        "<a><!-- -- --></a>",
        "<a b='<'/>",
        "<a>&amp</a>",
    ] {
        let refused = read(text);
        assert!(matches!(refused, Err(Failure::Damaged { .. })), "{text}");
    }
    let deep = "<a>".repeat(1_000) + &"</a>".repeat(1_000);
    assert!(matches!(read(&deep), Err(Failure::PartTooDeep { .. })));
}
