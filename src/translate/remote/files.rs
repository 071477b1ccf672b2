//! Folders and files by what is in them: what a server has already does not go over again.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::messages::RootedFiles;
use crate::error::{Error, Result};
use canopy_base::digest::{hash_file, hexadecimal};
use canopy_base::file::TEMPORARY;
use canopy_base::folder::files_below;

/// Files of one folder, at most.
const MOST_FILES: usize = 20_000;

/// A file as a server keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    /// With `/` between its parts, from the folder's own name on.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its digest, in hexadecimal digits.
    pub sha256: String,
}

/// All files of a folder, or a file alone, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Files(Vec<StoredFile>);

impl Files {
    /// Files of the folder or file at `path`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn at(path: &Path) -> Result<Self> {
        let path = &std::fs::canonicalize(path).map_err(Error::read(path))?;
        let root = root(path);
        if path.is_file() {
            return Ok(Self(vec![stored(path, root)?]));
        }
        let skips = |name: &str| name.starts_with(TEMPORARY) || name.starts_with('.');
        let files = files_below(path, skips, Path::is_file)?;
        let stored = files
            .into_iter()
            .map(|name| stored(&path.join(&name), format!("{root}/{name}")));
        Ok(Self(stored.collect::<Result<_>>()?))
    }

    /// Each file, sorted by path.
    pub fn list(&self) -> &[StoredFile] {
        &self.0
    }

    /// By which they are known.
    pub fn rooted(&self) -> RootedFiles {
        let root = self.0.first().map_or("", |file| &file.path);
        RootedFiles {
            digest: self.digest(),
            root: root.split('/').next().unwrap_or_default().to_owned(),
        }
    }

    /// SHA-256 over paths, lengths and digests.
    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        for StoredFile {
            path,
            bytes,
            sha256,
        } in &self.0
        {
            hasher.update(format!("{path}\0{bytes}\0{sha256}\n"));
        }
        hexadecimal(hasher)
    }

    /// Whether they can be written below a folder without leaving it, all below one name.
    pub fn are_safe(&self) -> bool {
        let root = self.rooted().root;
        let is_safe = |file: &StoredFile| {
            let mut parts = Path::new(&file.path).components();
            let is_plain = !file.path.contains(['\\', '\0', ':'])
                && !file.path.split('/').any(|part| matches!(part, "" | "."))
                && parts.all(|part| matches!(part, Component::Normal(_)));
            is_plain
                && is_digest(&file.sha256)
                && file.path.split('/').next() == Some(root.as_str())
                && file.path.len() < 1_000
        };
        !self.0.is_empty() && self.0.len() <= MOST_FILES && self.0.iter().all(is_safe)
    }
}

/// Whether it is written as SHA-256 is.
pub(super) fn is_digest(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The name of a folder or file, as a server can write it.
fn root(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_odd = |character: char| character.is_control() || "\\/:\u{FFFD}".contains(character);
    let name = name.replace(is_odd, "_");
    if name.is_empty() {
        "files".to_owned()
    } else {
        name
    }
}

fn stored(path: &Path, name: String) -> Result<StoredFile> {
    let mut hasher = Sha256::new();
    hash_file(&mut hasher, path)?;
    Ok(StoredFile {
        path: name,
        bytes: path.metadata().map_err(Error::read(path))?.len(),
        sha256: hexadecimal(hasher),
    })
}

impl StoredFile {
    /// Its path here, below the folder or file that was named.
    pub fn place(&self, named: &Path) -> PathBuf {
        match self.path.split_once('/') {
            Some((_, below)) => named.join(below),
            None => named.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_what_is_in_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = folder.path().join("model");
        std::fs::create_dir_all(model.join("deep")).expect("a folder");
        std::fs::write(model.join("deep/a"), "a").expect("written");
        std::fs::write(model.join("b"), "b").expect("written");
        let files = Files::at(&model).expect("read");
        let paths: Vec<&str> = files.list().iter().map(|file| &*file.path).collect();
        assert_eq!(paths, ["model/b", "model/deep/a"]);
        assert!(files.are_safe());
        let before = files.digest();
        assert_eq!(files.list()[1].place(&model), model.join("deep/a"));
        std::fs::write(model.join("b"), "c").expect("written");
        assert_ne!(Files::at(&model).expect("read").digest(), before);
        let alone = Files::at(&model.join("b")).expect("read");
        assert_eq!(alone.rooted().root, "b");
        assert_eq!(alone.list()[0].place(&model.join("b")), model.join("b"));
    }

    #[test]
    fn paths_that_lead_outside_are_refused() {
        for path in [
            "../x", "/etc/x", "a/../b", "a//b", "", "a\\b", "a/./b", "a/c:b", "other/x",
        ] {
            let file = |path: &str| StoredFile {
                path: path.to_owned(),
                bytes: 1,
                sha256: "0".repeat(64),
            };
            let files = Files(vec![file("a/first"), file(path)]);
            assert!(!files.are_safe(), "{path}");
        }
        assert!(!Files(Vec::new()).are_safe());
    }
}
