//! The cost of tracing a document, and the part of a long one that is traced at a time.

use std::ops::Range;

use super::present::Present;
use crate::models::ModelState;
use canopy_document::document::{Document, Section};

/// A trace that takes no more is made unrequested.
pub(super) const UNASKED_BYTES: usize = 96 << 20;

impl Present<'_> {
    /// Returns about how many bytes a trace of the open document takes, or of `part` of it; none without document or model.
    pub fn trace_bytes(self, part: Option<Range<usize>>) -> Option<usize> {
        let ModelState::Open { info, .. } = &self.models.in_use.current else {
            return None;
        };
        let document = &self.document.editing.open.as_ref()?.document;
        let part = part.unwrap_or(0..document.sentences.len());
        Some(info.trace_cost.bytes(document, part))
    }

    /// Returns the largest section around a sentence of the open document whose trace costs little, or, where the smallest
    /// costs much, as many sentences around it as do not; none if the whole document costs little.
    pub fn traced_section(self, sentence: usize) -> Option<Range<usize>> {
        let document = &self.document.editing.open.as_ref()?.document;
        let costs_little = |part: &Range<usize>| {
            let bytes = self.trace_bytes(Some(part.clone()));
            bytes.is_some_and(|bytes| bytes <= UNASKED_BYTES)
        };
        let all = 0..document.sentences.len();
        if costs_little(&all) || !all.contains(&sentence) {
            return None;
        }
        let sections = enclosing(document, sentence);
        let largest = sections.into_iter().rev().find(|part| costs_little(part));
        largest.or_else(|| {
            let mut part = sentence..sentence + 1;
            loop {
                let wider = part.start.saturating_sub(1)..(part.end + 1).min(all.end);
                if wider == part || !costs_little(&wider) {
                    return Some(part);
                }
                part = wider;
            }
        })
    }
}

/// Sentences of the sections around a sentence, the innermost first.
fn enclosing(document: &Document, sentence: usize) -> Vec<Range<usize>> {
    let section_of = |number: usize| document.position(number).section;
    let mut parts = Vec::new();
    let mut section = Some(section_of(sentence));
    while let Some(around) = section {
        let inside = |&number: &usize| is_within(&document.sections, section_of(number), around);
        let before = (0..sentence).rev().take_while(inside).count();
        let after = (sentence..document.sentences.len())
            .take_while(inside)
            .count();
        parts.push(sentence - before..sentence + after);
        section = document.sections[around].parent;
    }
    parts
}

fn is_within(sections: &[Section], mut section: usize, around: usize) -> bool {
    loop {
        if section == around {
            return true;
        }
        match sections[section].parent {
            Some(parent) => section = parent,
            None => return false,
        }
    }
}
