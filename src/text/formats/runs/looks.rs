//! How stretches of text look.

use std::collections::HashMap;

use super::events::{Dialect, Event};
use super::fields::Item;
use crate::text::formats::xml::{Id, Xml};

/// How a stretch of text looks.
#[derive(Debug, Clone)]
pub(super) struct Look {
    /// Its visible properties.
    pub(super) seen: String,
    /// Where they stand.
    pub(super) properties: Option<Id>,
    pub(super) letters: usize,
}

/// The look of every item that is text.
pub(super) fn looks(dialect: &dyn Dialect, xml: &Xml, items: &[Item]) -> Vec<Option<Look>> {
    let look = |item: &Item| match item {
        Item::One(Event::Text { text, piece }) => Some(Look {
            seen: piece
                .properties
                .map_or(String::new(), |id| seen(dialect, xml, id)),
            properties: piece.properties,
            letters: text.chars().filter(|c| c.is_alphanumeric()).count(),
        }),
        _ => None,
    };
    items.iter().map(look).collect()
}

/// The look of most letters; the first of several.
pub(super) fn base(looks: &[Option<Look>]) -> Option<Look> {
    let mut letters: HashMap<&str, usize> = HashMap::new();
    for look in looks.iter().flatten() {
        *letters.entry(&look.seen).or_default() += look.letters;
    }
    let most = letters.values().max()?;
    let mut looks = looks.iter().flatten();
    looks
        .find(|look| letters[look.seen.as_str()] == *most)
        .cloned()
}

/// The properties of a run without what nobody sees.
pub(super) fn seen(dialect: &dyn Dialect, xml: &Xml, properties: Id) -> String {
    let mut seen = String::new();
    for (name, value) in xml.attributes(properties) {
        if !dialect.is_invisible(name) {
            seen.extend([name, "=", xml.slice(value), " "]);
        }
    }
    for child in xml.elements(properties) {
        if dialect.is_invisible(xml.name(child)) {
            continue;
        }
        if xml.name(child) == "rPrChange" {
            // A change that is tracked is one change, however many runs and numbers it has.
            for (name, value) in xml.attributes(child) {
                if name.rsplit(':').next() != Some("id") {
                    seen.extend([name, "=", xml.slice(value), " "]);
                }
            }
            seen += xml.slice(xml.inner(child));
        } else {
            seen += xml.slice(xml.range(child));
        }
    }
    seen
}
