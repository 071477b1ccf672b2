//! The form of a new corpus, from two folders of documents or a translation memory.

use std::path::{Path, PathBuf};

use crate::corpus::document_folders::FolderImport;
use crate::corpus::tmx::TmxImport;
use crate::jobs::{CorpusImport, JobControl, JobId};

/// A part of the form that is filled in by choosing a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Source,
    Target,
    /// Both, in TMX.
    Memory,
}

/// Where the documents come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CorpusSource {
    #[default]
    Folders,
    Memory,
}

/// How the making of a corpus stands.
#[derive(Debug, Clone, Default)]
pub enum Making {
    #[default]
    Filling,
    /// With the share that is read, in `[0, 1]`.
    Running(JobId, JobControl, f64),
    Failed(String),
}

impl PartialEq for Making {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Filling, Self::Filling) => true,
            (Self::Running(job, ..), Self::Running(other, ..)) => job == other,
            (Self::Failed(reason), Self::Failed(other)) => reason == other,
            _ => false,
        }
    }
}

/// A corpus that is being filled in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewCorpus {
    pub name: String,
    pub from: CorpusSource,
    pub source: PathBuf,
    pub target: PathBuf,
    pub memory: PathBuf,
    /// Such as `en`.
    pub source_language: String,
    pub target_language: String,
    pub making: Making,
}

impl NewCorpus {
    pub fn set(&mut self, side: Side, path: PathBuf) {
        match side {
            Side::Source => self.source = path,
            Side::Target => self.target = path,
            Side::Memory => self.memory = path,
        }
    }

    /// What is to be read, into a folder below `corpora`.
    pub fn import(&self, corpora: &Path) -> CorpusImport {
        let output = corpora.join(self.name.trim());
        let source_language = self.source_language.trim().to_owned();
        let target_language = self.target_language.trim().to_owned();
        match self.from {
            CorpusSource::Folders => CorpusImport::Folders(FolderImport {
                source: self.source.clone(),
                target: self.target.clone(),
                source_language,
                target_language,
                output,
                replace: false,
                doubts: None,
            }),
            CorpusSource::Memory => CorpusImport::Memory(TmxImport {
                file: self.memory.clone(),
                source_language,
                target_language,
                output,
                replace: false,
                doubts: None,
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
            return Some("Choose a translation memory");
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
