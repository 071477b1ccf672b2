//! Folders of runs that are not training: they are renamed, deleted and exported.

use std::path::{Path, PathBuf};

use crate::error::{BaseError, Error, Result};
use canopy_base::disk;
use canopy_base::file::write_atomically;
use canopy_base::folder::{put_in_place, temporary_sibling};
use canopy_models::weights::{Precision, averaged_model};
use canopy_train::{RunState, best_model, free_folder, run_state};

/// The folder of deleted runs, next to the runs.
const TRASH: &str = ".trash";
/// In a run folder: the path of its model that the program offers.
const PROMOTED: &str = "promoted";

/// A process that trains in a folder continues to write to the old place.
fn check_nobody_trains(folder: &Path) -> Result<()> {
    match run_state(folder)? {
        RunState::Running | RunState::Paused => Err(canopy_train::error::Error::RunBusy {
            path: folder.to_owned(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Gives its new path.
pub(super) fn rename(folder: &Path, name: &str) -> Result<PathBuf> {
    check_nobody_trains(folder)?;
    if !is_folder_name(name) {
        return Err(Error::Base(BaseError::Config {
            field: "the name",
            found: format!("{name:?}"),
            allowed: "that of a folder, without / \\ : or a dot in front".to_owned(),
        }));
    }
    let to = folder.with_file_name(name);
    put(folder, &to)?;
    Ok(to)
}

/// Whether a name stays where it is put, and is not hidden.
fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', ':']) && !name.starts_with('.')
}

/// Moves a folder to a place where nothing is yet.
pub(super) fn put(folder: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        return Err(Error::Base(BaseError::Exists {
            path: to.to_owned(),
        }));
    }
    disk::rename(folder, to).map_err(Error::write(folder))
}

/// A path next to it, under a name that no other run there has.
pub(super) fn to_trash(folder: &Path) -> Result<PathBuf> {
    check_nobody_trains(folder)?;
    let trash = folder.with_file_name(TRASH);
    std::fs::create_dir_all(&trash).map_err(Error::write(&trash))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let to = free_folder(&trash, &name);
    disk::rename(folder, &to).map_err(Error::write(folder))?;
    Ok(to)
}

/// Exports to `to`, unless that path has something other than an earlier model of this run: then next to it. Returns the path.
pub(super) fn promote(run: &Path, to: &Path) -> Result<PathBuf> {
    let mark = run.join(PROMOTED);
    let (models, name) = (to.parent().unwrap_or(to), file_name(to));
    let before = std::fs::read_to_string(&mark).ok().map(PathBuf::from);
    // The model of a renamed run has the old name.
    let is_of_name = |before: &PathBuf| {
        before.parent() == Some(models) && file_name(before).starts_with(&name) && before.exists()
    };
    let before = before.filter(is_of_name);
    let to = before.unwrap_or_else(|| free_folder(models, &name));
    write_model(run, &to, &file_name(&to))?;
    // Without it the next one gets another place, and nothing is lost.
    let _ = write_atomically(&mark, to.to_string_lossy().as_bytes(), true);
    Ok(to)
}

fn file_name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The best model in half precision, called `name`, where nothing is yet.
pub(super) fn export(run: &Path, to: &Path, name: &str) -> Result<()> {
    if to.exists() {
        return Err(Error::Base(BaseError::Exists {
            path: to.to_owned(),
        }));
    }
    write_model(run, to, name)
}

/// Writes the model in place of whatever exists.
fn write_model(run: &Path, to: &Path, name: &str) -> Result<()> {
    let best = best_model(run).ok_or_else(|| {
        Error::Base(BaseError::Model {
            reason: "the run has saved no model yet".to_owned(),
            path: run.to_owned(),
        })
    })?;
    let cpu = burn::tensor::Device::flex();
    let (mut description, model, vocabulary) = averaged_model(&[best], &cpu)?;
    name.clone_into(&mut description.name);
    let temporary = temporary_sibling(to)?;
    description.save(temporary.path(), &model, &vocabulary, Precision::Half)?;
    Ok(put_in_place(temporary, to)?)
}
