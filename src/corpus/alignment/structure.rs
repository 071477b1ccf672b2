//! Kinds of paragraphs as evidence for the alignment of two documents.

use std::ops::Range;

use canopy_document::document::{Document, Paragraph, ParagraphKind};

/// Paragraphs are joined and divided more rarely than sentences, whose bead probabilities are used for both.
const JOINED_PARAGRAPHS: f64 = 5.0;
/// Paragraphs of different kinds in one bead.
const OTHER_KIND: f64 = 3.0;

/// Whether these paragraphs of both are of the same kinds in the same order, and more than one kind: that as many paragraphs of
/// running text are in both says little.
pub(super) fn same_structure(
    source: (&Document, Range<usize>),
    target: (&Document, Range<usize>),
) -> bool {
    let [ours, theirs] = [source, target].map(kinds);
    ours == theirs && ours.windows(2).any(|pair| pair[0] != pair[1])
}

/// Kinds, and levels of headings.
fn kinds((document, paragraphs): (&Document, Range<usize>)) -> Vec<(ParagraphKind, Option<u8>)> {
    let kind = |index: usize| {
        let paragraph = &document.paragraphs[index];
        let section = &document.sections[paragraph.section];
        let level = (section.heading == Some(index)).then_some(section.level);
        (paragraph.kind, level)
    };
    paragraphs.map(kind).collect()
}

/// Cost of a bead by the kinds and numbers of its paragraphs.
pub(super) fn kind_cost(source: &[Paragraph], target: &[Paragraph]) -> f64 {
    let Some(first) = source.first() else {
        return 0.0;
    };
    let same_kind = source
        .iter()
        .chain(target)
        .all(|paragraph| paragraph.kind == first.kind);
    let is_joined = source.len().max(target.len()) > 1;
    // Headings and the cells of a table are even less likely to be divided.
    let runs = matches!(first.kind, ParagraphKind::Text | ParagraphKind::ListItem);
    let mut cost = 0.0;
    if !same_kind || is_joined && !runs {
        cost += OTHER_KIND;
    }
    if is_joined {
        cost += JOINED_PARAGRAPHS;
    }
    cost
}
