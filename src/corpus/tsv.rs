//! Tables of two columns as a corpus: source and target on a line, with a tab between them.
//!
//! A third column names the document, if there is one; else an empty line ends a document, and 50 pairs in a row count
//! as one where there is none. A first line of two language codes is a heading. Lines with text on one side only are
//! left out.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::format::{Corpus, CorpusInfo, ParallelDocument, ParallelParagraph};
use super::split::Split;
use super::survey::{PairFilter, Script, SurveyBuilder};
use super::unit::{Unit, folded};
use super::writer::CorpusWriter;
use crate::error::{Error, Result};
use canopy_base::lines::read_lines;
use canopy_document::placeholder;

/// How many pairs without a document of their own make one.
const RUN: usize = 50;
/// Lines between two calls of a progress.
const STEP: usize = 1_000;

/// An import: its files, languages and folder.
#[derive(Debug, Clone)]
pub struct TsvImport {
    /// The table.
    pub file: PathBuf,
    /// Language codes.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// The new corpus.
    pub output: PathBuf,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
    /// Pairs in which it finds a defect are context only.
    pub filter: Option<PairFilter>,
}

/// Counts of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TsvReport {
    /// Pairs in the corpus.
    pub pairs: usize,
    /// Lines with text on one side only.
    pub incomplete: usize,
    /// Documents in the corpus.
    pub documents: usize,
}

impl TsvImport {
    /// Reads the file and writes the corpus; `progress` gets the numbers of lines done and in all, and may end the import: then
    /// nothing is written and the result is `None`.
    ///
    /// # Errors
    /// If the file cannot be read, a line has no tab or none has text on both sides, or the corpus cannot be written.
    pub fn run(
        &self,
        mut progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Option<(Corpus, TsvReport)>> {
        let mut writer = CorpusWriter::create(&self.output, self.info(), self.replace)?;
        let mut report = TsvReport::default();
        let mut documents: BTreeMap<String, Vec<ParallelParagraph>> = BTreeMap::new();
        let go_on = rows(&self.file, &mut progress, |row| match row.pair {
            Some((source, target)) => {
                report.pairs += 1;
                documents
                    .entry(row.document)
                    .or_default()
                    .push(self.paragraph(source, target));
            }
            None => report.incomplete += 1,
        })?;
        if go_on.is_break() {
            return Ok(None);
        }
        report.documents = documents.len();
        for (id, paragraphs) in documents {
            let split = Split::for_document(&id);
            writer.add(split, ParallelDocument::flat(id, paragraphs))?;
        }
        Ok(Some((writer.finish()?, report)))
    }

    fn paragraph(&self, source: String, target: String) -> ParallelParagraph {
        let mut unit = Unit::new(source, target);
        if let Some(filter) = &self.filter {
            unit.status = filter.status(&unit.source, &unit.target);
        }
        unit.into()
    }

    fn info(&self) -> CorpusInfo {
        let languages = [&*self.source_language, &self.target_language];
        CorpusInfo::new(&self.output, languages, self.file.display().to_string())
    }
}

/// The languages of a first line that names them.
pub(super) fn header(file: &Path) -> Result<Option<(String, String)>> {
    let lines = read_lines(file)?;
    Ok(lines.first().and_then(|line| languages(line)))
}

/// Shows `look` all pairs.
pub(super) fn look(
    file: &Path,
    look: &mut SurveyBuilder,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let mut last = None;
    let mut share = |done: usize, all: usize| progress(done as f64 / all.max(1) as f64);
    let mut documents = std::collections::BTreeSet::new();
    rows(file, &mut share, |row| match row.pair {
        Some((source, target)) => {
            if last.as_ref() != Some(&row.document) {
                if documents.insert(row.document.clone()) {
                    look.document(Split::for_document(&row.document));
                }
                last = Some(row.document);
            }
            look.pair(source, target, true);
        }
        None => look.lonely(1),
    })
}

fn languages(line: &str) -> Option<(String, String)> {
    let mut cells = line.split('\t').map(str::trim);
    let (source, target) = (cells.next()?, cells.next()?);
    let is_code = |cell: &str| Script::from_language(cell).is_some();
    (is_code(source) && is_code(target)).then(|| (source.to_lowercase(), target.to_lowercase()))
}

/// Whether a third column has the same name for many lines: else it says something else of them.
fn names_documents(lines: &[String]) -> bool {
    let names = lines.iter().filter_map(|line| line.split('\t').nth(2));
    let names: Vec<&str> = names.filter(|name| !name.trim().is_empty()).collect();
    let distinct: std::collections::HashSet<&&str> = names.iter().collect();
    2 * distinct.len() <= names.len()
}

struct Row {
    document: String,
    /// None where a side has no text.
    pair: Option<(String, String)>,
}

/// Gives `take` the lines of a file but a heading and empty ones.
fn rows(
    file: &Path,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    mut take: impl FnMut(Row),
) -> Result<ControlFlow<()>> {
    let lines = read_lines(file)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let has_heading = lines.first().is_some_and(|line| languages(line).is_some());
    let has_gaps = lines.iter().any(|line| line.trim().is_empty());
    let has_names = names_documents(&lines);
    let (mut number, mut in_document, mut pairs) = (1, 0, 0);
    for (at, line) in lines.iter().enumerate().skip(usize::from(has_heading)) {
        if at % STEP == 0 && progress(at, lines.len()).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if line.trim().is_empty() {
            number += usize::from(in_document > 0);
            in_document = 0;
            continue;
        }
        let mut cells = line
            .split('\t')
            .map(|cell| folded(&placeholder::stripped(cell)));
        let (Some(source), Some(target)) = (cells.next(), cells.next()) else {
            return Err(Error::NoTab {
                line: at + 1,
                path: file.to_owned(),
            });
        };
        let named = cells.next();
        let named = named.filter(|name| has_names && !name.is_empty());
        let is_pair = !source.is_empty() && !target.is_empty();
        let document = named.unwrap_or_else(|| {
            if !has_gaps && in_document == RUN {
                number += 1;
                in_document = 0;
            }
            in_document += usize::from(is_pair);
            format!("{stem}/{number:06}")
        });
        pairs += usize::from(is_pair);
        let pair = is_pair.then_some((source, target));
        take(Row { document, pair });
    }
    if pairs == 0 {
        return Err(Error::NoPairs {
            path: file.to_owned(),
        });
    }
    Ok(progress(lines.len(), lines.len()))
}
