//! Copying a model into a library, and removing it from there.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::{
    FILES, Installed, InstalledModel, KnownOfModel, described, files_in, is_own, place_of,
    read_foreign, size,
};
use crate::error::{BaseError, Error, Result};
use crate::inference::language_model::PackedLanguageModel;
use crate::inference::translator::name_of;
use canopy_base::disk;
use canopy_base::file::TEMPORARY;
use canopy_llm::LanguageModel;
use canopy_models::interchange::Archive;
use canopy_models::weights::ModelFolder;

/// Between two reports while a large file is copied.
const STEP_BYTES: usize = 4 << 20;

/// Called with the numbers of bytes copied and in all; a break ends the copying.
pub type CopyProgress<'a> = &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// Copies a model into a library: a model folder, or a folder, an archive or a file of weights of another program's with the
/// files next to it. Archives are unpacked.
///
/// # Errors
/// If it is no model that can be read, one of its name exists already, or it cannot be copied.
pub fn install_model(path: &Path, library: &Path) -> Result<InstalledModel> {
    let installed = install_model_while(path, library, &mut |_, _| ControlFlow::Continue(()))?;
    Ok(installed.expect("nobody broke it off"))
}

/// Installs a model and reports progress; none if `progress` cancels, and then nothing is left behind.
///
/// # Errors
/// As [`install_model`].
pub fn install_model_while(
    path: &Path,
    library: &Path,
    progress: CopyProgress<'_>,
) -> Result<Option<InstalledModel>> {
    install_known_model(path, library, &KnownOfModel::default(), progress)
}

/// Installs a model of which more is known than its files say.
///
/// # Errors
/// As [`install_model`].
pub fn install_known_model(
    path: &Path,
    library: &Path,
    known: &KnownOfModel,
    progress: CopyProgress<'_>,
) -> Result<Option<InstalledModel>> {
    let path = std::path::absolute(path).map_err(Error::read(path))?;
    let path = place_of(&path);
    let name = Some(known.name.clone()).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| name_of(path));
    let folder = library.join(&name);
    if folder.exists() && !known.replaces {
        return Err(Error::Base(BaseError::Exists { path: folder }));
    }
    fs::create_dir_all(library).map_err(Error::write(library))?;
    let new = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempdir_in(library);
    let new = new.map_err(Error::write(library))?;
    let mut copying = Copying {
        done: 0,
        total: size(path),
        progress,
    };
    if copying.report_progress().is_break() {
        return Ok(None);
    }
    let copied = if is_own(path) {
        known.check_own(path, &ModelFolder::open(path)?)?;
        let copied = copying.copy(path, new.path())?;
        copied.is_continue().then(|| new.path().to_owned())
    } else {
        copying.unpack(path, new.path(), (&name, known))?
    };
    let Some(made) = copied else {
        return Ok(None);
    };
    let moved = put(&made, &folder, library);
    if made == new.path() && moved.is_ok() {
        // It has its new name, and is not to be deleted.
        let _ = new.keep();
    }
    moved?;
    described(&folder).map(Some)
}

/// Gives a finished folder its name; one that has it is kept until then.
fn put(made: &Path, folder: &Path, library: &Path) -> Result<()> {
    if !folder.exists() {
        return disk::rename(made, folder).map_err(Error::write(folder));
    }
    let aside = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempdir_in(library);
    let aside = aside.map_err(Error::write(library))?;
    let old = aside.path().join("old");
    disk::rename(folder, &old).map_err(Error::write(folder))?;
    let moved = disk::rename(made, folder);
    if moved.is_err() {
        fs::rename(&old, folder).map_err(Error::write(folder))?;
    }
    moved.map_err(Error::write(folder))
}

/// Deletes a model of a library, broken or not, and nothing else.
///
/// # Errors
/// If it is not one, or cannot be deleted.
pub fn remove_model(folder: &Path, library: &Path) -> Result<()> {
    if folder.parent() != Some(library) || folder.file_name().is_none() || !folder.is_dir() {
        return Err(Error::Base(BaseError::Model {
            reason: format!("it is not a model of {}", library.display()),
            path: folder.to_owned(),
        }));
    }
    fs::remove_dir_all(folder).map_err(Error::write(folder))
}

/// Whether a language model is a folder, and where its copy below `new` is to be; a folder is made.
fn place_of_copy(model: &Path, new: &Path) -> Result<(bool, PathBuf)> {
    let is_folder = model.is_dir();
    let copy = new.join(if is_folder { FILES } else { "model.gguf" });
    if is_folder {
        fs::create_dir(&copy).map_err(Error::write(&copy))?;
    }
    Ok((is_folder, copy))
}

/// Where the copy of a file of a language model is to be.
fn target_of(file: &Path, copy: &Path, is_folder: bool) -> PathBuf {
    match file.file_name().filter(|_| is_folder) {
        Some(name) => copy.join(name),
        None => copy.to_owned(),
    }
}

/// Writes the description of a language model next to its copy.
fn describe_language_model(
    mut installed: Installed,
    copy: &Path,
    new: &Path,
    (name, known): (&str, &KnownOfModel),
) -> Result<Option<PathBuf>> {
    let files = copy.file_name().unwrap_or_default().to_string_lossy();
    installed.files = files.into_owned();
    name.clone_into(&mut installed.name);
    installed.bytes = Some(size(copy));
    // A path that is no Unicode cannot be written there.
    installed.copied_from = installed.copied_from.filter(|path| path.to_str().is_some());
    installed.fill(known);
    installed.write(new)?;
    Ok(Some(new.to_owned()))
}

struct Copying<'a> {
    done: u64,
    total: u64,
    progress: CopyProgress<'a>,
}

impl Copying<'_> {
    /// Unpacks a model of another program below `new`, and describes it there; one of ours that was packed, too. Its folder;
    /// none if it was broken off.
    fn unpack(
        &mut self,
        path: &Path,
        new: &Path,
        (name, known): (&str, &KnownOfModel),
    ) -> Result<Option<PathBuf>> {
        if LanguageModel::is_one(path) {
            let installed = read_foreign(path)?;
            return self.copy_language_model(path, installed, new, (name, known));
        }
        if let Some(packed) = PackedLanguageModel::find(path) {
            return self.unpack_language_model(packed, path, new, (name, known));
        }
        let mut archive = Archive::open(path)?;
        self.total = archive.num_bytes();
        let own = archive.find("model.toml").map(str::to_owned);
        let installed = match own {
            Some(_) => None,
            None => Some(read_foreign(path)?),
        };
        if let Some(installed) = &installed {
            let agreed = known.check(installed);
            let agreed = agreed.and_then(|()| known.check_stated(installed));
            agreed.map_err(|reason| {
                Error::Base(BaseError::Model {
                    reason,
                    path: path.to_owned(),
                })
            })?;
        }
        let files = new.join(FILES);
        let unpacked = archive.unpack(&files, &mut |bytes| {
            self.done += bytes;
            self.report_progress()
        })?;
        if unpacked.is_break() {
            return Ok(None);
        }
        let Some(mut installed) = installed else {
            let own = own.map(|own| files.join(own));
            let folder = own.as_deref().and_then(Path::parent).unwrap_or(&files);
            known.check_own(folder, &ModelFolder::open(folder)?)?;
            return Ok(Some(folder.to_owned()));
        };
        FILES.clone_into(&mut installed.files);
        name.clone_into(&mut installed.name);
        installed.bytes = Some(size(&files));
        // A path that is no Unicode cannot be written there.
        installed.copied_from = installed.copied_from.filter(|path| path.to_str().is_some());
        installed.fill(known);
        installed.write(new)?;
        Ok(Some(new.to_owned()))
    }

    /// Unpacks the files of a language model, and installs them from there.
    fn unpack_language_model(
        &mut self,
        mut packed: PackedLanguageModel,
        path: &Path,
        new: &Path,
        named: (&str, &KnownOfModel),
    ) -> Result<Option<PathBuf>> {
        let aside = new.join("unpacked");
        self.total = packed.num_bytes();
        let unpacked = packed.unpack(&aside, &mut |bytes| {
            self.done += bytes;
            self.report_progress()
        })?;
        let Some(model) = unpacked else {
            return Ok(None);
        };
        let mut installed = read_foreign(&model)?;
        installed.set_archive(path);
        let (is_folder, copy) = place_of_copy(&model, new)?;
        for file in LanguageModel::files(&model)? {
            let target = target_of(&file, &copy, is_folder);
            disk::rename(&file, &target).map_err(Error::write(&target))?;
        }
        fs::remove_dir_all(&aside).map_err(Error::write(&aside))?;
        describe_language_model(installed, &copy, new, named)
    }

    /// Copies the files of a language model, and writes its description next to the copy.
    fn copy_language_model(
        &mut self,
        path: &Path,
        installed: Installed,
        new: &Path,
        named: (&str, &KnownOfModel),
    ) -> Result<Option<PathBuf>> {
        let (is_folder, copy) = place_of_copy(path, new)?;
        let files = LanguageModel::files(path)?;
        self.total = files.iter().map(|file| size(file)).sum();
        for file in files {
            let target = target_of(&file, &copy, is_folder);
            if self.copy_file(&file, &target)?.is_break() {
                return Ok(None);
            }
        }
        describe_language_model(installed, &copy, new, named)
    }

    fn report_progress(&mut self) -> ControlFlow<()> {
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
            let reported = self.report_progress();
            if reported.is_break() {
                return Ok(reported);
            }
        }
    }
}
