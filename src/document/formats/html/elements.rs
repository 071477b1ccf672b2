//! The meaning of each HTML element to a translator.

use crate::words::Words;
use html5ever::{Attribute, tokenizer::states::RawKind};

/// How an element takes part in the flow of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Begins and ends paragraphs.
    Block,
    /// A block without content: `hr`.
    Rule,
    /// Stands within a paragraph.
    Inline,
    /// Within a paragraph, without content: `img`.
    Void,
    LineBreak,
    /// Within a paragraph, not translated; ends where the paragraph does.
    Code,
    /// Not shown as text and able to hold anything: ends at its own end tag.
    Hidden,
}

pub(crate) fn role(name: &str) -> Role {
    match name {
        "br" => Role::LineBreak,
        "hr" => Role::Rule,
        "area" | "base" | "basefont" | "bgsound" | "col" | "embed" | "frame" | "image" | "img"
        | "input" | "keygen" | "link" | "meta" | "param" | "source" | "track" | "wbr" => Role::Void,
        "code" | "kbd" | "samp" | "var" | "tt" | "svg" | "math" | "ruby" => Role::Code,
        "audio" | "canvas" | "iframe" | "noembed" | "noframes" | "noscript" | "object"
        | "script" | "style" | "template" | "video" => Role::Hidden,
        "address" | "article" | "aside" | "blockquote" | "body" | "button" | "caption"
        | "center" | "colgroup" | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt"
        | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "frameset" | "h1" | "h2"
        | "h3" | "h4" | "h5" | "h6" | "head" | "header" | "hgroup" | "html" | "label"
        | "legend" | "li" | "listing" | "main" | "menu" | "nav" | "ol" | "optgroup" | "option"
        | "p" | "plaintext" | "pre" | "search" | "section" | "select" | "summary" | "table"
        | "tbody" | "td" | "textarea" | "tfoot" | "th" | "thead" | "title" | "tr" | "ul"
        | "xmp" => Role::Block,
        _ => Role::Inline,
    }
}

/// Blocks whose content is not translated.
pub(super) fn is_verbatim(name: &str) -> bool {
    matches!(name, "head" | "listing" | "plaintext" | "pre" | "xmp")
}

/// Blocks that hold other blocks rather than text: their `id` names a part of the page, not a paragraph.
pub(super) fn is_container(name: &str) -> bool {
    Words(
        "address article aside blockquote body center details dialog dir div dl fieldset figure footer form head header
         hgroup html main menu nav ol search section table tbody tfoot thead tr ul",
    ).contains(name)
}

/// Elements that may be in a paragraph, though they are units of their own in other places.
pub(super) fn is_control(name: &str) -> bool {
    matches!(name, "button" | "label")
}

/// Elements that are blocks of their own between texts, and stand for themselves within a sentence.
pub(super) fn is_field(name: &str) -> bool {
    matches!(name, "select" | "textarea")
}

pub(super) fn is_heading(name: &str) -> bool {
    heading_level(name).is_some()
}

pub(super) fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

/// Start tags that may be in `head`; any other one ends it.
pub(super) fn belongs_to_head(name: &str) -> bool {
    Words("base basefont bgsound head html link meta noframes noscript script style template title")
        .contains(name)
}

/// Which open elements the start tag `name` ends, and the elements at which the search stops.
///
/// After the tree construction rules of the HTML standard (13.2.6.4.7 and the table modes).
pub(super) fn implied_ends(
    name: &str,
) -> &'static [(&'static [&'static str], &'static [&'static str])] {
    const SCOPE: &[&str] = &["button", "caption", "html", "table", "td", "th"];
    const TABLE: &[&str] = &["html", "table"];
    const P: (&[&str], &[&str]) = (&["p"], SCOPE);
    match name {
        "li" => &[
            (
                &["li"],
                &[
                    "button", "caption", "dir", "html", "menu", "ol", "table", "td", "th", "ul",
                ],
            ),
            P,
        ],
        "dd" | "dt" => &[
            (
                &["dd", "dt"],
                &["button", "caption", "dl", "html", "table", "td", "th"],
            ),
            P,
        ],
        "option" => &[(&["option"], &["optgroup", "select", "table"])],
        "optgroup" => &[(&["option", "optgroup"], &["select", "table"])],
        "td" | "th" => &[(
            &["td", "th", "caption", "colgroup"],
            &["html", "table", "tr"],
        )],
        "tr" => &[(&["tr", "caption", "colgroup"], TABLE)],
        "tbody" | "tfoot" | "thead" => {
            &[(&["tbody", "tfoot", "thead", "caption", "colgroup"], TABLE)]
        }
        "caption" | "colgroup" => &[(&["caption", "colgroup"], TABLE)],
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
            &[P, (&["h1", "h2", "h3", "h4", "h5", "h6"], &["*"])]
        }
        "button" => &[(&["button"], &["html", "table", "td", "th"])],
        "body" => &[(&["head"], &[])],
        "head" | "html" | "label" | "select" | "textarea" | "title" => &[],
        _ => &[P],
    }
}

/// Elements at which the search of the end tag `name` for its start tag stops.
pub(super) fn end_scope(name: &str) -> &'static [&'static str] {
    match name {
        "body" | "head" | "html" => &[],
        "table" => &["html"],
        "caption" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr" => {
            &["html", "table"]
        }
        "li" => &[
            "button", "caption", "dir", "html", "menu", "ol", "table", "td", "th", "ul",
        ],
        _ => &["button", "caption", "html", "table", "td", "th"],
    }
}

/// How the tokenizer reads what follows the start tag `name`.
pub(super) fn raw_kind(name: &str) -> Option<RawKind> {
    match name {
        "title" | "textarea" => Some(RawKind::Rcdata),
        "iframe" | "noembed" | "noframes" | "noscript" | "style" | "xmp" => Some(RawKind::Rawtext),
        "script" => Some(RawKind::ScriptData),
        _ => None,
    }
}

pub(super) fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name)
        .map(|attribute| &*attribute.value)
}

/// Whether the author says to translate this element (`None`: as the one around it).
pub(super) fn translatable(attributes: &[Attribute]) -> Option<bool> {
    if has_class(attributes, &["notranslate"]) {
        return Some(false);
    }
    match attribute(attributes, "translate")?
        .to_ascii_lowercase()
        .as_str()
    {
        "no" => Some(false),
        "" | "yes" => Some(true),
        _ => None,
    }
}

/// Whether an inline element is marked as something to type or program text.
pub(super) fn is_literal(attributes: &[Attribute]) -> bool {
    has_class(attributes, &["code", "input", "literal"])
}

fn has_class(attributes: &[Attribute], names: &[&str]) -> bool {
    attribute(attributes, "class").is_some_and(|classes| {
        classes
            .split_ascii_whitespace()
            .any(|class| names.contains(&class))
    })
}
