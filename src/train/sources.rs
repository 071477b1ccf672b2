//! The files that a run learns from, as digests: a run that continues must find them as they were.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::config::TrainingConfig;
use crate::error::{Error, Result};
use canopy_base::digest::{hash_file, hexadecimal};
use canopy_corpus::Corpus;
use canopy_corpus::memory::TranslationMemory;
use canopy_nn::model::Preset;

/// The sources of a run, with the digests of their files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sources {
    /// [`Corpus::digest`].
    corpus: String,
    /// Hash of the memory, of nothing if the run reads none; absent if an older program began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contexts: Option<String>,
}

impl Sources {
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn from_config(
        config: &TrainingConfig,
        preset: &Preset,
        corpus: &Corpus,
    ) -> Result<Self> {
        let mut memory = Vec::new();
        if preset.memory_use.is_some() && !config.memory.as_os_str().is_empty() {
            memory = TranslationMemory::files(&config.memory)?;
        }
        let mut contexts = Vec::new();
        if preset.reads_bert() && !config.contexts.as_os_str().is_empty() {
            contexts.push(config.contexts.clone());
        }
        Ok(Self {
            corpus: corpus.digest()?,
            memory: Some(digest(&memory)?),
            contexts: Some(digest(&contexts)?),
        })
    }

    /// Refuses to continue with other files than those that the run began with, as far as that is known.
    ///
    /// # Errors
    /// With the file that has changed.
    pub(crate) fn check(&self, begun: &Self, config: &TrainingConfig) -> Result<()> {
        if begun.corpus != self.corpus {
            return Err(Error::CorpusChanged {
                path: config.corpus.clone(),
            });
        }
        for (what, begun, now, path) in [
            ("memory", &begun.memory, &self.memory, &config.memory),
            (
                "contexts",
                &begun.contexts,
                &self.contexts,
                &config.contexts,
            ),
        ] {
            if begun.is_some() && begun != now {
                let path = path.clone();
                return Err(Error::SourceChanged { what, path });
            }
        }
        Ok(())
    }
}

fn digest(files: &[PathBuf]) -> Result<String> {
    let mut hasher = Sha256::new();
    for file in files {
        hash_file(&mut hasher, file)?;
    }
    Ok(hexadecimal(hasher))
}
