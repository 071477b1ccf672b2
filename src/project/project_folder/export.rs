//! The translations of a project as files.

use std::path::{Path, PathBuf};

use super::{ProjectFolder, SOURCES};
use crate::error::{BaseError, Error, Result};
use crate::{Project, SavedTarget, State};
use canopy_base::file::{check_writable, write_atomically};
use canopy_document::document::Document;
use canopy_document::export::{ExportFormat, Languages, Provenance};

/// The default place of translations.
const TRANSLATED: &str = "translated";

impl ProjectFolder {
    /// The default place of translations.
    pub fn translated(&self) -> PathBuf {
        self.folder.join(TRANSLATED)
    }

    /// Writes every document with its translations, or in another format, below `to`; returns what was written.
    ///
    /// # Errors
    /// If a document cannot be read or a file cannot be written, before any is.
    pub fn export(
        &self,
        to: &Path,
        format: Option<ExportFormat>,
        overwrite: bool,
    ) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for (relative, path) in self.documents() {
            let (document, work) = self.document(relative, &path)?;
            let bytes = self.written(&document, work.as_ref(), format)?;
            let place = to.join(written_name(relative, &document, format));
            check_writable(&place, overwrite).or_else(|error| match error {
                // Its folder is made.
                BaseError::Write { .. } if place.parent().is_some_and(|it| !it.exists()) => Ok(()),
                error => Err(error),
            })?;
            files.push((place, bytes));
        }
        for (place, bytes) in &files {
            if let Some(folder) = place.parent() {
                std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
            }
            write_atomically(place, bytes, overwrite)?;
        }
        Ok(files.into_iter().map(|(place, _)| place).collect())
    }

    fn written(
        &self,
        document: &Document,
        work: Option<&Project>,
        format: Option<ExportFormat>,
    ) -> Result<Vec<u8>> {
        let nothing = vec![None; document.sentences.len()];
        let targets = work.map_or(nothing, |work| work.matched(document));
        let is_there = |saved: &&&SavedTarget| saved.state != State::Untranslated;
        let there: Vec<Option<&SavedTarget>> = targets
            .iter()
            .map(|saved| saved.as_ref().filter(is_there).copied())
            .collect();
        let texts = there.iter().map(|it| it.map(|saved| saved.text.clone()));
        let texts: Vec<Option<String>> = texts.collect();
        let Some(format) = format else {
            return Ok(document.written(&texts, Some(&self.head.target_language))?);
        };
        let provenance = |saved: Option<&SavedTarget>| Provenance {
            model: saved.and_then(|saved| saved.model.clone()),
            time: saved.and_then(|saved| saved.history.last()?.time),
        };
        let provenances: Vec<Provenance> = there.iter().copied().map(provenance).collect();
        let languages = Languages {
            source: self.head.source_language.clone(),
            target: self.head.target_language.clone(),
        };
        Ok(document.exported_by(&texts, &provenances, format, &languages)?)
    }
}

/// The path of a translation: that of its source below the folder of sources.
fn written_name(relative: &str, document: &Document, format: Option<ExportFormat>) -> PathBuf {
    let sources = format!("{SOURCES}/");
    let mut path = PathBuf::from(relative.strip_prefix(&sources).unwrap_or(relative));
    let written = document.format.written_extension();
    match format {
        Some(format) => {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(".");
            name.push(format.extension());
            path.set_file_name(name);
        }
        None if written != document.format.extension() => {
            path.set_extension(written);
        }
        None => {}
    }
    path
}
