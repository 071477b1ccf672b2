//! Copying a model into a library, and removing it from there.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::{FILES, InstalledModel, described, files_in, is_own, read_foreign, size};
use crate::error::{Error, Result};
use crate::inference::translator::name_of;
use crate::text::disk;
use crate::text::file::TEMPORARY;
use crate::weights::ModelFolder;

/// Between two reports while a large file is copied.
const STEP_BYTES: usize = 4 << 20;

/// Told how many bytes are copied and how many there are; a break ends the copying.
pub type CopyProgress<'a> = &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// Copies a model into a library: a model folder, or a folder or zip file of another program's.
///
/// # Errors
/// If it is no model that can be read, one of its name is there already, or it cannot be copied.
pub fn install_model(path: &Path, library: &Path) -> Result<InstalledModel> {
    let installed = install_model_while(path, library, &mut |_, _| ControlFlow::Continue(()))?;
    Ok(installed.expect("nobody broke it off"))
}

/// The same, telling how far it is; none if `progress` broke it off, and then nothing is left behind.
///
/// # Errors
/// As [`install_model`].
pub fn install_model_while(
    path: &Path,
    library: &Path,
    progress: CopyProgress<'_>,
) -> Result<Option<InstalledModel>> {
    let path = std::path::absolute(path).map_err(Error::read(path))?;
    let folder = library.join(name_of(&path));
    if folder.exists() {
        return Err(Error::Exists { path: folder });
    }
    fs::create_dir_all(library).map_err(Error::write(library))?;
    let new = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempdir_in(library);
    let new = new.map_err(Error::write(library))?;
    let total = size(&path);
    let mut copying = Copying {
        done: 0,
        total,
        progress,
    };
    if copying.tell().is_break() {
        return Ok(None);
    }
    if is_own(&path) {
        ModelFolder::open(&path)?;
        if copying.copy(&path, new.path())?.is_break() {
            return Ok(None);
        }
    } else {
        let mut installed = read_foreign(&path)?;
        let extension = path.extension().filter(|_| path.is_file());
        installed.files = match extension {
            Some(extension) => format!("{FILES}.{}", extension.to_string_lossy()),
            None => FILES.to_owned(),
        };
        let files = new.path().join(&installed.files);
        if copying.copy(&path, &files)?.is_break() {
            return Ok(None);
        }
        installed.bytes = Some(size(&files));
        // A path that is no Unicode cannot be written there.
        installed.copied_from = installed.copied_from.filter(|path| path.to_str().is_some());
        installed.write(new.path())?;
    }
    let made = new.keep();
    let moved = disk::rename(&made, &folder).map_err(Error::write(&folder));
    if moved.is_err() {
        // It would stay there for good, and nobody would see it.
        let _ = fs::remove_dir_all(&made);
    }
    moved?;
    described(&folder).map(Some)
}

/// Deletes a model of a library, broken or not, and nothing else.
///
/// # Errors
/// If it is not one, or cannot be deleted.
pub fn remove_model(folder: &Path, library: &Path) -> Result<()> {
    if folder.parent() != Some(library) || folder.file_name().is_none() || !folder.is_dir() {
        return Err(Error::Model {
            reason: format!("it is no model of {}", library.display()),
            path: folder.to_owned(),
        });
    }
    fs::remove_dir_all(folder).map_err(Error::write(folder))
}

struct Copying<'a> {
    done: u64,
    total: u64,
    progress: CopyProgress<'a>,
}

impl Copying<'_> {
    fn tell(&mut self) -> ControlFlow<()> {
        (self.progress)(self.done.min(self.total), self.total)
    }

    /// Copies a file, or a folder with the files in it; links to files are followed.
    fn copy(&mut self, from: &Path, to: &Path) -> Result<ControlFlow<()>> {
        if from.is_file() {
            return self.copy_file(from, to);
        }
        fs::create_dir_all(to).map_err(Error::write(to))?;
        // Or nothing would be copied of a folder that cannot be read.
        fs::read_dir(from).map_err(Error::read(from))?;
        for path in files_in(from) {
            let name = path.file_name().unwrap_or_default();
            let copied = self.copy(&path, &to.join(name))?;
            if copied.is_break() {
                return Ok(copied);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn copy_file(&mut self, from: &Path, to: &Path) -> Result<ControlFlow<()>> {
        let mut source = File::open(from).map_err(Error::read(from))?;
        let mut target = File::create_new(to).map_err(Error::write(to))?;
        let mut bytes = vec![0; STEP_BYTES];
        loop {
            let read = source.read(&mut bytes).map_err(Error::read(from))?;
            if read == 0 {
                return Ok(ControlFlow::Continue(()));
            }
            target.write_all(&bytes[..read]).map_err(Error::write(to))?;
            self.done += read as u64;
            let told = self.tell();
            if told.is_break() {
                return Ok(told);
            }
        }
    }
}
