//! Several corpora as one to train on: so much of each, and nothing in it that is held out.
//!
//! Development and test documents are those of the parts. Of the training documents those pairs are left out whose source
//! is one of these, or of another corpus that is to be left out, or resembles one; pairs that do not look
//! like [translations](super::survey) stay as context. Shares are of target words that are learnt from: a part that has
//! too few is repeated, documents of one that has too many are left out by a hash of their name.

mod share;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::format::{Corpus, CorpusInfo, ParallelDocument};
use super::held_out::{HeldOut, HeldOutBuilder, Likeness};
use super::languages::is_same_code;
use super::split::Split;
use super::survey::{PairDefect, PairFilter};
use super::unit::{Unit, UnitStatus};
use super::writer::{CorpusWriter, fingerprint};
use crate::error::{BaseError, Error, Result};
use canopy_base::file::canonicalize;
use share::{Copies, copies};

/// Pairs from which the length of translations is estimated.
const SAMPLE: usize = 1_000;

/// A corpus, and how much of the whole it is to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Folder of the corpus.
    pub folder: PathBuf,
    /// Share of the target words, in `(0, 1)`; without it every document is used once.
    pub share: Option<f64>,
}

/// The parts, what is kept out of them, and the new corpus.
#[derive(Debug, Clone)]
pub struct Combination {
    /// The corpora to combine.
    pub parts: Vec<Part>,
    /// Corpora, all of whose documents are held out.
    pub without: Vec<PathBuf>,
    /// Folder of the new corpus.
    pub output: PathBuf,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
}

/// The findings of a combination.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CombinationReport {
    /// Different sources that are held out.
    pub held_out: usize,
    /// Counts of each part.
    pub parts: Vec<PartReport>,
}

/// Counts of the training documents of a part.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PartReport {
    /// Name of the corpus.
    pub name: String,
    /// Documents in use, however often.
    pub documents: usize,
    /// Pairs of the part.
    pub pairs: usize,
    /// Left out: the source is a held-out one.
    pub equal: usize,
    /// Left out: it resembles one.
    pub alike: usize,
    /// Context only: both sides read the same.
    pub identical: usize,
    /// Context only: one side is several times as long as the other, empty, or in the script of another language, or
    /// the importer was not sure of it.
    pub doubtful: usize,
    /// Context only: the pair stood earlier, in this part or in one before.
    pub repeated: usize,
    /// Pairs that are learnt from, each once, and their target words.
    pub kept: usize,
    /// Target words of these pairs, each pair counted once.
    pub words: usize,
    /// How often they are used, on average.
    pub times: f64,
    /// Their share of all target words that are learnt from.
    pub share: f64,
}

/// A part whose documents were read.
struct Read {
    report: PartReport,
    documents: Vec<ParallelDocument>,
    words: Vec<usize>,
}

impl Combination {
    /// Reads the parts and writes the corpus; `progress` gets the folder that is read.
    ///
    /// # Errors
    /// If a corpus cannot be read or translates between other languages than the first, two parts have one name, the
    /// shares are more than there is, nothing is left of a part with a share, or the corpus cannot be written.
    pub fn run(&self, mut progress: impl FnMut(&Path)) -> Result<(Corpus, CombinationReport)> {
        let parts = self.parts.iter().map(|part| Corpus::open(&part.folder));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let without = self.without.iter().map(Corpus::open);
        let without = without.collect::<Result<Vec<_>>>()?;
        check_languages(parts.iter().chain(&without))?;
        let names = names(&parts)?;
        let mut writer = CorpusWriter::create(&self.output, self.info(&parts), self.replace)?;
        let held_out = held_out(&parts, &without, &mut progress)?;
        let mut seen = Seen::default();
        let mut read = Vec::new();
        for (corpus, name) in parts.iter().zip(&names) {
            progress(corpus.folder());
            read.push(read_part(corpus, name, &held_out, &mut seen)?);
        }
        let shares: Vec<_> = self.parts.iter().map(|part| part.share).collect();
        let words: Vec<usize> = read.iter().map(|part| part.report.words).collect();
        let copies = copies(&shares, &words).map_err(|at| nothing_left(&self.parts[at].folder))?;
        let train = chosen(&mut read, &copies);
        for document in train.values() {
            writer.add_judged(Split::Train, document)?;
        }
        for split in [Split::Dev, Split::Test] {
            for (_, document) in documents_of(&parts, &names, split)? {
                writer.add(split, document)?;
            }
        }
        let mut parts: Vec<_> = read.into_iter().map(|part| part.report).collect();
        fill_shares(&mut parts);
        let report = CombinationReport {
            held_out: held_out.len(),
            parts,
        };
        Ok((writer.finish()?, report))
    }

    fn info(&self, parts: &[Corpus]) -> CorpusInfo {
        let first = parts[0].info();
        let listed = |of: fn(&CorpusInfo) -> &str| {
            let mut texts: Vec<&str> = Vec::new();
            for part in parts {
                let text = of(part.info());
                if !text.is_empty() && !texts.contains(&text) {
                    texts.push(text);
                }
            }
            texts.join("; ")
        };
        let languages = [&*first.source_language, &first.target_language];
        CorpusInfo {
            licence: listed(|info| &info.licence),
            ..CorpusInfo::new(&self.output, languages, listed(|info| &info.origin))
        }
    }
}

fn check_languages<'a>(mut corpora: impl Iterator<Item = &'a Corpus>) -> Result<()> {
    let Some(first) = corpora.next() else {
        return Ok(());
    };
    let pair = |corpus: &Corpus| {
        let info = corpus.info();
        format!("{} to {}", info.source_language, info.target_language)
    };
    let is_other = |corpus: &&Corpus| {
        let (one, other) = (first.info(), corpus.info());
        !is_same_code(&one.source_language, &other.source_language)
            || !is_same_code(&one.target_language, &other.target_language)
    };
    match corpora.find(is_other) {
        None => Ok(()),
        Some(corpus) => Err(Error::CorpusLanguages {
            has: pair(corpus),
            expected: pair(first),
            path: corpus.folder().to_owned(),
        }),
    }
}

/// A name for each part, which its documents' ids begin with: that of its folder.
fn names(parts: &[Corpus]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for part in parts {
        let folder = canonicalize(part.folder());
        let folder = folder.map_err(Error::read(part.folder()))?;
        let name = folder.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        if names.contains(&name) {
            return Err(Error::SameCorpusName {
                path: part.folder().to_owned(),
            });
        }
        names.push(name);
    }
    Ok(names)
}

fn nothing_left(folder: &Path) -> Error {
    Error::Base(BaseError::NothingToLearn {
        path: folder.to_owned(),
    })
}

fn held_out(
    parts: &[Corpus],
    without: &[Corpus],
    progress: &mut impl FnMut(&Path),
) -> Result<HeldOut> {
    let mut builder = HeldOutBuilder::default();
    let mut add = |corpus: &Corpus, splits: &[Split]| -> Result<()> {
        progress(corpus.folder());
        for split in splits {
            for document in corpus.documents(*split)? {
                for paragraph in document?.paragraphs {
                    let units = paragraph.units.iter().filter(|unit| !is_apart(unit));
                    units.for_each(|unit| builder.add(&unit.visible_source()));
                }
            }
        }
        Ok(())
    };
    parts
        .iter()
        .try_for_each(|corpus| add(corpus, &[Split::Dev, Split::Test]))?;
    without
        .iter()
        .try_for_each(|corpus| add(corpus, &Split::ALL))?;
    Ok(builder.finish())
}

/// Whether a unit is no pair like others: it is only read, or its translation depends on what was read, and the same source
/// may be learnt from another source.
fn is_apart(unit: &Unit) -> bool {
    unit.status == UnitStatus::Context || unit.expected.is_some()
}

/// Fingerprints of the pairs that are learnt from.
type Seen = std::collections::HashSet<u64>;

fn read_part(corpus: &Corpus, name: &str, held_out: &HeldOut, seen: &mut Seen) -> Result<Read> {
    let mut read = Read {
        report: PartReport {
            name: name.to_owned(),
            ..PartReport::default()
        },
        documents: Vec::new(),
        words: Vec::new(),
    };
    let filter = filter(corpus)?;
    for document in corpus.documents(Split::Train)? {
        let mut document = document?;
        let before = read.report.words;
        for paragraph in &mut document.paragraphs {
            paragraph.units.retain_mut(|unit| {
                if is_apart(unit) {
                    count_apart(unit, &mut read.report);
                    return true;
                }
                let pair = (unit.visible_source(), unit.visible_target());
                judge(unit, &pair, (held_out, &filter), seen, &mut read.report)
            });
        }
        if read.report.words == before {
            continue;
        }
        read.words.push(read.report.words - before);
        read.documents.push(without_empty_paragraphs(document));
    }
    Ok(read)
}

/// Counts a unit that stays as it is.
fn count_apart(unit: &Unit, report: &mut PartReport) {
    report.pairs += usize::from(unit.status != UnitStatus::Context);
    if unit.status == UnitStatus::New {
        report.kept += 1;
        report.words += unit.visible_target().split_whitespace().count();
    }
}

/// The measure of this corpus, by the first of its pairs.
fn filter(corpus: &Corpus) -> Result<PairFilter> {
    let info = corpus.info();
    let languages = (info.source_language.clone(), info.target_language.clone());
    let mut pairs = Vec::new();
    for document in corpus.documents(Split::Train)? {
        let units = document?.paragraphs.into_iter().flat_map(|it| it.units);
        let units = units.filter(|unit| unit.status != UnitStatus::Context);
        pairs.extend(units.map(|unit| (unit.visible_source(), unit.visible_target())));
        if pairs.len() >= SAMPLE {
            break;
        }
    }
    Ok(PairFilter::fit(&languages, &pairs))
}

/// Gives a pair its status, and returns whether it stays.
fn judge(
    unit: &mut Unit,
    (source, target): &(String, String),
    (held_out, filter): (&HeldOut, &PairFilter),
    seen: &mut Seen,
    report: &mut PartReport,
) -> bool {
    report.pairs += 1;
    match held_out.likeness(source) {
        Some(Likeness::Equal) => {
            report.equal += 1;
            return false;
        }
        Some(Likeness::Alike) => {
            report.alike += 1;
            return false;
        }
        None => {}
    }
    let defect = filter.defect(source, target);
    unit.status = match defect {
        Some(PairDefect::Identical) => UnitStatus::Identical,
        Some(_) => UnitStatus::Doubtful,
        None if unit.status == UnitStatus::Doubtful => UnitStatus::Doubtful,
        None if seen.insert(fingerprint(&unit.source, &unit.target)) => UnitStatus::New,
        None => UnitStatus::Repeated,
    };
    match unit.status {
        UnitStatus::Identical => report.identical += 1,
        UnitStatus::Doubtful | UnitStatus::Context => report.doubtful += 1,
        UnitStatus::Repeated => report.repeated += 1,
        UnitStatus::New => {
            report.kept += 1;
            report.words += target.split_whitespace().count();
        }
    }
    true
}

fn without_empty_paragraphs(mut document: ParallelDocument) -> ParallelDocument {
    let is_kept: Vec<bool> = document
        .paragraphs
        .iter()
        .map(|paragraph| !paragraph.units.is_empty())
        .collect();
    let place = |old: usize| {
        let kept_before = is_kept[..old].iter().filter(|kept| **kept).count();
        is_kept[old].then_some(kept_before)
    };
    for section in &mut document.sections {
        section.heading = section.heading.and_then(place);
    }
    document
        .paragraphs
        .retain(|paragraph| !paragraph.units.is_empty());
    document
}

/// The documents that are expected, by their ids; the number of a copy follows the name of its part.
fn chosen(read: &mut [Read], copies: &[Copies]) -> BTreeMap<String, ParallelDocument> {
    let mut chosen = BTreeMap::new();
    for (part, copies) in read.iter_mut().zip(copies) {
        let ids: Vec<&str> = part.documents.iter().map(|it| it.id.as_str()).collect();
        let times = copies.per_document(&ids, &part.words);
        let words = part
            .words
            .iter()
            .zip(&times)
            .map(|(words, times)| words * times);
        let average = words.sum::<usize>() as f64 / part.report.words.max(1) as f64;
        part.report.times = average;
        for (document, times) in std::mem::take(&mut part.documents).into_iter().zip(times) {
            part.report.documents += usize::from(times > 0);
            for copy in 1..=times {
                let mut document = document.clone();
                document.id = match copy {
                    1 => format!("{}/{}", part.report.name, document.id),
                    _ => format!("{}#{copy}/{}", part.report.name, document.id),
                };
                chosen.insert(document.id.clone(), document);
            }
        }
    }
    chosen
}

fn documents_of(
    parts: &[Corpus],
    names: &[String],
    split: Split,
) -> Result<BTreeMap<String, ParallelDocument>> {
    let mut documents = BTreeMap::new();
    for (corpus, name) in parts.iter().zip(names) {
        for document in corpus.documents(split)? {
            let mut document = document?;
            document.id = format!("{name}/{}", document.id);
            documents.insert(document.id.clone(), document);
        }
    }
    Ok(documents)
}

fn fill_shares(parts: &mut [PartReport]) {
    let words = |part: &PartReport| part.words as f64 * part.times;
    let all: f64 = parts.iter().map(words).sum();
    for part in parts {
        part.share = words(part) / all.max(1.0);
    }
}
