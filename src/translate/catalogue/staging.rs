//! The folder in which a model is collected until it is whole. It stays when a download is broken off, so that the next one
//! continues there.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::model::CatalogueModel;
use crate::error::{Error, Result};
use canopy_base::digest::hexadecimal;
use canopy_base::file::{TEMPORARY, lock_file};

/// How long a download that was broken off is kept.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// Such a folder, which no other program uses meanwhile.
pub(super) struct Staging {
    folder: PathBuf,
    /// Name of the folder with finished files.
    name: String,
    lock: Option<File>,
}

impl Staging {
    /// Where a model is collected.
    pub(crate) fn place(library: &Path, model: &CatalogueModel) -> PathBuf {
        let mut hash = Sha256::new();
        hash.update(&model.release);
        for file in &model.files {
            hash.update([0]);
            hash.update(file.source.to_string());
        }
        let digest = hexadecimal(hash);
        let digest = &digest[..12];
        library.join(format!("{}{}-{digest}", prefix(), model.folder_name()))
    }

    /// Makes the folder, or continues in it.
    ///
    /// # Errors
    /// If it cannot be written, or another process downloads the same model now.
    pub(crate) fn open(library: &Path, model: &CatalogueModel) -> Result<Self> {
        let folder = Self::place(library, model);
        let name = model.folder_name().to_owned();
        let files = folder.join(&name);
        fs::create_dir_all(&files).map_err(Error::write(&files))?;
        let lock = lock_file(&folder.join(".lock"))?;
        if lock.try_lock().is_err() {
            return Err(Error::Download {
                reason: "another Canopy downloads it now".to_owned(),
                name,
            });
        }
        Ok(Self {
            folder,
            name,
            lock: Some(lock),
        })
    }

    /// The folder of finished files.
    pub(crate) fn files(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Where a file arrives.
    pub(crate) fn part(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.part"))
    }

    /// Deletes all of it.
    pub(crate) fn discard(mut self) {
        self.lock = None;
        // What cannot be deleted goes with the old ones.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Bytes of a model that have arrived, of a download that was broken off.
pub(super) fn arrived(library: &Path, model: &CatalogueModel) -> u64 {
    let folder = Staging::place(library, model);
    let size = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
    let files = model.files.iter().map(|file| {
        let part = folder.join(format!("{}.part", file.name));
        size(&folder.join(model.folder_name()).join(&file.name)).max(size(&part))
    });
    files.sum()
}

/// Deletes downloads that were not continued for long.
pub(super) fn discard_old(library: &Path) {
    let entries = fs::read_dir(library).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_download = name.to_string_lossy().starts_with(&prefix());
        let changed = entry
            .path()
            .join(".lock")
            .metadata()
            .and_then(|it| it.modified());
        let age = changed
            .ok()
            .and_then(|at| SystemTime::now().duration_since(at).ok());
        if is_download && age.is_none_or(|age| age > KEPT) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn prefix() -> String {
    format!("{TEMPORARY}download-")
}
