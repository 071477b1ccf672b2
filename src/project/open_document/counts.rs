//! How far the work on a document is: sentences by their states, in all and in each section.

use std::ops::Range;

use super::drafts::percent;
use crate::State;
use crate::target::Target;
use canopy_document::document::Document;
use canopy_translate::inference::unlike_in_mean;

/// How many sentences are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Sentences without a translation.
    pub untranslated: usize,
    /// Sentences that a model has translated.
    pub draft: usize,
    /// Sentences that a person has changed.
    pub edited: usize,
    /// Sentences that a person has confirmed.
    pub confirmed: usize,
}

impl Counts {
    /// Returns the number of sentences.
    pub fn total(&self) -> usize {
        self.untranslated + self.draft + self.edited + self.confirmed
    }

    /// Returns the number of sentences in one state.
    pub fn get(&self, state: State) -> usize {
        match state {
            State::Untranslated => self.untranslated,
            State::Draft => self.draft,
            State::Edited => self.edited,
            State::Confirmed => self.confirmed,
        }
    }

    fn slot(&mut self, state: State) -> &mut usize {
        match state {
            State::Untranslated => &mut self.untranslated,
            State::Draft => &mut self.draft,
            State::Edited => &mut self.edited,
            State::Confirmed => &mut self.confirmed,
        }
    }

    /// Whether a person or a model has translated anything.
    pub fn has_work(&self) -> bool {
        self.untranslated < self.total()
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
    /// Text of its heading.
    pub title: String,
    /// Number of sections around it.
    pub depth: usize,
    /// Whether sections are inside it.
    pub has_children: bool,
    /// All sentences in it and below it: sections are contiguous in reading order.
    pub sentences: Range<usize>,
}

/// Sentences by their states in the document and in each section, and how sure the model is of its drafts.
#[derive(Debug)]
pub struct Progress {
    sections: Vec<SectionOutline>,
    /// The section around each section.
    parents: Vec<Option<usize>>,
    /// The section and the words of each sentence.
    sentences: Vec<(usize, usize)>,
    /// Counts of each section with all below it; `[0]` is the document.
    counts: Vec<Counts>,
    /// The sum of the drafts' confidences in percent, and how many drafts have one.
    confidences: (usize, usize),
}

impl Progress {
    pub(super) fn new(document: &Document, targets: &[Target]) -> Self {
        let sentences = document.sentences.iter().map(|sentence| {
            let section = document.paragraphs[sentence.paragraph].section;
            (section, sentence.word_count())
        });
        let parents = document.sections.iter().map(|section| section.parent);
        let mut progress = Self {
            sections: outline(document),
            parents: parents.collect(),
            sentences: sentences.collect(),
            counts: vec![Counts::default(); document.sections.len()],
            confidences: (0, 0),
        };
        for (sentence, target) in targets.iter().enumerate() {
            progress.add(sentence, target);
        }
        progress
    }

    /// Returns the counts of the whole document.
    pub fn counts(&self) -> Counts {
        self.counts.first().copied().unwrap_or_default()
    }

    /// The counts of a section with all below it.
    pub fn section_counts(&self, section: usize) -> Counts {
        self.counts[section]
    }

    /// Returns the sections in reading order.
    pub fn sections(&self) -> &[SectionOutline] {
        &self.sections
    }

    /// Returns the index of the innermost section of a sentence.
    pub fn section_of(&self, sentence: usize) -> usize {
        self.sentences[sentence].0
    }

    /// Words of a source sentence.
    pub fn num_words(&self, sentence: usize) -> usize {
        self.sentences[sentence].1
    }

    /// The mean confidence in the drafts, in percent, if the document is unlike what the model knows.
    #[expect(clippy::cast_precision_loss, reason = "of a document's sentences")]
    pub fn unlike(&self) -> Option<u8> {
        let (sum, count) = self.confidences;
        unlike_in_mean(sum as f32 / 100.0, count).map(percent)
    }

    /// Whether there are drafts that say how sure the model is.
    pub fn has_confidences(&self) -> bool {
        self.confidences.1 > 0
    }

    /// Takes note of a sentence that has another target.
    pub(super) fn exchange(&mut self, sentence: usize, before: &Target, after: &Target) {
        self.count(sentence, |counts| *counts.slot(before.state) -= 1);
        if let Some(percent) = before.draft_confidence() {
            self.confidences.0 -= usize::from(percent);
            self.confidences.1 -= 1;
        }
        self.add(sentence, after);
    }

    fn add(&mut self, sentence: usize, target: &Target) {
        self.count(sentence, |counts| *counts.slot(target.state) += 1);
        if let Some(percent) = target.draft_confidence() {
            self.confidences.0 += usize::from(percent);
            self.confidences.1 += 1;
        }
    }

    /// Applies `update` to the counts of all sections a sentence is in.
    fn count(&mut self, sentence: usize, update: impl Fn(&mut Counts)) {
        let mut section = Some(self.section_of(sentence));
        while let Some(index) = section {
            update(&mut self.counts[index]);
            section = self.parents[index];
        }
    }
}

/// Titles, depths and extents of all sections.
fn outline(document: &Document) -> Vec<SectionOutline> {
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
