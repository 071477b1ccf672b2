//! Where documents come from, and where their translations go.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf, is_separator};

use super::arguments::TranslateArguments;
use crate::error::{BaseError, Error, Result};
use crate::inputs::check_output;
use crate::options::wrong_usage;
use crate::terminal::print_bytes;
use canopy_base::file::{canonical_path, check_writable, write_atomically};
use canopy_document::document::{Document, Format, ReadingOptions, SubtitleLayout};
use canopy_explain::trace::TraceFormat;
use canopy_translate::inference::read_in_its_language;

/// Where one translation goes; `None` is standard output.
pub(super) type Place = Option<PathBuf>;

impl TranslateArguments {
    /// Where the documents come from; `None` is standard input.
    pub(super) fn sources(&self) -> Vec<Option<&Path>> {
        if self.inputs.is_empty() {
            return vec![None];
        }
        let inputs = self.inputs.iter().map(PathBuf::as_path);
        let sources = inputs.map(|path| Some(path).filter(|path| path.as_os_str() != "-"));
        sources.collect()
    }

    /// All that is read, where it has a name.
    pub(super) fn read_paths(&self) -> Vec<&Path> {
        // A file that the shell passes on as standard input has one, too.
        let standard_input = Path::new("/dev/stdin");
        let sources = self.sources().into_iter();
        let sources = sources.map(|source| source.unwrap_or(standard_input));
        let others = [
            &self.model.model,
            &self.terms.terms,
            &self.reranker,
            &self.srx.srx,
        ];
        let others = others.into_iter().flatten().map(PathBuf::as_path);
        sources.chain(self.memory.paths()).chain(others).collect()
    }

    /// The format of a source by the options or its name.
    fn format_of(&self, source: &Path) -> Option<Format> {
        self.format.or_else(|| Format::from_path(source))
    }

    /// The name that the translation of a file gets in a folder.
    pub(super) fn written_name(&self, source: &Path) -> Option<OsString> {
        let mut name = source.file_name()?.to_owned();
        let written = self.format_of(source).map(Format::written_extension);
        if let Some(extension) = written
            && self.format_of(source).map(Format::extension) != Some(extension)
        {
            name = Path::new(&name).with_extension(extension).into();
        }
        if self.json {
            name.push(".json");
        } else if let Some(format) = self.export {
            name.push(".");
            name.push(format.extension());
        }
        Some(name)
    }

    /// Decides every output place before any work is done.
    pub(super) fn places(&self) -> Result<Vec<Place>> {
        let sources = self.sources();
        let Some(output) = self
            .output
            .as_ref()
            .filter(|output| output.as_os_str() != "-")
        else {
            return Ok(vec![None; sources.len()]);
        };
        let places: Vec<Place> = if output.is_dir() {
            if sources.contains(&None) {
                return Err(Error::write(output)(ErrorKind::IsADirectory.into()));
            }
            let place = |source| Some(output.join(self.written_name(source)?));
            sources.into_iter().map(|source| place(source?)).collect()
        } else if is_folder_name(output) {
            let cause = std::io::Error::new(ErrorKind::NotFound, "this folder does not exist");
            return Err(Error::write(output)(cause));
        } else if sources.len() > 1 {
            let path = output.clone();
            wrong_usage("translate", Error::NotAFolder { path })
        } else {
            vec![Some(output.clone())]
        };
        if !self.json && self.export.is_none() {
            for (source, place) in self.sources().into_iter().zip(&places) {
                if let (Some(source), Some(place)) = (source, place)
                    && let Some(format) = self.format_of(source)
                {
                    format.check_written_name(place)?;
                }
            }
        }
        let (mut taken, inputs) = (HashSet::new(), self.read_paths());
        for path in places.iter().flatten() {
            check_output(path, inputs.iter().copied())?;
            check_writable(path, self.force)?;
            if !taken.insert(canonical_path(path)) {
                return Err(Error::Base(BaseError::SameName { path: path.clone() }));
            }
        }
        Ok(places)
    }

    /// Refuses a trace that could not be written, before any work is done.
    pub(super) fn check_trace(&self, places: &[Place]) -> Result<()> {
        let Some(path) = &self.trace else {
            return Ok(());
        };
        TraceFormat::from_path(path)?;
        if self.inputs.len() > 1 {
            return Err(Error::TraceOfSeveral {
                count: self.inputs.len(),
            });
        }
        let place = canonical_path(path);
        if places
            .iter()
            .flatten()
            .any(|it| canonical_path(it) == place)
        {
            let path = path.clone();
            return Err(Error::TraceOverTranslation { path });
        }
        check_output(path, self.read_paths())?;
        Ok(check_writable(path, self.force)?)
    }

    pub(super) fn put(&self, bytes: &[u8], place: Place) -> Result<()> {
        match place {
            Some(path) => Ok(write_atomically(&path, bytes, self.force)?),
            None => print_bytes(bytes),
        }
    }

    pub(super) fn read(&self, path: Option<&Path>) -> Result<Document> {
        let mut document = self.opened(path)?;
        document.subtitle_layout = SubtitleLayout {
            max_chars: self.line_chars,
            max_lines: self.cue_lines,
        };
        Ok(document)
    }

    pub(super) fn reading_options(&self) -> ReadingOptions {
        ReadingOptions {
            columns: self.columns.clone(),
            comments: self.comments,
            sheet_names: self.sheet_names,
            drafts: self.retranslate_drafts,
            srx: self.srx.srx.clone(),
            language: self.from.clone().filter(|_| self.srx.srx.is_some()),
            ..ReadingOptions::default()
        }
    }

    fn opened(&self, path: Option<&Path>) -> Result<Document> {
        if let Some(path) = path {
            return Ok(read_in_its_language(&self.reading_options(), |options| {
                Document::open_with(path, self.format, options)
            })?);
        }
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(Error::read("standard input"))?;
        let format = self
            .format
            .or_else(|| Format::from_content(Path::new("-"), &bytes));
        let format = format.unwrap_or(Format::Text);
        Ok(read_in_its_language(&self.reading_options(), |options| {
            Document::from_bytes_with("-", format, bytes.clone(), options)
        })?)
    }
}

/// Whether a name that does not exist can only be meant as a folder's.
fn is_folder_name(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&byte| is_separator(char::from(byte)))
}
