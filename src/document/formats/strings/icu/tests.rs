//! Messages of ICU, their plurals and choices.

use super::*;

fn parsed(text: &str) -> Option<Pattern> {
    Pattern::parse(text, Apostrophes::Optional)
}

#[test]
fn branches_and_arguments_are_distinguished() {
    let text = "You have {count, plural, offset:1 =0{no files} one {# file by {name}} other{# files}} here.";
    let pattern = parsed(text).expect("a message");
    let [
        Node::Text(before),
        Node::Branches { syntax, branches },
        Node::Text(after),
    ] = &pattern.nodes[..]
    else {
        panic!("{pattern:?}");
    };
    assert_eq!((before.as_str(), after.as_str()), ("You have ", " here."));
    assert_eq!(
        syntax,
        &["{count, plural, offset:1 =0{", "} one {", "} other{", "}}"]
    );
    let sources: Vec<_> = branches
        .iter()
        .map(|branch| branch.source.as_str())
        .collect();
    assert_eq!(sources, ["no files", "# file by {name}", "# files"]);
    assert_eq!(branches[1].nodes.len(), 3);
    assert_eq!(
        pattern.nodes[1].source(),
        "{count, plural, offset:1 =0{no files} one {# file by {name}} other{# files}}"
    );
}

#[test]
fn what_is_no_message_is_refused() {
    for text in [
        "{",
        "}",
        "{a",
        "a}b",
        "{a, plural, }",
        "{a, plural, one}",
        "{a, plural, one{b}",
        "{a b}",
        "{, plural, one{a}}",
    ] {
        assert!(parsed(text).is_none(), "{text}");
    }
    assert!(is_complex("{n, plural, other{x}}") && is_complex("{n,select,other{x}}"));
    assert!(!is_complex("the plural, of it {0}"));
}

#[test]
fn apostrophes_quote_as_icu_and_java_have_it() {
    let nodes = |text: &str, apostrophes| {
        let pattern = Pattern::parse(text, apostrophes).expect("a message");
        let shown = |node: &Node| match node {
            Node::Text(text) => text.clone(),
            Node::Fixed { shown, .. } => format!("[{shown}]"),
            Node::Branches { .. } => String::new(),
        };
        pattern.nodes.iter().map(shown).collect::<String>()
    };
    assert_eq!(
        nodes("don't '{0}' it''s {0}", Apostrophes::Optional),
        "don't [{0}] it's [{0}]"
    );
    assert_eq!(
        nodes("don''t '{0}' {0}", Apostrophes::Required),
        "don't [{0}] [{0}]"
    );
    assert_eq!(
        nodes("{n, number, '#'}", Apostrophes::Optional),
        "[{n, number, '#'}]"
    );
}
