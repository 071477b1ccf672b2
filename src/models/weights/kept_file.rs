//! A file that stays open while parts of it are read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::error::{Error, Result};

/// An open file, which can be read as long as it is not changed; one that takes its name changes nothing.
#[derive(Debug)]
pub(crate) struct KeptFile {
    path: PathBuf,
    file: Mutex<File>,
    state: State,
}

/// Identity of a file: its length, and the time of its last change.
type State = (u64, Option<SystemTime>);

impl KeptFile {
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::read(path))?;
        Self::new(file, path)
    }

    /// # Errors
    /// If its metadata cannot be read.
    pub(crate) fn new(file: File, path: &Path) -> Result<Self> {
        Ok(Self {
            state: state(&file).map_err(Error::read(path))?,
            file: Mutex::new(file),
            path: path.to_owned(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// In bytes, when it was opened.
    pub(crate) fn len(&self) -> u64 {
        self.state.0
    }

    /// Bytes of the file, `part` at a time.
    ///
    /// # Errors
    /// If it cannot be read, or has changed since it was opened.
    pub(crate) fn each_bytes(
        &self,
        range: Range<u64>,
        part: usize,
        mut each: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |cause| Error::read(&self.path)(cause);
        let now = state(&file).map_err(failed)?;
        if now != self.state {
            return Err(Error::Weights {
                reason: "the file has changed since it was opened; open the model again".to_owned(),
                path: self.path.clone(),
            });
        }
        file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
        let mut left = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        let mut bytes = vec![0; part.min(left)];
        while left > 0 {
            let bytes = &mut bytes[..part.min(left)];
            file.read_exact(bytes).map_err(failed)?;
            each(bytes)?;
            left -= bytes.len();
        }
        Ok(())
    }
}

fn state(file: &File) -> std::io::Result<State> {
    let metadata = file.metadata()?;
    Ok((metadata.len(), metadata.modified().ok()))
}
