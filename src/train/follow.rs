//! Reads the lines of a file that another process still writes.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A longer line is not ours; it is skipped.
const LONGEST_LINE: usize = 1 << 20;

/// How far a file of lines is read.
#[derive(Debug)]
pub(super) struct Lines {
    path: PathBuf,
    /// Up to here lines are whole and read.
    offset: u64,
    /// The last line read, with its end: the file is still the same if it is still there.
    last: Vec<u8>,
    /// In the middle of a line that is too long.
    skipping: bool,
}

impl Lines {
    /// Follows a file from its beginning; the file need not exist yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            offset: 0,
            last: Vec::new(),
            skipping: false,
        }
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file has become another one since the last time, or is gone; reading begins again then.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub(crate) fn begin_again_if_replaced(&mut self) -> Result<bool> {
        if self.offset == 0 {
            return Ok(false);
        }
        let same = match self.open()? {
            Some(mut file) => self.is_same(&mut file).map_err(Error::read(&self.path))?,
            None => false,
        };
        if !same {
            (self.offset, self.skipping) = (0, false);
            self.last.clear();
        }
        Ok(!same)
    }

    /// Hands every line that was completed since the last time to `take`, without its end; a line that is too long as an
    /// empty one. A half-written last line stays for the next time. A file that is not there yet has no lines.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub(crate) fn read_new(&mut self, mut take: impl FnMut(&[u8])) -> Result<()> {
        let Some(mut file) = self.open()? else {
            return Ok(());
        };
        file.seek(SeekFrom::Start(self.offset))
            .map_err(Error::read(&self.path))?;
        let mut buffer = Vec::new();
        loop {
            let mut chunk = (&mut file).take(LONGEST_LINE as u64);
            let read = chunk.read_to_end(&mut buffer);
            if read.map_err(Error::read(&self.path))? == 0 {
                return Ok(());
            }
            let whole = self.take_lines(&buffer, &mut take);
            buffer.drain(..whole);
            if buffer.len() >= LONGEST_LINE {
                self.offset += buffer.len() as u64;
                self.skipping = true;
                self.last.clear();
                buffer.clear();
            }
        }
    }

    fn open(&self) -> Result<Option<File>> {
        match File::open(&self.path) {
            Ok(file) => Ok(Some(file)),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(Error::read(&self.path)(cause)),
        }
    }

    /// Takes the whole lines of `bytes`; returns how long they are.
    fn take_lines(&mut self, bytes: &[u8], take: &mut impl FnMut(&[u8])) -> usize {
        let mut whole = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(text) = line.strip_suffix(b"\n") else {
                break;
            };
            take(if self.skipping { &[] } else { text });
            self.skipping = false;
            whole += line.len();
            self.last.clear();
            self.last.extend_from_slice(line);
        }
        self.offset += whole as u64;
        whole
    }

    fn is_same(&self, file: &mut File) -> std::io::Result<bool> {
        if file.metadata()?.len() < self.offset {
            return Ok(false);
        }
        let mut there = vec![0; self.last.len()];
        file.seek(SeekFrom::Start(self.offset - self.last.len() as u64))?;
        file.read_exact(&mut there)?;
        Ok(there == self.last)
    }
}
