//! Zip files: wheels, archives inside them, npz, and what `torch.save` writes.

use std::fmt::Display;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::bytes::{Bytes, Reader};
use super::compression::most_unpacked;
use super::tar::link;
use crate::error::{Error, Result};

/// Bytes that are held at once while a file is copied.
const PART: usize = 1 << 20;

/// An open zip file.
pub(super) struct Packed {
    archive: ZipArchive<BufReader<Reader>>,
    bytes: Bytes,
}

impl Packed {
    pub(super) fn open(path: &Path) -> Result<Self> {
        Self::within(&Bytes::open(path)?).map_err(|problem| Error::Foreign {
            reason: format!("{problem}; name a folder, or a wheel as it was downloaded"),
            path: path.to_owned(),
        })
    }

    /// A zip file, which may be in another one.
    pub(super) fn within(bytes: &Bytes) -> Result<Self, String> {
        let archive = ZipArchive::new(bytes.reader());
        let archive = archive.map_err(|error| format!("it is not a whole zip file ({error})"))?;
        Ok(Self {
            archive,
            bytes: bytes.clone(),
        })
    }

    /// Refuses what no model is packed as: links, and files that unpack to far more than they are.
    pub(super) fn check(&mut self) -> Result<(), String> {
        let mut total = 0_u64;
        for number in 0..self.archive.len() {
            let entry = self.archive.by_index_raw(number);
            let entry = entry.map_err(|error| format!("its zip entry is damaged ({error})"))?;
            if entry.is_symlink() {
                return Err(link(&String::from_utf8_lossy(entry.name_raw())));
            }
            total = total.saturating_add(entry.size());
        }
        let packed = self.bytes.len();
        if total > most_unpacked(packed) {
            return Err(format!(
                "its {packed} bytes unpack to {total}, as those of no model do"
            ));
        }
        Ok(())
    }

    /// The files in it with their numbers.
    pub(super) fn names(&self) -> Vec<(usize, String)> {
        let names = self.archive.file_names_raw().map(String::from_utf8_lossy);
        let files = names.enumerate().filter(|(_, name)| !name.ends_with('/'));
        files
            .map(|(number, name)| (number, name.into_owned()))
            .collect()
    }

    /// The bytes of a file by its number, as its directory gives them.
    pub(super) fn size(&mut self, number: usize) -> u64 {
        self.archive
            .by_index_raw(number)
            .map_or(0, |entry| entry.size())
    }

    /// The first bytes of a file by its number.
    pub(super) fn head(&mut self, number: usize, count: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let entry = self.archive.by_index(number);
        let read = entry.map_err(io::Error::from);
        let read = read.and_then(|entry| entry.take(count).read_to_end(&mut bytes));
        read.map_err(|error| format!("its zip entry is damaged ({error})"))?;
        Ok(bytes)
    }

    /// A file by its number, of at most `most` bytes. It is read through; what is not compressed stays where it is.
    pub(super) fn read(&mut self, number: usize, most: u64) -> Result<Bytes, String> {
        let mut entry = self.archive.by_index(number).map_err(unreadable)?;
        let size = entry.size();
        if size > most {
            return Err(format!(
                "it has {size} bytes; such a file has at most {most}"
            ));
        }
        if entry.compression() == CompressionMethod::Stored {
            let first = entry.data_start();
            let read = io::copy(&mut entry, &mut io::sink());
            let read = read.map_err(|error| broken(&error))?;
            let first = first.filter(|_| read == size);
            let part = first.and_then(|it| self.bytes.part(it..it.checked_add(size)?));
            return part.ok_or_else(|| broken(&"its size differs"));
        }
        // The size may be wrong, so memory is not set aside for it.
        let mut bytes = Vec::new();
        let read = entry.take(size.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| broken(&error))?;
        if bytes.len() as u64 == size {
            Ok(bytes.into())
        } else {
            Err(broken(&"its size differs"))
        }
    }

    /// Writes a file by its number, of which a part at a time is in memory.
    pub(crate) fn copy(&mut self, number: usize, to: &mut dyn Write) -> Result<(), String> {
        let entry = self.archive.by_index(number).map_err(unreadable)?;
        let size = entry.size();
        let mut entry = entry.take(size.saturating_add(1));
        let (mut part, mut copied) = (vec![0; PART], 0);
        loop {
            let read = entry.read(&mut part).map_err(|error| broken(&error))?;
            if read == 0 {
                break;
            }
            let written = to.write_all(&part[..read]);
            written.map_err(|error| format!("it cannot be copied ({error})"))?;
            copied += read as u64;
        }
        if copied == size {
            Ok(())
        } else {
            Err(broken(&"its size differs"))
        }
    }
}

fn broken(error: &dyn Display) -> String {
    format!("its zip entry is damaged ({error})")
}

fn unreadable(error: ZipError) -> String {
    match error {
        ZipError::UnsupportedArchive(_) => {
            "it is encrypted or packed in another way than by deflate; unpack it and name the folder".to_owned()
        }
        other => broken(&other),
    }
}
