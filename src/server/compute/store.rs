//! Files of clients, kept by their digests, and the folders that they form.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::StatusCode;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::refusal::Refusal;
use canopy_base::digest::hexadecimal;
use canopy_base::file::{persist, write_atomically};
use canopy_base::folder::files_below;
use canopy_translate::remote::{Files, Missing, RootedFiles};

/// Files that clients have sent.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    bytes: AtomicU64,
    most_bytes: u64,
}

impl Store {
    /// # Errors
    /// If nothing can be written there.
    pub(super) fn open(folder: &Path, most_bytes: u64) -> Result<Self> {
        for name in ["files", "folders"] {
            let path = folder.join(name);
            std::fs::create_dir_all(&path).map_err(Error::write(&path))?;
        }
        let files = folder.join("files");
        let names = files_below(&files, |name| name.starts_with('.'), Path::is_file)?;
        let lengths = names
            .iter()
            .filter_map(|name| files.join(name).metadata().ok());
        let bytes = lengths.map(|it| it.len()).sum();
        Ok(Self {
            folder: folder.to_owned(),
            bytes: AtomicU64::new(bytes),
            most_bytes,
        })
    }

    /// Keeps a list of files; those that are not here.
    ///
    /// # Errors
    /// If the list is invalid, or is not the one of this digest.
    pub(super) fn list(&self, digest: &str, list: &[u8]) -> Result<Missing, Refusal> {
        let files: Files = serde_json::from_slice(list)
            .map_err(|_cause| Refusal::wrong("the list of files is damaged"))?;
        if !files.are_safe() || files.digest() != digest {
            return Err(Refusal::wrong(
                "the list of files is not what its digest says",
            ));
        }
        let is_missing = |sha256: &&String| !self.file(sha256).exists();
        let missing: BTreeSet<String> = files
            .list()
            .iter()
            .map(|file| &file.sha256)
            .filter(is_missing)
            .cloned()
            .collect();
        write_atomically(self.list_path(digest), list, true)?;
        Ok(Missing {
            missing: missing.into_iter().collect(),
        })
    }

    /// A place for a file of `bytes` bytes.
    ///
    /// # Errors
    /// 507 if there is no room.
    pub(super) fn receive(&self, digest: &str, bytes: u64) -> Result<Incoming, Refusal> {
        let after = self.bytes.load(Ordering::Relaxed).saturating_add(bytes);
        if after > self.most_bytes {
            return Err(Refusal::new(
                StatusCode::INSUFFICIENT_STORAGE,
                format!(
                    "it keeps {} bytes at most, and these would be {}; delete what is not needed in its store, or start it with a \
                     larger one",
                    self.most_bytes, after
                ),
            ));
        }
        let beside = self.folder.join("files");
        let file = NamedTempFile::with_prefix_in(".", &beside).map_err(Error::write(&beside))?;
        Ok(Incoming {
            file,
            hasher: Sha256::new(),
            digest: digest.to_owned(),
            left: bytes,
        })
    }

    /// Keeps a file that has come, if it is what its digest says.
    ///
    /// # Errors
    /// If it is not, or cannot be written.
    pub(super) fn keep(&self, incoming: Incoming) -> Result<(), Refusal> {
        let Incoming {
            mut file,
            hasher,
            digest,
            left,
        } = incoming;
        if left > 0 || hexadecimal(hasher) != digest {
            return Err(Refusal::wrong(
                "the file is not what its digest says; has it changed meanwhile?",
            ));
        }
        let path = self.file(&digest);
        file.flush().map_err(Error::write(&path))?;
        let bytes = file.as_file().metadata().map_or(0, |it| it.len());
        if !path.exists() {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        persist(file, &path).map_err(Error::write(&path))?;
        Ok(())
    }

    /// The folder or file that these files are.
    ///
    /// # Errors
    /// 404 if some of them are not here.
    pub(super) fn place(
        &self,
        RootedFiles { digest, root }: &RootedFiles,
    ) -> Result<PathBuf, Refusal> {
        let gone = || {
            Refusal::new(
                StatusCode::NOT_FOUND,
                "it does not have these files any more; send them again",
            )
        };
        let list = self.list_path(digest);
        let files: Option<Files> = std::fs::read(&list)
            .ok()
            .and_then(|list| serde_json::from_slice(&list).ok());
        let files = files.filter(|files| files.rooted().root == *root && files.are_safe());
        let files = files.ok_or_else(gone)?;
        let folder = self.folder.join("folders").join(digest);
        if folder.exists() {
            return Ok(folder.join(root));
        }
        if files
            .list()
            .iter()
            .any(|file| !self.file(&file.sha256).exists())
        {
            return Err(gone());
        }
        let new = tempfile::Builder::new()
            .prefix(".")
            .tempdir_in(self.folder.join("folders"))
            .map_err(Error::write(&folder))?;
        for file in files.list() {
            let to = new.path().join(&file.path);
            if let Some(parent) = to.parent() {
                std::fs::create_dir_all(parent).map_err(Error::write(parent))?;
            }
            let from = self.file(&file.sha256);
            // Some file systems have no links.
            if std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(&from, &to).map_err(Error::write(&to))?;
            }
        }
        if let Err(cause) = std::fs::rename(new.path(), &folder)
            && !folder.exists()
        {
            return Err(Error::write(&folder)(cause).into());
        }
        Ok(folder.join(root))
    }

    /// Where trainings are.
    pub(super) fn trainings(&self) -> PathBuf {
        self.folder.join("trainings")
    }

    fn file(&self, digest: &str) -> PathBuf {
        self.folder.join("files").join(digest)
    }

    fn list_path(&self, digest: &str) -> PathBuf {
        let is_plain = digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digest = if is_plain { digest } else { "none" };
        self.folder.join("folders").join(format!("{digest}.json"))
    }
}

/// A file under way.
#[derive(Debug)]
pub(super) struct Incoming {
    file: NamedTempFile,
    hasher: Sha256,
    digest: String,
    /// Bytes that are to come.
    left: u64,
}

impl Incoming {
    /// # Errors
    /// If there is more than was announced, or the disk is full.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| Refusal::wrong("there is more than was announced"))?;
        self.hasher.update(bytes);
        let path = self.file.path().to_owned();
        self.file.write_all(bytes).map_err(Error::write(path))?;
        Ok(())
    }
}
