//! The folder of one run.
//!
//! | path | holds |
//! |---|---|
//! | `config.toml` | the settings, all of them |
//! | `events.jsonl` | one [`TrainingEvent`] a line, appended while the run goes on |
//! | `checkpoints/last/` | where the run stands: a model folder, the optimiser's memory, the counters |
//! | `checkpoints/step-N/` | the models of the last few checkpoints, for `canopy model average` |
//! | `checkpoints/best/` | the model with the best dev BLEU so far |

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::config::TrainingConfig;
use super::event::TrainingEvent;
use crate::error::{Error, Result};
use crate::text::file::write_atomically;

const SETTINGS: &str = "config.toml";

/// An open run folder.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    events: File,
}

impl RunFolder {
    /// Makes or reopens a run folder.
    ///
    /// # Errors
    /// If it was used before and `resume` is not asked for, or cannot be written.
    pub fn open(path: &Path, resume: bool) -> Result<Self> {
        let events_path = path.join("events.jsonl");
        if !resume && (path.join(SETTINGS).exists() || events_path.exists()) {
            return Err(Error::RunExists {
                path: path.to_owned(),
            });
        }
        std::fs::create_dir_all(path.join("checkpoints")).map_err(Error::write(path))?;
        let events = open_events(&events_path).map_err(Error::write(&events_path))?;
        Ok(Self {
            path: path.to_owned(),
            events,
        })
    }

    /// Writes `config.toml`, once it is known that a run can begin or go on with these settings.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn keep(&self, config: &TrainingConfig) -> Result<()> {
        let path = self.path.join(SETTINGS);
        let text = toml::to_string(config).map_err(|cause| Error::Settings {
            reason: cause.to_string(),
            path: path.clone(),
        })?;
        write_atomically(&path, text.as_bytes(), true)
    }

    pub fn last(&self) -> PathBuf {
        self.path.join("checkpoints/last")
    }

    pub fn best(&self) -> PathBuf {
        self.path.join("checkpoints/best")
    }

    /// Appends a line to `events.jsonl`.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn record(&mut self, event: &TrainingEvent) -> Result<()> {
        let path = self.path.join("events.jsonl");
        let mut line = serde_json::to_vec(event).map_err(|cause| Error::Model {
            reason: cause.to_string(),
            path: path.clone(),
        })?;
        line.push(b'\n');
        self.events.write_all(&line).map_err(Error::write(&path))
    }
}

/// Opens `events.jsonl` for appending, without a last line that a killed run left half-written.
fn open_events(path: &Path) -> std::io::Result<File> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let whole = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |newline| newline + 1);
    file.set_len(whole as u64)?;
    Ok(file)
}
