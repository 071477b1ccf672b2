//! Many documents, translated by any number of processes that share a folder, on one machine or on many.
//!
//! In `.canopy-batch`, next to the translations, are a record for each document that was translated or failed, and leases of those
//! that are under way. A process that is killed loses nothing but the document it had; the next run of the batch does what is
//! left. What is translated is known by its content: a source or a setting that changes is translated again, a translation that
//! has been changed is left alone.

mod lease;
mod record;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::{Display, Write};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::{BaseError, Error, Result};
use canopy_base::digest::{hash_file, hexadecimal};
use canopy_base::error::caught;
use canopy_base::file::{is_same_file, write_atomically};
use lease::Leases;
use record::{Record, Stage};

/// The folder of records and leases, in the output folder.
pub const STATE_FOLDER: &str = ".canopy-batch";

/// How often documents of other processes are looked at while nothing else is left to do.
const POLL: Duration = Duration::from_millis(500);

/// A document and the place of its translation below the output folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchDocument {
    /// Path of the document.
    pub source: PathBuf,
    /// Path of the translation below the output folder.
    pub output: PathBuf,
}

/// The fate of a document, as far as this process is concerned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "outcome")]
pub enum Outcome {
    /// Translated by this process now.
    Translated,
    /// Translated before, by this process or another.
    Unchanged,
    /// Not translated because of an error.
    Failed {
        /// The error's message.
        error: String,
    },
    /// Left to another process that has it.
    #[serde(rename = "elsewhere")]
    OtherProcess,
}

/// A part of a batch: the documents whose number leaves the rest `index` when divided by `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub index: usize,
    /// Number of parts.
    pub count: usize,
}

impl Shard {
    /// Reads `3/16`, counted from one.
    ///
    /// # Errors
    /// If it is no such text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let problem = || format!("{text} is not a part such as 3/16, from 1/16 to 16/16");
        let (number, count) = text.split_once('/').ok_or_else(problem)?;
        let number: usize = number.parse().ok().ok_or_else(problem)?;
        let count: usize = count.parse().ok().ok_or_else(problem)?;
        if number == 0 || number > count {
            return Err(problem());
        }
        Ok(Self {
            index: number - 1,
            count,
        })
    }
}

/// How a batch is run.
#[derive(Debug, Clone)]
pub struct BatchOptions {
    /// Model and options by which documents are translated: another text is another translation.
    pub settings: String,
    /// A process that gives no sign for so long has lost its document.
    pub lease: Duration,
    /// Whether to wait for documents that other processes have, and do them if those die.
    pub waits: bool,
    /// Whether to replace files that are not this batch's.
    pub force: bool,
}

/// Documents in their order and the folder of their translations.
#[derive(Debug)]
pub struct Batch {
    documents: Vec<BatchDocument>,
    folder: PathBuf,
}

impl Batch {
    /// # Errors
    /// If two translations would have one place, or one that of a source.
    pub fn new(documents: Vec<BatchDocument>, folder: PathBuf) -> Result<Self> {
        let mut taken = HashSet::new();
        for document in &documents {
            let path = folder.join(&document.output);
            if is_same_file(&document.source, &path) {
                return Err(Error::Base(BaseError::OverInput { path }));
            }
            if !taken.insert(&document.output) {
                return Err(Error::Base(BaseError::SameName { path }));
            }
        }
        Ok(Self { documents, folder })
    }

    /// Returns the documents of the batch.
    pub fn documents(&self) -> &[BatchDocument] {
        &self.documents
    }

    /// Keeps a part only.
    pub fn keep(&mut self, shard: Shard) {
        let mut index = 0..;
        self.documents.retain(|_| {
            index
                .next()
                .is_some_and(|it| it % shard.count == shard.index)
        });
    }

    /// Translates what is not translated yet. `translate` gives the bytes of a translation; `report` hears of every document once.
    /// A document that fails does not keep the others from being translated.
    ///
    /// # Errors
    /// If the folder of the batch cannot be read or written.
    pub fn run<E: From<Error> + From<BaseError> + Display>(
        &self,
        options: &BatchOptions,
        translate: &mut dyn FnMut(&BatchDocument) -> Result<Vec<u8>, E>,
        report: &mut dyn FnMut(&BatchDocument, Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let state = self.folder.join(STATE_FOLDER);
        fs::create_dir_all(&state).map_err(Error::write(&state))?;
        let mut leases = Leases::new(state.clone(), options.lease);
        let mut left: Vec<&BatchDocument> = self.documents.iter().collect();
        loop {
            let mut elsewhere = Vec::new();
            let num = left.len();
            for document in left {
                let task = Task {
                    document,
                    output: self.folder.join(&document.output),
                    record: state.join(format!("{}.json", key(&document.output))),
                    options,
                };
                match task.run(&mut leases, translate)? {
                    Outcome::OtherProcess => elsewhere.push(document),
                    outcome => report(document, outcome)?,
                }
            }
            if elsewhere.is_empty() {
                return Ok(());
            }
            if !options.waits {
                for document in elsewhere {
                    report(document, Outcome::OtherProcess)?;
                }
                return Ok(());
            }
            if elsewhere.len() == num {
                thread::sleep(POLL);
            }
            left = elsewhere;
        }
    }
}

/// A document that this process looks at.
struct Task<'a> {
    document: &'a BatchDocument,
    output: PathBuf,
    record: PathBuf,
    options: &'a BatchOptions,
}

impl Task<'_> {
    fn run<E: From<Error> + From<BaseError> + Display>(
        &self,
        leases: &mut Leases,
        translate: &mut dyn FnMut(&BatchDocument) -> Result<Vec<u8>, E>,
    ) -> Result<Outcome> {
        let source_sha256 = match digest_of(&self.document.source) {
            Ok(digest) => digest,
            Err(error) => return Ok(failed(&error)),
        };
        let key = key(&self.document.output);
        let lease = {
            let _lock = leases.lock()?;
            let record = Record::read(&self.record)?;
            if record.is_some_and(|record| self.is_done(&record, &source_sha256)) {
                leases.sweep(&key)?;
                return Ok(Outcome::Unchanged);
            }
            match leases.take(&key)? {
                Some(lease) => lease,
                None => return Ok(Outcome::OtherProcess),
            }
        };
        let begun = Instant::now();
        let translated = self.check_free().map_err(E::from);
        let translated = translated.and_then(|()| caught(|| translate(self.document)));
        let _lock = leases.lock()?;
        if !lease.is_ours() {
            return Ok(Outcome::OtherProcess);
        }
        let before = Record::read(&self.record)?;
        if before
            .as_ref()
            .is_some_and(|record| self.is_done(record, &source_sha256))
        {
            return Ok(Outcome::Unchanged);
        }
        let before = before.and_then(|record| record.output_sha256);
        let mut record = Record {
            document: self.document.output.to_string_lossy().into_owned(),
            stage: Stage::Writing,
            source_sha256,
            settings: self.options.settings.clone(),
            output_sha256: before,
            replaced_sha256: None,
            error: None,
            seconds: begun.elapsed().as_secs_f64(),
        };
        let written = translated.and_then(|bytes| Ok(self.put(&bytes, &mut record)?));
        let outcome = match written {
            Ok(()) => {
                record.stage = Stage::Done;
                Outcome::Translated
            }
            Err(error) => {
                record.stage = Stage::Failed;
                record.error = Some(error.to_string());
                failed(&error)
            }
        };
        record.write(&self.record)?;
        drop(lease);
        Ok(outcome)
    }

    /// Whether this translation exists, of this source and by these settings.
    fn is_done(&self, record: &Record, source_sha256: &str) -> bool {
        record.stage != Stage::Failed
            && record.source_sha256 == source_sha256
            && record.settings == self.options.settings
            && record.output_sha256.is_some()
            && digest_of(&self.output).ok() == record.output_sha256
    }

    /// Refuses to replace a file that this batch has not written, or that was changed since.
    fn check_free(&self) -> Result<()> {
        if self.options.force || self.output.symlink_metadata().is_err() {
            return Ok(());
        }
        let is_ours = Record::read(&self.record)?
            .is_some_and(|record| digest_of(&self.output).is_ok_and(|found| record.wrote(&found)));
        if is_ours {
            return Ok(());
        }
        Err(Error::Base(BaseError::Exists {
            path: self.output.clone(),
        }))
    }

    /// Puts a translation into its place. The record says first what will be there, so that a process which is killed in between
    /// leaves no file that seems to belong to another process.
    fn put(&self, bytes: &[u8], record: &mut Record) -> Result<()> {
        self.check_free()?;
        if let Some(folder) = self.output.parent() {
            fs::create_dir_all(folder).map_err(Error::write(folder))?;
        }
        let mut hasher = Sha256::new();
        hasher.update(bytes);
        record.replaced_sha256 = record.output_sha256.replace(hexadecimal(hasher));
        record.write(&self.record)?;
        Ok(write_atomically(&self.output, bytes, true)?)
    }
}

fn failed(error: &impl Display) -> Outcome {
    Outcome::Failed {
        error: error.to_string(),
    }
}

fn digest_of(path: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    hash_file(&mut hasher, path)?;
    Ok(hexadecimal(hasher))
}

/// The name of a document's record, whatever its path holds.
fn key(output: &Path) -> String {
    let digest = Sha256::digest(output.as_os_str().as_encoded_bytes());
    digest[..12].iter().fold(String::new(), |mut key, byte| {
        // Writing to a string does not fail.
        let _ = write!(key, "{byte:02x}");
        key
    })
}

/// The files below a folder in the order of their names, with their paths below it. Hidden ones and links to folders are left out,
/// and so is the folder `without`.
///
/// # Errors
/// If a folder cannot be read.
pub fn files_below(folder: &Path, without: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).map_err(Error::read(&next))? {
            let entry = entry.map_err(Error::read(&next))?;
            let (path, kind) = (entry.path(), entry.file_type());
            let kind = kind.map_err(Error::read(&path))?;
            if is_hidden(&entry.file_name()) {
                continue;
            }
            if kind.is_dir() {
                if !is_same_file(&path, without) {
                    open.push(path);
                }
            } else if path.is_file()
                && let Ok(below) = path.strip_prefix(folder)
            {
                files.push((path.clone(), below.to_owned()));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Where the translation of a file that a list names goes: to its path where that leads down from here, else to its name.
pub fn place_of(source: &Path) -> Option<PathBuf> {
    let plain: PathBuf = source
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    let leads_down = plain
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if leads_down {
        return Some(plain);
    }
    source.file_name().map(PathBuf::from)
}

#[cfg(test)]
mod tests;
