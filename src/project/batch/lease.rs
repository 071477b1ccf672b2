//! Leases: which process has a document of a batch, as small files next to the results.
//!
//! A holder changes its file every few seconds. A waiting process looks at the file and takes it over once it has not changed for
//! the time of a lease, measured by the watch of the one who waits: clocks that differ or jump do no harm. A holder that is known
//! to be dead, since it ran on this machine, is not waited for.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use canopy_base::file::{lock_file, write_atomically};

/// The content of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claim {
    /// The machine since it was started; empty where that is not known.
    machine: String,
    process: u32,
    /// When the process was started, in ticks of its machine.
    started: String,
    /// Differs between any two claims.
    nonce: String,
    beat: u64,
}

impl Claim {
    fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_nanos();
        let process = process::id();
        let machine = machine();
        Self {
            nonce: format!("{machine} {process} {now}"),
            machine,
            process,
            started: start_of(process).unwrap_or_default(),
            beat: 0,
        }
    }

    /// Whether its process is known to have ended.
    fn is_dead(&self) -> bool {
        let is_here = !self.machine.is_empty() && self.machine == machine();
        is_here && start_of(self.process).is_none_or(|started| started != self.started)
    }
}

/// A name of this machine since it was started, and of the process numbers that it shows, as containers have their own; empty where
/// the system reports none.
fn machine() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let numbers = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    match (boot.trim(), numbers.to_string_lossy()) {
        ("", _) => String::new(),
        (boot, numbers) => format!("{boot} {numbers}"),
    }
}

/// When a process of this machine was started, if it runs.
fn start_of(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold spaces and brackets.
    let fields = stat.rsplit_once(')')?.1;
    fields.split_whitespace().nth(19).map(str::to_owned)
}

/// The leases of others, as far as a process knows them.
#[derive(Debug)]
pub(super) struct Leases {
    folder: PathBuf,
    length: Duration,
    /// Leases of others, as they were seen first and when.
    seen: HashMap<String, (Claim, Instant)>,
}

impl Leases {
    pub(super) fn new(folder: PathBuf, length: Duration) -> Self {
        Self {
            folder,
            length,
            seen: HashMap::new(),
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.lease"))
    }

    /// Held while leases or records are read and changed; a process that ends gives it back.
    pub(super) fn lock(&self) -> Result<File> {
        let path = self.folder.join("lock");
        let file = lock_file(&path)?;
        file.lock().map_err(Error::write(&path))?;
        Ok(file)
    }

    /// Removes the lease of a document that is done, if its holder ended before it could; under [`lock`](Self::lock).
    pub(super) fn sweep(&self, key: &str) -> Result<()> {
        let path = self.path(key);
        if read(&path)?.is_some_and(|claim| claim.is_dead()) {
            fs::remove_file(&path).map_err(Error::write(&path))?;
        }
        Ok(())
    }

    /// Takes a document, under [`lock`](Self::lock); `None` if another process has it.
    pub(super) fn take(&mut self, key: &str) -> Result<Option<Lease>> {
        let path = self.path(key);
        if let Some(claim) = read(&path)?
            && !claim.is_dead()
        {
            let now = Instant::now();
            let (seen, since) = self
                .seen
                .entry(key.to_owned())
                .or_insert_with(|| (claim.clone(), now));
            if *seen != claim {
                (*seen, *since) = (claim, now);
                return Ok(None);
            }
            if since.elapsed() < self.length {
                return Ok(None);
            }
        }
        self.seen.remove(key);
        Lease::begin(path, self.length / 6).map(Some)
    }
}

fn read(path: &Path) -> Result<Option<Claim>> {
    match fs::read(path) {
        // What is no claim, such as one of a later version, is waited for as if it never changed.
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::read(path)(error)),
    }
}

/// A document that this process has; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Lease {
    path: PathBuf,
    nonce: String,
    ends: Option<Sender<()>>,
    beats: Option<JoinHandle<()>>,
}

impl Lease {
    fn begin(path: PathBuf, interval: Duration) -> Result<Self> {
        let mut claim = Claim::new();
        let nonce = claim.nonce.clone();
        write(&path, &claim)?;
        let (ends, ended) = channel();
        let place = path.clone();
        let beat = move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                // Another process that took this for dead has it now.
                if !is_of(&place, &claim.nonce) {
                    return;
                }
                claim.beat += 1;
                let _ = write(&place, &claim);
            }
        };
        let beats = thread::Builder::new().name("lease".to_owned()).spawn(beat);
        Ok(Self {
            beats: Some(beats.map_err(Error::write(&path))?),
            path,
            nonce,
            ends: Some(ends),
        })
    }

    /// Whether no other process has taken it over, under the lock.
    pub(super) fn is_ours(&self) -> bool {
        is_of(&self.path, &self.nonce)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.ends.take();
        if let Some(beats) = self.beats.take() {
            let _ = beats.join();
        }
        if self.is_ours() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn is_of(path: &Path, nonce: &str) -> bool {
    read(path).is_ok_and(|claim| claim.is_some_and(|claim| claim.nonce == nonce))
}

fn write(path: &Path, claim: &Claim) -> Result<()> {
    let bytes = serde_json::to_vec(claim).map_err(|error| Error::write(path)(error.into()))?;
    Ok(write_atomically(path, &bytes, true)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leases(folder: &Path, millis: u64) -> Leases {
        Leases::new(folder.to_owned(), Duration::from_millis(millis))
    }

    #[test]
    fn a_lease_is_had_by_one_until_it_is_given_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut one, mut other) = (leases(folder.path(), 60_000), leases(folder.path(), 60_000));
        let lease = one.take("a").expect("taken").expect("free");
        assert!(other.take("a").expect("read").is_none());
        assert!(other.take("b").expect("read").is_some());
        drop(lease);
        assert!(other.take("a").expect("read").is_some());
    }

    #[test]
    fn a_holder_that_gives_no_sign_loses_it_and_knows() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut other = leases(folder.path(), 50);
        // A lease of another machine, whose process cannot be checked.
        let claim = Claim {
            machine: "elsewhere".to_owned(),
            ..Claim::new()
        };
        let path = folder.path().join("a.lease");
        write(&path, &claim).expect("written");
        assert!(other.take("a").expect("read").is_none(), "seen just now");
        thread::sleep(Duration::from_millis(80));
        let taken = other.take("a").expect("read").expect("taken over");
        assert!(taken.is_ours() && !is_of(&path, &claim.nonce));
    }

    #[test]
    fn a_holder_that_lives_keeps_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut one, mut other) = (leases(folder.path(), 2_000), leases(folder.path(), 2_000));
        let _lease = one.take("a").expect("taken").expect("free");
        for _ in 0..30 {
            assert!(other.take("a").expect("read").is_none());
            thread::sleep(Duration::from_millis(100));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_holder_that_has_ended_here_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let claim = Claim {
            started: "0".to_owned(),
            ..Claim::new()
        };
        write(&folder.path().join("a.lease"), &claim).expect("written");
        let mut leases = leases(folder.path(), 60_000);
        assert!(leases.take("a").expect("read").is_some());
    }
}
