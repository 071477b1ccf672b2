//! Changes that another person has made in an exported file: shown, and taken over one by one or together.

mod commands;

use std::path::PathBuf;

use crate::jobs::JobId;
use canopy_project::{ChangeKind, Incoming};

/// Decisions about another person's changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeCommand {
    /// Asks for the file.
    Choose,
    /// Reads this file.
    Read(PathBuf),
    /// Takes a change, by its number, or leaves it.
    Take(usize, bool),
    /// Takes all of these kinds, and leaves the others.
    TakeAll(Vec<ChangeKind>),
    /// Takes over what is to be taken.
    Apply,
    /// Leaves the other person's changes aside.
    Discard,
}

/// A file that is being merged.
#[derive(Debug, Clone, PartialEq)]
pub struct Merging {
    /// The file with the other person's work.
    pub path: PathBuf,
    /// Its changes, and which of them are taken.
    pub incoming: Incoming,
    /// Which of the changes are to be taken; no conflict unless a person says so.
    pub taken: Vec<bool>,
    /// The document that they are for.
    document: PathBuf,
}

/// Merging in the window.
#[derive(Debug, Default)]
pub struct Merges {
    /// The file whose changes are shown.
    pub shown: Option<Merging>,
    reading: Option<(JobId, PathBuf)>,
}
