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
        job: JobId,
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
    Use(Column, PathBuf),
    SetLanguage(Column, String),
    Select(usize, Column),
    SelectNext,
    SelectPrevious,
    SelectColumn(Column),
    /// The next row that is doubtful or has but one side.
    SelectNextOpen,
    Join,
    Split,
    MoveUp,
    MoveDown,
    PushDown,
    PullUp,
    AlignAgain,
    /// Confirms that the sides belong together, or takes that back, and selects the next row to look at.
    ToggleRight,
    /// Leaves the row out of what is written, or takes that back.
    ToggleLeftOut,
    Undo,
    Redo,
    /// Whether doubtful pairs are written, too.
    KeepDoubtful(bool),
    /// Asks where the pairs shall go.
    SaveAs,
    SaveTo(PathBuf),
    /// Begins with other documents.
    Close,
}

/// The alignment of the window.
#[derive(Debug)]
pub struct Aligning {
    pub source: Option<PathBuf>,
    pub target: Option<PathBuf>,
    pub open: Option<Alignment>,
    /// The row and the side that a person looks at.
    pub selected: (usize, Column),
    /// A row to be brought into view.
    pub scroll_to: OneShot<usize>,
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
