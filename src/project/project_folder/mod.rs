//! A project of several documents: one folder with its sources, the work on them, memories and termbases.
//!
//! `canopy-project.toml` at its head names them by paths from the folder, so that it can be moved and put under version
//! control. The work on `sources/page.html` is `work/sources/page.html.json`.

mod export;
mod status;

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::document_work::read_as;
use super::project::{Project, SavedTarget};
use super::project_store::merged;
use super::target::texts_of;
use crate::error::{Error, Result};
use canopy_base::file::{canonicalize, is_same_file, write_atomically};
use canopy_corpus::memory::{PairOrigin, TranslationMemory};
use canopy_document::document::Document;
use canopy_document::placeholder::{folded, visible};
use canopy_metrics::formality::{EarlierForms, FormOfAddress};
use canopy_qa::checks::CheckKind;

pub use status::{Bands, DocumentStatus, ProjectStatus};

/// The file at the head of a project.
pub const HEAD: &str = "canopy-project.toml";

const SOURCES: &str = "sources";
const WORK: &str = "work";

/// The newest form of the head that this program knows.
const VERSION: u32 = 1;

/// The project file; paths are relative to the folder, with `/` between their parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub version: u32,
    pub name: String,
    pub source_language: String,
    pub target_language: String,
    /// The name of an installed model, or a model's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Earlier translations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// More of them, in the order in which they count after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<ProjectMemory>,
    /// The termbases, in the order in which they count; new terms go to the first.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "crate::one_or_several"
    )]
    pub terms: Vec<String>,
    /// Names of the checks that are made; the usual ones if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<String>>,
    /// In the order in which repetitions count.
    #[serde(default)]
    pub documents: Vec<String>,
}

/// A translation memory of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectMemory {
    /// Seen from the folder.
    pub path: String,
    /// Percent that are taken from its matches, from 0 to [`MAX_PENALTY`]; with one, what is exact is a fuzzy match.
    #[serde(default)]
    pub penalty: u8,
}

/// Largest penalty on the matches of a memory, in per cent.
pub const MAX_PENALTY: u8 = 50;

impl Head {
    /// All memories, in the order in which they count.
    pub fn all_memories(&self) -> Vec<ProjectMemory> {
        let first = self.memory.iter().map(|path| ProjectMemory {
            path: path.clone(),
            penalty: 0,
        });
        first.chain(self.memories.iter().cloned()).collect()
    }

    /// Takes these memories in place of those that it has.
    pub fn set_memories(&mut self, memories: Vec<ProjectMemory>) {
        let mut memories = memories;
        let is_plain = memories.first().is_some_and(|first| first.penalty == 0);
        self.memory = is_plain.then(|| memories.remove(0).path);
        self.memories = memories;
    }

    pub fn new(name: String, source_language: String, target_language: String) -> Self {
        Self {
            version: VERSION,
            name,
            source_language,
            target_language,
            model: None,
            memory: None,
            memories: Vec::new(),
            terms: Vec::new(),
            checks: None,
            documents: Vec::new(),
        }
    }
}

/// Settings of a project, apart from its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSettings {
    pub source_language: String,
    pub target_language: String,
    /// The name of an installed model, or a model's folder; none for an installed one between the languages.
    pub model: Option<String>,
    /// In the order in which they count; paths seen from the folder, or whole ones of files that are to be copied into it.
    pub memories: Vec<ProjectMemory>,
    /// The paths of the termbases, likewise.
    pub terms: Vec<String>,
}

impl ProjectSettings {
    /// Settings of a project as it is.
    pub fn from_head(head: &Head) -> Self {
        Self {
            source_language: head.source_language.clone(),
            target_language: head.target_language.clone(),
            model: head.model.clone(),
            memories: head.all_memories(),
            terms: head.terms.clone(),
        }
    }
}

/// A project's folder with what its head says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFolder {
    /// Without links.
    pub folder: PathBuf,
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
            reason: "its name is no Unicode; give it another one".to_owned(),
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

    /// The model's folder, if it is one that lies in the project or is named by its whole path.
    pub fn model_folder(&self) -> Option<PathBuf> {
        let folder = self.path(self.head.model.as_ref()?);
        folder.exists().then_some(folder)
    }

    /// The checks that are made; a name that this program does not know is left out.
    pub fn checks(&self) -> Option<Vec<CheckKind>> {
        let names = self.head.checks.as_ref()?.iter();
        Some(names.filter_map(|name| name.parse().ok()).collect())
    }

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
    fn document(&self, relative: &str, path: &Path) -> Result<(Document, Option<Project>)> {
        let work = self.work(relative)?;
        let reading = work.as_ref().and_then(|work| work.reading.as_ref());
        Ok((read_as(path, reading)?, work))
    }

    /// The readable work on a document, and the error of the rest.
    pub(super) fn readable_work(&self, document: &str) -> (Option<Project>, Option<Error>) {
        let place = self.work_place(document);
        let (mut projects, mut error) = (Vec::new(), None);
        for place in [place.clone(), beside(&place)] {
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
    pub(super) fn with_settings(&self, document: &str, project: Project) -> Project {
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
            beside(&main)
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
            let _ = std::fs::remove_file(beside(&main));
        }
        Ok(())
    }

    /// Takes over the settings that a person has changed at one of the documents.
    pub(super) fn change_settings(&mut self, project: &Project) -> Result<()> {
        let terms = project.terms.iter().map(|path| {
            let relative = self.relative(Path::new(path));
            relative.unwrap_or_else(|| path.clone())
        });
        self.head.terms = terms.collect();
        self.head.checks.clone_from(&project.checks);
        self.save()
    }

    /// The translation memory: confirmed sentences of all documents, then the memories.
    ///
    /// # Errors
    /// If the file of a memory cannot be read.
    pub fn memory(&self, from: &str, to: &str) -> Result<TranslationMemory> {
        let (mut pairs, mut forms) = (Vec::new(), EarlierForms::default());
        self.each_confirmed(|note, (source, target, origin)| {
            if let Some(form) = FormOfAddress::kept_by(&source, &target) {
                forms.add(note, form);
            }
            pairs.push((source, target, origin));
        });
        let confirmed = TranslationMemory::with_origins(pairs).with_forms(forms);
        Ok(match self.file_memory(from, to)? {
            Some(file) => confirmed.before(&file),
            None => confirmed,
        })
    }

    /// The files of the memories alone, each after those before it and with its penalty.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn file_memory(&self, from: &str, to: &str) -> Result<Option<TranslationMemory>> {
        let mut all: Option<TranslationMemory> = None;
        for ProjectMemory { path, penalty } in self.head.all_memories() {
            let memory = TranslationMemory::read(&self.path(&path), from, to)?;
            let memory = memory.with_penalty(f32::from(penalty) / 100.0);
            all = Some(match all {
                Some(before) => before.before(&memory),
                None => memory,
            });
        }
        Ok(all)
    }

    /// Pairs that a person has confirmed, as a reader sees them; a document that cannot be read has none.
    pub fn confirmed(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        self.each_confirmed(|_, (source, target, _)| pairs.push((source, target)));
        pairs
    }

    /// Calls `each` for all confirmed pairs, each with the note of its paragraph.
    fn each_confirmed(&self, mut each: impl FnMut(Option<&str>, (String, String, PairOrigin))) {
        for (relative, path) in self.documents() {
            let Ok((document, Some(work))) = self.document(relative, &path) else {
                continue;
            };
            let targets = work.matched(&document);
            for (sentence, saved) in document.sentences.iter().zip(targets) {
                let is_confirmed = |saved: &&SavedTarget| saved.state == super::State::Confirmed;
                if let Some(saved) = saved.filter(is_confirmed) {
                    let note = document.paragraphs[sentence.paragraph].note.as_deref();
                    let source = folded(&sentence.plain_text());
                    let target = visible(&saved.text, &sentence.points);
                    each(note, (source, target, confirmed_in(relative, saved)));
                }
            }
        }
    }

    /// Whether this is a document, or something else, of the project.
    pub fn has(&self, path: &Path) -> bool {
        self.documents()
            .any(|(_, own)| own == path || is_same_file(&own, path))
    }
}

/// Where a pair comes from that a person has confirmed in a document.
fn confirmed_in(relative: &str, saved: &SavedTarget) -> PairOrigin {
    let time = saved.history.last().and_then(|version| version.time);
    PairOrigin {
        memory: relative.to_owned(),
        author: None,
        date: time.map(|time| time.strftime("%Y-%m-%d").to_string()),
    }
}

/// Where work goes while that at its place cannot be read.
fn beside(place: &Path) -> PathBuf {
    place.with_extension("2.json")
}

fn is_head(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == HEAD)
}

/// The translation memory at a path; that of a project comes from all its documents.
///
/// # Errors
/// If it cannot be read.
pub fn memory_at(path: &Path, from: &str, to: &str) -> Result<TranslationMemory> {
    if ProjectFolder::is_one(path) {
        return ProjectFolder::open(path)?.memory(from, to);
    }
    Ok(TranslationMemory::read(path, from, to)?)
}

/// A translation memory that is looked up after others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FurtherMemory {
    pub path: PathBuf,
    /// Per cent that are subtracted from its matches, from 0 to [`MAX_PENALTY`].
    #[serde(default)]
    pub penalty: u8,
}

/// The translation memory at a path, as by [`memory_at`], and after it the further ones in their order. One that cannot be read
/// is left out; the second value says why.
///
/// # Errors
/// If none can be read: why the first one cannot.
pub fn memories_at(
    path: &Path,
    further: &[FurtherMemory],
    from: &str,
    to: &str,
) -> Result<(TranslationMemory, Vec<Error>)> {
    let first = FurtherMemory {
        path: path.to_owned(),
        penalty: 0,
    };
    let (mut all, mut left_out): (Option<TranslationMemory>, _) = (None, Vec::new());
    for FurtherMemory { path, penalty } in std::iter::once(&first).chain(further) {
        let mut memory = match memory_at(path, from, to) {
            Ok(memory) => memory,
            Err(error) => {
                left_out.push(error);
                continue;
            }
        };
        if *penalty > 0 {
            memory = memory.with_penalty(f32::from(*penalty) / 100.0);
        }
        all = Some(match all {
            Some(before) => before.before(&memory),
            None => memory,
        });
    }
    match all {
        Some(memory) => Ok((memory, left_out)),
        None => Err(left_out.swap_remove(0)),
    }
}

/// Whether a path of the head stays within the folder.
fn is_within(relative: &str) -> bool {
    let mut parts = Path::new(relative).components();
    !relative.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests;
