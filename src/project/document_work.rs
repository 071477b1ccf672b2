//! A document with the work on it, for those who have no window.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Project;
use super::project_lock::ProjectLock;
use super::project_store::{ProjectFiles, SavedWork};
use crate::error::Result;
use canopy_base::file::canonicalize;
use canopy_document::document::{Document, ReadingOptions};
use canopy_translate::inference::read_in_its_language;

/// Reads a document with its chosen options, including segmentation rules, splits and joins.
///
/// # Errors
/// If it or its rules cannot be read.
pub fn read_as(path: &Path, reading: Option<&ReadingOptions>) -> Result<Document> {
    let reading = reading.cloned().unwrap_or_default();
    Ok(read_in_its_language(&reading, |options| {
        Document::open_with(path, None, options)
    })?)
}

/// A document, what was done on it, and where that is kept.
#[derive(Debug)]
pub struct DocumentWork {
    /// Without links.
    pub path: PathBuf,
    /// The document.
    pub document: Arc<Document>,
    /// None if nothing was done on it yet.
    pub project: Option<Project>,
    files: ProjectFiles,
    /// Only if it may be written.
    lock: Option<ProjectLock>,
}

impl DocumentWork {
    /// Reads a document and the work on it below `data_folder`.
    ///
    /// # Errors
    /// If either cannot be read.
    pub fn read(data_folder: &Path, path: &Path) -> Result<Self> {
        Self::open(data_folder, path, None)
    }

    /// Opens the work to [save](Self::save) it.
    ///
    /// # Errors
    /// If either cannot be read, or a window has the document open.
    pub fn write(data_folder: &Path, path: &Path) -> Result<Self> {
        let path = canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let lock = ProjectLock::take(data_folder, &path);
        lock.check()?;
        Self::open(data_folder, &path, Some(lock))
    }

    fn open(data_folder: &Path, path: &Path, lock: Option<ProjectLock>) -> Result<Self> {
        let path = canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let document = Document::open(&path, None)?;
        let (files, work) = ProjectFiles::find(data_folder, &path, &document);
        let SavedWork { project, error, .. } = work;
        if let Some(error) = error {
            return Err(error);
        }
        let reading = project
            .as_ref()
            .and_then(|project| project.reading.as_ref());
        let document = match reading {
            Some(reading) if *reading != document.reading => read_as(&path, Some(reading))?,
            _ => document,
        };
        Ok(Self {
            path,
            document: Arc::new(document),
            project,
            files,
            lock,
        })
    }

    /// Keeps the work as it is now.
    ///
    /// # Errors
    /// If it cannot be written, or was opened to be read only.
    pub fn save(&mut self, project: Project) -> Result<()> {
        if let Some(lock) = &self.lock {
            lock.check()?;
        }
        let merged = self.files.save(&project)?;
        self.project = Some(merged.map_or(project, |merged| merged.project));
        Ok(())
    }
}
