//! What lies in folders.

use std::path::Path;

use crate::error::{Error, Result};

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
