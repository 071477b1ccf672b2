//! Where the work on documents is kept.

use std::path::PathBuf;

use crate::error::{BaseError, Error, Result};
use canopy_project::Folders;

/// Where the window keeps the work on documents that belong to no project folder.
pub(super) fn data_folder() -> Result<PathBuf> {
    Folders::for_user().data.ok_or_else(|| {
        Error::Base(BaseError::Config {
            field: "HOME",
            found: "not set".to_owned(),
            allowed: "the folder of a user, below which work is kept".to_owned(),
        })
    })
}
