//! Files with one segment a line.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};
use canopy_base::lines::{as_many, lines};
use canopy_evaluate::evaluation::unique_names;
use canopy_metrics::Documents;

/// Translations and references of the same segments.
#[derive(Debug)]
pub(super) struct TestSet {
    /// One name for each file of translations.
    pub names: Vec<String>,
    /// `[files, segments]`
    pub systems: Vec<Vec<String>>,
    /// `[references, segments]`
    pub references: Vec<Vec<String>>,
    pub documents: Option<Documents>,
    /// `[segments]`, or none
    pub sources: Vec<String>,
}

/// Files that say more of the segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptionalFiles<'a> {
    pub source: Option<&'a Path>,
    pub docids: Option<&'a Path>,
}

impl TestSet {
    /// Reads all files.
    ///
    /// # Errors
    /// If one cannot be read, is not UTF-8 or has another number of lines, or if there is no reference.
    pub(super) fn read(
        systems: &[PathBuf],
        references: &[PathBuf],
        beside: OptionalFiles<'_>,
    ) -> Result<Self> {
        let (first, others) = references.split_first().expect("clap asks for a reference");
        let first_lines = read(first)?;
        let segments = first_lines.len();
        let same_count = |path: &PathBuf| read_as_many(path, segments, first);
        let mut all = vec![first_lines];
        for path in others {
            all.push(same_count(path)?);
        }
        for (path, lines) in references.iter().zip(&all) {
            if lines.iter().all(|line| line.trim().is_empty()) {
                return Err(Error::NoReferences { path: path.clone() });
            }
        }
        let sources = beside
            .source
            .map(|path| read_as_many(path, segments, first));
        let documents = beside
            .docids
            .map(|path| read_as_many(path, segments, first))
            .transpose()?;
        Ok(Self {
            names: names(systems),
            systems: systems.iter().map(same_count).collect::<Result<_>>()?,
            references: all,
            documents: documents.map(|ids| Documents::from_ids(&ids)),
            sources: sources.transpose()?.unwrap_or_default(),
        })
    }

    /// Lines, each of them prepared.
    pub(super) fn prepared(self, prepare: impl Fn(String) -> String) -> Self {
        let all = |texts: Vec<Vec<String>>| {
            let lines = texts.into_iter();
            let prepared = lines.map(|lines| lines.into_iter().map(&prepare).collect());
            prepared.collect::<Vec<Vec<String>>>()
        };
        Self {
            systems: all(self.systems),
            references: all(self.references),
            ..self
        }
    }

    /// Lines with whole documents as segments.
    pub(super) fn by_document(&self) -> Self {
        let documents = self
            .documents
            .as_ref()
            .expect("clap asks for documents' names");
        let joined =
            |texts: &[Vec<String>]| texts.iter().map(|lines| documents.joined(lines)).collect();
        Self {
            names: self.names.clone(),
            systems: joined(&self.systems),
            references: joined(&self.references),
            documents: None,
            sources: match self.sources.as_slice() {
                [] => Vec::new(),
                sources => documents.joined(sources),
            },
        }
    }
}

/// File names, or the paths of files with the same name.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let named = paths.iter().map(|path| {
        let name = path.file_name().unwrap_or_default();
        (name.to_string_lossy().into_owned(), path.clone())
    });
    unique_names(&named.collect::<Vec<_>>())
}

/// The lines of a file that may be packed by gzip, or of standard input for `-`.
fn read(path: &Path) -> Result<Vec<String>> {
    const GZIP: [u8; 2] = [0x1F, 0x8B];
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        let read = std::io::stdin().read_to_end(&mut bytes);
        read.map_err(Error::read("standard input"))?;
    } else {
        bytes = std::fs::read(path).map_err(Error::read(path))?;
    }
    if bytes.starts_with(&GZIP) {
        let mut unpacked = Vec::new();
        let read = MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked);
        read.map_err(Error::read(path))?;
        bytes = unpacked;
    }
    Ok(lines(path, bytes)?)
}

fn read_as_many(path: &Path, expected: usize, like: &Path) -> Result<Vec<String>> {
    Ok(as_many(read(path)?, path, expected, like)?)
}
