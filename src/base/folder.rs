//! The contents of folders, and folders that appear whole or not at all.

use std::path::Path;

use tempfile::TempDir;

use crate::disk;
use crate::error::{Error, Result};
use crate::file::TEMPORARY;

/// Paths of the `wanted` files below `folder`, with `/` between their parts, sorted; files and folders whose name is to be
/// skipped are left out. Links to folders are not followed.
///
/// # Errors
/// If a folder cannot be read.
pub fn files_below(
    folder: &Path,
    skips: impl Fn(&str) -> bool,
    wanted: impl Fn(&Path) -> bool,
) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut left = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = left.pop() {
        for entry in std::fs::read_dir(&folder).map_err(Error::read(&folder))? {
            let entry = entry.map_err(Error::read(&folder))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(Error::read(entry.path()))?;
            if skips(&name) {
                continue;
            }
            if kind.is_dir() {
                left.push((entry.path(), format!("{prefix}{name}/")));
            } else if wanted(&entry.path()) {
                files.push(format!("{prefix}{name}"));
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// A folder to be filled next to `folder`, which it then replaces; it is deleted when it is dropped.
///
/// # Errors
/// If nothing can be written there.
pub fn temporary_sibling(folder: &Path) -> Result<TempDir> {
    let beside = folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    std::fs::create_dir_all(beside).map_err(Error::write(beside))?;
    let mut builder = tempfile::Builder::new();
    let temporary = builder.prefix(TEMPORARY).tempdir_in(beside);
    temporary.map_err(Error::write(folder))
}

/// Moves a new folder to its place; an old one there is deleted once that has worked.
///
/// # Errors
/// If it cannot be moved; the existing file stays.
pub fn put_in_place(new: TempDir, folder: &Path) -> Result<()> {
    readable_by_all(new.path());
    let old = if folder.exists() {
        let aside = temporary_sibling(folder)?;
        disk::rename(folder, &aside.path().join("old")).map_err(Error::write(folder))?;
        Some(aside)
    } else {
        None
    };
    if let Err(cause) = disk::rename(new.path(), folder) {
        if let Some(aside) = old {
            let restored = disk::rename(&aside.path().join("old"), folder);
            if restored.is_err() {
                // Better a folder with an odd name than none.
                let _ = aside.keep();
            }
        }
        return Err(Error::write(folder)(cause));
    }
    // Nothing is left to delete under its old name.
    let _ = new.keep();
    Ok(())
}

/// Temporary folders are for their owner alone; what comes of them is an ordinary one.
#[cfg(unix)]
fn readable_by_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // Without this right the folder is still whole, so a failure does not concern the user.
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755));
}

#[cfg(not(unix))]
fn readable_by_all(_folder: &Path) {}
