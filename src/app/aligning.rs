//! The alignment of a document with its translation that a person corrects: which documents, which row is looked at.

mod commands;

use std::path::PathBuf;

use crate::error::Result;
use crate::jobs::{AlignRequest, Alignment, JobId};
use canopy_corpus::{AlignmentRow, Column};
use canopy_project::OneShot;

/// A report to the page of alignments.
#[derive(Debug)]
pub enum AlignEvent {
    /// Two documents are aligned.
    Aligned {
        /// Number of the job.
        job: JobId,
        /// The aligned documents, or why they cannot be read or aligned.
        alignment: Result<Box<Alignment>>,
    },
}

/// Changes of an alignment. Edits are of the selected row, and of the selected side of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlignCommand {
    /// Shows the page.
    Show,
    /// Asks for a document.
    Choose(Column),
    /// Takes a document for this side.
    Use(Column, PathBuf),
    /// Sets the language of a side, a code such as `de`.
    SetLanguage(Column, String),
    /// Selects a side of the row of this index.
    Select(usize, Column),
    /// Selects the row below.
    SelectNext,
    /// Selects the row above.
    SelectPrevious,
    /// Selects a side of the selected row.
    SelectColumn(Column),
    /// The next row that is doubtful or has but one side.
    SelectNextOpen,
    /// Joins the row with the one below.
    Join,
    /// Splits the row in two.
    Split,
    /// Moves the first sentence of the side to the row above.
    MoveUp,
    /// Moves the last sentence of the side to the row below.
    MoveDown,
    /// Empties the cell, and moves its content and the cells below one row down, up to the next empty cell or accepted row.
    PushDown,
    /// Moves the cells below up into the empty cell, up to the next empty cell or accepted row.
    PullUp,
    /// Aligns again from this row to the next accepted one.
    AlignAgain,
    /// Confirms that the sides belong together, or takes that back, and selects the next row to look at.
    ToggleRight,
    /// Leaves the row out of what is written, or takes that back.
    ToggleLeftOut,
    /// Takes the last edit back.
    Undo,
    /// Makes the edit again that was taken back last.
    Redo,
    /// Whether doubtful pairs are written, too.
    KeepDoubtful(bool),
    /// Asks where the pairs shall go.
    SaveAs,
    /// Writes the pairs there.
    SaveTo(PathBuf),
    /// Begins with other documents.
    Close,
}

/// The alignment of the window.
#[derive(Debug)]
pub struct Aligning {
    /// The source document.
    pub source: Option<PathBuf>,
    /// The target document.
    pub target: Option<PathBuf>,
    /// The alignment, once the documents are read and aligned.
    pub open: Option<Alignment>,
    /// The row and the side that a person looks at.
    pub selected: (usize, Column),
    /// A row to be brought into view.
    pub scroll_to: OneShot<usize>,
    /// Whether doubtful pairs are written too.
    pub keeps_doubtful: bool,
    /// For its lane; the window sends and empties it.
    pub requests: Vec<AlignRequest>,
    /// Counts changes of rows.
    pub revision: u64,
    job: Option<JobId>,
    /// Since when what is kept is out of date.
    dirty_since_secs: Option<f64>,
}

impl Default for Aligning {
    fn default() -> Self {
        Self {
            source: None,
            target: None,
            open: None,
            selected: (0, Column::Source),
            scroll_to: OneShot::default(),
            keeps_doubtful: false,
            requests: Vec::new(),
            revision: 0,
            job: None,
            dirty_since_secs: None,
        }
    }
}

impl Aligning {
    /// Whether documents are being read and aligned.
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Whether there is something to come back to.
    pub fn is_in_use(&self) -> bool {
        self.source.is_some() || self.target.is_some()
    }

    /// The document of a side.
    pub fn document(&self, column: Column) -> Option<&PathBuf> {
        match column {
            Column::Source => self.source.as_ref(),
            Column::Target => self.target.as_ref(),
        }
    }

    /// The row that is looked at.
    pub fn row(&self) -> Option<&AlignmentRow> {
        self.open.as_ref()?.table.rows().get(self.selected.0)
    }
}
