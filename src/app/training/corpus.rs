//! The form of a new corpus, from two folders of documents or a translation memory.

use std::path::{Path, PathBuf};

use crate::jobs::{CorpusImport, JobControl, JobId};
use canopy_corpus::document_folders::FolderImport;
use canopy_corpus::survey::{Material, Survey};
use canopy_corpus::tmx::TmxImport;
use canopy_corpus::tsv::TsvImport;

/// A part of the form that is filled in by choosing a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The source documents.
    Source,
    /// The target documents.
    Target,
    /// Both, in a TMX file or a table.
    Memory,
}

/// Where the documents come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CorpusSource {
    /// A folder for each language.
    #[default]
    Folders,
    /// A TMX file or a table.
    Memory,
}

/// How far the import of a corpus is.
#[derive(Debug, Clone, Default)]
pub enum ImportState {
    /// The form is filled in.
    #[default]
    Editing,
    /// With the share that is read, in `[0, 1]`.
    Running(JobId, JobControl, f64),
    /// The message of the failure.
    Failed(String),
}

impl PartialEq for ImportState {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Editing, Self::Editing) => true,
            (Self::Running(job, ..), Self::Running(other, ..)) => job == other,
            (Self::Failed(reason), Self::Failed(other)) => reason == other,
            _ => false,
        }
    }
}

/// Facts about the material before it is imported.
#[derive(Debug, Clone, Default)]
pub enum SurveyState {
    /// Something is missing, or a person has ended the survey.
    #[default]
    None,
    /// With the share that is read, in `[0, 1]`.
    Running(JobId, JobControl, f64),
    /// With its findings.
    Found(Box<Survey>),
    /// The message of the failure.
    Failed(String),
}

impl PartialEq for SurveyState {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Running(job, ..), Self::Running(other, ..)) => job == other,
            (Self::Found(survey), Self::Found(other)) => survey == other,
            (Self::Failed(reason), Self::Failed(other)) => reason == other,
            _ => false,
        }
    }
}

/// A corpus that is being filled in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewCorpus {
    /// Name of the corpus.
    pub name: String,
    /// Files and folders that its documents are read from.
    pub from: CorpusSource,
    /// Folder of the source documents.
    pub source: PathBuf,
    /// Folder of the target documents.
    pub target: PathBuf,
    /// TMX file or table.
    pub memory: PathBuf,
    /// Such as `en`.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// Facts about the material.
    pub survey: SurveyState,
    /// Whether doubtful pairs are learned from too.
    pub keeps_doubtful: bool,
    /// How far the import is.
    pub import_state: ImportState,
    /// The material of the last survey.
    pub(super) surveyed: Option<Material>,
}

impl NewCorpus {
    /// The form with this filled in.
    pub fn from_material(material: &Material) -> Self {
        let mut form = Self::default();
        match material {
            Material::Memory(file) | Material::Table(file) => {
                form.from = CorpusSource::Memory;
                form.memory.clone_from(file);
            }
            Material::Folders { source, target } => {
                form.source.clone_from(source);
                form.target.clone_from(target);
            }
        }
        form
    }

    /// The material to be read, once it is named.
    pub fn material(&self) -> Option<Material> {
        let is_named = |path: &PathBuf| !path.as_os_str().is_empty();
        match self.from {
            CorpusSource::Memory => Material::from_path(&self.memory),
            CorpusSource::Folders => {
                let both = is_named(&self.source) && is_named(&self.target);
                both.then(|| Material::Folders {
                    source: self.source.clone(),
                    target: self.target.clone(),
                })
            }
        }
    }

    /// The languages as they are filled in, if both are.
    pub fn languages(&self) -> Option<(String, String)> {
        let [source, target] = [&self.source_language, &self.target_language]
            .map(|language| language.trim().to_owned());
        (!source.is_empty() && !target.is_empty()).then_some((source, target))
    }

    /// The survey, if it was made in the languages that are filled in now.
    pub fn found(&self) -> Option<&Survey> {
        let SurveyState::Found(survey) = &self.survey else {
            return None;
        };
        let of = (&survey.source_language, &survey.target_language);
        let is_same = self
            .languages()
            .is_none_or(|(source, target)| of == (&source, &target));
        is_same.then_some(survey)
    }

    /// The sides exchanged, with their languages.
    pub(super) fn swap(&mut self) {
        std::mem::swap(&mut self.source, &mut self.target);
        std::mem::swap(&mut self.source_language, &mut self.target_language);
    }

    /// Sets the path of a part.
    pub fn set(&mut self, side: Side, path: PathBuf) {
        match side {
            Side::Source => self.source = path,
            Side::Target => self.target = path,
            Side::Memory => self.memory = path,
        }
    }

    /// The import to be done, into a folder below `corpora`.
    pub fn import(&self, corpora: &Path) -> CorpusImport {
        let output = corpora.join(self.name.trim());
        let source_language = self.source_language.trim().to_owned();
        let target_language = self.target_language.trim().to_owned();
        let filter = self.found().filter(|_| !self.keeps_doubtful);
        let filter = filter.map(|survey| survey.filter);
        match (self.from, self.material()) {
            (CorpusSource::Folders, _) => CorpusImport::Folders(FolderImport {
                source: self.source.clone(),
                target: self.target.clone(),
                source_language,
                target_language,
                output,
                replace: false,
                filter,
            }),
            (CorpusSource::Memory, Some(Material::Table(file))) => CorpusImport::Table(TsvImport {
                file,
                source_language,
                target_language,
                output,
                replace: false,
                filter,
            }),
            (CorpusSource::Memory, _) => CorpusImport::Memory(TmxImport {
                file: self.memory.clone(),
                source_language,
                target_language,
                output,
                replace: false,
                filter,
            }),
        }
    }

    /// The first thing that is missing.
    pub fn problem(&self) -> Option<&'static str> {
        let empty = |path: &PathBuf| path.as_os_str().is_empty();
        let name = self.name.trim();
        if self.from == CorpusSource::Folders && empty(&self.source) {
            return Some("Choose the folder of the source documents");
        }
        if self.from == CorpusSource::Folders && empty(&self.target) {
            return Some("Choose the folder of their translations");
        }
        if self.from == CorpusSource::Memory && empty(&self.memory) {
            return Some("Choose a translation memory or a table");
        }
        if self.source_language.trim().is_empty() || self.target_language.trim().is_empty() {
            return Some("Name both languages, such as en and de");
        }
        if name.is_empty() || name.contains(['/', '\\', ':']) || name.starts_with('.') {
            return Some("Give the corpus a name without / \\ : or a dot in front");
        }
        None
    }
}
