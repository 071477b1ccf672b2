//! The places of project files: named by the content of a document and, as a hint, by its path.
//!
//! `CONTENT-PATH.json` below `projects`, both 16 hexadecimal digits. A file that cannot be read stays as it is: next to it
//! `CONTENT-PATH.2.json` begins. Older versions knew the path alone, `PATH.json`; what they wrote is found and becomes a
//! file of the new name when the work on its document is next saved. Work on a document of a project folder is kept in that folder.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::project::{Project, SavedTarget, content_hash, hex};
use super::project_folder::ProjectFolder;
use super::project_merge::{MergedWork, Seen};
use super::segment_history::absorb;
use crate::error::{Error, Result};
use canopy_base::file::{canonicalize, write_atomically};
use canopy_document::document::Document;
use canopy_qa::checks::Checks;

/// Maximum number of projects of missing documents that are read to find the one that a document had under another name.
const MOST_LOOKED_AT: usize = 400;

/// Work that earlier sessions have left of a document.
#[derive(Debug, Default)]
pub struct SavedWork {
    /// Done on the document at this path.
    pub project: Option<Project>,
    /// Done on the same text, or much of it, at another path.
    pub moved_work: Option<Project>,
    /// The error of a file that cannot be used.
    pub error: Option<Error>,
}

impl SavedWork {
    fn unreadable(error: Error) -> Self {
        Self {
            error: Some(error),
            ..Self::default()
        }
    }
}

/// Where the work on one document is kept.
#[derive(Debug)]
pub struct ProjectFiles {
    folder: PathBuf,
    /// Key of the document's path.
    path_key: String,
    /// Files that the next one replaces: their work is in it.
    read: Vec<PathBuf>,
    /// Files that cannot be read, or belong to another document: never replaced.
    foreign: Vec<PathBuf>,
    /// The folder could not be listed, so it is unknown what would be lost.
    is_unknown: bool,
    /// The project folder that the document belongs to.
    shared: Option<Shared>,
    /// The file that the next one replaces.
    seen: Option<Seen>,
}

/// A document of a project folder.
#[derive(Debug)]
struct Shared {
    project: ProjectFolder,
    document: String,
    /// The settings that it was read with, or that were kept last.
    settings: Settings,
}

/// The termbase and the checks of a project.
type Settings = (Vec<String>, Option<Vec<String>>);

/// A project file by its name.
#[derive(Debug, Clone)]
struct Entry {
    path: PathBuf,
    content_key: Option<String>,
    path_key: String,
    modified: SystemTime,
}

impl ProjectFiles {
    /// Looks for what is known of the document at `path`, without links.
    pub fn find(data_folder: &Path, path: &Path, document: &Document) -> (Self, SavedWork) {
        let mut place = Self::new(data_folder, path);
        match Shared::read(path) {
            Ok(Some(shared)) => {
                let work = shared.find(&place.folder, document);
                let file = shared.project.work_place(&shared.document);
                place.seen = work.project.as_ref().map(|it| Seen::new(file, it));
                place.shared = Some(shared);
                return (place, work);
            }
            Ok(None) => {}
            Err(error) => {
                place.is_unknown = true;
                return (place, SavedWork::unreadable(error));
            }
        }
        let entries = match entries(&place.folder) {
            Ok(entries) => entries,
            Err(error) => {
                place.is_unknown = true;
                return (place, SavedWork::unreadable(error));
            }
        };
        let (own, others): (Vec<Entry>, Vec<Entry>) = entries
            .into_iter()
            .partition(|entry| entry.path_key == place.path_key);
        let (project, error) = place.read(own, path);
        // The one that the next save replaces is the newest that could be read.
        let file = place.read.first().cloned();
        place.seen = file
            .zip(project.as_ref())
            .map(|(file, it)| Seen::new(file, it));
        let content = content_hash(document);
        // Once seen here, the question is answered.
        let is_known = |project: &Project| {
            project.content == content || project.matched(document).iter().any(Option::is_some)
        };
        let moved_work = if project.as_ref().is_some_and(is_known) {
            None
        } else {
            moved_work(others, &content, document)
        };
        let found = SavedWork {
            project,
            moved_work,
            error,
        };
        (place, found)
    }

    /// For a document that was opened without looking: existing work is not read and so not replaced.
    pub fn unread(data_folder: &Path, path: &Path) -> Self {
        Self {
            is_unknown: true,
            shared: Shared::read(path).ok().flatten(),
            ..Self::new(data_folder, path)
        }
    }

    /// The folder of the project that the document belongs to.
    pub fn project_folder(&self) -> Option<&Path> {
        let shared = self.shared.as_ref();
        shared.map(|shared| shared.project.folder.as_path())
    }

    fn new(data_folder: &Path, path: &Path) -> Self {
        Self {
            folder: folder(data_folder),
            path_key: path_key(path),
            read: Vec::new(),
            foreign: Vec::new(),
            is_unknown: false,
            shared: None,
            seen: None,
        }
    }

    /// All that was done on the document at this path, as one; and what of it cannot be read.
    fn read(&mut self, own: Vec<Entry>, document: &Path) -> (Option<Project>, Option<Error>) {
        let (mut projects, mut errors) = (Vec::new(), Vec::new());
        for Entry { path, .. } in own {
            match Project::read(&path) {
                // Two paths may look alike where a name is no Unicode; older versions took them for one.
                Ok(Some(project)) if project.document == document => {
                    projects.push(project);
                    self.read.push(path);
                }
                Ok(_) => self.foreign.push(path),
                Err(error) => {
                    errors.push(error);
                    self.foreign.push(path);
                }
            }
        }
        let error = match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Error::Projects { errors }),
        };
        (merged(projects), error)
    }

    /// Writes what is known of the document now, merged with changes of the file since it was read.
    /// Files that were read before and have another name now go; what could not be read stays.
    ///
    /// # Errors
    /// If it cannot be written, or it is unknown what it would replace.
    pub fn save(&mut self, project: &Project) -> Result<Option<MergedWork>> {
        let merged = self.seen.as_ref().and_then(|seen| seen.merged(project));
        let project = merged.as_ref().map_or(project, |merged| &merged.project);
        let path = if let Some(shared) = &mut self.shared {
            shared.save(project, std::mem::take(&mut self.is_unknown))?;
            shared.project.work_place(&shared.document)
        } else {
            self.save_own(project)?
        };
        self.seen = Some(Seen::new(path, project));
        Ok(merged)
    }

    fn save_own(&mut self, project: &Project) -> Result<PathBuf> {
        if self.is_unknown {
            let own = entries(&self.folder)?;
            let own = own.into_iter();
            let own = own.filter(|entry| entry.path_key == self.path_key);
            // Not read, so not known: nothing of it may go.
            self.foreign = own.map(|entry| entry.path).collect();
            self.is_unknown = false;
        }
        let path = self.free(&project.content);
        let bytes = project.to_bytes(&path)?;
        std::fs::create_dir_all(&self.folder).map_err(Error::write(&self.folder))?;
        write_atomically(&path, &bytes, true)?;
        for old in self.read.drain(..).filter(|old| *old != path) {
            // It would be merged again.
            let _ = std::fs::remove_file(old);
        }
        self.read.push(path.clone());
        Ok(path)
    }

    /// The first name that nothing unreadable has.
    fn free(&self, content: &str) -> PathBuf {
        let stem = match content {
            "" => self.path_key.clone(),
            content => format!("{content}-{}", self.path_key),
        };
        let first = self.folder.join(format!("{stem}.json"));
        let others = (2..).map(|number: u32| self.folder.join(format!("{stem}.{number}.json")));
        let mut names = std::iter::once(first.clone()).chain(others);
        let is_free = |name: &PathBuf| !self.foreign.contains(name);
        names.find(is_free).unwrap_or(first)
    }
}

impl Shared {
    fn read(path: &Path) -> Result<Option<Self>> {
        let Some(project) = ProjectFolder::containing(path)? else {
            return Ok(None);
        };
        let canonical = canonicalize(path).map_err(Error::read(path))?;
        let document = project.relative(&canonical).unwrap_or_default();
        let nothing = Project::new(canonical, String::new(), Vec::new());
        let settings = settings(&project.with_settings(&document, nothing));
        Ok(Some(Self {
            project,
            document,
            settings,
        }))
    }

    /// The work of the project folder; else what was done on the document before it came there.
    fn find(&self, data_folder: &Path, document: &Document) -> SavedWork {
        let content = content_hash(document);
        let (work, error) = self.project.readable_work(&self.document);
        let others = entries(data_folder).unwrap_or_default();
        let moved_work = match &work {
            Some(_) => None,
            None => moved_work(others, &content, document),
        };
        let project = work.unwrap_or_else(|| {
            let path = self.project.path(&self.document);
            let nothing = Project::new(path, content, Vec::new());
            let nothing = nothing.in_language(&self.project.head.target_language);
            self.project.with_settings(&self.document, nothing)
        });
        SavedWork {
            project: Some(project),
            moved_work,
            error,
        }
    }

    fn save(&mut self, project: &Project, is_unread: bool) -> Result<()> {
        // Its settings are those for the language of the project.
        let project = &project
            .clone()
            .in_language(&self.project.head.target_language);
        let (there, _) = self.project.readable_work(&self.document);
        let both = there
            .filter(|_| is_unread)
            .map(|there| vec![project.clone(), there]);
        let both = both.and_then(merged);
        self.project
            .save_work(&self.document, both.as_ref().unwrap_or(project))?;
        let now = settings(project);
        if now != self.settings {
            // Another document of the project may have changed them since.
            self.project = ProjectFolder::open(&self.project.folder)?;
            let there = self.project.with_settings(&self.document, project.clone());
            let terms = if now.0 == self.settings.0 {
                &there
            } else {
                project
            };
            let checks = if now.1 == self.settings.1 {
                &there
            } else {
                project
            };
            self.project.change_settings(&Project {
                terms: terms.terms.clone(),
                checks: checks.checks.clone(),
                ..there.clone()
            })?;
            self.settings = now;
        }
        Ok(())
    }
}

/// The settings of a document, the usual checks by their names.
fn settings(project: &Project) -> Settings {
    let usual = || {
        Checks::default()
            .kinds
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    (
        project.terms.clone(),
        Some(project.checks.clone().unwrap_or_else(usual)),
    )
}

/// The file that is locked while a window writes the project of a document; all versions agree on it.
pub(super) fn lock_path(data_folder: &Path, document: &Path) -> PathBuf {
    folder(data_folder).join(format!("{}.lock", path_key(document)))
}

fn folder(data_folder: &Path) -> PathBuf {
    data_folder.join("projects")
}

/// Paths that are no Unicode have one of their own, too.
fn path_key(path: &Path) -> String {
    hex(path.as_os_str().as_encoded_bytes())
}

/// All project files, the newest first.
fn entries(folder: &Path) -> Result<Vec<Entry>> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(Error::read(folder)(cause)),
    };
    let mut entries = Vec::new();
    for entry in listed {
        let path = entry.map_err(Error::read(folder))?.path();
        entries.extend(Entry::from_path(path));
    }
    entries.sort_by(|one, other| {
        let newest_first = other.modified.cmp(&one.modified);
        newest_first.then_with(|| one.path.cmp(&other.path))
    });
    Ok(entries)
}

impl Entry {
    /// `None` if the name is no project's.
    fn from_path(path: PathBuf) -> Option<Self> {
        if path.extension() != Some(OsStr::new("json")) {
            return None;
        }
        let stem = path.file_stem()?.to_str()?;
        let keys = stem.split_once('.').map_or(stem, |(keys, _)| keys);
        let (content_key, path_key) = match keys.split_once('-') {
            Some((content, path)) => (Some(content.to_owned()), path),
            None => (None, keys),
        };
        let path_key = path_key.to_owned();
        let metadata = std::fs::metadata(&path);
        let modified = metadata.and_then(|it| it.modified());
        Some(Self {
            content_key,
            path_key,
            modified: modified.unwrap_or(SystemTime::UNIX_EPOCH),
            path,
        })
    }
}

/// The projects of one document as one: what a person has done before what a machine has, and the newest first.
pub(super) fn merged(projects: Vec<Project>) -> Option<Project> {
    let mut projects = projects.into_iter();
    let mut merged = projects.next()?;
    for mut older in projects {
        if merged.target_language.is_none()
            && let Some(language) = &older.target_language
        {
            merged = merged.in_language(language);
        }
        older = older.in_language_of(&merged);
        merged.targets = united(std::mem::take(&mut merged.targets), older.targets);
        for other in older.other_languages {
            let mut others = merged.other_languages.iter_mut();
            match others.find(|own| own.is_in(&other.language)) {
                Some(own) => {
                    own.targets = united(std::mem::take(&mut own.targets), other.targets);
                }
                None => merged.other_languages.push(other),
            }
        }
    }
    Some(merged)
}

/// Newer and older targets: what a person has done before what a machine has.
fn united(newer: Vec<SavedTarget>, older: Vec<SavedTarget>) -> Vec<SavedTarget> {
    let targets = newer.into_iter().chain(older);
    let (drafts, by_people): (Vec<_>, Vec<_>) =
        targets.partition(|target| target.state.is_replaceable());
    let mut places = HashMap::new();
    let mut kept: Vec<SavedTarget> = Vec::new();
    for target in by_people.into_iter().chain(drafts) {
        let place = (target.index, target.source.clone(), target.text.clone());
        let first = *places.entry(place).or_insert(kept.len());
        match kept.get_mut(first) {
            Some(first) => absorb(&mut first.history, &target.history),
            None => kept.push(target),
        }
    }
    kept
}

/// Work on a document of the same content at another path; else on one that is gone, if half of it fits here.
fn moved_work(others: Vec<Entry>, content: &str, document: &Document) -> Option<Project> {
    let (same, others): (Vec<Entry>, Vec<Entry>) = others
        .into_iter()
        .partition(|entry| entry.content_key.as_deref() == Some(content));
    let read = |entry: &Entry| Project::read(&entry.path).ok().flatten();
    let mut same = same.iter().filter_map(read);
    if let Some(project) = same.find(Project::has_work) {
        return Some(project);
    }
    let others = others.iter().take(MOST_LOOKED_AT).filter_map(read);
    let fits = others.filter_map(|project| {
        let fitting = project.matched(document).iter().flatten().count();
        let is_gone = || !project.document.exists();
        (fitting > 0 && 2 * fitting >= project.targets.len() && is_gone())
            .then_some((fitting, project))
    });
    // The newest of several equally good ones, which comes first.
    let best = fits.reduce(|best, other| if other.0 > best.0 { other } else { best });
    best.map(|(_, project)| project)
}

#[cfg(test)]
mod tests;
