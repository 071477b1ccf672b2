//! Translation memories: of a project, and several that count in their order.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ProjectFolder, ProjectMemory};
use crate::State;
use crate::error::{Error, Result};
use crate::project::SavedTarget;
use canopy_corpus::memory::{PairOrigin, TranslationMemory};
use canopy_document::placeholder::{folded, visible};
use canopy_metrics::formality::{EarlierForms, Formality};

impl ProjectFolder {
    /// The translation memory: confirmed sentences of all documents, then the memories.
    ///
    /// # Errors
    /// If the file of a memory cannot be read.
    pub fn memory(&self, from: &str, to: &str) -> Result<TranslationMemory> {
        let (mut pairs, mut forms) = (Vec::new(), EarlierForms::default());
        self.each_confirmed(|note, (source, target, origin)| {
            if let Some(form) = Formality::kept_by(&source, &target) {
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
                let is_confirmed = |saved: &&SavedTarget| saved.state == State::Confirmed;
                if let Some(saved) = saved.filter(is_confirmed) {
                    let note = document.paragraphs[sentence.paragraph].note.as_deref();
                    let source = folded(&sentence.plain_text());
                    let target = visible(&saved.text, &sentence.points);
                    each(note, (source, target, confirmed_in(relative, saved)));
                }
            }
        }
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
    /// Path of the memory.
    pub path: PathBuf,
    /// Per cent that are subtracted from its matches, from 0 to [`MAX_PENALTY`](crate::MAX_PENALTY).
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
