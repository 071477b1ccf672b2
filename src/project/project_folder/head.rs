//! The file at the head of a project, and the settings in it.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// The file at the head of a project.
pub const HEAD: &str = "canopy-project.toml";

/// The newest form of the head that this program knows.
pub(super) const VERSION: u32 = 1;

/// The project file; paths are relative to the folder, with `/` between their parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the format.
    pub version: u32,
    /// Name of the project.
    pub name: String,
    /// Code of the language of the documents.
    pub source_language: String,
    /// Code of the language of the translations.
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

    /// Creates the head of a project without documents, memories and termbases.
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
    /// Code of the language of the documents.
    pub source_language: String,
    /// Code of the language of the translations.
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

/// Whether a path of the head stays within the folder.
pub(super) fn is_within(relative: &str) -> bool {
    let mut parts = Path::new(relative).components();
    !relative.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}
