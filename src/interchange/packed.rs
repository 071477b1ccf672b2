//! Zip files: wheels, archives inside them, npz, and what `torch.save` writes.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::{Error, Result};

trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// An open zip file.
pub(super) struct Packed {
    archive: ZipArchive<Box<dyn Source>>,
}

impl Packed {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::read(path))?;
        Self::new(Box::new(BufReader::new(file))).map_err(|problem| Error::Foreign {
            reason: format!("{problem}; name a folder, or a wheel as it was downloaded"),
            path: path.to_owned(),
        })
    }

    /// A zip file that lay in another one.
    pub fn within(bytes: Vec<u8>) -> Result<Self, String> {
        Self::new(Box::new(Cursor::new(bytes)))
    }

    fn new(source: Box<dyn Source>) -> Result<Self, String> {
        let archive = ZipArchive::new(source);
        let archive = archive.map_err(|error| format!("it is not a whole zip file ({error})"))?;
        Ok(Self { archive })
    }

    /// The files in it with their numbers.
    pub fn names(&self) -> Vec<(usize, String)> {
        let names = self.archive.file_names_raw().map(String::from_utf8_lossy);
        let files = names.enumerate().filter(|(_, name)| !name.ends_with('/'));
        files
            .map(|(number, name)| (number, name.into_owned()))
            .collect()
    }

    /// A file by its number, of at most so many bytes.
    pub fn read(&mut self, number: usize, most: u64) -> Result<Vec<u8>, String> {
        let broken = |error: &dyn std::fmt::Display| format!("its zip entry is damaged ({error})");
        let entry = self.archive.by_index(number).map_err(|error| match error {
            ZipError::UnsupportedArchive(_) => {
                "it is encrypted or packed in another way than by deflate; unpack it and name the folder".to_owned()
            }
            other => broken(&other),
        })?;
        let size = entry.size();
        if size > most {
            return Err(format!(
                "it has {size} bytes; such a file has at most {most}"
            ));
        }
        // The size may be wrong, so memory is not set aside for it.
        let mut bytes = Vec::new();
        let read = entry.take(size.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| broken(&error))?;
        if bytes.len() as u64 == size {
            Ok(bytes)
        } else {
            Err(broken(&"its size differs"))
        }
    }
}
