//! Parallel text: one sentence a line, `<d>` alone on a line where a document begins.
//!
//! The format in which Maruf et al. (NAACL 2019) publish their documents. Each line becomes a paragraph with one unit,
//! so that scores are counted line by line; a document has no sections but its own. Lines that are empty on a side are
//! left out.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::format::{Corpus, CorpusInfo, ParallelDocument, ParallelParagraph};
use super::split::Split;
use super::unit::{Unit, folded};
use super::writer::CorpusWriter;
use crate::error::{BaseError, Error, Result};
use canopy_document::MAX_LINE_BYTES;
use canopy_document::placeholder;

const DOCUMENT_MARK: &str = "<d>";

/// An import: its files, languages and folder.
#[derive(Debug, Clone)]
pub struct TextImport {
    /// File of the sources.
    pub source: PathBuf,
    /// File of the translations.
    pub target: PathBuf,
    /// Language codes.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// Where all documents go; by the hash rule over the document's number, counted from 1, if none is said.
    pub split: Option<Split>,
    /// The new corpus.
    pub output: PathBuf,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
}

/// The lines that an import left out because one side of them is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextReport {
    /// Pairs that are in the corpus.
    pub pairs: usize,
    /// Lines without a source, counted from 1.
    pub without_source: Vec<usize>,
    /// Lines without a target, counted from 1.
    pub without_target: Vec<usize>,
    /// How many lines are empty on both sides.
    pub empty: usize,
}

impl TextImport {
    /// Reads both files and writes the corpus.
    ///
    /// # Errors
    /// If a file cannot be read, the files have not the same number of lines and `<d>` at the same ones, or the corpus
    /// cannot be written.
    pub fn run(&self) -> Result<(Corpus, TextReport)> {
        let mut source = Lines::open(&self.source)?;
        let mut target = Lines::open(&self.target)?;
        let stem = self
            .source
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let mut writer = CorpusWriter::create(&self.output, self.info(&stem), self.replace)?;
        let mut number = 0;
        let mut report = TextReport::default();
        let mut paragraphs = Vec::new();
        while let Some((ours, theirs)) = pair(&mut source, &mut target)? {
            if ours == DOCUMENT_MARK {
                if number == 0 && !paragraphs.is_empty() {
                    // A file need not begin with a mark.
                    number = 1;
                }
                self.add(&mut writer, &stem, number, std::mem::take(&mut paragraphs))?;
                number += 1;
                continue;
            }
            match (ours.is_empty(), theirs.is_empty()) {
                (true, true) => report.empty += 1,
                (true, false) => report.without_source.push(source.number),
                (false, true) => report.without_target.push(target.number),
                (false, false) => report.pairs += 1,
            }
            if !ours.is_empty() && !theirs.is_empty() {
                paragraphs.push(Unit::new(ours, theirs).into());
            }
        }
        self.add(&mut writer, &stem, number, paragraphs)?;
        Ok((writer.finish()?, report))
    }

    fn add(
        &self,
        writer: &mut CorpusWriter,
        stem: &str,
        number: usize,
        paragraphs: Vec<ParallelParagraph>,
    ) -> Result<()> {
        if paragraphs.is_empty() {
            return Ok(());
        }
        let number = number.max(1);
        let split = self
            .split
            .unwrap_or_else(|| Split::for_document(&number.to_string()));
        let id = format!("{stem}/{number:06}");
        writer.add(split, ParallelDocument::flat(id, paragraphs))
    }

    fn info(&self, stem: &str) -> CorpusInfo {
        let name = self.output.file_name().map_or_else(
            || stem.to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        CorpusInfo {
            name,
            source_language: self.source_language.clone(),
            target_language: self.target_language.clone(),
            origin: format!("{} and {}", self.source.display(), self.target.display()),
            licence: String::new(),
        }
    }
}

/// The next line of both files.
fn pair(source: &mut Lines, target: &mut Lines) -> Result<Option<(String, String)>> {
    let (ours, theirs) = (source.next()?, target.next()?);
    let unequal = |problem: &str, lines: &Lines| Error::UnequalSides {
        problem: problem.to_owned(),
        line: lines.number,
        path: lines.path.clone(),
    };
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if (ours == DOCUMENT_MARK) == (theirs == DOCUMENT_MARK) => {
            Ok(Some((ours, theirs)))
        }
        (Some(ours), Some(_)) => {
            let lacking = if ours == DOCUMENT_MARK {
                target
            } else {
                source
            };
            Err(unequal(
                "the other file has `<d>` here, this one has not",
                lacking,
            ))
        }
        (Some(_), None) => Err(unequal("this file ends before the other one", target)),
        (None, Some(_)) => Err(unequal("this file ends before the other one", source)),
        (None, None) => Ok(None),
    }
}

/// The lines of a file, one by one.
struct Lines {
    reader: BufReader<File>,
    path: PathBuf,
    /// Number of the line read last, counted from 1.
    number: usize,
    offset: usize,
}

impl Lines {
    fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::read(path))?;
        Ok(Self {
            reader: BufReader::new(file),
            path: path.to_owned(),
            number: 0,
            offset: 0,
        })
    }

    /// The next line, white space folded; characters that mean placeholders to us are left out.
    fn next(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        let mut limited = (&mut self.reader).take(MAX_LINE_BYTES as u64 + 1);
        limited
            .read_until(b'\n', &mut bytes)
            .map_err(Error::read(&self.path))?;
        self.number += 1;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() > MAX_LINE_BYTES {
            return Err(Error::Base(BaseError::LongLine {
                line: self.number,
                limit: MAX_LINE_BYTES,
                path: self.path.clone(),
            }));
        }
        let offset = self.offset;
        self.offset += bytes.len();
        if let Some(zero) = bytes.iter().position(|&byte| byte == 0) {
            return Err(Error::Base(BaseError::Binary {
                offset: offset + zero,
                path: self.path.clone(),
            }));
        }
        let text = String::from_utf8(bytes).map_err(|cause| {
            Error::Base(BaseError::NotUtf8 {
                offset: offset + cause.utf8_error().valid_up_to(),
                line: self.number,
                path: self.path.clone(),
            })
        })?;
        let text = if self.number == 1 {
            text.trim_start_matches('\u{FEFF}')
        } else {
            &text
        };
        Ok(Some(folded(&placeholder::stripped(text))))
    }
}
