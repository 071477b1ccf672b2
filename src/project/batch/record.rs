//! The record of a document of a batch: a small JSON file for each.

use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use canopy_base::file::write_atomically;

/// How far a document has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stage {
    /// The translation is about to be put into its place.
    Writing,
    Done,
    Failed,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The translation's place below the output folder.
    pub document: String,
    pub stage: Stage,
    /// SHA-256 of what was translated.
    pub source_sha256: String,
    /// By what: model and options.
    pub settings: String,
    /// SHA-256 of the translation.
    #[serde(default)]
    pub output_sha256: Option<String>,
    /// SHA-256 of the one that it takes the place of.
    #[serde(default)]
    pub replaced_sha256: Option<String>,
    #[serde(default)]
    pub error: Option<String>,
    #[serde(default)]
    pub seconds: f64,
}

impl Record {
    /// The record at `path`, if there is one that can be read.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::read(path)(error)),
        }
    }

    /// Whether a file with this SHA-256 was written by the batch.
    pub(super) fn wrote(&self, digest: &str) -> bool {
        let written = [&self.output_sha256, &self.replaced_sha256];
        written.into_iter().flatten().any(|it| it == digest)
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let bytes =
            serde_json::to_vec_pretty(self).map_err(|error| Error::write(path)(error.into()))?;
        Ok(write_atomically(path, &bytes, true)?)
    }
}
