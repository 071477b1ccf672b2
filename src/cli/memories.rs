//! Translation memories that options name.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use crate::error::{BaseError, Result};
use canopy_base::file::canonicalize;
use canopy_corpus::memory::TranslationMemory;
use canopy_project::project_folder::memory_at;
use canopy_project::{MAX_PENALTY, ProjectMemory};

/// `--memory` of a command that looks translations up.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct MemoryArguments {
    /// Translation memory: a TMX file, XLIFF with finished targets, a corpus folder, a project, a PO file or a folder
    /// of them, or a table with a source, a tab and a translation on each line. Exact matches are reused if the
    /// sentence has no markup; for other sentences the model looks up the translations of similar ones, word by word.
    /// Several memories have priority in their order; PERCENT is a penalty that is subtracted from a memory's matches
    #[arg(long, value_name = "FILE[=PERCENT]")]
    pub(super) memory: Vec<NamedMemory>,
}

impl MemoryArguments {
    /// All of them as one memory, the first one's pairs before those of the others; `None` if none is named.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(super) fn read(&self, from: &str, to: &str) -> Result<Option<TranslationMemory>> {
        let mut all: Option<TranslationMemory> = None;
        for NamedMemory { path, penalty } in &self.memory {
            let memory = memory_at(path, from, to)?.with_penalty(f32::from(*penalty) / 100.0);
            all = Some(match all {
                Some(first) => first.before(&memory),
                None => memory,
            });
        }
        Ok(all)
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.memory.iter().map(|memory| memory.path.as_path())
    }
}

/// A memory and its penalty, as an option names it: `FILE` or `FILE=PERCENT`.
#[derive(Debug, Clone)]
pub(super) struct NamedMemory {
    pub(super) path: PathBuf,
    /// Per cent that are subtracted from its matches, from 0 to [`MAX_PENALTY`].
    pub(super) penalty: u8,
}

/// The memories as settings of a project name them. Their paths are seen from where the program was started.
///
/// # Errors
/// If one is not there.
pub(super) fn project_memories(memories: &[NamedMemory]) -> Result<Vec<ProjectMemory>> {
    let memories = memories.iter().map(|NamedMemory { path, penalty }| {
        let placed = canonicalize(path).map_err(BaseError::read(path))?;
        Ok(ProjectMemory {
            path: placed.to_string_lossy().into_owned(),
            penalty: *penalty,
        })
    });
    memories.collect()
}

impl FromStr for NamedMemory {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = text.rsplit_once('=');
        let number = number.and_then(|(path, penalty)| Some((path, penalty.parse::<u32>().ok()?)));
        let Some((path, penalty)) = number else {
            return Ok(Self {
                path: text.into(),
                penalty: 0,
            });
        };
        match u8::try_from(penalty) {
            Ok(penalty) if penalty <= MAX_PENALTY => Ok(Self {
                path: path.into(),
                penalty,
            }),
            _ => Err(format!("a penalty is 0 to {MAX_PENALTY} percent")),
        }
    }
}
