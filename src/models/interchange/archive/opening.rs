//! Which files there are: in a folder, in a packed file, or next to a file of weights.

use std::fs;
use std::path::Path;

use super::{Archive, Member, Place, depth};
use crate::error::{Error, Result};
use crate::interchange::bytes::Bytes;
use crate::interchange::compression::{Compression, most_unpacked};
use crate::interchange::packed::Packed;
use crate::interchange::seeming::is_partial;
use crate::interchange::tar::{files_of, is_tar};

/// Folders below the named one in which files are looked for.
const MAX_DEPTH: usize = 4;

/// Files of the largest folder that is looked through.
const MOST_FILES: usize = 10_000;

/// Endings of files that hold weights.
const WEIGHTS: [&str; 6] = ["npz", "safetensors", "bin", "pt", "pth", "ckpt"];

/// Beginnings and endings of the files next to weights that readers look for.
const BESIDE: [&str; 8] = [
    "config",
    "decoder.yml",
    "generation_config.json",
    "metadata.json",
    "model_info.json",
    "LICEN",
    "COPYING",
    "README",
];
const BESIDE_ENDINGS: [&str; 7] = [
    ".spm",
    ".bpe",
    ".model",
    ".vocab.yml",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
];

impl Archive {
    /// Lists the files; reads only compressed tar files.
    ///
    /// # Errors
    /// If the folder or file cannot be read, is packed in a way that is not known, unpacks to far more than it is, or names
    /// files outside of itself.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let mut archive = Self {
            path: path.clone(),
            files: Vec::new(),
            packed: Vec::new(),
            named: None,
        };
        if fs::metadata(&path).map_err(Error::read(&path))?.is_dir() {
            archive.add_folder(&path, "", MAX_DEPTH)?;
        } else {
            archive.add_file(&path)?;
        }
        let has_weights = ["safetensors", "npz", "bin"]
            .iter()
            .any(|ending| !archive.weights(ending).is_empty());
        if !has_weights {
            archive.look_into_zips()?;
        }
        archive.take_off_endings();
        archive
            .files
            .sort_by_cached_key(|file| (depth(&file.name), file.name.clone()));
        Ok(archive)
    }

    fn add_folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<()> {
        for entry in fs::read_dir(folder).map_err(Error::read(folder))? {
            let entry = entry.map_err(Error::read(folder))?;
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(Error::read(&path))?;
            if name.starts_with('.') {
                continue;
            }
            let name = format!("{prefix}{name}");
            if kind.is_dir() {
                if depth > 0 {
                    self.add_folder(&path, &format!("{name}/"), depth - 1)?;
                }
            } else if path.is_file() {
                // Links to files are followed: the cache of Hugging Face is made of them.
                self.add(name, Place::Disk(path));
            }
            if self.files.len() > MOST_FILES {
                return Err(self.refuse(format!(
                    "it holds more than {MOST_FILES} files; name the folder of the model alone"
                )));
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = Bytes::open(path)?;
        let is_partial = is_partial(&name);
        let compression = Compression::from_bytes(&bytes).filter(|_| !is_partial);
        let bare = Compression::from_name(&name).map_or(&*name, |(_, bare)| bare);
        if is_weights(bare) {
            return self.add_beside(path, bare);
        }
        if let Some(compression) = compression {
            let unpacked = compression.unpack(&bytes, most_unpacked(bytes.len()));
            let unpacked = unpacked.map_err(|problem| self.refuse(problem))?.into();
            return if is_tar(&unpacked) {
                self.add_tar(&unpacked)
            } else {
                self.add(bare.to_owned(), Place::Part(unpacked));
                Ok(())
            };
        }
        if is_tar(&bytes) {
            return self.add_tar(&bytes);
        }
        let is_zip = bytes.fields().array() == Ok(*b"PK\x03\x04");
        let extension = path.extension().unwrap_or_default();
        let mut should_be = ["zip", "whl", "argosmodel"].iter();
        let is_page = bytes.fields().array() == Ok(*b"<");
        let should_be = should_be.any(|it| extension.eq_ignore_ascii_case(it)) && !is_page;
        if (is_zip && !is_partial) || should_be {
            let mut packed = Packed::open(path)?;
            packed.check().map_err(|problem| self.refuse(problem))?;
            return self.add_packed(packed, "");
        }
        self.add(name.into_owned(), Place::Disk(path.to_owned()));
        Ok(())
    }

    /// Adds a file of weights, and what belongs to it in its folder.
    fn add_beside(&mut self, path: &Path, bare: &str) -> Result<()> {
        self.named = Some(bare.to_owned());
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        for entry in fs::read_dir(folder).map_err(Error::read(folder))? {
            let other = entry.map_err(Error::read(folder))?.path();
            let name = other.file_name().unwrap_or_default().to_string_lossy();
            let plain = Compression::from_name(&name).map_or(&*name, |(_, bare)| bare);
            let is_it = Some(&*name) == path.file_name().map(|it| it.to_string_lossy()).as_deref();
            if is_it || other.is_file() && belongs(plain, bare) {
                self.add(name.into_owned(), Place::Disk(other));
            }
        }
        Ok(())
    }

    fn add_tar(&mut self, bytes: &Bytes) -> Result<()> {
        let files = files_of(bytes).map_err(|problem| self.refuse(problem))?;
        for (name, bytes) in files {
            self.add_named(&name, "", Place::Part(bytes))?;
        }
        Ok(())
    }

    fn add_packed(&mut self, packed: Packed, prefix: &str) -> Result<()> {
        let number = self.packed.len();
        for (entry, name) in packed.names() {
            self.add_named(&name, prefix, Place::Zip(number, entry))?;
        }
        self.packed.push(packed);
        Ok(())
    }

    fn look_into_zips(&mut self) -> Result<()> {
        let zips = [self.weights("zip"), self.weights("whl")].concat();
        for name in zips {
            let bytes = self.read(&name, u64::MAX)?;
            if bytes.fields().array() == Ok(*b"<") {
                // A web page in place of a download, which is reported as such.
                continue;
            }
            let inner = Packed::within(&bytes);
            let inner = inner.map_err(|problem| self.refuse(format!("{name}: {problem}")))?;
            self.add_packed(inner, &format!("{name}/"))?;
        }
        Ok(())
    }

    /// Adds a file of a packed one by the name that it has there; what is hidden is left out.
    fn add_named(&mut self, name: &str, prefix: &str, place: Place) -> Result<()> {
        let plain = name.replace('\\', "/");
        let parts: Vec<&str> = plain.split('/').filter(|part| *part != ".").collect();
        let is_outside =
            |part: &&str| part.is_empty() || *part == ".." || part.contains([':', '\0']);
        if parts.iter().any(is_outside) {
            return Err(self.refuse(format!(
                "it holds a file named {name:?}, which would be outside its folder; it is damaged or malicious"
            )));
        }
        if parts.iter().all(|part| !part.starts_with('.')) {
            self.add(format!("{prefix}{}", parts.join("/")), place);
        }
        Ok(())
    }

    fn add(&mut self, name: String, place: Place) {
        self.files.push(Member {
            name,
            place,
            compression: None,
        });
    }

    /// Gives compressed files their names without the ending, unless a plain one has it.
    fn take_off_endings(&mut self) {
        let taken: Vec<String> = self.names().map(str::to_owned).collect();
        for file in &mut self.files {
            let Some((compression, bare)) = Compression::from_name(&file.name) else {
                continue;
            };
            let is_archive = Path::new(bare).extension().is_some_and(|it| it == "tar");
            if !is_archive && !taken.iter().any(|name| name == bare) {
                (file.compression, file.name) = (Some(compression), bare.to_owned());
            }
        }
    }
}

fn is_weights(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    let mut known = WEIGHTS.iter();
    known.any(|ending| extension.eq_ignore_ascii_case(ending))
}

/// Whether a file belongs to the weights next to it: another part of them, or what describes them.
fn belongs(name: &str, weights: &str) -> bool {
    let is_part = |name: &str| name.split_once("-0").map(|(stem, _)| stem.to_owned());
    if is_weights(name) && !name.starts_with("lex.") {
        return is_part(weights).is_some() && is_part(name) == is_part(weights);
    }
    let is_vocabulary = name.contains("vocab");
    let is_known = is_vocabulary
        || name.starts_with("lex.")
        || BESIDE.iter().any(|it| name.starts_with(it))
        || BESIDE_ENDINGS.iter().any(|it| name.ends_with(it));
    // Models of several pairs may be in one folder: vocab.enpt.spm does not belong to model.enes.bin.
    let pair = |name: &str| pair_in(name).map(str::to_owned);
    let is_same_pair = match (pair(name), pair(weights)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    is_known && is_same_pair
}

/// The part of a name such as `vocab.enpt.spm` that names two languages.
fn pair_in(name: &str) -> Option<&str> {
    let mut parts = name.split('.');
    parts.find(|part| canopy_tokenize::pair_of_letters(part).is_some())
}
