//! How stretches of text look.

use std::collections::HashMap;

use super::events::{Dialect, Event};
use super::fields::Item;
use crate::formats::xml::{Id, Xml};

/// How a stretch of text looks.
#[derive(Debug, Clone)]
pub(super) struct Look {
    /// Its visible properties.
    pub(super) seen: String,
    /// Where they are.
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

/// The look of most letters; the first of several. A change that is tracked stays on its words, if others have none.
pub(super) fn base(looks: &[Option<Look>]) -> Option<Look> {
    let is_tracked = |look: &&Look| look.seen.contains(TRACKED);
    let is_plain = looks
        .iter()
        .flatten()
        .any(|look| !is_tracked(&look) && look.letters > 0);
    let usual = || {
        let looks = looks.iter().flatten();
        looks.filter(move |look| !is_plain || !is_tracked(look))
    };
    let mut letters: HashMap<&str, usize> = HashMap::new();
    for look in usual() {
        *letters.entry(&look.seen).or_default() += look.letters;
    }
    let most = letters.values().max()?;
    usual()
        .find(|look| letters[look.seen.as_str()] == *most)
        .cloned()
}

/// The element that says what properties were before a change that is tracked.
const TRACKED: &str = "rPrChange";

/// The properties of a run without invisible ones.
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
        if xml.name(child) == TRACKED {
            seen += TRACKED;
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
