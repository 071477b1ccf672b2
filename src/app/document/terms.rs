//! State of the termbase in the window, and commands on terms.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::jobs::JobId;
use canopy_qa::terms::TermIndex;

/// State of the termbase in the window.
#[derive(Debug, Default)]
pub struct Terms {
    /// The termbase, once it is read.
    pub index: Option<Arc<TermIndex>>,
    /// The files that it comes from, in the order in which they count; new terms go to the first.
    pub paths: Vec<PathBuf>,
    /// The term that a person is adding.
    pub new: Option<NewTerm>,
    /// Characters of a source sentence that are selected, as a reader sees them.
    pub selected: Option<SourceSelection>,
    /// Selected text in the editor of the target.
    pub selected_target: String,
    pub(crate) reading: Option<JobId>,
}

/// A part of a source sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSelection {
    /// Index of the sentence.
    pub sentence: usize,
    /// The range of its characters.
    pub chars: Range<usize>,
}

/// A term under construction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTerm {
    /// The term in the source language.
    pub source: String,
    /// The term in the target language.
    pub target: String,
}

/// Commands on terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermsCommand {
    /// Opens the dialog for one more file.
    Choose,
    /// Uses the termbases at these paths, or none; new terms go to the first.
    Use(Vec<PathBuf>),
    /// Uses one more behind those in use.
    Also(PathBuf),
    /// Selects a part of a source sentence.
    SelectSource(SourceSelection),
    /// The selection in the editor, as it changes.
    SelectTarget(String),
    /// Writes the translation of the next term of the sentence that its target lacks.
    InsertNext,
    /// Writes this where the caret is.
    Insert(String),
    /// Begins a new term with what is selected on both sides.
    New,
    /// Changes the new term.
    SetNew(NewTerm),
    /// Adds the new term to the first termbase; without one, to one that begins with it.
    AddNew,
    /// Gives the new term up.
    DiscardNew,
}
