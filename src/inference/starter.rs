//! The model that comes with the program.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Folder of the starter model below the program's assets.
const STARTER: &str = "assets/models/help-en-de-memory";

/// Folders where what comes with the program may lie: beside the program, where it was started, and where it was built.
pub fn program_folders() -> impl Iterator<Item = PathBuf> {
    let program = std::env::current_exe().ok();
    let places = [
        program.and_then(|program| program.parent().map(Path::to_owned)),
        std::env::current_dir().ok(),
        Some(PathBuf::from(env!("CARGO_MANIFEST_DIR"))),
    ];
    places.into_iter().flatten()
}

/// Finds the starter model in the folders of the program.
///
/// # Errors
/// [`Error::NoStarterModel`] if it is in none of them.
pub fn starter_model() -> Result<PathBuf> {
    let mut folders = program_folders().map(|place| place.join(STARTER));
    folders
        .find(|folder| folder.is_dir())
        .ok_or(Error::NoStarterModel)
}

/// Whether a model folder that came with the program is the starter's.
pub fn is_starter(folder: &Path) -> bool {
    folder.ends_with(STARTER)
}
