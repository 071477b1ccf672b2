//! The model that comes with the program.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Folder of the starter model below the program's assets.
const STARTER: &str = "assets/models/help-en-de-memory";

/// Finds the starter model: beside the program, in the folder it was started in, or where it was built.
///
/// # Errors
/// [`Error::NoStarterModel`] if it is in none of these places.
pub fn starter_model() -> Result<PathBuf> {
    let beside = std::env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(Path::to_owned));
    let places = [
        beside,
        Some(PathBuf::from(".")),
        Some(PathBuf::from(env!("CARGO_MANIFEST_DIR"))),
    ];
    let folders = places
        .into_iter()
        .flatten()
        .map(|place| place.join(STARTER));
    folders
        .into_iter()
        .find(|folder| folder.is_dir())
        .ok_or(Error::NoStarterModel)
}

/// Whether a model folder that came with the program is the starter's.
pub fn is_starter(folder: &Path) -> bool {
    folder.ends_with(STARTER)
}
