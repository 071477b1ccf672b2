//! The work on the documents of a project.

use std::path::{Path, PathBuf};

use super::{ProjectFolder, WORK};
use crate::document_work::read_as;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::project_store::merged;
use crate::target::texts_of;
use canopy_base::file::write_atomically;
use canopy_document::document::Document;

impl ProjectFolder {
    /// Where the work on a document is kept.
    pub fn work_place(&self, document: &str) -> PathBuf {
        let place = self.path(&format!("{WORK}/{document}"));
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(".json");
        place.with_file_name(name)
    }

    /// The work on a document, with the settings of the project.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn work(&self, document: &str) -> Result<Option<Project>> {
        match self.readable_work(document) {
            (_, Some(error)) => Err(error),
            (work, None) => Ok(work),
        }
    }

    /// A document as it is read for the work on it, and that work.
    ///
    /// # Errors
    /// If either cannot be read.
    pub(super) fn document(
        &self,
        relative: &str,
        path: &Path,
    ) -> Result<(Document, Option<Project>)> {
        let work = self.work(relative)?;
        let reading = work.as_ref().and_then(|work| work.reading.as_ref());
        Ok((read_as(path, reading)?, work))
    }

    /// The readable work on a document, and the error of the rest.
    pub(crate) fn readable_work(&self, document: &str) -> (Option<Project>, Option<Error>) {
        let place = self.work_place(document);
        let (mut projects, mut error) = (Vec::new(), None);
        for place in [place.clone(), second_place(&place)] {
            match Project::read(&place) {
                Ok(found) => projects.extend(found),
                Err(failed) => error = error.or(Some(failed)),
            }
        }
        let work = merged(projects);
        let work = work.map(|work| work.in_language(&self.head.target_language));
        (work.map(|work| self.with_settings(document, work)), error)
    }

    /// A document's project as the window knows it.
    pub(crate) fn with_settings(&self, document: &str, project: Project) -> Project {
        Project {
            document: self.path(document),
            terms: texts_of(&self.terms()),
            checks: self.head.checks.clone(),
            ..project
        }
    }

    /// Keeps the work on a document; its settings are those of the project. What could not be read stays as it is: the
    /// work goes next to it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save_work(&self, document: &str, project: &Project) -> Result<()> {
        let main = self.work_place(document);
        let is_readable = Project::read(&main).is_ok();
        let place = if is_readable {
            main.clone()
        } else {
            second_place(&main)
        };
        let kept = Project {
            document: document.into(),
            terms: Vec::new(),
            checks: None,
            ..project.clone()
        };
        let bytes = kept.to_bytes(&place)?;
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
        }
        write_atomically(&place, &bytes, true)?;
        if is_readable {
            // It was read, and is in what was written now.
            let _ = std::fs::remove_file(second_place(&main));
        }
        Ok(())
    }

    /// Takes over the settings that a person has changed at one of the documents.
    pub(crate) fn change_settings(&mut self, project: &Project) -> Result<()> {
        let terms = project.terms.iter().map(|path| {
            let relative = self.relative(Path::new(path));
            relative.unwrap_or_else(|| path.clone())
        });
        self.head.terms = terms.collect();
        self.head.checks.clone_from(&project.checks);
        self.save()
    }
}

/// Where work goes while that at its place cannot be read.
fn second_place(place: &Path) -> PathBuf {
    place.with_extension("2.json")
}
