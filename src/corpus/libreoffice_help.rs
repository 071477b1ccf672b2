//! LibreOffice's help as a corpus: the same pages in every language, every paragraph with the same `id`.
//!
//! The packages `libreoffice-help-en-us`, `libreoffice-help-de` and 30 more hold `text/**/*.html`. Pages are paired by
//! path, paragraphs by `id` (of several with the same one the last counts, as in everybody's figures). A pair of paragraphs
//! is divided into sentences where both sides have equally many and is one unit otherwise. What only one language has is
//! left out; the tree of headings is that of the source. Markup gets common numbers, and what only one side has is taken
//! out of the texts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::format::{Corpus, CorpusInfo, ParallelDocument, ParallelParagraph};
use super::markup::{Matched, Side, matched};
use super::split::Split;
use super::unit::Unit;
use super::writer::CorpusWriter;
use crate::error::{Error, Result};
use canopy_base::folder::files_below;
use canopy_document::document::{Document, Format, Paragraph};

/// An import: its folders, languages and folder of the corpus.
#[derive(Debug, Clone)]
pub struct HelpImport {
    /// Folder of one language, such as `help/en-US`, or the folder `text` in it.
    pub source: PathBuf,
    /// Folder of the other language.
    pub target: PathBuf,
    /// Language codes.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// The new corpus.
    pub output: PathBuf,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
}

/// Counts of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HelpReport {
    /// Pages of the source, and those without a counterpart.
    pub pages: usize,
    /// Pages of the source without a counterpart.
    pub unpaired_pages: usize,
    /// Pairs of paragraphs with equally many sentences on both sides, and those that became one unit.
    pub divided_paragraphs: usize,
    /// Pairs of paragraphs that became one unit.
    pub whole_paragraphs: usize,
    /// Named paragraphs of the source that the target lacks.
    pub unpaired_paragraphs: usize,
    /// Units from one or both sides of which markup was taken out, and how many pairs and points that were.
    pub units_with_dropped_markup: usize,
    /// Pairs and points that were taken out of sources.
    pub dropped_source_markup: usize,
    /// Pairs and points that were taken out of targets.
    pub dropped_target_markup: usize,
}

impl HelpImport {
    /// Reads all pages and writes the corpus; `progress` gets the numbers of pages done and in all.
    ///
    /// # Errors
    /// If a page cannot be read, no page in both languages has a paragraph of the same id, or the corpus cannot be
    /// written.
    pub fn run(&self, mut progress: impl FnMut(usize, usize)) -> Result<(Corpus, HelpReport)> {
        let (source, target) = (text_folder(&self.source), text_folder(&self.target));
        let is_page = |path: &Path| Format::from_path(path) == Some(Format::Html);
        let pages = files_below(&source, |_| false, is_page)?;
        let mut report = HelpReport {
            pages: pages.len(),
            ..HelpReport::default()
        };
        let mut writer = CorpusWriter::create(&self.output, self.info(), self.replace)?;
        let mut filled = 0;
        for (done, page) in pages.iter().enumerate() {
            progress(done, pages.len());
            let other = target.join(page);
            if !other.is_file() {
                report.unpaired_pages += 1;
                continue;
            }
            let source = Document::open(source.join(page), Some(Format::Html))?;
            let target = Document::open(other, Some(Format::Html))?;
            let document = aligned(page, &source, &target, &mut report);
            if !document.paragraphs.is_empty() {
                filled += 1;
                writer.add(Split::for_document(page), document)?;
            }
        }
        progress(pages.len(), pages.len());
        if filled == 0 {
            return Err(Error::NoPages {
                source_folder: source,
                target_folder: target,
            });
        }
        Ok((writer.finish()?, report))
    }

    fn info(&self) -> CorpusInfo {
        let languages = [&*self.source_language, &self.target_language];
        let origin = "LibreOffice help, https://www.libreoffice.org".to_owned();
        CorpusInfo {
            licence: "MPL-2.0".to_owned(),
            ..CorpusInfo::new(&self.output, languages, origin)
        }
    }
}

fn text_folder(folder: &Path) -> PathBuf {
    let below = folder.join("text");
    if below.is_dir() {
        below
    } else {
        folder.to_owned()
    }
}

/// One page in both languages.
fn aligned(
    page: &str,
    source: &Document,
    target: &Document,
    report: &mut HelpReport,
) -> ParallelDocument {
    let [ours, counterparts] = [source, target].map(last_by_id);
    let mut places = HashMap::new();
    let mut paragraphs = Vec::new();
    for (index, paragraph) in source.paragraphs.iter().enumerate() {
        let Some(id) = paragraph
            .id
            .as_deref()
            .filter(|id| ours.get(id) == Some(&index))
        else {
            continue;
        };
        let Some(counterpart) = counterparts.get(id).map(|&index| &target.paragraphs[index]) else {
            report.unpaired_paragraphs += 1;
            continue;
        };
        places.insert(index, paragraphs.len());
        paragraphs.push(ParallelParagraph {
            section: paragraph.section,
            kind: paragraph.kind,
            id: Some(id.to_owned()),
            note: None,
            units: units(source, paragraph, target, counterpart, report),
        });
    }
    let mut sections = source.sections.clone();
    for section in &mut sections {
        section.heading = section
            .heading
            .and_then(|heading| places.get(&heading).copied());
    }
    ParallelDocument {
        id: page.to_owned(),
        sections,
        paragraphs,
    }
}

/// For each `id` the last paragraph that has it.
fn last_by_id(document: &Document) -> HashMap<&str, usize> {
    let named = document.paragraphs.iter().enumerate();
    named
        .filter_map(|(index, paragraph)| Some((paragraph.id.as_deref()?, index)))
        .collect()
}

fn units(
    source: &Document,
    ours: &Paragraph,
    target: &Document,
    theirs: &Paragraph,
    report: &mut HelpReport,
) -> Vec<Unit> {
    let sources = &source.sentences[ours.sentences.clone()];
    let targets = &target.sentences[theirs.sentences.clone()];
    let sides: Vec<(Side, Side)> = if sources.len() == targets.len() {
        report.divided_paragraphs += 1;
        let pairs = sources.iter().zip(targets);
        pairs
            .map(|(ours, theirs)| {
                (
                    Side::from_sentence(source, ours),
                    Side::from_sentence(target, theirs),
                )
            })
            .collect()
    } else {
        report.whole_paragraphs += 1;
        vec![(Side::whole(source, sources), Side::whole(target, targets))]
    };
    let mut counted = |pair: &(Side, Side)| {
        let Matched {
            unit,
            dropped_source,
            dropped_target,
        } = matched(&pair.0, &pair.1);
        report.units_with_dropped_markup += usize::from(dropped_source + dropped_target > 0);
        report.dropped_source_markup += dropped_source;
        report.dropped_target_markup += dropped_target;
        unit
    };
    sides.iter().map(&mut counted).collect()
}
