//! Two folders of documents of any monolingual format as a corpus, with nothing but their names to pair them by.
//!
//! Documents are paired by path (`guide/page.html` in both folders, `page.en.md` with `page.de.md`), their paragraphs and
//! sentences by structure, length and what reads the same in both languages. Pairs that do not look like
//! translations are [doubtful](super::UnitStatus::Doubtful); what only one side has is left out. The tree of headings is that of
//! the source, and markup gets common numbers, as in the other importers.

mod look;
mod pairs;

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::Serialize;

use super::alignment::{Aligned, Aligner, length_ratio};
use super::format::{Corpus, CorpusInfo};
use super::split::Split;
use super::survey::PairFilter;
use super::unit::UnitStatus;
use super::writer::CorpusWriter;
use crate::error::{Error, Result};
use canopy_document::document::{Document, Sentence};
use pairs::{Pairs, Side, bare, pairs};

/// How many documents are read beforehand to learn how much longer one language is.
const SAMPLE: usize = 100;

/// An import: its folders, languages and folder of the corpus.
#[derive(Debug, Clone)]
pub struct FolderImport {
    /// Folders of documents; both may be the same one if the file names say the language.
    pub source: PathBuf,
    /// Folder of the translations.
    pub target: PathBuf,
    /// Language codes.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// The new corpus.
    pub output: PathBuf,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
    /// Pairs with a defect are context only, as are those of which the aligner is not sure.
    pub filter: Option<PairFilter>,
}

/// Counts of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FolderReport {
    /// Pairs of documents that are in the corpus.
    pub documents: usize,
    /// Paths, below the folders, of documents without counterpart.
    pub unpaired_sources: Vec<String>,
    /// Paths of translations without a source.
    pub unpaired_targets: Vec<String>,
    /// Pairs of documents that could not be read, or of which one holds no text.
    pub left_out: Vec<LeftOut>,
    /// Pairs of sentences, or of a few sentences.
    pub pairs: usize,
    /// Pairs that may not belong together: context, but nothing to learn from or be scored on.
    pub doubtful: usize,
    /// Sentences that have no counterpart.
    pub unpaired_source_sentences: usize,
    /// Sentences of the target that have no counterpart.
    pub unpaired_target_sentences: usize,
    /// Characters of the target for one of the source.
    pub length_ratio: f64,
}

/// A pair of documents that is not in the corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Path of the source below its folder.
    pub source: String,
    /// Path of the translation below its folder.
    pub target: String,
    /// Why the pair is not in the corpus.
    pub reason: String,
}

impl FolderImport {
    /// Reads all documents and writes the corpus; `progress` gets the numbers of document pairs done and in all, and may end
    /// the import: then nothing is written and the result is `None`.
    ///
    /// # Errors
    /// If a folder cannot be read, no document exists in both languages, none of those can be read, or the corpus
    /// cannot be written.
    pub fn run(
        &self,
        mut progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Option<(Corpus, FolderReport)>> {
        let found = pairs(self.side(true), self.side(false))?;
        if found.paired.is_empty() {
            return Err(self.no_pairs());
        }
        let mut writer = CorpusWriter::create(&self.output, self.info(), self.replace)?;
        let aligner = Aligner {
            length_ratio: self.length_ratio(&found),
        };
        let mut report = FolderReport {
            length_ratio: aligner.length_ratio,
            ..FolderReport::default()
        };
        let mut failure = None;
        for (done, pair) in found.paired.iter().enumerate() {
            if progress(done, found.paired.len()).is_break() {
                return Ok(None);
            }
            match self.read(pair) {
                Ok((source, target)) => {
                    let both = aligner.align(pair.0.clone(), &source, &target);
                    self.add(both, pair, &mut writer, &mut report)?;
                }
                Err(error) => {
                    report.left_out.push(left_out(pair, error.to_string()));
                    failure.get_or_insert(error);
                }
            }
        }
        if report.documents == 0 {
            return Err(failure.unwrap_or_else(|| self.no_pairs()));
        }
        if progress(found.paired.len(), found.paired.len()).is_break() {
            return Ok(None);
        }
        (report.unpaired_sources, report.unpaired_targets) =
            (found.unpaired_sources, found.unpaired_targets);
        let corpus = writer.finish()?;
        let statistics = corpus.statistics();
        report.doubtful = Split::ALL
            .map(|split| statistics.get(split).doubtful)
            .iter()
            .sum();
        Ok(Some((corpus, report)))
    }

    fn no_pairs(&self) -> Error {
        Error::NoDocumentPairs {
            source_folder: self.source.clone(),
            target_folder: self.target.clone(),
        }
    }

    fn add(
        &self,
        mut aligned: Aligned,
        pair: &(String, String),
        writer: &mut CorpusWriter,
        report: &mut FolderReport,
    ) -> Result<()> {
        if let Some(filter) = &self.filter {
            let paragraphs = aligned.document.paragraphs.iter_mut();
            let units = paragraphs.flat_map(|paragraph| &mut paragraph.units);
            for unit in units.filter(|unit| unit.status != UnitStatus::Doubtful) {
                unit.status = filter.status(&unit.visible_source(), &unit.visible_target());
            }
        }
        let (source, target) = aligned.unpaired();
        report.unpaired_source_sentences += source;
        report.unpaired_target_sentences += target;
        let paragraphs = &aligned.document.paragraphs;
        if paragraphs.is_empty() {
            report
                .left_out
                .push(left_out(pair, "no text in both of them".to_owned()));
            return Ok(());
        }
        report.documents += 1;
        report.pairs += paragraphs
            .iter()
            .map(|paragraph| paragraph.units.len())
            .sum::<usize>();
        writer.add(self.split(&pair.0), aligned.document)
    }

    /// By the path, as for everybody; a language in it counts for nothing, so that the splits of both directions agree.
    fn split(&self, path: &str) -> Split {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        Split::for_document(&format!(
            "{}.{extension}",
            bare(path, &self.source_language)
        ))
    }

    fn side(&self, is_source: bool) -> Side<'_> {
        if is_source {
            Side {
                folder: &self.source,
                language: &self.source_language,
            }
        } else {
            Side {
                folder: &self.target,
                language: &self.target_language,
            }
        }
    }

    fn read(&self, (source, target): &(String, String)) -> Result<(Document, Document)> {
        let source = Document::open(self.source.join(source), None)?;
        Ok((source, Document::open(self.target.join(target), None)?))
    }

    /// Learned from some of the documents, taken evenly from all.
    fn length_ratio(&self, found: &Pairs) -> f64 {
        let step = found.paired.len().div_ceil(SAMPLE);
        let sample = found.paired.iter().step_by(step);
        let lengths = |document: &Document| {
            let texts = document.sentences.iter().map(Sentence::plain_text);
            texts.map(|text| text.chars().count()).sum()
        };
        let read = sample.filter_map(|pair| self.read(pair).ok());
        length_ratio(read.map(|(source, target)| (lengths(&source), lengths(&target))))
    }

    fn info(&self) -> CorpusInfo {
        let languages = [&*self.source_language, &self.target_language];
        let origin = format!("{} and {}", self.source.display(), self.target.display());
        CorpusInfo::new(&self.output, languages, origin)
    }
}

fn left_out((source, target): &(String, String), reason: String) -> LeftOut {
    LeftOut {
        source: source.clone(),
        target: target.clone(),
        reason,
    }
}
