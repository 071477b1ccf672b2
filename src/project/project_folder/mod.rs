//! A project of several documents: one folder with its sources, the work on them, memories and termbases.
//!
//! `canopy-project.toml` at its head names them by paths from the folder, so that it can be moved and put under version
//! control. The work on `sources/page.html` is `work/sources/page.html.json`.

mod export;
mod head;
mod memories;
mod status;
mod work;

use std::path::{Path, PathBuf};

use self::head::{VERSION, is_within};
use crate::error::{Error, Result};
use canopy_base::file::{canonicalize, is_same_file, write_atomically};
use canopy_document::document::Document;
use canopy_qa::checks::CheckKind;

pub use head::{HEAD, Head, MAX_PENALTY, ProjectMemory, ProjectSettings};
pub use memories::{FurtherMemory, memories_at, memory_at};
pub use status::{Bands, DocumentStatus, ProjectStatus};

const SOURCES: &str = "sources";

const WORK: &str = "work";

/// A project's folder with what its head says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFolder {
    /// Without links.
    pub folder: PathBuf,
    /// The contents of the project file.
    pub head: Head,
}

impl ProjectFolder {
    /// Whether a path is a project's folder, or the file at its head.
    pub fn is_one(path: &Path) -> bool {
        path.join(HEAD).is_file() || is_head(path) && path.is_file()
    }

    /// Opens a project by its folder or by the file at its head.
    ///
    /// # Errors
    /// If the head cannot be read, or is of a newer program.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = match path.parent() {
            Some(folder) if is_head(path) => folder,
            _ => path,
        };
        let place = folder.join(HEAD);
        let text = std::fs::read_to_string(&place).map_err(Error::read(&place))?;
        let broken = |reason: String| Error::Project {
            reason,
            path: place.clone(),
        };
        let head: Head = toml::from_str(&text).map_err(|cause| broken(cause.to_string()))?;
        if head.version > VERSION {
            return Err(broken(format!(
                "version {} is newer than this program",
                head.version
            )));
        }
        for ProjectMemory { path, penalty } in &head.memories {
            if *penalty > MAX_PENALTY {
                return Err(broken(format!(
                    "the penalty of {path:?} is {penalty}; it may be 0 to {MAX_PENALTY}"
                )));
            }
        }
        for path in &head.documents {
            if !is_within(path) {
                return Err(broken(format!("{path:?} leaves the folder of the project")));
            }
        }
        let folder = canonicalize(folder).map_err(Error::read(folder))?;
        Ok(Self { folder, head })
    }

    /// Begins a project in a folder that is made if it is not there.
    ///
    /// # Errors
    /// If there is one already, or it cannot be written.
    pub fn create(folder: &Path, head: Head) -> Result<Self> {
        let sources = folder.join(SOURCES);
        std::fs::create_dir_all(&sources).map_err(Error::write(&sources))?;
        let folder = canonicalize(folder).map_err(Error::read(folder))?;
        let project = Self { folder, head };
        project.write(false)?;
        Ok(project)
    }

    /// The project that a document belongs to.
    ///
    /// # Errors
    /// If the head of the nearest project above it cannot be read.
    pub fn containing(document: &Path) -> Result<Option<Self>> {
        let document = canonicalize(document);
        let Ok(document) = document else {
            return Ok(None);
        };
        let mut folders = document.ancestors().skip(1);
        let Some(folder) = folders.find(|folder| folder.join(HEAD).is_file()) else {
            return Ok(None);
        };
        let project = Self::open(folder)?;
        let is_listed = project.relative(&document).is_some_and(|path| {
            let mut documents = project.head.documents.iter();
            documents.any(|listed| *listed == path)
        });
        Ok(is_listed.then_some(project))
    }

    /// Keeps what the head says now.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self) -> Result<()> {
        self.write(true)
    }

    fn write(&self, overwrite: bool) -> Result<()> {
        let place = self.folder.join(HEAD);
        let text = toml::to_string_pretty(&self.head).map_err(|cause| Error::Project {
            reason: cause.to_string(),
            path: place.clone(),
        })?;
        Ok(write_atomically(&place, text.as_bytes(), overwrite)?)
    }

    /// Takes documents in: those outside the folder are copied into it.
    ///
    /// # Errors
    /// If one cannot be read or copied, or there is another one of its name.
    pub fn add(&mut self, documents: &[PathBuf]) -> Result<()> {
        for path in documents {
            self.take_document(path)?;
        }
        self.save()
    }

    /// Takes a document in, which the head says once it is saved; its path from the folder.
    ///
    /// # Errors
    /// If it cannot be read or copied, or there is another one of its name.
    pub fn take_document(&mut self, path: &Path) -> Result<String> {
        // Unreadable files are reported now.
        Document::open(path, None)?;
        let relative = self.taken_in(path, SOURCES)?;
        if !self.head.documents.contains(&relative) {
            self.head.documents.push(relative.clone());
        }
        Ok(relative)
    }

    /// Takes a document out of the list; its source and the work on it stay where they are.
    ///
    /// # Errors
    /// If the head cannot be written.
    pub fn remove(&mut self, document: &str) -> Result<()> {
        self.head.documents.retain(|listed| listed != document);
        self.save()
    }

    /// Moves a document down by a number of places in the list, as far as there are any.
    ///
    /// # Errors
    /// If the head cannot be written.
    pub fn move_by(&mut self, document: &str, by: isize) -> Result<()> {
        let documents = &mut self.head.documents;
        if let Some(at) = documents.iter().position(|listed| listed == document) {
            let to = at.saturating_add_signed(by).min(documents.len() - 1);
            let moved = documents.remove(at);
            documents.insert(to, moved);
        }
        self.save()
    }

    /// Copies a memory into the folder, if it is not there, and uses it in place of the first one.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub fn use_memory(&mut self, path: &Path) -> Result<()> {
        let memory = self.taken_in(path, "")?;
        self.head.memories.retain(|other| other.path != memory);
        self.head.memory = Some(memory);
        self.save()
    }

    /// Takes settings in place of those that it has: files that they name are copied into the folder, if they are not there.
    ///
    /// # Errors
    /// If one cannot be copied, or the head cannot be written.
    pub fn configure(&mut self, settings: &ProjectSettings) -> Result<()> {
        let mut memories = Vec::new();
        for ProjectMemory { path, penalty } in &settings.memories {
            let path = self.taken_in(&self.path(path), "")?;
            if !memories.iter().any(|it: &ProjectMemory| it.path == path) {
                memories.push(ProjectMemory {
                    path,
                    penalty: *penalty,
                });
            }
        }
        let terms = settings.terms.iter().map(|path| self.path(path));
        let terms = self.termbases(terms)?;
        let head = &mut self.head;
        head.source_language.clone_from(&settings.source_language);
        head.target_language.clone_from(&settings.target_language);
        head.model.clone_from(&settings.model);
        head.terms = terms;
        head.set_memories(memories);
        self.save()
    }

    /// Sets the termbases, in the order in which they count.
    ///
    /// # Errors
    /// If one cannot be copied.
    pub fn use_terms(&mut self, paths: &[PathBuf]) -> Result<()> {
        self.head.terms = self.termbases(paths.iter().cloned())?;
        self.save()
    }

    /// The paths of termbases within the folder, each once.
    fn termbases(&self, paths: impl Iterator<Item = PathBuf>) -> Result<Vec<String>> {
        let mut terms = Vec::new();
        for path in paths {
            let path = self.taken_in(&path, "")?;
            if !terms.contains(&path) {
                terms.push(path);
            }
        }
        Ok(terms)
    }

    /// The path of a file within the folder, where it is copied to if it is outside.
    fn taken_in(&self, path: &Path, below: &str) -> Result<String> {
        let place = canonicalize(path).map_err(Error::read(path))?;
        if let Some(relative) = self.relative(&place) {
            return Ok(relative);
        }
        let name = place.file_name().unwrap_or_default();
        let copy = self.folder.join(below).join(name);
        let relative = self.relative(&copy).ok_or_else(|| Error::Project {
            reason: "its name is not Unicode; rename it".to_owned(),
            path: place.clone(),
        })?;
        let bytes = std::fs::read(&place).map_err(Error::read(&place))?;
        if std::fs::read(&copy).is_ok_and(|there| there == bytes) {
            return Ok(relative);
        }
        if let Some(folder) = copy.parent() {
            std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
        }
        write_atomically(&copy, &bytes, false)?;
        Ok(relative)
    }

    /// A path seen from the folder, with `/` between its parts; none if it is outside.
    pub fn relative(&self, path: &Path) -> Option<String> {
        let parts = path.strip_prefix(&self.folder).ok()?.components();
        let parts: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    }

    /// Where a path of the head is.
    pub fn path(&self, relative: &str) -> PathBuf {
        // A whole path stays what it is.
        self.folder.join(relative)
    }

    /// Documents with their paths.
    pub fn documents(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        let documents = self.head.documents.iter();
        documents.map(|relative| (relative.as_str(), self.path(relative)))
    }

    /// The termbases, in the order in which they count.
    pub fn terms(&self) -> Vec<PathBuf> {
        let terms = self.head.terms.iter();
        terms.map(|path| self.path(path)).collect()
    }

    /// The model's folder, if it is one in the project or is named by its whole path.
    pub fn model_folder(&self) -> Option<PathBuf> {
        let folder = self.path(self.head.model.as_ref()?);
        folder.exists().then_some(folder)
    }

    /// The checks that are made; a name that this program does not know is left out.
    pub fn checks(&self) -> Option<Vec<CheckKind>> {
        let names = self.head.checks.as_ref()?.iter();
        Some(names.filter_map(|name| name.parse().ok()).collect())
    }

    /// Whether this is a document, or something else, of the project.
    pub fn has(&self, path: &Path) -> bool {
        self.documents()
            .any(|(_, own)| own == path || is_same_file(&own, path))
    }
}

fn is_head(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == HEAD)
}

#[cfg(test)]
mod tests;
