//! Segments of CAT tools, in which tags are as OmegaT writes them: `<b0>bold</b0>`, `<br1/>`.

use super::documents::stored_sentence_document;
use canopy_document::document::Document;
use canopy_document::placeholder::{self, Placeholder, stripped};

/// Tags of a segment that can be put back, at most: placeholders have no higher number.
const MOST_TAGS: usize = 256;

/// A segment without its tags, and the tags.
#[derive(Debug)]
pub(super) struct Segment {
    pub document: Document,
    tags: Vec<Tag>,
}

/// A pair of tags, or a single one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tag {
    open: String,
    /// Empty for a single one.
    close: String,
}

/// A tag in a text: where it is, its name, and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found<'t> {
    start: usize,
    text: &'t str,
    name: &'t str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Single,
}

impl Segment {
    pub(crate) fn from_text(text: &str) -> Self {
        let mut found = found(text);
        found.truncate(MOST_TAGS);
        let partners = partners(&found);
        let (mut tags, mut stored, mut place) = (Vec::new(), String::new(), 0);
        for (index, tag) in found.iter().enumerate() {
            stored.push_str(&stripped(&text[place..tag.start]));
            place = tag.start + tag.text.len();
            match partners[index] {
                Some(partner) if partner > index => {
                    stored.push(placeholder::open(tags.len()));
                    tags.push(Tag {
                        open: tag.text.to_owned(),
                        close: found[partner].text.to_owned(),
                    });
                }
                Some(_) => stored.push(placeholder::CLOSE),
                None => {
                    stored.push(placeholder::point(tags.len()));
                    tags.push(Tag {
                        open: tag.text.to_owned(),
                        close: String::new(),
                    });
                }
            }
        }
        stored.push_str(&stripped(&text[place..]));
        Self {
            document: stored_sentence_document(&stored),
            tags,
        }
    }

    /// A translation with the tags instead of their placeholders.
    pub(crate) fn written(tags: &[String], translation: &str) -> String {
        let (mut written, mut open) = (String::new(), Vec::new());
        for character in translation.chars() {
            let tag = |number: usize| tags.get(number).map_or("", String::as_str);
            match Placeholder::from_char(character) {
                None => written.push(character),
                Some(Placeholder::Open(number)) => {
                    open.push(number);
                    written.push_str(tag(2 * number));
                }
                Some(Placeholder::Close) => {
                    let number = open.pop();
                    written.push_str(number.map_or("", |number| tag(2 * number + 1)));
                }
                Some(Placeholder::Point(number)) => written.push_str(tag(2 * number)),
            }
        }
        written
    }

    /// The document, and the two texts of each tag, in order.
    pub(crate) fn parts(self) -> (Document, Vec<String>) {
        let texts = self.tags.into_iter().flat_map(|tag| [tag.open, tag.close]);
        (self.document, texts.collect())
    }
}

/// All tags of a text: letters and a number, as OmegaT makes them; other angle brackets are text.
fn found(text: &str) -> Vec<Found<'_>> {
    let starts = text.match_indices('<').map(|(start, _)| start);
    starts.filter_map(|start| tag_at(text, start)).collect()
}

fn tag_at(text: &str, start: usize) -> Option<Found<'_>> {
    let inner = &text[start + 1..];
    let end = inner.find('>')?;
    let inner = &inner[..end];
    let (kind, name) = match (inner.strip_prefix('/'), inner.strip_suffix('/')) {
        (Some(name), _) => (Kind::Close, name),
        (None, Some(name)) => (Kind::Single, name),
        (None, None) => (Kind::Open, inner),
    };
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_tag = letters.len() < name.len()
        && !letters.is_empty()
        && letters.chars().all(|c| c.is_ascii_alphabetic());
    is_tag.then(|| Found {
        start,
        text: &text[start..start + end + 2],
        name,
        kind,
    })
}

/// For each tag the other one of its pair, where pairs nest.
fn partners(found: &[Found<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; found.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, tag) in found.iter().enumerate() {
        match tag.kind {
            Kind::Single => {}
            Kind::Open => open.push(index),
            Kind::Close => {
                let partner = open
                    .iter()
                    .rposition(|&other| found[other].name == tag.name);
                if let Some(depth) = partner {
                    partners[open[depth]] = Some(index);
                    partners[index] = Some(open[depth]);
                    // Those within it that were not closed stand for themselves.
                    open.truncate(depth);
                }
            }
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(text: &str) -> (String, Vec<String>) {
        let (document, tags) = Segment::from_text(text).parts();
        let sentence = document.sentences.first();
        (
            sentence.map_or_else(String::new, |sentence| sentence.text.clone()),
            tags,
        )
    }

    #[test]
    fn tags_come_back_as_they_were() {
        for text in [
            "Open the <b0>file</b0>.",
            "<t0/>Press <b1><i2>Save</i2> now</b1>.<br3/>",
            "Crossed <b0>tags <i1>stand</b0> for themselves</i1>.",
            "Only </b0>one, <i1>or the other.",
            "a < b > c <b> </b> <12> <b0",
            "",
        ] {
            let (stored, tags) = stored(text);
            assert_eq!(Segment::written(&tags, &stored), text);
        }
    }

    #[test]
    fn pairs_and_single_tags_are_distinguished() {
        let (text, tags) = stored("<t0/>Press <b1>Save</b1>.");
        assert_eq!(text, "\u{E100}Press \u{E001}Save\u{E200}.");
        assert_eq!(tags, ["<t0/>", "", "<b1>", "</b1>"]);
        assert_eq!(stored("a <b> c").0, "a <b> c");
    }
}
