//! Writes a corpus: completely, or not at all.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::format::{
    Corpus, CorpusInfo, FORMAT, MANIFEST, Manifest, ParallelDocument, VERSION, VOCABULARY,
};
use super::split::Split;
use super::statistics::{SplitStatistics, Statistics};
use super::unit::{Unit, UnitStatus};
use crate::error::{BaseError, Error, Result};
use canopy_base::disk;
use canopy_base::file::TEMPORARY;
use canopy_base::folder::{put_in_place, temporary_sibling};

/// Takes documents, sorted by id, and makes a corpus of them.
#[derive(Debug)]
pub struct CorpusWriter {
    folder: PathBuf,
    temporary: TempDir,
    files: [BufWriter<File>; 3],
    seen: [HashSet<u64>; 3],
    info: CorpusInfo,
    statistics: Statistics,
}

impl CorpusWriter {
    /// Begins a corpus that will be `folder`; until [`finish`](Self::finish) it has another name in the same folder.
    ///
    /// # Errors
    /// If `folder` exists and may not be replaced, or nothing can be written next to it.
    pub fn create(folder: impl AsRef<Path>, info: CorpusInfo, replace: bool) -> Result<Self> {
        let folder = folder.as_ref().to_owned();
        if !replace && folder.exists() {
            return Err(Error::Base(BaseError::Exists { path: folder }));
        }
        if folder.exists() && !is_replaceable(&folder)? {
            return Err(Error::NoCorpus { path: folder });
        }
        let temporary = temporary_sibling(&folder)?;
        let file = |split: Split| {
            let path = temporary.path().join(split.file_name());
            File::create(&path)
                .map(BufWriter::new)
                .map_err(Error::write(path))
        };
        let files = [file(Split::Train)?, file(Split::Dev)?, file(Split::Test)?];
        Ok(Self {
            folder,
            temporary,
            files,
            seen: Default::default(),
            info,
            statistics: Statistics::default(),
        })
    }

    /// Adds a document; its units get their status here, of what they had only doubt counts, and that there is no translation.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, split: Split, mut document: ParallelDocument) -> Result<()> {
        for paragraph in &mut document.paragraphs {
            for unit in &mut paragraph.units {
                unit.status = status(unit, &mut self.seen[split as usize]);
            }
        }
        self.add_judged(split, &document)
    }

    /// Adds a document whose units have their status.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn add_judged(&mut self, split: Split, document: &ParallelDocument) -> Result<()> {
        let statistics = self.statistics.get_mut(split);
        statistics.documents += 1;
        for paragraph in &document.paragraphs {
            statistics.paragraphs += 1;
            paragraph
                .units
                .iter()
                .for_each(|unit| statistics.count(unit));
            statistics.segments += usize::from(paragraph.is_scored());
        }
        let path = self.folder.join(split.file_name());
        let file = &mut self.files[split as usize];
        serde_json::to_writer(&mut *file, document)
            .map_err(|cause| Error::write(&path)(cause.into()))?;
        file.write_all(b"\n").map_err(Error::write(&path))
    }

    /// Makes the corpus appear under its name.
    ///
    /// # Errors
    /// If it cannot be written; what stood there is then as it was.
    pub fn finish(self) -> Result<Corpus> {
        let Self {
            folder,
            temporary,
            files,
            info,
            statistics,
            ..
        } = self;
        for (split, file) in Split::ALL.into_iter().zip(files) {
            let path = folder.join(split.file_name());
            let file = file
                .into_inner()
                .map_err(|failed| Error::write(&path)(failed.into_error()))?;
            disk::sync(&file).map_err(Error::write(&path))?;
        }
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            version: version_for(&statistics),
            info,
            statistics,
        };
        let json = serde_json::to_string_pretty(&manifest)
            .map_err(|cause| Error::write(&folder)(cause.into()))?;
        let written = File::create(temporary.path().join(MANIFEST)).and_then(|mut file| {
            disk::write_all(&mut file, (json + "\n").as_bytes())?;
            disk::sync(&file)
        });
        written.map_err(Error::write(folder.join(MANIFEST)))?;
        keep_vocabulary(&folder, temporary.path())?;
        put_in_place(temporary, &folder)?;
        Corpus::open(folder)
    }
}

/// The lowest version whose readers understand the corpus.
fn version_for(statistics: &Statistics) -> u32 {
    let any = |count: fn(&SplitStatistics) -> usize| {
        Split::ALL
            .into_iter()
            .any(|split| count(statistics.get(split)) > 0)
    };
    if any(|of| of.context) {
        VERSION
    } else if any(|of| of.doubtful) {
        2
    } else {
        1
    }
}

/// Takes over the subwords of the corpus that is replaced, which take minutes to learn, if its training documents are the
/// same.
fn keep_vocabulary(old: &Path, new: &Path) -> Result<()> {
    let train = Split::Train.file_name();
    let (vocabulary, documents) = (old.join(VOCABULARY), old.join(&train));
    if !vocabulary.is_file() || !documents.is_file() {
        return Ok(());
    }
    if are_same(&documents, &new.join(train)).map_err(Error::read(&documents))? {
        std::fs::copy(&vocabulary, new.join(VOCABULARY)).map_err(Error::write(&vocabulary))?;
    }
    Ok(())
}

/// Whether two files hold the same bytes.
fn are_same(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut other) = (
        BufReader::new(File::open(one)?),
        BufReader::new(File::open(other)?),
    );
    loop {
        let (first, second) = (one.fill_buf()?, other.fill_buf()?);
        let length = first.len().min(second.len());
        if length == 0 {
            return Ok(first.is_empty() && second.is_empty());
        }
        if first[..length] != second[..length] {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}

/// Only a corpus and nothing else, or an empty folder: a typing error must not cost files.
fn is_replaceable(folder: &Path) -> Result<bool> {
    let mut is_empty = true;
    for entry in std::fs::read_dir(folder).map_err(Error::read(folder))? {
        let name = entry.map_err(Error::read(folder))?.file_name();
        let name = name.to_string_lossy();
        let is_split = Split::ALL.iter().any(|split| name == split.file_name());
        if !is_split && name != MANIFEST && name != VOCABULARY && !name.starts_with(TEMPORARY) {
            return Ok(false);
        }
        is_empty = false;
    }
    Ok(is_empty || folder.join(MANIFEST).is_file())
}

fn status(unit: &Unit, seen: &mut HashSet<u64>) -> UnitStatus {
    if unit.status == UnitStatus::Context {
        return UnitStatus::Context;
    }
    if unit.visible_source() == unit.visible_target() {
        return UnitStatus::Identical;
    }
    if unit.status == UnitStatus::Doubtful {
        return UnitStatus::Doubtful;
    }
    if unit.expected.is_some() {
        // The same pair after other sentences is another item.
        return UnitStatus::New;
    }
    if seen.insert(fingerprint(&unit.source, &unit.target)) {
        UnitStatus::New
    } else {
        UnitStatus::Repeated
    }
}

/// 64 bits for a pair of texts, so that a large corpus need not be kept in memory to find repetitions.
pub(super) fn fingerprint(source: &str, target: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (source, target).hash(&mut hasher);
    hasher.finish()
}
