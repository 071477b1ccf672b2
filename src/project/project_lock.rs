//! One window at a time writes the project of a document.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::project_store::lock_path;
use crate::error::{Error, Result};
use canopy_base::file::lock_file;

/// The right to write the project of a document.
#[derive(Debug)]
pub struct ProjectLock {
    document: PathBuf,
    is_ours: bool,
    /// Locked as long as it is open.
    _file: Option<File>,
}

impl ProjectLock {
    /// Takes the project of a document for this window, unless another one has it. Where no file can be locked, writing
    /// it will fail too, or it is unknown.
    pub fn take(data_folder: &Path, document: &Path) -> Self {
        let path = lock_path(data_folder, document);
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let file = lock_file(&path).ok();
        let locked = file.as_ref().map(File::try_lock);
        Self {
            document: document.to_owned(),
            is_ours: !matches!(locked, Some(Err(TryLockError::WouldBlock))),
            _file: file,
        }
    }

    /// Whether it was there to be taken.
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// # Errors
    /// [`Error::ProjectBusy`] if another window has it.
    pub fn check(&self) -> Result<()> {
        if self.is_ours {
            return Ok(());
        }
        Err(Error::ProjectBusy {
            path: self.document.clone(),
        })
    }
}
