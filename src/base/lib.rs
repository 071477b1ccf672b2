//! What every wing stands on: errors, files that are written whole, folders, lines, digests.

pub mod digest;
pub mod disk;
pub mod error;
pub mod file;
pub mod folder;
pub mod lines;
