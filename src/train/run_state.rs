//! The state of a run from its folder alone, whichever process trains it.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::event::{EndReason, Phase, TrainingEvent};
use super::run_folder::{EVENTS, LOCK, SETTINGS};
use crate::error::{Error, Result};

/// Enough of the end of `events.jsonl` to hold a whole event.
const TAIL: u64 = 1 << 16;

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    /// The folder holds no run.
    NeverBegun,
    /// A program trains in it now.
    Running,
    /// A program holds it and waits.
    Paused,
    /// Its program ended in the midst of it: it can continue from its last checkpoint.
    Interrupted,
    /// An error ended it; it can continue once that is mended.
    Failed {
        /// The error's message.
        message: String,
    },
    /// It has ended as it should.
    Finished(EndReason),
}

/// Looks at the lock and the last events of a run folder.
///
/// # Errors
/// If a file exists but cannot be read.
pub fn run_state(run: &Path) -> Result<RunState> {
    let path = run.join(EVENTS);
    let held = is_locked(run)?;
    if !path.exists() {
        return Ok(match (held, run.join(SETTINGS).exists()) {
            (true, _) => RunState::Running,
            (false, true) => RunState::Interrupted,
            (false, false) => RunState::NeverBegun,
        });
    }
    let text = tail(&path).map_err(Error::read(&path))?;
    let events = text.lines().rev();
    let mut events = events.filter_map(|line| serde_json::from_str::<TrainingEvent>(line).ok());
    if held {
        let phase = events.find_map(|event| match event {
            TrainingEvent::Phase { phase } => Some(phase),
            _ => None,
        });
        return Ok(match phase {
            Some(Phase::Paused) => RunState::Paused,
            _ => RunState::Running,
        });
    }
    Ok(match events.next() {
        Some(TrainingEvent::Finished { reason, .. }) => RunState::Finished(reason),
        Some(TrainingEvent::Failed { message }) => RunState::Failed { message },
        _ => RunState::Interrupted,
    })
}

/// Whether a program trains in the folder. The lock is the system's: it goes when the program does, however that ends.
fn is_locked(run: &Path) -> Result<bool> {
    let path = run.join(LOCK);
    if !path.exists() {
        return Ok(false);
    }
    let file = File::open(&path).map_err(Error::read(&path))?;
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(cause)) => Err(Error::read(&path)(cause)),
    }
}

fn tail(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
