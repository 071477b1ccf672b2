//! Memories on disk: TMX, XLIFF, catalogues, corpora and files with a pair in each line, and the form that is kept.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

use super::{Pair, TranslationMemory, gettext};
use crate::error::{Error, Result};
use crate::gettext::is_catalogue;
use crate::tmx::tmx_pairs;
use crate::{Corpus, Split, UnitStatus, is_same_language, visible};
use canopy_base::file::{has_ending, read_unpacked, write_atomically};
use canopy_base::lines::lines;
use canopy_document::document::{Document, Format};

impl TranslationMemory {
    /// Reads what was translated before: a corpus folder, a TMX file, XLIFF and other files that have their
    /// translations in them, a program's catalogue (PO, or MO) or a folder with such files, or
    /// what [`Self::save`] writes.
    ///
    /// # Errors
    /// If it cannot be read, or has other languages than these.
    pub fn read(path: &Path, source_language: &str, target_language: &str) -> Result<Self> {
        let memory = Self::read_pairs(path, (source_language, target_language))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(memory.named(&name))
    }

    fn read_pairs(path: &Path, languages: (&str, &str)) -> Result<Self> {
        let (source_language, target_language) = languages;
        let catalogues = match path.is_dir() {
            true if !Corpus::is_one(path) => gettext::catalogues_below(path)?,
            false if is_catalogue(path) => vec![path.to_owned()],
            _ => Vec::new(),
        };
        if !catalogues.is_empty() {
            gettext::catalogue_pairs(&catalogues, languages).map(Self::new)
        } else if path.is_dir() {
            let corpus = Corpus::open(path)?;
            let info = corpus.info();
            let fits = is_same_language(&info.source_language, source_language)
                && is_same_language(&info.target_language, target_language);
            if !fits {
                return Err(Error::MemoryLanguages {
                    has: format!("{} to {}", info.source_language, info.target_language),
                    expected: format!("{source_language} to {target_language}"),
                    path: path.to_owned(),
                });
            }
            Self::from_corpus(&corpus, &Split::ALL)
        } else if Format::from_path(path).is_some_and(Format::is_bilingual) {
            let document = Document::open(path, None)?;
            match &document.target_language {
                Some(language) if !is_same_language(language, target_language) => {
                    Err(Error::MemoryLanguages {
                        has: format!("a translation to {language}"),
                        expected: format!("{source_language} to {target_language}"),
                        path: path.to_owned(),
                    })
                }
                _ => Ok(Self::new(document.known_pairs())),
            }
        } else if has_ending(path, "tmx") {
            tmx_pairs(path, source_language, target_language).map(Self::with_origins)
        } else {
            Self::open(path)
        }
    }

    /// The files that [`Self::read`] reads.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
        if !path.is_dir() {
            Ok(vec![path.to_owned()])
        } else if Corpus::is_one(path) {
            let files = Split::ALL.map(|split| path.join(split.file_name()));
            Ok(files.to_vec())
        } else {
            gettext::catalogues_below(path)
        }
    }

    /// The pairs of some splits of a corpus, those that occur for the first time and are not the same in both
    /// languages.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn from_corpus(corpus: &Corpus, splits: &[Split]) -> Result<Self> {
        let mut pairs = Vec::new();
        for &split in splits {
            for document in corpus.documents(split)? {
                let document = document?;
                let units = document.paragraphs.iter().flat_map(|it| &it.units);
                let new = units.filter(|unit| unit.status == UnitStatus::New);
                pairs.extend(new.map(|unit| (unit.visible_source(), unit.visible_target())));
            }
        }
        Ok(Self::new(pairs))
    }

    /// Writes a pair a line, source and target with a tab between them.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        for Pair { source, target, .. } in &self.pairs {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}\t{}", visible(source, &[]), visible(target, &[]));
        }
        if !has_ending(path, "gz") {
            return Ok(write_atomically(path, text.as_bytes(), true)?);
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        let packed = packed
            .write_all(text.as_bytes())
            .and_then(|()| packed.finish());
        Ok(write_atomically(
            path,
            &packed.map_err(Error::write(path))?,
            true,
        )?)
    }

    /// Reads what [`Self::save`] writes.
    ///
    /// # Errors
    /// If the file cannot be read or a line has not two columns.
    pub fn open(path: &Path) -> Result<Self> {
        let lines = lines(path, read_unpacked(path)?)?;
        let pairs = lines.par_iter().enumerate().map(|(index, text)| {
            let mut columns = text.split('\t').map(|column| visible(column, &[]));
            match (columns.next(), columns.next(), columns.next()) {
                (Some(source), Some(target), None) => Ok((source, target)),
                _ => Err(Error::Memory {
                    line: index + 1,
                    path: path.to_owned(),
                }),
            }
        });
        // All of them, so that the first wrong line is reported.
        let pairs: Vec<Result<_>> = pairs.collect();
        Ok(Self::new(pairs.into_iter().collect::<Result<Vec<_>>>()?))
    }
}
