//! Talks of the IWSLT campaigns: one file a language, with `<doc docid>`, `<talkid>` and `<seg id>`.
//!
//! The XML of CATSBY's Listing 1 (2022), in which development and test sets are published, and the training files
//! (`train.tags.…`), whose segments are lines. Talks are paired by their `<talkid>`, or by `docid` where a side has none,
//! segments by their id. Each becomes a paragraph with one unit, so that scores are counted segment by segment.

mod reader;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use serde::Serialize;

use super::format::{Corpus, CorpusInfo, ParallelDocument, ParallelParagraph};
use super::split::Split;
use super::unit::Unit;
use super::writer::CorpusWriter;
use crate::error::{Error, Result};
use reader::Talk;

/// An import: its files, languages and folder.
#[derive(Debug, Clone)]
pub struct IwsltImport {
    /// File of the source language.
    pub source: PathBuf,
    /// File of the target language.
    pub target: PathBuf,
    /// Language codes.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// Where all talks go; by the hash rule over the talk's id if none is said.
    pub split: Option<Split>,
    /// The new corpus.
    pub output: PathBuf,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
}

/// Counts of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IwsltReport {
    /// Talks with text in both languages.
    pub talks: usize,
    /// Ids of talks of one side only.
    pub unpaired_sources: Vec<String>,
    /// Ids of talks of the target only.
    pub unpaired_targets: Vec<String>,
    /// Pairs of segments in the corpus.
    pub pairs: usize,
    /// Segments of paired talks that the other side lacks, or has without text.
    pub unpaired_source_segments: usize,
    /// Segments of the target that the source lacks, or has without text.
    pub unpaired_target_segments: usize,
    /// Segments without an end tag, of both files; each ended where the next tag began.
    pub unclosed_segments: usize,
}

impl IwsltImport {
    /// Reads both files and writes the corpus.
    ///
    /// # Errors
    /// If a file cannot be read, has a talk or a segment without an id or twice, or no talk exists in both languages, or
    /// the corpus cannot be written.
    pub fn run(&self) -> Result<(Corpus, IwsltReport)> {
        let (sources, unclosed_sources) = reader::read(&self.source)?;
        let (targets, unclosed_targets) = reader::read(&self.target)?;
        let mut report = IwsltReport {
            unclosed_segments: unclosed_sources + unclosed_targets,
            ..IwsltReport::default()
        };
        let mut unpaired: Vec<Option<Talk>> = targets.into_iter().map(Some).collect();
        let index = Index::from_talks(&unpaired);
        // Sorted by id, as in a corpus.
        let mut documents = BTreeMap::new();
        for source in sources {
            let target = index.find(&source).and_then(|place| unpaired[place].take());
            let Some(target) = target else {
                report.unpaired_sources.push(source.id().to_owned());
                continue;
            };
            let (id, document) = (source.id().to_owned(), source.document_id());
            let paragraphs = paragraphs(source, target, &mut report);
            if !paragraphs.is_empty() {
                documents.insert(document, (id, paragraphs));
            }
        }
        let lone = unpaired.iter().flatten().map(|talk| talk.id().to_owned());
        report.unpaired_targets.extend(lone);
        report.talks = documents.len();
        if documents.is_empty() {
            return Err(Error::NoTalks {
                source_file: self.source.clone(),
                target_file: self.target.clone(),
            });
        }
        let mut writer = CorpusWriter::create(&self.output, self.info(), self.replace)?;
        for (id, (talk, paragraphs)) in documents {
            let split = self.split.unwrap_or_else(|| Split::for_document(&talk));
            writer.add(split, ParallelDocument::flat(id, paragraphs))?;
        }
        Ok((writer.finish()?, report))
    }

    fn info(&self) -> CorpusInfo {
        let name = self.output.file_name().or(self.source.file_stem());
        CorpusInfo {
            name: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            source_language: self.source_language.clone(),
            target_language: self.target_language.clone(),
            origin: format!("{} and {}", self.source.display(), self.target.display()),
            licence: String::new(),
        }
    }
}

/// Where the talks of one side are.
struct Index {
    by_talk: HashMap<String, usize>,
    by_document: HashMap<String, usize>,
}

impl Index {
    fn from_talks(talks: &[Option<Talk>]) -> Self {
        let ids = |id: fn(&Talk) -> Option<&String>| {
            let talks = talks.iter().enumerate();
            talks
                .filter_map(|(place, talk)| Some((id(talk.as_ref()?)?.clone(), place)))
                .collect()
        };
        Self {
            by_talk: ids(|talk| talk.talkid.as_ref()),
            by_document: ids(|talk| talk.docid.as_ref()),
        }
    }

    fn find(&self, talk: &Talk) -> Option<usize> {
        let by_talk = talk.talkid.as_ref().and_then(|id| self.by_talk.get(id));
        let by_document = || talk.docid.as_ref().and_then(|id| self.by_document.get(id));
        by_talk.or_else(by_document).copied()
    }
}

/// The segments that both have, in the order of the source.
fn paragraphs(source: Talk, target: Talk, report: &mut IwsltReport) -> Vec<ParallelParagraph> {
    let has_text = |(_, text): &(String, String)| !text.is_empty();
    let mut translations: HashMap<String, String> =
        target.segments.into_iter().filter(has_text).collect();
    let mut paragraphs = Vec::new();
    for (id, text) in source.segments.into_iter().filter(has_text) {
        match translations.remove(&id) {
            Some(translation) => paragraphs.push(ParallelParagraph {
                id: Some(id),
                ..Unit::new(text, translation).into()
            }),
            None => report.unpaired_source_segments += 1,
        }
    }
    report.pairs += paragraphs.len();
    report.unpaired_target_segments += translations.len();
    paragraphs
}

#[cfg(test)]
mod tests;
