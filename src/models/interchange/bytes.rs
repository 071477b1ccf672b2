//! Bytes of a model, in memory or where its file has them.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::weights::KeptFile;

/// Some bytes of a file; clones are the same ones.
#[derive(Debug, Clone)]
pub(super) struct Bytes {
    source: Arc<Source>,
    range: Range<u64>,
}

#[derive(Debug)]
enum Source {
    Memory(Vec<u8>),
    File(KeptFile),
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            range: 0..bytes.len() as u64,
            source: Arc::new(Source::Memory(bytes)),
        }
    }
}

impl Bytes {
    /// All of a file on disk, which stays open.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = KeptFile::open(path)?;
        Ok(Self {
            range: 0..file.len(),
            source: Arc::new(Source::File(file)),
        })
    }

    pub(super) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Bytes of `range`, unread; none if it ends after them.
    pub(super) fn part(&self, range: Range<u64>) -> Option<Self> {
        let is_inside = range.start <= range.end && range.end <= self.len();
        is_inside.then(|| Self {
            source: Arc::clone(&self.source),
            range: self.range.start + range.start..self.range.start + range.end,
        })
    }

    /// Whether these are the same bytes of the same file.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source) && self.range == other.range
    }

    /// All of them.
    ///
    /// # Errors
    /// If their file cannot be read any more, or has changed.
    pub(super) fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.each_part(1 << 20, |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// All of them, `part` at a time.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn each_part(
        &self,
        part: usize,
        mut each: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        match &*self.source {
            Source::File(file) => file.each_bytes(self.range.clone(), part, each),
            Source::Memory(bytes) => self.slice_of(bytes).chunks(part).try_for_each(&mut each),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "places of what is in memory"
    )]
    fn slice_of<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[self.range.start as usize..self.range.end as usize]
    }

    /// Reads them one after the other.
    pub(super) fn fields(&self) -> Fields {
        Fields {
            reader: self.reader(),
            bytes: self.clone(),
            at: 0,
        }
    }

    pub(super) fn reader(&self) -> BufReader<Reader> {
        BufReader::with_capacity(
            1 << 16,
            Reader {
                bytes: self.clone(),
                at: 0,
            },
        )
    }
}

/// Reads bytes from a place on.
pub(super) struct Reader {
    bytes: Bytes,
    at: u64,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.bytes.len().saturating_sub(self.at);
        let count = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let part = self.bytes.part(self.at..self.at + count as u64);
        let Some(part) = part.filter(|_| count > 0) else {
            return Ok(0);
        };
        let read = part.each_part(count, |bytes| {
            buffer[..count].copy_from_slice(bytes);
            Ok(())
        });
        read.map_err(io::Error::other)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::End(by) => (self.bytes.len(), by),
            SeekFrom::Current(by) => (self.at, by),
        };
        let at = from.checked_add_signed(by);
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// The fields of a binary file.
pub(super) struct Fields {
    reader: BufReader<Reader>,
    bytes: Bytes,
    at: u64,
}

impl Fields {
    /// The next bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<Vec<u8>, String> {
        self.check(count)?;
        let mut taken = vec![0; count];
        let read = self.reader.read_exact(&mut taken);
        read.map_err(|error| error.to_string())?;
        self.at += count as u64;
        Ok(taken)
    }

    /// The next bytes, which are not read yet.
    pub(super) fn unread(&mut self, count: usize) -> Result<Bytes, String> {
        let part = self.check(count)?;
        let by = i64::try_from(count).map_err(|error| error.to_string())?;
        let moved = self.reader.seek_relative(by);
        moved.map_err(|error| error.to_string())?;
        self.at += count as u64;
        Ok(part)
    }

    /// All that are left, which are not read.
    pub(super) fn rest(&self) -> Bytes {
        let part = self.bytes.part(self.at..self.bytes.len());
        part.expect("no more were taken than there are")
    }

    fn check(&self, count: usize) -> Result<Bytes, String> {
        let end = self.at.checked_add(count as u64);
        let part = end.and_then(|end| self.bytes.part(self.at..end));
        part.ok_or_else(|| "it is cut off".to_owned())
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.check(N)?;
        let mut taken = [0; N];
        let read = self.reader.read_exact(&mut taken);
        read.map_err(|error| error.to_string())?;
        self.at += N as u64;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_file_are_those_of_its_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bytes");
        let all: Vec<u8> = (0..=255).collect();
        std::fs::write(&path, &all).expect("written");
        for bytes in [Bytes::from(all.clone()), Bytes::open(&path).expect("there")] {
            let part = bytes.part(10..20).and_then(|part| part.part(2..5));
            let part = part.expect("inside");
            assert_eq!(part.read().expect("readable"), [12, 13, 14]);
            assert!(part.is_same(&bytes.part(12..15).expect("inside")));
            assert!(part.part(2..4).is_none() && bytes.part(256..257).is_none());
            let mut fields = bytes.fields();
            assert_eq!(fields.take(2).expect("there"), [0, 1]);
            let unread = fields.unread(250).expect("there");
            assert_eq!(fields.array::<3>().expect("there"), [252, 253, 254]);
            assert_eq!(
                unread.part(0..1).map(|it| it.read().expect("there")),
                Some(vec![2])
            );
            assert!(fields.take(2).is_err());
            assert_eq!(fields.take(1).expect("the last one"), [255]);
        }
    }

    #[test]
    fn a_file_that_changes_is_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bytes");
        std::fs::write(&path, [1, 2, 3]).expect("written");
        let bytes = Bytes::open(&path).expect("there");
        std::fs::write(&path, [1, 2]).expect("written");
        let message = bytes.read().expect_err("it has changed").to_string();
        assert!(message.contains("has changed"), "{message}");
    }
}
