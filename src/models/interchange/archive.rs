//! The files of a model, in a folder, a wheel or another archive.

mod opening;
mod unpacking;

use std::io::Read;
use std::path::{Path, PathBuf};

use super::bytes::Bytes;
use super::compression::{Compression, most_unpacked};
use super::packed::Packed;
use super::tensors::Tensors;
use super::{npy, tensors, torch};
use crate::error::{Error, Result};
pub use unpacking::EachPart;

/// Bytes of the largest file other than the weights, such as a vocabulary: a small zip file may unpack to any size.
const MOST_BESIDE: u64 = 64 << 20;

/// Endings of files that run code when they are read as they are meant to be.
const PICKLES: [&str; 6] = ["bin", "pt", "pth", "pkl", "pickle", "ckpt"];

/// A folder, a wheel (`.whl`) or any other zip file, a tar file (`.tar`, `.tar.gz`, `.tar.zst`), or a file of weights with the
/// files next to it that belong to it. Files that are compressed one by one (`.gz`, `.zst`) go by their names without that
/// ending. A zip inside one of them is looked into as well if there are no weights outside it.
pub struct Archive {
    path: PathBuf,
    /// Sorted: those in the uppermost folder first, then by name.
    files: Vec<Member>,
    packed: Vec<Packed>,
    /// The file of weights that was named.
    named: Option<String>,
}

struct Member {
    /// With `/` between folders, and the name of a zip file as a folder.
    name: String,
    place: Place,
    /// How it is compressed there by itself.
    compression: Option<Compression>,
}

enum Place {
    Disk(PathBuf),
    /// Numbers of the zip file and of the entry in it.
    Zip(usize, usize),
    /// In a tar file.
    Part(Bytes),
}

impl Archive {
    /// The opened folder or archive.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All files, with `/` between folders; those in the uppermost folder first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// The uppermost file with this name, such as `config.json` or `1_Pooling/config.json`, or with this ending, such as
    /// `*.model`.
    pub fn find(&self, file_name: &str) -> Option<&str> {
        let fits = |name: &str| {
            let before = name.strip_suffix(file_name.trim_start_matches('*'));
            before.is_some_and(|before| {
                file_name.starts_with('*') || before.is_empty() || before.ends_with('/')
            })
        };
        self.names().find(|&name| fits(name))
    }

    /// The bytes of a file that [`find`](Self::find) finds: of one next to the weights.
    ///
    /// # Errors
    /// If there is none, it cannot be read, or it is far too large.
    pub fn bytes(&mut self, file_name: &str) -> Result<Vec<u8>> {
        let Some(name) = self.find(file_name).map(str::to_owned) else {
            return Err(self.refuse(format!("there is no {file_name} in it")));
        };
        self.read(&name, MOST_BESIDE)?.read()
    }

    /// The text of a file that [`find`](Self::find) finds.
    ///
    /// # Errors
    /// If there is none, it cannot be read or is not UTF-8.
    pub fn text(&mut self, file_name: &str) -> Result<String> {
        let bytes = self.bytes(file_name)?;
        let text = String::from_utf8(bytes);
        text.map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            self.refuse(format!("byte {offset} of {file_name} is not UTF-8"))
        })
    }

    /// The weights: of all safetensors files in the uppermost folder that has any, or else of all npz files.
    ///
    /// # Errors
    /// If there are none, they are pickled, a file is damaged, or two files have a tensor of the same name.
    pub fn tensors(&mut self) -> Result<Tensors> {
        let mut all = Tensors::new(&self.path);
        let (safetensors, npz) = (self.weights("safetensors"), self.weights("npz"));
        for name in &safetensors {
            let bytes = self.read(name, u64::MAX)?;
            let found = tensors::read_safetensors(&bytes);
            all.add(found.map_err(|problem| self.refuse(format!("{name}: {problem}")))?)?;
        }
        if safetensors.is_empty() {
            for name in &npz {
                let bytes = self.read(name, u64::MAX)?;
                let found = npy::read_npz(&bytes);
                all.add(found.map_err(|problem| self.refuse(format!("{name}: {problem}")))?)?;
            }
        }
        if safetensors.is_empty() && npz.is_empty() {
            return Err(self.refuse(self.lack_of_weights()));
        }
        Ok(all)
    }

    /// The weights as [`Self::tensors`] reads them, or, where there are none, of pickled files of this name or, of a model
    /// in several files, of names like it, as `pytorch_model-00001-of-00002.bin`. Nothing in them is run.
    ///
    /// # Errors
    /// The errors of [`Self::tensors`], and a pickle that builds anything but tensors.
    pub(super) fn tensors_or_pickles(&mut self, file_name: &str) -> Result<Tensors> {
        let stem = file_name.strip_suffix(".bin").unwrap_or(file_name);
        let mut pickles = self.weights("bin");
        pickles.retain(|name| {
            let name = name.rsplit('/').next().unwrap_or_default();
            name == file_name || name.starts_with(&format!("{stem}-"))
        });
        if pickles.is_empty() || !self.weights("safetensors").is_empty() {
            return self.tensors();
        }
        let mut all = Tensors::new(&self.path);
        for name in &pickles {
            let bytes = self.read(name, u64::MAX)?;
            let found = torch::read_torch(&bytes);
            all.add(found.map_err(|problem| self.refuse(format!("{name}: {problem}")))?)?;
        }
        Ok(all)
    }

    /// The bytes of a file by its whole name, however large.
    pub(super) fn large(&mut self, file_name: &str) -> Result<Bytes> {
        let Some(name) = self.find(file_name).map(str::to_owned) else {
            return Err(self.refuse(format!("there is no {file_name} in it")));
        };
        self.read(&name, u64::MAX)
    }

    fn lack_of_weights(&self) -> String {
        let pickle = PICKLES
            .iter()
            .find_map(|ending| self.weights(ending).into_iter().next());
        pickle.map_or_else(
            || "there is no *.safetensors and no *.npz in it".to_owned(),
            |name| {
                format!(
                    "{name} is a pickle, and reading one can run any program; save the weights as safetensors, or as \
                     npz without objects"
                )
            },
        )
    }

    /// The files with this ending in the uppermost folder that has any.
    fn weights(&self, ending: &str) -> Vec<String> {
        let with_ending = |name: &&str| {
            let extension = Path::new(name).extension();
            extension.is_some_and(|found| found.eq_ignore_ascii_case(ending))
        };
        let names: Vec<&str> = self.names().filter(with_ending).collect();
        let top = names.iter().map(|name| depth(name)).min();
        let uppermost = names.into_iter().filter(|name| Some(depth(name)) == top);
        uppermost.map(str::to_owned).collect()
    }

    /// A file as it is stored, of at most `most` bytes if it is in a zip file, and how it is compressed there.
    fn stored(&mut self, name: &str, most: u64) -> Result<(Bytes, Option<Compression>)> {
        let file = self.files.iter().find(|file| file.name == name);
        let file = file.expect("a name of this archive");
        let compression = file.compression;
        let bytes = match &file.place {
            Place::Disk(path) => Bytes::open(path)?,
            Place::Part(bytes) => bytes.clone(),
            &Place::Zip(number, entry) => {
                let bytes = self.packed[number].read(entry, most);
                bytes.map_err(|problem| self.refuse(format!("{name}: {problem}")))?
            }
        };
        Ok((bytes, compression))
    }

    /// A file of at most `most` bytes, if it is packed.
    fn read(&mut self, name: &str, most: u64) -> Result<Bytes> {
        let (stored, compression) = self.stored(name, most)?;
        let Some(compression) = compression else {
            return Ok(stored);
        };
        let unpacked = compression.unpack(&stored, most.min(most_unpacked(stored.len())));
        let unpacked = unpacked.map_err(|problem| self.refuse(format!("{name}: {problem}")))?;
        Ok(unpacked.into())
    }

    /// The first bytes of a file by its whole name; fewer if it is shorter.
    pub(super) fn head(&mut self, name: &str, count: u64) -> Result<Vec<u8>> {
        let file = self.files.iter().find(|file| file.name == name);
        if let Some(Member {
            place: Place::Zip(number, entry),
            compression: None,
            ..
        }) = file
        {
            let bytes = self.packed[*number].head(*entry, count);
            return bytes.map_err(|problem| self.refuse(format!("{name}: {problem}")));
        }
        let (stored, compression) = self.stored(name, u64::MAX)?;
        let stored = stored.reader();
        let reader = match compression {
            Some(compression) => compression.reader(stored),
            None => Box::new(stored),
        };
        let mut bytes = Vec::new();
        let read = reader.take(count).read_to_end(&mut bytes);
        read.map_err(|error| self.refuse(format!("{name}: it cannot be read ({error})")))?;
        Ok(bytes)
    }

    /// The file of weights that was named, if one was.
    pub(super) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    pub(super) fn refuse(&self, reason: String) -> Error {
        Error::Foreign {
            reason,
            path: self.path.clone(),
        }
    }
}

fn depth(name: &str) -> usize {
    name.matches('/').count()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
