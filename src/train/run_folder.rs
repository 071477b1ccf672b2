//! The folder of one run.
//!
//! | path | holds |
//! |---|---|
//! | `config.toml` | the settings, all of them |
//! | `run.json` | the version of this format, and which files the run learns from |
//! | `events.jsonl` | one [`TrainingEvent`] a line, appended during the run |
//! | `checkpoints/last/` | the state of the run: a model folder, the optimiser's memory, the counters |
//! | `checkpoints/step-N/` | the models of the last few checkpoints, for `canopy model average` |
//! | `checkpoints/best/` | the model with the best dev BLEU so far |
//! | `lock` | nothing; the program that trains here holds it locked |
//! | `control` | an order to that program, until it has read it |
//! | `remote.json` | which machine trains it, if another one does |
//! | `promoted` | where its model is among those that the window offers, once it does |

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::config::TrainingConfig;
use super::event::TrainingEvent;
use super::sources::Sources;
use crate::error::{BaseError, Error, Result};
use canopy_base::file::{lock_file, write_atomically};

pub(super) const SETTINGS: &str = "config.toml";
pub(super) const EVENTS: &str = "events.jsonl";
pub(super) const LOCK: &str = "lock";
const RECORD: &str = "run.json";

/// Version of the folder's format.
const VERSION: u32 = 1;

/// An open run folder: no other program can open it meanwhile.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    events: File,
    record: Option<Record>,
    _lock: File,
}

/// `run.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    version: u32,
    #[serde(flatten)]
    sources: Sources,
}

impl RunFolder {
    /// Makes or reopens a run folder.
    ///
    /// # Errors
    /// If it was used before and `resume` is false, another program trains in it, a newer program made it, or it
    /// cannot be written.
    pub fn open(path: &Path, resume: bool) -> Result<Self> {
        let events_path = path.join(EVENTS);
        if !resume && (path.join(SETTINGS).exists() || events_path.exists()) {
            return Err(Error::RunExists {
                path: path.to_owned(),
            });
        }
        let record = Record::read(&path.join(RECORD))?;
        std::fs::create_dir_all(path.join("checkpoints")).map_err(Error::write(path))?;
        let lock = locked(path)?;
        let events = open_events(&events_path).map_err(Error::write(&events_path))?;
        Ok(Self {
            path: path.to_owned(),
            events,
            record,
            _lock: lock,
        })
    }

    /// Writes `config.toml` and `run.json`, once it is known that a run can begin or continue with these settings. Paths
    /// become absolute, so that the run can continue from anywhere.
    ///
    /// # Errors
    /// If the disk is full.
    pub(super) fn keep(&mut self, config: &TrainingConfig, sources: Sources) -> Result<()> {
        let config = config.clone().with_absolute_paths()?;
        let path = self.path.join(SETTINGS);
        let text = toml::to_string(&config).map_err(|cause| {
            Error::Base(BaseError::Settings {
                reason: cause.to_string(),
                path: path.clone(),
            })
        })?;
        write_atomically(&path, text.as_bytes(), true)?;
        let record = Record {
            version: VERSION,
            sources,
        };
        let path = self.path.join(RECORD);
        let text = serde_json::to_string_pretty(&record).map_err(|cause| {
            Error::Base(BaseError::Settings {
                reason: cause.to_string(),
                path: path.clone(),
            })
        })?;
        self.record = Some(record);
        Ok(write_atomically(&path, text.as_bytes(), true)?)
    }

    /// The sources that the run began with, if it says.
    pub(super) fn sources(&self) -> Option<&Sources> {
        self.record.as_ref().map(|record| &record.sources)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the last checkpoint.
    pub fn last(&self) -> PathBuf {
        self.path.join("checkpoints/last")
    }

    /// Returns the path of the best checkpoint.
    pub fn best(&self) -> PathBuf {
        self.path.join("checkpoints/best")
    }

    /// How long `events.jsonl` is.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn events_length(&self) -> Result<u64> {
        let path = self.path.join(EVENTS);
        Ok(self.events.metadata().map_err(Error::read(&path))?.len())
    }

    /// Appends whole lines to `events.jsonl`.
    ///
    /// # Errors
    /// If the disk is full.
    pub(super) fn append(&mut self, lines: &[u8]) -> Result<()> {
        let path = self.path.join(EVENTS);
        self.events.write_all(lines).map_err(Error::write(&path))
    }

    /// Appends a line to `events.jsonl`.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn record(&mut self, event: &TrainingEvent) -> Result<()> {
        let path = self.path.join(EVENTS);
        let mut line = serde_json::to_vec(event).map_err(|cause| {
            Error::Base(BaseError::Model {
                reason: cause.to_string(),
                path: path.clone(),
            })
        })?;
        line.push(b'\n');
        self.events.write_all(&line).map_err(Error::write(&path))
    }
}

impl Record {
    /// None for a new folder, or for one of the first programs, which wrote no record.
    fn read(path: &Path) -> Result<Option<Self>> {
        /// The fields of every version.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read(path).map_err(Error::read(path))?;
        let refuse = |cause: serde_json::Error| {
            Error::Base(BaseError::Settings {
                reason: cause.to_string(),
                path: path.to_owned(),
            })
        };
        let Version { version } = serde_json::from_slice(&text).map_err(refuse)?;
        if version > VERSION {
            return Err(Error::RunVersion {
                found: version,
                known: VERSION,
                path: path.to_owned(),
            });
        }
        serde_json::from_slice(&text).map(Some).map_err(refuse)
    }
}

/// Locks the folder for this program.
fn locked(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let file = lock_file(&path)?;
    // A reader of the run's state holds the lock for a moment.
    for _ in 0..5 {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(cause)) => return Err(Error::write(&path)(cause)),
        }
    }
    Err(Error::RunBusy {
        path: folder.to_owned(),
    })
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

/// Whether a folder looks like that of a run.
pub fn is_run(folder: &Path) -> bool {
    folder.join(SETTINGS).exists() || folder.join(EVENTS).exists()
}

/// The model of a run that is best by its validations, else its last one.
pub fn best_model(run: &Path) -> Option<PathBuf> {
    let folders = ["best", "last"].map(|name| run.join("checkpoints").join(name));
    folders
        .into_iter()
        .find(|folder| folder.join("model.toml").exists())
}

/// A folder below `place` that is not there yet: `name`, or else with a number after it.
///
/// # Panics
/// Never: there is no end of numbers.
pub fn free_folder(place: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut folders = std::iter::once(name.to_owned())
        .chain(numbered)
        .map(|name| place.join(name));
    let free = folders.find(|folder| !folder.exists());
    free.expect("there is no end of numbers")
}
