//! A context for every sentence of a corpus.

use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::time::Instant;

use serde::Serialize;

use super::sentence_encoder::SentenceEncoder;
use crate::error::Result;
use canopy_base::file::canonicalize;
use canopy_corpus::{Chosen, Corpus, DocumentContexts, Split, Unit};
use canopy_metrics::similarity::{self, Embeddings, Measure, Selection, Sentences};

/// The context types that CATSBY compares.
#[derive(Debug, Clone, Copy)]
pub enum ContextType<'a> {
    /// The most similar sentences.
    Similarity(SimilarContext<'a>),
    /// The sentences before, the nearest first.
    Previous,
    /// The sentence itself.
    Same,
}

/// Where similar sentences are looked for, and how.
#[derive(Debug, Clone, Copy)]
pub struct SimilarContext<'a> {
    /// Encodes sentences as vectors.
    pub encoder: &'a SentenceEncoder,
    /// How similar two vectors are.
    pub measure: Measure,
    /// All documents are those of the same split and the training documents of the index.
    pub range: similarity::Range,
    /// A corpus whose training documents are looked through, too.
    pub index: Option<&'a Corpus>,
}

/// Progress: so much is done, of so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selecting {
    /// Sentences that differ.
    Encoding(usize, usize),
    /// Sentences of a split.
    Comparing(Split, usize, usize),
}

/// The outcome of a selection.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextReport {
    /// Number of documents.
    pub documents: usize,
    /// Number of sentences.
    pub sentences: usize,
    /// Sentences that have no context: there was no candidate.
    pub without_context: usize,
    /// Time of encoding, in seconds.
    pub encoding_secs: f64,
    /// Time of comparing, in seconds.
    pub comparing_secs: f64,
}

/// Documents with their sentences in the source language, as a reader sees them.
#[derive(Default)]
pub(super) struct Texts {
    pub ids: Vec<String>,
    /// Where the sentences of each document end.
    ends: Vec<usize>,
    pub sentences: Vec<String>,
}

impl Texts {
    pub(crate) fn add(&mut self, corpus: &Corpus, split: Split) -> Result<()> {
        for document in corpus.documents(split)? {
            let document = document?;
            let units = document.paragraphs.iter().flat_map(|it| &it.units);
            self.sentences.extend(units.map(Unit::visible_source));
            self.ends.push(self.sentences.len());
            self.ids.push(document.id);
        }
        Ok(())
    }

    pub(crate) fn lengths(&self) -> impl Iterator<Item = usize> {
        let mut start = 0;
        self.ends
            .iter()
            .map(move |&end| end - std::mem::replace(&mut start, end))
    }

    /// The document of a sentence and its number there.
    pub(crate) fn document_and_sentence(&self, row: usize) -> (usize, usize) {
        let document = self.ends.partition_point(|&end| end <= row);
        let start = document
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        (document, row - start)
    }
}

/// Chooses up to `count` sentences for each one. `progress` may be called from any thread, and may stop the work: then
/// there is no result.
///
/// # Errors
/// If a corpus cannot be read, or the encoder returns non-finite numbers.
pub fn select_contexts(
    corpus: &Corpus,
    context: ContextType,
    count: NonZeroUsize,
    progress: &(dyn Fn(Selecting) -> ControlFlow<()> + Sync),
) -> Result<Option<(Vec<DocumentContexts>, ContextReport)>> {
    let mut splits = Vec::new();
    for split in Split::ALL {
        let mut texts = Texts::default();
        texts.add(corpus, split)?;
        splits.push((split, texts));
    }
    let mut report = ContextReport::default();
    let found = match context {
        ContextType::Similarity(similar) => {
            let search = Search {
                similar,
                count,
                progress,
            };
            search.run(corpus, &splits, &mut report)?
        }
        ContextType::Previous => Some(by_place(&splits, |place| {
            (0..place).rev().take(count.get()).collect()
        })),
        ContextType::Same => Some(by_place(&splits, |place| vec![place])),
    };
    let Some(found) = found else { return Ok(None) };
    report.documents = found.len();
    let sentences = found.iter().flat_map(|document| &document.sentences);
    report.sentences = sentences.clone().count();
    report.without_context = sentences.filter(|chosen| chosen.is_empty()).count();
    Ok(Some((found, report)))
}

/// Sentences of the same document, chosen by the place of each.
fn by_place(
    splits: &[(Split, Texts)],
    chosen: impl Fn(usize) -> Vec<usize>,
) -> Vec<DocumentContexts> {
    let own = |sentence| Chosen {
        document: None,
        in_index: false,
        sentence,
        score: None,
    };
    let documents = splits.iter().flat_map(|(split, texts)| {
        let documents = texts.ids.iter().zip(texts.lengths());
        documents.map(|(id, length)| (*split, id, length))
    });
    documents
        .map(|(split, id, length)| DocumentContexts {
            split,
            id: id.clone(),
            sentences: (0..length)
                .map(|place| chosen(place).into_iter().map(own).collect())
                .collect(),
        })
        .collect()
}

struct Search<'a> {
    similar: SimilarContext<'a>,
    count: NonZeroUsize,
    progress: &'a (dyn Fn(Selecting) -> ControlFlow<()> + Sync),
}

impl Search<'_> {
    fn run(
        &self,
        corpus: &Corpus,
        splits: &[(Split, Texts)],
        report: &mut ContextReport,
    ) -> Result<Option<Vec<DocumentContexts>>> {
        let range = self.similar.range;
        let index = self
            .similar
            .index
            .filter(|_| range != similarity::Range::Each);
        let is_own = index.is_some_and(|index| same_folder(index, corpus));
        let mut foreign = Texts::default();
        if let Some(index) = index.filter(|_| !is_own) {
            foreign.add(index, Split::Train)?;
        }
        // One run for all, so that the same sentence has the same vector everywhere.
        let begun = Instant::now();
        let all = splits.iter().map(|(_, texts)| texts).chain([&foreign]);
        let all: Vec<&str> = all
            .flat_map(|it| &it.sentences)
            .map(String::as_str)
            .collect();
        let encoding = |done, all| (self.progress)(Selecting::Encoding(done, all));
        let Some(embeddings) = self.similar.encoder.encode(&all, encoding)? else {
            return Ok(None);
        };
        drop(all);
        report.encoding_secs = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let dimensions = embeddings.dimensions();
        let mut values = embeddings.into_values();
        // Taken off from the end, so that no vector of a large split is held twice.
        let mut take = |texts: &Texts| {
            let rest = values.len() - texts.sentences.len() * dimensions;
            let taken = values.split_off(rest);
            values.shrink_to_fit();
            taken
        };
        let foreign_values = take(&foreign);
        let mut of_splits: Vec<Vec<f32>> = Vec::new();
        for (_, texts) in splits.iter().skip(1).rev() {
            of_splits.insert(0, take(texts));
        }
        of_splits.insert(0, values);
        let mut found = Vec::new();
        // The training documents last: they may be the index of the others.
        for place in (0..splits.len()).rev() {
            let (split, texts) = &splits[place];
            let mut values = std::mem::take(&mut of_splits[place]);
            let index = match *split {
                _ if index.is_none() => None,
                Split::Train if is_own => None,
                _ if is_own => Some((&splits[0].1, of_splits[0].as_slice())),
                _ => Some((&foreign, foreign_values.as_slice())),
            };
            values.extend_from_slice(index.map_or(&[], |(_, values)| values));
            let of_index = index.iter().flat_map(|(texts, _)| texts.lengths());
            let embeddings = Embeddings::new(values, dimensions)?;
            let sentences = Sentences::new(embeddings, texts.lengths().chain(of_index));
            let seeking = 0..texts.sentences.len();
            let index = index.map(|(texts, _)| texts);
            let Some(of_split) = self.select(*split, texts, index, &sentences, seeking) else {
                return Ok(None);
            };
            found.push(of_split);
        }
        report.comparing_secs = begun.elapsed().as_secs_f64();
        Ok(Some(found.into_iter().rev().flatten().collect()))
    }

    fn select(
        &self,
        split: Split,
        texts: &Texts,
        index: Option<&Texts>,
        sentences: &Sentences,
        seeking: Range<usize>,
    ) -> Option<Vec<DocumentContexts>> {
        let selection = Selection {
            measure: self.similar.measure,
            range: self.similar.range,
            count: self.count,
        };
        let all = seeking.len();
        let comparing = |done| (self.progress)(Selecting::Comparing(split, done, all));
        let found = selection.run_for(sentences, seeking, comparing)?;
        let mut found = found.iter();
        let mut start = 0;
        let documents = texts.ids.iter().zip(texts.lengths());
        let documents = documents.map(|(id, length)| {
            let own = start..start + length;
            start += length;
            let chosen = |row: usize, value: f32| {
                let (document, in_index, sentence) = match index {
                    _ if own.contains(&row) => (None, false, row - own.start),
                    Some(index) if row >= all => {
                        let (document, sentence) = index.document_and_sentence(row - all);
                        (Some(&index.ids[document]), true, sentence)
                    }
                    _ => {
                        let (document, sentence) = texts.document_and_sentence(row);
                        (Some(&texts.ids[document]), false, sentence)
                    }
                };
                Chosen {
                    document: document.cloned(),
                    in_index,
                    sentence,
                    score: Some(value),
                }
            };
            let neighbours = found.by_ref().take(length);
            DocumentContexts {
                split,
                id: id.clone(),
                sentences: neighbours
                    .map(|some| some.iter().map(|one| chosen(one.row, one.value)).collect())
                    .collect(),
            }
        });
        Some(documents.collect())
    }
}

fn same_folder(one: &Corpus, other: &Corpus) -> bool {
    let [one, other] = [one, other].map(|corpus| canonicalize(corpus.folder()).ok());
    one.is_some() && one == other
}
