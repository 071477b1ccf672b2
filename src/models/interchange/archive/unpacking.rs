//! Writing the files of an archive to a folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::{Archive, Member, Place};
use crate::error::{Error, Result};
use crate::interchange::bytes::Bytes;
use crate::interchange::compression::most_unpacked;

/// Called with the number of bytes written since the last call; a break ends the writing.
pub type EachPart<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

impl Archive {
    /// The bytes of all its files, as they are stored.
    pub fn num_bytes(&mut self) -> u64 {
        let packed = &mut self.packed;
        let sizes = self.files.iter().map(|file| match &file.place {
            Place::Disk(path) => fs::metadata(path).map_or(0, |about| about.len()),
            Place::Part(bytes) => bytes.len(),
            &Place::Zip(number, entry) => packed[number].size(entry),
        });
        sizes.sum()
    }

    /// Writes all its files below a folder, none of them compressed any more.
    ///
    /// # Errors
    /// If a file is damaged, unpacks to far more than it is, or cannot be written.
    pub fn unpack(&mut self, folder: &Path, each: EachPart<'_>) -> Result<ControlFlow<()>> {
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        for name in names {
            let path = folder.join(&name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(Error::write(parent))?;
            }
            if self.unpack_file(&name, &path, each)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn unpack_file(
        &mut self,
        name: &str,
        path: &Path,
        each: EachPart<'_>,
    ) -> Result<ControlFlow<()>> {
        let found = self.files.iter().find(|file| file.name == name);
        if let Some(Member {
            place: Place::Zip(number, entry),
            compression: None,
            ..
        }) = found
        {
            let (number, entry) = (*number, *entry);
            let mut to = ObservedFile {
                file: File::create_new(path).map_err(Error::write(path))?,
                each,
                is_broken_off: false,
                left: u64::MAX,
            };
            let copied = self.packed[number].copy(entry, &mut to);
            return match copied {
                _ if to.is_broken_off => Ok(ControlFlow::Break(())),
                Ok(()) => Ok(ControlFlow::Continue(())),
                Err(problem) => Err(self.refuse(format!("{name}: {problem}"))),
            };
        }
        let (stored, compression) = self.stored(name, u64::MAX)?;
        let file = File::create_new(path).map_err(Error::write(path))?;
        let mut to = ObservedFile {
            file,
            each,
            is_broken_off: false,
            left: compression.map_or(u64::MAX, |_| most_unpacked(stored.len())),
        };
        let copied = match compression {
            Some(compression) => io::copy(&mut compression.reader(stored.reader()), &mut to)
                .map_err(|error| compression.damage(&error)),
            None => write_plain(&stored, &mut to),
        };
        match copied {
            _ if to.is_broken_off => Ok(ControlFlow::Break(())),
            Ok(_) => Ok(ControlFlow::Continue(())),
            Err(problem) => Err(self.refuse(format!("{name}: {problem}"))),
        }
    }
}

fn write_plain(bytes: &Bytes, to: &mut ObservedFile<'_>) -> Result<u64, String> {
    let copied = io::copy(&mut bytes.reader(), to);
    copied.map_err(|error| format!("it cannot be copied ({error})"))
}

/// A file that reports how much is written to it.
struct ObservedFile<'a> {
    file: File,
    each: EachPart<'a>,
    is_broken_off: bool,
    /// Bytes that may still be written.
    left: u64,
}

impl Write for ObservedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(io::Error::other("it unpacks to far more than it is"));
        };
        self.left = left;
        self.file.write_all(bytes)?;
        if (self.each)(bytes.len() as u64).is_break() {
            self.is_broken_off = true;
            return Err(io::Error::other("it was broken off"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
