//! Translation memories in use: which one a pair of languages has, and those that are looked up after it.

use std::path::{Path, PathBuf};

use super::Models;
use crate::document::DocumentPage;
use crate::error::Result;
use crate::jobs::{FurtherMemory, UserMemory};
use crate::open_work::OpenWork;
use crate::project::Projects;
use crate::shared::Shared;
use canopy_project::MAX_PENALTY;
use canopy_translate::inference::pair_key;

impl Models {
    pub(crate) fn use_memory(&mut self, work: &mut OpenWork<'_>, memory: Option<PathBuf>) {
        self.memory_pairs = None;
        if let (Some(memory), Some(_)) = (&memory, &work.projects.open) {
            return work
                .projects
                .use_project_memory(work.shared, memory.clone());
        }
        work.shared.set(|settings| {
            if let Some(path) = &memory {
                settings.remember_memory(path);
            }
            settings.memory.clone_from(&memory);
        });
        keep_memory(work.shared, self.memory_key(work.document), memory);
        self.read_memories_again(work);
    }

    fn read_memories_again(&mut self, work: &mut OpenWork<'_>) {
        if work.document.pair(self).without_model().is_some() {
            return self.read_memory_without_model(work);
        }
        self.open_again(work);
    }

    /// Looks up a memory after the first one, with a penalty in per cent; `None` removes it from the list.
    pub(crate) fn use_further_memory(
        &mut self,
        work: &mut OpenWork<'_>,
        path: &Path,
        penalty: Option<u8>,
    ) {
        let Some(key) = self.memory_key(work.document) else {
            return;
        };
        work.shared.set(|settings| {
            let further = settings.further_memories.entry(key).or_default();
            let at = further.iter().position(|memory| memory.path == path);
            match (at, penalty) {
                (Some(at), Some(penalty)) => further[at].penalty = penalty.min(MAX_PENALTY),
                (Some(at), None) => {
                    further.remove(at);
                }
                (None, Some(penalty)) => further.push(FurtherMemory {
                    path: path.to_owned(),
                    penalty: penalty.min(MAX_PENALTY),
                }),
                (None, None) => {}
            }
            settings
                .further_memories
                .retain(|_, paths| !paths.is_empty());
        });
        self.read_memories_again(work);
    }

    pub(crate) fn learn_from_memory(&mut self, work: &mut OpenWork<'_>, learns: bool) {
        work.shared
            .set(|settings| settings.learns_from_memory = learns);
        if self
            .user_memory(work.shared, work.document, work.projects)
            .is_some()
        {
            self.open_again(work);
        }
    }

    pub(crate) fn memory_opened(&mut self, work: &mut OpenWork<'_>, pairs: Result<usize>) {
        match pairs {
            Ok(pairs) => {
                self.memory_pairs = Some(pairs);
                if work.projects.open.is_none() {
                    let memory = work.shared.settings.memory.clone();
                    keep_memory(work.shared, self.memory_key(work.document), memory);
                }
            }
            Err(error) => {
                // The list stays: a file on a drive that is not connected comes back.
                self.memory_pairs = None;
                work.shared
                    .show_error("No translation memory could be read", &error);
            }
        }
    }

    /// The one that a model is opened with.
    pub(crate) fn user_memory(
        &self,
        shared: &Shared,
        document: &DocumentPage,
        projects: &Projects,
    ) -> Option<UserMemory> {
        let project = projects.folder().map(Path::to_owned);
        let further = match project {
            Some(_) => Vec::new(),
            None => self.further_memories(shared, document),
        };
        let path = project.or(shared.settings.memory.clone())?;
        Some(UserMemory {
            path,
            further,
            learns: shared.settings.learns_from_memory,
        })
    }

    /// Memories that are looked up after the one in use, in their order.
    pub fn further_memories(&self, shared: &Shared, document: &DocumentPage) -> Vec<FurtherMemory> {
        let of_pair = self
            .memory_key(document)
            .and_then(|key| shared.settings.further_memories.get(&key));
        let mut further = of_pair.cloned().unwrap_or_default();
        further.retain(|memory| Some(&memory.path) != shared.settings.memory.as_ref());
        further
    }

    /// The pair whose memories are in use, as a key of the settings.
    fn memory_key(&self, document: &DocumentPage) -> Option<String> {
        let of_document = document.pair(self).without_model();
        let of_document = of_document.map(|(from, to)| pair_key(&from, &to));
        let of_open_model = || {
            let languages = self.in_use.languages();
            languages.map(|(from, to)| pair_key(&from, &to))
        };
        of_document
            .or_else(|| self.library.pair_of(&self.in_use.requested))
            .or_else(of_open_model)
    }
}

/// Makes the memory that was used for a pair the one in use.
pub(super) fn take_memory_of(shared: &mut Shared, projects: &Projects, key: &str) {
    let memories = &shared.settings.memories;
    // Settings of an older version have one for all pairs.
    if projects.open.is_some() || memories.is_empty() {
        return;
    }
    let known = memories.get(key).cloned();
    shared.set(|settings| settings.memory = known);
}

/// Notes the memory of the pair that is translated between, or that it has none.
fn keep_memory(shared: &mut Shared, key: Option<String>, memory: Option<PathBuf>) {
    let Some(key) = key else { return };
    shared.set(|settings| {
        if let Some(memory) = memory {
            settings.memories.insert(key, memory);
        } else {
            settings.memories.remove(&key);
            settings.further_memories.remove(&key);
        }
    });
}
