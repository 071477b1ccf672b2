//! The format of a corpus on disk, and how it is read.
//!
//! A corpus is a folder: `corpus.json` says what it is, `train.jsonl`, `dev.jsonl` and `test.jsonl` hold one document a
//! line, so that no more than one document need be in memory. `vocabulary.json` may accompany them.
//!
//! `corpus.json`:
//! ```json
//! {"format": "canopy-corpus", "version": 1, "name": "help-en-de", "source_language": "en", "target_language": "de",
//!  "origin": "LibreOffice help", "licence": "MPL-2.0", "statistics": {"train": {"documents": 2405, …}, …}}
//! ```
//! A line of `train.jsonl`, here on several:
//! ```json
//! {"id": "swriter/guide/print_preview.html",
//!  "sections": [{"parent": null, "level": 0, "heading": null}, {"parent": 0, "level": 1, "heading": 0}],
//!  "paragraphs": [{"section": 1, "kind": "heading", "id": "hd_id3155179",
//!                  "units": [{"source": "Previewing …", "target": "Ansicht …", "status": "new"}]}]}
//! ```
//! - `sections`: the tree of headings, parents before children; `heading` is an index into `paragraphs`.
//! - `note` (may be missing): information for a translator about a paragraph, such as who speaks.
//! - `kind`: `title`, `heading`, `text`, `list_item` or `table_cell`.
//! - `source`, `target`: white space folded; inline markup as the private-use characters of
//!   [`placeholder`](canopy_document::placeholder), the same ones on both sides: U+E000 + n opens pair n, U+E200 closes the
//!   innermost, U+E100 + n is the single tag or opaque span n.
//! - `points` (may be missing): what point n shows, such as inline code; `target_points` if the target shows another.
//! - `status`: `new`, `repeated` (this pair stood earlier in this file), `identical` (both sides show the same),
//!   `doubtful` (an aligner is not sure that the sides belong together; from version 2) or `context` (the source is read,
//!   the `target` is empty; from version 3).
//! - `expected` (may be missing): `{"form": "sei", "distance": 1, "origin": "a film"}`, the word of the target that the
//!   sentences before decide, the distance to the one that does, and what it comes from.
//!
//! Unknown keys are ignored, a higher `version` is refused; the lowest that knows all of a corpus is written. Documents
//! are sorted by `id`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::split::Split;
use super::statistics::Statistics;
use super::unit::{Unit, UnitStatus};
use crate::error::{Error, Result};
use canopy_base::digest::{digest_of_files, hash_file, hexadecimal};
use canopy_document::document::{ParagraphKind, Section, SectionNumbers, section_numbers};

/// The value of `format` in `corpus.json`.
pub const FORMAT: &str = "canopy-corpus";
/// The highest version that is read.
pub const VERSION: u32 = 3;

pub(super) const MANIFEST: &str = "corpus.json";
pub(super) const VOCABULARY: &str = "vocabulary.json";

/// A document in two languages, with the structure of its source side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParallelDocument {
    /// Unique in its corpus, such as the page's path.
    pub id: String,
    /// `sections[0]` is the document itself; children come after their parents.
    pub sections: Vec<Section>,
    /// In reading order; those that one side lacks are left out.
    pub paragraphs: Vec<ParallelParagraph>,
}

impl ParallelDocument {
    /// A document without headings.
    pub(super) fn flat(id: String, paragraphs: Vec<ParallelParagraph>) -> Self {
        Self {
            id,
            sections: vec![Section::default()],
            paragraphs,
        }
    }

    /// Numbers of the sections that each unit is in, in the order of the units.
    pub fn headings(&self) -> Vec<SectionNumbers> {
        let sections = section_numbers(&self.sections);
        let paragraphs = self.paragraphs.iter().flat_map(|paragraph| {
            let own = sections.get(paragraph.section).copied().unwrap_or_default();
            paragraph.units.iter().map(move |_| own)
        });
        paragraphs.collect()
    }
}

/// A paragraph in two languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParallelParagraph {
    /// Index of its section in the document.
    pub section: usize,
    /// Heading, list item and so on.
    pub kind: ParagraphKind,
    /// The HTML element's `id`.
    pub id: Option<String>,
    /// The note for a translator, such as who speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its pairs of sentences, in reading order.
    pub units: Vec<Unit>,
}

impl ParallelParagraph {
    /// Visible texts of both sides: units joined by spaces.
    pub fn visible(&self) -> (String, String) {
        let sources: Vec<_> = self.units.iter().map(Unit::visible_source).collect();
        let targets: Vec<_> = self.units.iter().map(Unit::visible_target).collect();
        (sources.join(" "), targets.join(" "))
    }

    /// Whether it differs from its source, and its target is certainly the translation.
    pub(super) fn is_scored(&self) -> bool {
        let sure = |unit: &Unit| !matches!(unit.status, UnitStatus::Doubtful | UnitStatus::Context);
        let (source, target) = self.visible();
        source != target && self.units.iter().all(sure)
    }
}

/// A paragraph of running text below no heading.
impl From<Unit> for ParallelParagraph {
    fn from(unit: Unit) -> Self {
        Self {
            section: 0,
            kind: ParagraphKind::Text,
            id: None,
            note: None,
            units: vec![unit],
        }
    }
}

/// Description of a corpus by its maker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusInfo {
    /// Name of the corpus.
    pub name: String,
    /// Language codes such as `en`.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// Where the texts come from.
    pub origin: String,
    /// Licence of the texts; empty if unknown.
    pub licence: String,
}

impl CorpusInfo {
    /// A corpus of this folder's name and of no known licence.
    pub(super) fn new(folder: &Path, languages: [&str; 2], origin: String) -> Self {
        let [source_language, target_language] = languages.map(str::to_owned);
        let name = folder.file_name().unwrap_or_default();
        Self {
            name: name.to_string_lossy().into_owned(),
            source_language,
            target_language,
            origin,
            licence: String::new(),
        }
    }
}

/// `corpus.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub format: String,
    pub version: u32,
    #[serde(flatten)]
    pub info: CorpusInfo,
    pub statistics: Statistics,
}

/// A corpus on disk; its documents are read on demand.
#[derive(Debug, Clone)]
pub struct Corpus {
    folder: PathBuf,
    manifest: Manifest,
}

impl Corpus {
    /// Whether a folder says that it is a corpus.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file()
    }

    /// Opens the corpus in `folder`.
    ///
    /// # Errors
    /// If there is no readable `corpus.json`, it is of another format or a newer version, or a split is missing.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref().to_owned();
        let path = folder.join(MANIFEST);
        let text = std::fs::read(&path).map_err(Error::read(&path))?;
        let problem = |problem: String, line| Error::Corpus {
            problem,
            line,
            path: path.clone(),
        };
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|cause| problem(cause.to_string(), cause.line()))?;
        if manifest.format != FORMAT {
            return Err(problem(
                format!("the format is {:?}, not {FORMAT:?}", manifest.format),
                1,
            ));
        }
        if manifest.version > VERSION {
            let newer = format!(
                "version {} is newer than this program's {VERSION}",
                manifest.version
            );
            return Err(problem(newer, 1));
        }
        for split in Split::ALL {
            let path = folder.join(split.file_name());
            std::fs::metadata(&path).map_err(Error::read(&path))?;
        }
        Ok(Self { folder, manifest })
    }

    /// Returns the folder of the corpus.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the description by the corpus's maker.
    pub fn info(&self) -> &CorpusInfo {
        &self.manifest.info
    }

    /// Returns the counts of all splits.
    pub fn statistics(&self) -> &Statistics {
        &self.manifest.statistics
    }

    /// The path of this corpus's vocabulary once it is made.
    pub fn vocabulary_path(&self) -> PathBuf {
        self.folder.join(VOCABULARY)
    }

    /// SHA-256 of the training and development documents, in hexadecimal: a run continues with the same ones only.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn digest(&self) -> Result<String> {
        let mut hasher = Sha256::new();
        for split in [Split::Train, Split::Dev] {
            hasher.update(split.file_name());
            hash_file(&mut hasher, &self.folder.join(split.file_name()))?;
        }
        Ok(hexadecimal(hasher))
    }

    /// SHA-256 of the documents of one split, in hexadecimal: translations of other documents have another digest.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn digest_of(&self, split: Split) -> Result<String> {
        Ok(digest_of_files([self.folder.join(split.file_name())])?)
    }

    /// The documents of a split, sorted by id and read one by one.
    ///
    /// # Errors
    /// If the file cannot be opened; each item, if its line cannot be read, is cut off, or is no document.
    pub fn documents(&self, split: Split) -> Result<Documents> {
        let path = self.folder.join(split.file_name());
        let file = File::open(&path).map_err(Error::read(&path))?;
        let expected = self.manifest.statistics.get(split).documents;
        Ok(Documents {
            reader: BufReader::with_capacity(1 << 16, file),
            path,
            line: 0,
            expected,
            ended: false,
        })
    }
}

/// The documents of one split, in order.
#[derive(Debug)]
pub struct Documents {
    reader: BufReader<File>,
    path: PathBuf,
    /// Line of the document read last, counted from 1.
    line: usize,
    expected: usize,
    ended: bool,
}

impl Documents {
    fn read(&mut self) -> Result<Option<ParallelDocument>> {
        let mut text = Vec::new();
        self.line += 1;
        let length = self
            .reader
            .read_until(b'\n', &mut text)
            .map_err(Error::read(&self.path))?;
        let problem = |problem| Error::Corpus {
            problem,
            line: self.line,
            path: self.path.clone(),
        };
        if length == 0 {
            let found = self.line - 1;
            let complete = found == self.expected;
            let missing = || {
                problem(format!(
                    "{MANIFEST} counts {} documents, here are {found}",
                    self.expected
                ))
            };
            return if complete { Ok(None) } else { Err(missing()) };
        }
        let document: ParallelDocument = serde_json::from_slice(&text)
            .map_err(|cause| problem(format!("no document: {cause}")))?;
        match broken_reference(&document) {
            Some(broken) => Err(problem(broken)),
            None => Ok(Some(document)),
        }
    }
}

impl Iterator for Documents {
    type Item = Result<ParallelDocument>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read().transpose();
        self.ended = !matches!(read, Some(Ok(_)));
        read
    }
}

/// A reference to a section or paragraph that does not exist.
fn broken_reference(document: &ParallelDocument) -> Option<String> {
    let (sections, paragraphs) = (document.sections.len(), document.paragraphs.len());
    if sections == 0 {
        return Some("no section".to_owned());
    }
    for (index, section) in document.sections.iter().enumerate() {
        let parent_follows = section.parent.is_some_and(|parent| parent >= index);
        if parent_follows || section.parent.is_none() != (index == 0) {
            return Some(format!("section {index} is not below an earlier one"));
        }
        if section.heading.is_some_and(|heading| heading >= paragraphs) {
            return Some(format!(
                "the heading of section {index} is outside the {paragraphs} paragraphs"
            ));
        }
    }
    let lost = document
        .paragraphs
        .iter()
        .position(|paragraph| paragraph.section >= sections);
    lost.map(|index| format!("the section of paragraph {index} is outside the {sections}"))
}
