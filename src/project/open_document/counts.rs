//! How far the work on a document is: sentences by their states, in all and in each section.

use std::ops::Range;

use super::OpenDocument;
use crate::State;
use canopy_document::document::Document;

/// How many sentences are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub untranslated: usize,
    pub draft: usize,
    pub edited: usize,
    pub confirmed: usize,
}

impl Counts {
    pub fn total(&self) -> usize {
        self.untranslated + self.draft + self.edited + self.confirmed
    }

    pub fn get(&self, state: State) -> usize {
        match state {
            State::Untranslated => self.untranslated,
            State::Draft => self.draft,
            State::Edited => self.edited,
            State::Confirmed => self.confirmed,
        }
    }

    pub(super) fn slot(&mut self, state: State) -> &mut usize {
        match state {
            State::Untranslated => &mut self.untranslated,
            State::Draft => &mut self.draft,
            State::Edited => &mut self.edited,
            State::Confirmed => &mut self.confirmed,
        }
    }

    /// Share of sentences that have a target, and of confirmed ones, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "sentence counts become f32")]
    pub fn shares(&self) -> (f32, f32) {
        let total = self.total().max(1) as f32;
        (
            (self.total() - self.untranslated) as f32 / total,
            self.confirmed as f32 / total,
        )
    }
}

/// A section as the outline shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionOutline {
    pub title: String,
    pub depth: usize,
    pub has_children: bool,
    /// All sentences in it and below it: sections are contiguous in reading order.
    pub sentences: Range<usize>,
}

impl OpenDocument {
    pub fn counts(&self) -> Counts {
        self.counts.first().copied().unwrap_or_default()
    }

    pub fn section_counts(&self, section: usize) -> Counts {
        self.counts[section]
    }

    pub fn sections(&self) -> &[SectionOutline] {
        &self.sections
    }

    /// Words of a source sentence.
    pub fn num_words(&self, sentence: usize) -> usize {
        self.words[sentence]
    }

    pub fn section_of(&self, sentence: usize) -> usize {
        self.document.paragraphs[self.document.sentences[sentence].paragraph].section
    }

    /// Applies `update` to the counts of all sections a sentence lies in.
    pub(super) fn count(&mut self, sentence: usize, update: impl Fn(&mut Counts)) {
        let mut section = Some(self.section_of(sentence));
        while let Some(index) = section {
            update(&mut self.counts[index]);
            section = self.document.sections[index].parent;
        }
    }
}

/// Titles, depths and extents of all sections.
pub(super) fn outline(document: &Document) -> Vec<SectionOutline> {
    let mut outline = (0..document.sections.len())
        .map(|section| SectionOutline {
            title: document.section_title(section),
            depth: document.section_depth(section),
            has_children: false,
            sentences: document.sentences_below(section),
        })
        .collect::<Vec<_>>();
    for parent in document
        .sections
        .iter()
        .filter_map(|section| section.parent)
    {
        outline[parent].has_children = true;
    }
    outline
}
