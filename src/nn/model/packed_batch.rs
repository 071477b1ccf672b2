//! Sentences of a batch, one after the other, as runs of rows.

use std::ops::Range;
use std::sync::Arc;

use super::bert::{BertBatch, BertSequence};
use super::counting::{Place, place_after, place_under};
use super::documents::Documents;
use canopy_document::document::SectionNumbers;
use canopy_kernels::Segment;

/// The sentences of a batch as runs of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedBatch {
    /// Token of every row.
    pub ids: Vec<u32>,
    /// Rows of every sentence, in order and without gaps.
    pub sentences: Vec<Range<usize>>,
    /// Place of the first token of every sentence.
    pub positions: Vec<Place>,
    /// Sentence numbers of every document, in order and without gaps.
    pub documents: Vec<Range<usize>>,
    /// BERT's sequence of every sentence and its context; empty where no BERT is read.
    pub pieces: BertBatch,
}

impl PackedBatch {
    /// Lays out sentences one after the other, each at the beginning of a document of its own.
    pub fn new<'a>(sentences: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut rows = Self::default();
        for sentence in sentences {
            rows.begin_document();
            rows.push(sentence, (0, 0));
        }
        rows
    }

    /// The sentences that follow form a new document.
    pub fn begin_document(&mut self) {
        let next = self.sentences.len();
        self.documents.push(next..next);
    }

    /// Adds a sentence to the last document, at `position`: in its paragraph, and of its paragraph in the document.
    pub fn push(&mut self, sentence: &[u32], position: (usize, usize)) {
        if self.documents.is_empty() {
            self.begin_document();
        }
        let start = self.ids.len();
        self.ids.extend_from_slice(sentence);
        self.sentences.push(start..self.ids.len());
        let place = [0, position.0, position.1];
        self.positions
            .push(place_under(place, SectionNumbers::default()));
        if let Some(document) = self.documents.last_mut() {
            document.end += 1;
        }
    }

    /// The numbers of the sections that the sentence that was pushed last is in.
    pub fn push_headings(&mut self, sections: SectionNumbers) {
        if let Some(place) = self.positions.last_mut() {
            place[3..].copy_from_slice(&sections);
        }
    }

    /// Adds a sentence at the place of another in its paragraph and document.
    pub(super) fn push_at(&mut self, sentence: &[u32], place: &Place) {
        self.push(sentence, (0, 0));
        if let Some(own) = self.positions.last_mut() {
            own[1..].copy_from_slice(&place[1..]);
        }
    }

    /// Some of the sentences, at the same places of paragraphs, as a document; without what BERT reads.
    pub(super) fn part(&self, sentences: impl IntoIterator<Item = usize>) -> Self {
        let mut part = Self::default();
        for sentence in sentences {
            let ids = &self.ids[self.sentences[sentence].clone()];
            part.push_at(ids, &self.positions[sentence]);
        }
        part
    }

    /// Adds what BERT reads of the sentence that was pushed last; nothing if there is nothing.
    pub fn push_pieces(&mut self, pieces: &BertSequence) {
        if !pieces.ids.is_empty() {
            self.pieces.push_pair(&pieces.ids, pieces.of_first);
        }
    }

    /// Sentences and documents.
    pub fn layout(&self) -> Documents {
        Documents {
            sentences: self.sentences.clone(),
            documents: self.documents.clone(),
        }
    }

    /// Every sentence attends to itself.
    pub fn own_segments(&self) -> Arc<[Segment]> {
        Segment::own(&self.sentences)
    }

    /// Every sentence attends to the sentence of the same number in `memory`.
    pub fn segments_over(&self, memory: &[Range<usize>]) -> Arc<[Segment]> {
        assert_eq!(
            self.sentences.len(),
            memory.len(),
            "sentences and their memories"
        );
        let pairs = self.sentences.iter().zip(memory);
        pairs
            .map(|(rows, keys)| Segment {
                queries: rows.clone(),
                keys: keys.clone(),
            })
            .collect()
    }

    /// For every sentence the rows of the `previous` ones of its document, of a break and of itself, as a batch in
    /// which each such run is a sentence; and the places of the sentences themselves in it.
    pub fn concatenated(&self, previous: usize, sentence_break: u32) -> (Self, Vec<Range<usize>>) {
        let all: Vec<usize> = (0..self.sentences.len()).collect();
        self.concatenated_only(previous, sentence_break, &all)
    }

    /// The batch of some of the sentences, ascending.
    pub(super) fn concatenated_only(
        &self,
        previous: usize,
        sentence_break: u32,
        wanted: &[usize],
    ) -> (Self, Vec<Range<usize>>) {
        let (mut joined, mut own) = (Self::default(), Vec::with_capacity(wanted.len()));
        let mut wanted = wanted.iter().copied().peekable();
        for document in &self.documents {
            joined.begin_document();
            while let Some(sentence) = wanted.next_if(|&sentence| sentence < document.end) {
                let first = document.start.max(sentence.saturating_sub(previous));
                let mut ids = Vec::new();
                for before in &self.sentences[first..sentence] {
                    ids.extend_from_slice(&self.ids[before.clone()]);
                    ids.push(sentence_break);
                }
                let start = joined.ids.len() + ids.len();
                ids.extend_from_slice(&self.ids[self.sentences[sentence].clone()]);
                joined.push_at(&ids, &self.positions[sentence]);
                own.push(start..joined.ids.len());
            }
        }
        (joined, own)
    }
}

impl PackedBatch {
    /// Where each row of [`Self::concatenated`] comes from; none for a break.
    pub(super) fn concatenated_from(&self, previous: usize) -> Vec<Option<u32>> {
        let number = |row| Some(u32::try_from(row).expect("rows fit 32 bits"));
        let mut origin = Vec::new();
        for document in &self.documents {
            for sentence in document.clone() {
                let first = document.start.max(sentence.saturating_sub(previous));
                for before in &self.sentences[first..sentence] {
                    origin.extend(before.clone().map(number));
                    origin.push(None);
                }
                origin.extend(self.sentences[sentence].clone().map(number));
            }
        }
        origin
    }
}

impl PackedBatch {
    /// The place of every row.
    pub(super) fn word_positions(&self) -> Vec<Place> {
        let counted = self.sentences.iter().zip(&self.positions);
        counted
            .flat_map(|(range, place)| (0..range.len()).map(move |word| place_after(place, word)))
            .collect()
    }
}
