//! Translation memories (TMX 1.1 to 1.4b) as a corpus.
//!
//! Every unit that has both languages becomes a paragraph with one pair, its inline elements placeholders. Documents are
//! found by a property that names one (such as `x-document` or `file`), else by a `tuid` that begins with a file's name
//! (`guide/page.html:12`), else 50 units in a row count as one document. `creationid` names a person and is not looked at,
//! but in a memory. The file is read unit by unit, but the texts of both languages are kept in memory until all documents
//! are complete.

mod encoding;
mod look;
mod reader;
mod segment;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::format::{Corpus, CorpusInfo, ParallelDocument, ParallelParagraph};
use super::languages::{is_same_code, is_same_language};
use super::markup::{Matched, matched};
use super::memory::PairOrigin;
use super::split::Split;
use super::survey::PairFilter;
use super::unit::Unit;
use super::writer::CorpusWriter;
use crate::error::{Error, Result};
pub(super) use look::{languages, look};
use reader::{Change, TmxReader, TranslationUnit, Variant};

/// How many units without a document of their own make one.
const RUN: usize = 50;

/// Types of properties that name a document, in this order, without `x-` and in small letters.
const DOCUMENT_PROPERTIES: [&str; 14] = [
    "document",
    "doc",
    "docid",
    "document-id",
    "doc-id",
    "source-document",
    "txt::doc. no.",
    "filename",
    "file-name",
    "file",
    "source-file",
    "sourcefile",
    "origfile",
    "original",
];

/// An import: its files, languages and folder.
#[derive(Debug, Clone)]
pub struct TmxImport {
    /// The TMX file.
    pub file: PathBuf,
    /// Language codes; `en` takes `en-US` as well.
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
pub struct TmxReport {
    /// Units of the file.
    pub units: usize,
    /// Units without one of the languages, or without text in it.
    pub incomplete: usize,
    /// Pairs in the corpus.
    pub pairs: usize,
    /// Pairs that stood earlier in the same split.
    pub repeated: usize,
    /// Documents in the corpus.
    pub documents: usize,
    /// How many of these the file names; the others are runs of units.
    pub named_documents: usize,
    /// Units of each language of the file.
    pub languages: BTreeMap<String, usize>,
    /// Pairs and points that only one side has, and which were taken out.
    pub dropped_markup: usize,
}

impl TmxImport {
    /// Reads the file and writes the corpus; `progress` gets the numbers of bytes read and in all, and may end the import: then
    /// nothing is written and the result is `None`.
    ///
    /// # Errors
    /// If the file cannot be read, is no TMX, is damaged, or has no unit in both languages, or the corpus cannot be
    /// written.
    pub fn run(
        &self,
        mut progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Option<(Corpus, TmxReport)>> {
        let mut writer = CorpusWriter::create(&self.output, self.info(), self.replace)?;
        let mut memory = Memory::default();
        let mut report = TmxReport::default();
        let read = self.wanted().read(|unit, pair, (done, all)| {
            report.units += 1;
            match pair {
                Some(mut matched) => {
                    if let Some(filter) = &self.filter {
                        let unit = &mut matched.unit;
                        unit.status = filter.status(&unit.visible_source(), &unit.visible_target());
                    }
                    report.dropped_markup += matched.dropped_source + matched.dropped_target;
                    memory.add(unit, matched.unit, &self.stem());
                }
                None => report.incomplete += 1,
            }
            progress(done, all)
        })?;
        let Some(languages) = read else {
            return Ok(None);
        };
        report.languages = languages;
        report.pairs = report.units - report.incomplete;
        (report.documents, report.named_documents) = (memory.documents.len(), memory.named);
        for (id, paragraphs) in memory.documents {
            let split = Split::for_document(&id);
            writer.add(split, ParallelDocument::flat(id, paragraphs))?;
        }
        let corpus = writer.finish()?;
        report.repeated = Split::ALL
            .map(|split| corpus.statistics().get(split).repeated)
            .iter()
            .sum();
        Ok(Some((corpus, report)))
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            file: &self.file,
            source_language: &self.source_language,
            target_language: &self.target_language,
        }
    }

    fn stem(&self) -> String {
        let stem = self.file.file_stem();
        stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    fn info(&self) -> CorpusInfo {
        let name = self.output.file_name();
        CorpusInfo {
            name: name.map_or_else(|| self.stem(), |name| name.to_string_lossy().into_owned()),
            source_language: self.source_language.clone(),
            target_language: self.target_language.clone(),
            origin: self.file.display().to_string(),
            licence: String::new(),
        }
    }
}

/// Visible texts of every pair of a file, in order: source, target, and where they come from.
///
/// # Errors
/// If the file cannot be read, is no TMX, is damaged, or has no unit in both languages.
pub fn tmx_pairs(
    file: &Path,
    source_language: &str,
    target_language: &str,
) -> Result<Vec<(String, String, PairOrigin)>> {
    let wanted = Wanted {
        file,
        source_language,
        target_language,
    };
    let mut pairs = Vec::new();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    wanted.read(|unit, pair, _| {
        let origin = || {
            let target = variant(&unit.variants, target_language).map(|it| &it.change);
            let of = |part: fn(&Change) -> &Option<String>| {
                let own = target.and_then(|change| part(change).clone());
                own.or_else(|| part(&unit.change).clone())
            };
            PairOrigin {
                memory: name.clone().into_owned(),
                author: of(|change| &change.author),
                date: of(|change| &change.date).map(|date| readable(&date)),
            }
        };
        let seen = |it: Matched| (it.unit.visible_source(), it.unit.visible_target(), origin());
        pairs.extend(pair.map(seen));
        ControlFlow::Continue(())
    })?;
    Ok(pairs)
}

/// `2024-01-31` of `20240131T120000Z`; another form as it is.
fn readable(date: &str) -> String {
    let day = date.split('T').next().unwrap_or(date);
    let is_day = day.len() == 8 && day.bytes().all(|digit| digit.is_ascii_digit());
    if is_day {
        format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..])
    } else {
        date.to_owned()
    }
}

/// A file, and the languages that are wanted of it.
struct Wanted<'a> {
    file: &'a Path,
    source_language: &'a str,
    target_language: &'a str,
}

impl Wanted<'_> {
    /// Gives `take` every unit, its pair if it has both languages, and bytes read and in all; units of each language,
    /// or `None` if `take` has ended it.
    fn read(
        &self,
        mut take: impl FnMut(&TranslationUnit, Option<Matched>, (u64, u64)) -> ControlFlow<()>,
    ) -> Result<Option<BTreeMap<String, usize>>> {
        let mut reader = TmxReader::open(self.file)?;
        let mut languages = BTreeMap::new();
        let (mut units, mut pairs) = (0, 0);
        while let Some(unit) = reader.next()? {
            for variant in &unit.variants {
                *languages.entry(variant.language.clone()).or_default() += 1;
            }
            let pair = self.pair(&unit);
            units += 1;
            pairs += usize::from(pair.is_some());
            if take(&unit, pair, reader.progress()).is_break() {
                return Ok(None);
            }
        }
        if units == 0 {
            return Err(self.nothing(&reader));
        }
        if pairs == 0 {
            return Err(self.no_languages(&languages));
        }
        Ok(Some(languages))
    }

    fn pair(&self, unit: &TranslationUnit) -> Option<Matched> {
        let source = variant(&unit.variants, self.source_language)?;
        let target = variant(&unit.variants, self.target_language)?;
        let has_text = |variant: &Variant| !variant.side.visible().is_empty();
        let distinct = !std::ptr::eq(source, target) && has_text(source) && has_text(target);
        distinct.then(|| matched(&source.side, &target.side))
    }

    fn nothing(&self, reader: &TmxReader) -> Error {
        let is_empty = reader.progress().1 == 0;
        let problem = if is_empty {
            "the file is empty"
        } else {
            "there is no <tu> in it"
        };
        Error::Tmx {
            problem: problem.to_owned(),
            line: reader.line(),
            path: self.file.to_owned(),
        }
    }

    fn no_languages(&self, languages: &BTreeMap<String, usize>) -> Error {
        let present: Vec<&str> = languages.keys().map(String::as_str).collect();
        if present.is_empty() {
            let path = self.file.to_owned();
            return Error::NoSegments { path };
        }
        let present = present.join(", ");
        Error::TmxLanguages {
            from: self.source_language.to_owned(),
            to: self.target_language.to_owned(),
            present,
            path: self.file.to_owned(),
        }
    }
}

/// The documents of a file, by id.
#[derive(Default)]
struct Memory {
    documents: BTreeMap<String, Vec<ParallelParagraph>>,
    named: usize,
    /// Units that no document claims.
    unclaimed: usize,
}

impl Memory {
    fn add(&mut self, unit: &TranslationUnit, pair: Unit, stem: &str) {
        let (id, is_named) = document_of(unit, &mut self.unclaimed, stem);
        let paragraphs = self.documents.entry(id).or_default();
        self.named += usize::from(is_named && paragraphs.is_empty());
        paragraphs.push(ParallelParagraph {
            id: unit.tuid.clone(),
            ..pair.into()
        });
    }
}

/// The document of a unit, and whether the unit names it; else it is the next one of `unclaimed` units.
fn document_of(unit: &TranslationUnit, unclaimed: &mut usize, stem: &str) -> (String, bool) {
    if let Some(named) = document_name(unit) {
        return (named, true);
    }
    *unclaimed += 1;
    (format!("{stem}/{:06}", unclaimed.div_ceil(RUN)), false)
}

/// The document that a unit says it comes from.
fn document_name(unit: &TranslationUnit) -> Option<String> {
    let property = |wanted: &&str| {
        let kind = |kind: &str| {
            kind.trim()
                .to_lowercase()
                .trim_start_matches("x-")
                .replace('_', "-")
        };
        let found = unit
            .properties
            .iter()
            .find(|(found, value)| kind(found) == **wanted && !value.trim().is_empty());
        found.map(|(_, value)| value.trim().to_owned())
    };
    let by_property = DOCUMENT_PROPERTIES.iter().find_map(property);
    by_property.or_else(|| unit.tuid.as_deref().and_then(file_of).map(str::to_owned))
}

/// `guide/page.html` of `guide/page.html:12`: a name with a path or an extension, before a number.
fn file_of(tuid: &str) -> Option<&str> {
    let name = tuid.trim_end_matches(|c: char| c.is_ascii_digit());
    let file = name.strip_suffix([':', '#', '_', '-', '/', '|'])?;
    let is_file = name.len() < tuid.len()
        && file.contains(['.', '/', '\\'])
        && file.contains(char::is_alphabetic);
    is_file.then_some(file)
}

/// The variant in this very language, else in one that the code is the beginning of, or the other way round.
fn variant<'a>(variants: &'a [Variant], language: &str) -> Option<&'a Variant> {
    let same = variants
        .iter()
        .find(|variant| is_same_code(&variant.language, language));
    same.or_else(|| {
        variants
            .iter()
            .find(|variant| is_same_language(&variant.language, language))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tuid_names_a_file_only_if_it_looks_like_one() {
        assert_eq!(file_of("guide/page.html:12"), Some("guide/page.html"));
        assert_eq!(file_of("page.html#3"), Some("page.html"));
        for other in ["12", "tu-12", "page.html", "4.5-6", "a.b.12"] {
            assert_eq!(file_of(other), None, "{other}");
        }
    }
}
