//! Sentences that a person splits and joins.

use std::path::PathBuf;
use std::sync::Arc;

use crate::jobs::JobId;
use canopy_document::document::Document;

/// Commands on the sentences of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SegmentsCommand {
    /// Cuts the selected sentence at the caret in its source.
    Split,
    /// Joins the selected sentence with the next one of its paragraph.
    Join,
    /// Moves the caret to the next word of the source.
    NextWord,
    /// Moves the caret to the previous word of the source.
    PreviousWord,
    /// Asks for a file of rules.
    ChooseRules,
    /// Reads the document by these rules, or as usual.
    UseRules(Option<PathBuf>),
}

/// A change that is being made.
#[derive(Debug)]
pub(crate) struct Recutting {
    pub(crate) job: JobId,
    /// The document to change.
    pub(crate) document: Arc<Document>,
}
